package session

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/front"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/target"
)

// A ready is a kernel of which all is known but for its code: it was lowered, or it is in the index by
// source of a cache, or was compiled ahead of time.
type ready struct {
	answer  *job.Answer
	areas   []job.Area
	late    map[string]string
	shipped bool                        // its code is in a file, under answer.Key
	reduced bool                        // it is made without what can be left out of the compiler
	unit    func() (*front.Unit, error) // lowers it if that was not done
	index   *cache.Key                  // under which the answer is to be kept; nil if it is there, or must not be
}

// question is all that the code of an instance depends on if it reads the extents of late at launch. of is the
// key of the outline of inst.checked.
func (inst *instance) question(late map[string]string, of outline.Key) *job.Question {
	return inst.questionWith(inst.options(late), late, of)
}

// aheadKey is the key of an instance in files: it is the same on all machines, with any number of threads, and
// whatever parts of the compiler were left out.
func (inst *instance) aheadKey(late map[string]string, of outline.Key) ahead.Key {
	return aheadKey(inst.questionWith(inst.optionsAsked(late), late, of))
}

func (inst *instance) questionWith(o *front.Options, late map[string]string, of outline.Key) *job.Question {
	q := &job.Question{Outline: of, Kernel: inst.k.name, Layout: inst.scope.Layout, Late: late, Options: o.Options, Accesses: o.Accesses, Gradient: o.Gradient, Derivative: o.Derivative}
	known := map[string]bool{}
	add := func(name string) {
		if known[name] {
			return
		}
		known[name] = true
		f := job.Field{Name: name}
		if c := inst.scope.Named(name); c != nil {
			f.Comps = c.Comps()
		}
		q.Fields = append(q.Fields, f)
	}
	for _, f := range inst.checked.Kernel(inst.k.name).Fields {
		add(f.Name)
	}
	for _, name := range inst.followers() {
		add(name)
	}
	if d := inst.role.derivative(); d != nil {
		for _, m := range []map[string]string{d.Of, d.Keys, d.Dual} {
			for _, name := range slices.Sorted(maps.Keys(m)) {
				add(name)
				add(m[name])
			}
		}
		if d.RecordSize > 0 {
			add(d.Record)
		}
	}
	return q
}

func aheadKey(q *job.Question) ahead.Key {
	any := *q
	any.Options.Threads, any.Options.Verify, any.Options.VerifyTasks, any.Options.FailIn = 0, false, false, ""
	return ahead.Key(any.Key())
}

// prepare makes the kernel of an instance ready to be compiled, with extents read at launch as they are in the code
// that was compiled ahead of time if there is some.
func (inst *instance) prepare() (r *ready, err error) {
	err = inst.sparing(func() error {
		r, err = inst.prepareOnce()
		return err
	})
	return r, err
}

func (inst *instance) prepareOnce() (*ready, error) {
	m := inst.k.p.maker
	if _, counts := inst.role.(*counting); counts { // no cache has such code
		return inst.lowered()
	}
	if r := inst.compiledAhead(); r != nil {
		return r, nil
	}
	if m.Shipped != nil {
		if _, err := m.Shipped.Made(); err != nil {
			return nil, m.Shipped.Missing(inst.k.p.source, inst.k.name, inst.describe(), err)
		}
	}
	disk := m.Index()
	var key cache.Key
	if disk != nil {
		q := inst.question(inst.late, inst.checked.IndexKey())
		identity, err := m.exec.compiler().Identity(target.Options{Options: q.Options})
		if err != nil { // a libLLVM that the system has found by a bare name
			disk = nil
		} else {
			key = cache.Key(sha256.Sum256(fmt.Appendf(nil, "index 1 %x %+v\n%s", q.Key(), m.exec.compiler().Traits(), identity)))
			if data, ok := disk.Get(key); ok {
				if r := inst.answered(data, inst.late); r != nil {
					return r, nil
				}
			}
		}
	}
	r, err := inst.lowered()
	if err == nil && disk != nil && inst.covers(r) {
		r.index = &key
	}
	return r, err
}

// compiledAhead finds the kernel of an instance in files, nil if they do not have it.
func (inst *instance) compiledAhead() *ready {
	s, c := inst.k.p.maker.Shipped, inst.checked
	if s == nil || c.Shipped == nil {
		return nil
	}
	for _, late := range append(slices.Clone(inst.other), inst.late) {
		about, ok := s.Set.About(inst.aheadKey(late, c.Shipped.Key))
		if !ok {
			continue
		}
		if r := inst.answered(about, late); r != nil {
			r.shipped = true
			return r
		}
	}
	return nil
}

// answered makes a kernel ready of what is known of it; nil if that does not fit.
func (inst *instance) answered(data []byte, late map[string]string) *ready {
	a, err := job.ReadAnswer(data)
	if err != nil {
		return nil
	}
	r := &ready{answer: a, late: late, reduced: inst.reduced.Load(), unit: sync.OnceValues(func() (*front.Unit, error) {
		again, err := inst.lowered()
		if err != nil {
			return nil, err
		}
		return again.unit()
	})}
	for _, region := range a.Regions {
		area, ok := inst.scope.Layout.Area(region)
		if !ok || slices.Contains(r.areas, area) {
			return nil
		}
		r.areas = append(r.areas, area)
	}
	inst.noteFlows(a.Flows)
	if d := inst.role.derivative(); d != nil {
		d.read(a)
	}
	return r
}

// lowered lowers the kernel of an instance. Close gives up what follows.
func (inst *instance) lowered() (*ready, error) {
	t, err := inst.lower.Tree()
	if err != nil {
		return nil, err
	}
	o := inst.options(inst.late)
	o.Stop = inst.k.p.maker.stop
	inst.k.p.maker.lowerings.Add(1)
	u, err := t.Lower(inst.k.name, inst.scope.Layout, o)
	if err != nil {
		return nil, err
	}
	a := &job.Answer{Key: u.Key, Regions: u.Regions}
	if f := inst.flows.Load(); f != nil {
		a.Flows = *f
	}
	if code, err := u.CodeKey(); err == nil {
		a.Code = code
	}
	if d := inst.role.derivative(); d != nil {
		d.write(a)
	}
	r := &ready{answer: a, late: inst.late, reduced: inst.reduced.Load(), unit: func() (*front.Unit, error) { return u, nil }}
	for _, region := range a.Regions {
		area, ok := inst.scope.Layout.Area(region)
		if !ok {
			return nil, errors.New("internal error: " + region.Field + " lies nowhere")
		}
		r.areas = append(r.areas, area)
	}
	return r, nil
}

// covers reports whether all fields of a kernel that was lowered are in the question that it answers.
func (inst *instance) covers(r *ready) bool {
	u, err := r.unit()
	if err != nil {
		return false
	}
	q := inst.question(r.late, outline.Key{})
	return !slices.ContainsFunc(u.FieldNames(), func(name string) bool {
		return !slices.ContainsFunc(q.Fields, func(f job.Field) bool { return f.Name == name })
	})
}
