package session

import (
	"errors"
	"go/token"
	"reflect"
	"unsafe"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/tally"
)

// A counting instance counts what the kernel stores.
type counting struct {
	during any               // what it counts for
	comps  map[string][]bool // by name of a field: the components that count, as the layout counts them
	sites  []front.StoreSite
	layout tally.Layout

	counts, ends, sums, exponents *store.Field   // of compiled kernels
	tallies                       []*tally.Tally // of the oracle
}

// eachCount calls f with what was counted at each place of the source, and the field that is stored to there. The caller holds
// the launch lock.
func (inst *instance) eachCount(f func(c *store.Field, pos token.Position, t *tally.Tally)) {
	n := inst.role.(*counting)
	for i, s := range n.sites {
		if t := n.tally(i); t != nil && t.Total != 0 {
			f(inst.scope.Named(s.Field), s.Pos, t)
		}
	}
}

// endCounting gives the code of a counting instance back, and returns the trees of the counters. The caller holds the launch lock.
func (inst *instance) endCounting() (trees []*store.Tree) {
	p := inst.k.p
	p.mu.Lock()
	inst.of.others[countingPlace] = nil
	p.mu.Unlock()
	inst.free()
	return inst.role.(*counting).trees()
}

// countedFor returns the instance that takes the place of inst where what it stores is counted: inst itself if it stores nothing that
// counts. during tells one counting from another, and comps are the components of a field of the kernel that count.
func (inst *instance) countedFor(during any, comps func(*store.Field) []bool) (w *instance, isNew bool, err error) {
	p := inst.k.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(inst.k); err != nil {
		return nil, false, err
	}
	if w := inst.others[countingPlace]; w != nil && w.role.(*counting).during == during {
		return w, false, nil
	}
	n := &counting{during: during, comps: map[string][]bool{}}
	for _, f := range inst.checked.Kernel(inst.k.name).Fields {
		if c := inst.scope.Named(f.Name); c != nil {
			if some := comps(c); some != nil {
				n.comps[f.Name] = some
			}
		}
	}
	if len(n.comps) == 0 {
		return inst, false, nil
	}
	w = inst.in(n)
	t, err := w.lower.Tree()
	if err != nil {
		return nil, false, err
	}
	if n.sites, n.layout, err = t.StoreSites(inst.k.name, w.scope.Layout, w.options(nil)); err != nil {
		return nil, false, err
	}
	if len(n.sites) == 0 {
		return inst, false, nil
	}
	if p.maker.Opt.Arch != config.Oracle {
		if err := w.placeCounters(n); err != nil {
			return nil, false, err
		}
	}
	inst.others[countingPlace] = w
	return w, true, nil
}

// trees are those of the counters.
func (n *counting) trees() (all []*store.Tree) {
	for _, c := range []*store.Field{n.counts, n.ends, n.sums, n.exponents} {
		if c != nil {
			all = append(all, c.Tree())
		}
	}
	return all
}

// tally returns what was counted at a place, nil if it was not launched.
func (n *counting) tally(place int) *tally.Tally {
	switch {
	case n.tallies != nil:
		return n.tallies[place]
	case n.counts == nil:
		return nil
	}
	counts, ends, sums, exponents := n.layout.Sizes()
	return n.layout.Tally(place, unsafe.Slice((*int64)(n.counts.Start()), counts), unsafe.Slice((*int64)(n.ends.Start()), ends),
		unsafe.Slice((*float64)(n.sums.Start()), sums), unsafe.Slice((*int64)(n.exponents.Start()), exponents))
}

// placeCounters places the fields in which a compiled kernel counts.
func (inst *instance) placeCounters(n *counting) error {
	counts, ends, sums, exponents := n.layout.Sizes()
	add := func(name string, t reflect.Type, size int) (*store.Field, error) {
		c := &store.Field{}
		c.Init(t)
		c.Call(name)
		tree := inst.k.p.maker.store.NewScratch()
		tree.Node.Dense("i", size).Place(c)
		if err := c.Ready(); err != nil {
			return nil, err
		}
		inst.add(name, c)
		return c, nil
	}
	var errs [4]error
	n.counts, errs[0] = add(tally.Counts, reflect.TypeFor[int64](), counts)
	n.ends, errs[1] = add(tally.Ends, reflect.TypeFor[int64](), ends)
	n.sums, errs[2] = add(tally.Sums, reflect.TypeFor[float64](), sums)
	n.exponents, errs[3] = add(tally.Exponents, reflect.TypeFor[int64](), exponents)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	n.layout.Start(unsafe.Slice((*int64)(n.ends.Start()), ends))
	return nil
}
