package variant

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/front"
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

// question is all that the code of a variant depends on if it reads the extents of late at launch. of is the
// key of the outline of v.checked.
func (v *Variant) question(late map[string]string, of outline.Key) *job.Question {
	return v.questionWith(v.options(late), late, of)
}

// aheadKey is the key of a variant in files: it is the same on all machines, with any number of threads, and
// whatever parts of the compiler were left out.
func (v *Variant) aheadKey(late map[string]string, of outline.Key) ahead.Key {
	return aheadKey(v.questionWith(v.optionsAsked(late), late, of))
}

func (v *Variant) questionWith(o *front.Options, late map[string]string, of outline.Key) *job.Question {
	q := &job.Question{Outline: of, Kernel: v.Kernel.Name, Layout: v.Scope.Layout, Late: late, Options: o.Options, Accesses: o.Accesses, Gradient: o.Gradient, Derivative: o.Derivative}
	known := map[string]bool{}
	add := func(name string) {
		if known[name] {
			return
		}
		known[name] = true
		f := job.Field{Name: name}
		if c := v.Scope.Named(name); c != nil {
			f.Comps = c.Comps()
		}
		q.Fields = append(q.Fields, f)
	}
	for _, f := range v.Checked.Kernel(v.Kernel.Name).Fields {
		add(f.Name)
	}
	for _, name := range v.followers() {
		add(name)
	}
	if d := v.Role.AsDerivative(); d != nil {
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

// prepare makes the kernel of a variant ready to be compiled, with extents read at launch as they are in the code
// that was compiled ahead of time if there is some.
func (v *Variant) prepare() (r *ready, err error) {
	err = v.sparing(func() error {
		r, err = v.prepareOnce()
		return err
	})
	return r, err
}

func (v *Variant) prepareOnce() (*ready, error) {
	m := v.Kernel.Program.Maker
	if _, counts := v.Role.(*counting); counts { // no cache has such code
		return v.lowered()
	}
	if r := v.compiledAhead(); r != nil {
		return r, nil
	}
	if m.Shipped != nil {
		if _, err := m.Shipped.Made(); err != nil {
			return nil, m.Shipped.Missing(v.Kernel.Program.Source, v.Kernel.Name, v.describe(), err)
		}
	}
	disk := m.Index()
	var key cache.Key
	if disk != nil {
		q := v.question(v.late, v.Checked.IndexKey())
		identity, err := m.Exec.compiler().Identity(target.Options{Options: q.Options})
		if err != nil { // a libLLVM that the system has found by a bare name
			disk = nil
		} else {
			key = cache.Key(sha256.Sum256(fmt.Appendf(nil, "index 1 %x %+v\n%s", q.Key(), m.Exec.compiler().Traits(), identity)))
			if data, ok := disk.Get(key); ok {
				if r := v.answered(data, v.late); r != nil {
					return r, nil
				}
			}
		}
	}
	r, err := v.lowered()
	if err == nil && disk != nil && v.covers(r) {
		r.index = &key
	}
	return r, err
}

// compiledAhead finds the kernel of a variant in files, nil if they do not have it.
func (v *Variant) compiledAhead() *ready {
	s, c := v.Kernel.Program.Maker.Shipped, v.Checked
	if s == nil || c.Shipped == nil {
		return nil
	}
	for _, late := range append(slices.Clone(v.other), v.late) {
		about, ok := s.Set.About(v.aheadKey(late, c.Shipped.Key))
		if !ok {
			continue
		}
		if r := v.answered(about, late); r != nil {
			r.shipped = true
			return r
		}
	}
	return nil
}

// answered makes a kernel ready of what is known of it; nil if that does not fit.
func (v *Variant) answered(data []byte, late map[string]string) *ready {
	a, err := job.ReadAnswer(data)
	if err != nil {
		return nil
	}
	r := &ready{answer: a, late: late, reduced: v.reduced.Load(), unit: sync.OnceValues(func() (*front.Unit, error) {
		again, err := v.lowered()
		if err != nil {
			return nil, err
		}
		return again.unit()
	})}
	for _, region := range a.Regions {
		area, ok := v.Scope.Layout.Area(region)
		if !ok || slices.Contains(r.areas, area) {
			return nil
		}
		r.areas = append(r.areas, area)
	}
	v.noteFlows(a.Flows)
	if d := v.Role.AsDerivative(); d != nil {
		d.read(a)
	}
	return r
}

// lowered lowers the kernel of a variant. Close gives up what follows.
func (v *Variant) lowered() (*ready, error) {
	t, err := v.lower.Tree()
	if err != nil {
		return nil, err
	}
	o := v.options(v.late)
	o.Stop = v.Kernel.Program.Maker.Stop
	v.Kernel.Program.Maker.Lowerings.Add(1)
	u, err := t.Lower(v.Kernel.Name, v.Scope.Layout, o)
	if err != nil {
		return nil, err
	}
	a := &job.Answer{Key: u.Key, Regions: u.Regions}
	if f := v.Flows.Load(); f != nil {
		a.Flows = *f
	}
	if code, err := u.CodeKey(); err == nil {
		a.Code = code
	}
	if d := v.Role.AsDerivative(); d != nil {
		d.write(a)
	}
	r := &ready{answer: a, late: v.late, reduced: v.reduced.Load(), unit: func() (*front.Unit, error) { return u, nil }}
	for _, region := range a.Regions {
		area, ok := v.Scope.Layout.Area(region)
		if !ok {
			return nil, errors.New("internal error: " + region.Field + " lies nowhere")
		}
		r.areas = append(r.areas, area)
	}
	return r, nil
}

// covers reports whether all fields of a kernel that was lowered are in the question that it answers.
func (v *Variant) covers(r *ready) bool {
	u, err := r.unit()
	if err != nil {
		return false
	}
	q := v.question(r.late, outline.Key{})
	return !slices.ContainsFunc(u.FieldNames(), func(name string) bool {
		return !slices.ContainsFunc(q.Fields, func(f job.Field) bool { return f.Name == name })
	})
}

// describe says what the kernel of a variant depends on.
func (v *Variant) describe() string {
	var parts []string
	f := v.Checked.Kernel(v.Kernel.Name)
	for _, field := range f.Fields {
		parts = append(parts, fmt.Sprintf("%s is %v of shape %d", field.Name, field.Elem, v.Scope.Layout[field.Name].Field.Shape()))
	}
	for _, c := range v.consts {
		parts = append(parts, fmt.Sprintf("%s is %v", c.Of.Name, c.Of.Value))
	}
	if len(parts) == 0 {
		return "it uses neither fields nor constants of the host"
	}
	return strings.Join(parts, ", ")
}

// prepareAhead lowers the kernel to be compiled ahead of time.
func (v *Variant) prepareAhead() (r *ready, err error) {
	err = v.sparing(func() error {
		r, err = v.lowered()
		return err
	})
	return r, err
}

// compileFor makes code of a kernel for the machines of another compiler. What it made it of may be lowered anew.
func (v *Variant) compileFor(r *ready, c target.Compiler) (from *ready, code *job.Compiled, err error) {
	err = v.sparing(func() error {
		if v.reduced.Load() && !r.reduced {
			if r, err = v.lowered(); err != nil {
				return err
			}
		}
		u, err := r.unit()
		if err == nil {
			code, err = front.CompileFor(u, c)
		}
		return err
	})
	return r, code, err
}
