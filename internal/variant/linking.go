package variant

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/target"
)

// A linking is launches that are to be linked.
type linking struct {
	maker   *Maker
	parts   []*Variant
	same    [][]job.SameArg  // of the arguments of parts; nil if none are known to be
	options []*front.Options // of parts
	fewer   bool             // of use only if the linked kernel has fewer tasks

	// lowered links them. That takes as long as running all passes, and is not done where a cache has what comes of it.
	lowered func() (*loweredLink, error)
}

// A loweredLink is launches that have been linked.
type loweredLink struct {
	unit   *front.Unit
	linked *front.LinkedKernels
	tasks  int
}

// nothingSaved stands for a number of tasks that nobody has counted: not less than that of the parts.
const nothingSaved = math.MaxInt32

// newLinking prepares to link launches.
func newLinking(parts []*Variant, same [][]job.SameArg, h how) *linking {
	l := &linking{maker: parts[0].Kernel.Program.Maker, parts: parts, same: same, fewer: h.fewer}
	for _, v := range parts {
		o := v.optionsAsked(nil)
		o.Stop, o.Flows, o.Without, o.Settled = l.maker.Stop, nil, o.Without|h.without, h.settled
		if o.Derivative != nil { // what the derivative asks of the program is known
			silent := *o.Derivative
			silent.Topology, silent.Loads, silent.Recorded = nil, nil, nil
			o.Derivative = &silent
		}
		l.options = append(l.options, o)
	}
	l.lowered = sync.OnceValues(l.lower)
	return l
}

// lower links the launches, and finds out how many tasks the linked kernel has.
func (l *linking) lower() (*loweredLink, error) {
	var of []front.LinkPart
	for i, v := range l.parts {
		tree, err := v.Checked.Tree()
		if err != nil {
			return nil, err
		}
		p := front.LinkPart{Tree: tree, Kernel: v.Kernel.Name, Layout: v.Scope.Layout, Options: l.options[i], Of: v}
		if l.same != nil {
			p.Same = l.same[i]
		}
		of = append(of, p)
	}
	l.maker.Lowerings.Add(1)
	u, linked, err := front.Link(of)
	if err != nil {
		return nil, err
	}
	if l.fewer {
		if saves, err := u.Saves(); err != nil || !saves {
			return &loweredLink{u, linked, nothingSaved}, err
		}
	}
	d, err := u.Describe()
	if err != nil {
		return nil, err
	}
	return &loweredLink{u, linked, tasksOf(d)}, nil
}

// answer says what comes of linking the launches: from the cache, if it is there.
func (l *linking) answer() (*job.LinkAnswer, error) {
	disk, key := l.index()
	if disk != nil {
		if data, ok := disk.Get(key); ok {
			if a, err := job.ReadLinkAnswer(data, len(l.parts)); err == nil && l.fits(a) {
				return a, nil
			}
		}
	}
	u, err := l.lowered()
	apart, is := errors.AsType[*job.Apart](err)
	if err != nil && !is {
		return nil, err
	}
	a := &job.LinkAnswer{Apart: apart}
	if apart == nil {
		if a.Tasks = u.tasks; u.tasks != nothingSaved {
			a.Answer, a.Fields = job.Answer{Key: u.unit.Key, Regions: u.unit.Regions}, u.linked.Fields
			if code, err := u.unit.CodeKey(); err == nil {
				a.Answer.Code = code
			}
		}
		if !l.covers(u.linked) {
			return a, nil
		}
	}
	if disk != nil {
		l.maker.Disk.Put(key, a.Append(nil))
	}
	return a, nil
}

// index returns the cache, and the key under which it has the answer; nil if it cannot have it.
func (l *linking) index() (*cache.Cache, cache.Key) {
	c := l.maker.Exec.compiler()
	disk := l.maker.Index()
	if disk == nil || slices.ContainsFunc(l.options, func(o *front.Options) bool { return o.Measure != nil }) {
		return nil, cache.Key{}
	}
	identity, err := c.Identity(target.Options{Options: l.options[0].Options})
	if err != nil { // a libLLVM that the system has found by a bare name
		return nil, cache.Key{}
	}
	return disk, cache.Key(sha256.Sum256(fmt.Appendf(nil, "index of links 1 %x %t %+v\n%s", l.key(), l.fewer, c.Traits(), identity)))
}

// key identifies the launches, but for the compiler.
func (l *linking) key() target.Key {
	var of []*Variant
	var all []*job.Question
	var launches []int
	for i, v := range l.parts {
		n := slices.Index(of, v)
		if n < 0 {
			n = len(of)
			of, all = append(of, v), append(all, l.question(i))
		}
		launches = append(launches, n)
	}
	return job.LinkKey(all, launches, l.same)
}

func (l *linking) question(part int) *job.Question {
	return l.parts[part].questionWith(l.options[part], nil, l.parts[part].Checked.IndexKey())
}

// covers reports whether all fields of the parts are in the questions that the key is made of.
func (l *linking) covers(linked *front.LinkedKernels) bool {
	for i := range l.parts {
		q := l.question(i)
		for name := range linked.Parts[i].Names {
			if !slices.ContainsFunc(q.Fields, func(f job.Field) bool { return f.Name == name }) {
				return false
			}
		}
	}
	return true
}

// fits reports whether an answer is one about these launches, as far as that can be told.
func (l *linking) fits(a *job.LinkAnswer) bool {
	_, ok := l.areas(a)
	return ok
}

// layout is where the fields of the linked kernel lie.
func (l *linking) layout(a *job.LinkAnswer) job.Layout {
	return job.LayoutOf(a.Fields, func(part int) job.Layout { return l.parts[part].Scope.Layout })
}

// areas are what the entries of its base table are.
func (l *linking) areas(a *job.LinkAnswer) (areas []job.Area, ok bool) {
	at := l.layout(a)
	for _, r := range a.Answer.Regions {
		area, ok := at.Area(r)
		if !ok || slices.Contains(areas, area) {
			return nil, false
		}
		areas = append(areas, area)
	}
	return areas, true
}

// whyApart says why loops of the launches are not fused.
func (l *linking) whyApart() []string {
	u, err := l.lowered()
	if err != nil {
		return nil
	}
	all, err := u.unit.WhyApart()
	if err != nil {
		return nil
	}
	return all
}
