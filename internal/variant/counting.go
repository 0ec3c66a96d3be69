package variant

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

// A counting variant counts what the kernel stores.
type counting struct {
	during any               // what it counts for
	comps  map[string][]bool // by name of a field: the components that count, as the layout counts them
	sites  []front.StoreSite
	layout tally.Layout

	counts, ends, sums, exponents *store.Field   // of compiled kernels
	tallies                       []*tally.Tally // of the oracle
}

// EachCount calls f with what was counted at each place of the source, and the field that is stored to there. The
// caller holds the launch lock.
func (v *Variant) EachCount(f func(c *store.Field, pos token.Position, t *tally.Tally)) error {
	n := v.Role.(*counting)
	tallies, err := n.all()
	for i, t := range tallies {
		if t != nil && t.Total != 0 {
			f(v.Scope.Named(n.sites[i].Field), n.sites[i].Pos, t)
		}
	}
	return err
}

// EndCounting gives the code of a counting variant back, and returns the trees of the counters. The caller holds the
// launch lock.
func (v *Variant) EndCounting() (trees []*store.Tree) {
	p := v.Kernel.Program
	p.mu.Lock()
	v.Of.others[countingPlace] = nil
	p.mu.Unlock()
	v.Free()
	return v.Role.(*counting).trees()
}

// Counted returns the variant that takes the place of v where what it stores is counted: v itself if it stores
// nothing that counts. during tells one counting from another, and comps are the components of a field of the kernel
// that count.
func (v *Variant) Counted(during any, comps func(*store.Field) []bool) (w *Variant, isNew bool, err error) {
	p := v.Kernel.Program
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(v.Kernel); err != nil {
		return nil, false, err
	}
	if w := v.others[countingPlace]; w != nil && w.Role.(*counting).during == during {
		return w, false, nil
	}
	n := &counting{during: during, comps: map[string][]bool{}}
	for _, f := range v.Checked.Kernel(v.Kernel.Name).Fields {
		if c := v.Scope.Named(f.Name); c != nil {
			if some := comps(c); some != nil {
				n.comps[f.Name] = some
			}
		}
	}
	if len(n.comps) == 0 {
		return v, false, nil
	}
	w = v.in(n)
	t, err := w.lower.Tree()
	if err != nil {
		return nil, false, err
	}
	if n.sites, n.layout, err = t.StoreSites(v.Kernel.Name, w.Scope.Layout, w.options(nil)); err != nil {
		return nil, false, err
	}
	if len(n.sites) == 0 {
		return v, false, nil
	}
	if p.Maker.Opt.Arch != config.Oracle {
		if err := w.placeCounters(n); err != nil {
			return nil, false, err
		}
	}
	v.others[countingPlace] = w
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

// all returns what was counted at each place, nothing if the kernel was not launched.
func (n *counting) all() (tallies []*tally.Tally, err error) {
	if n.tallies != nil || n.counts == nil {
		return n.tallies, nil
	}
	var words [4][]int64
	for i, c := range []*store.Field{n.counts, n.ends, n.sums, n.exponents} {
		words[i] = make([]int64, c.Len())
		if err := c.CopyTo(unsafe.Pointer(unsafe.SliceData(words[i])), len(words[i])); err != nil {
			return nil, err
		}
	}
	sums := unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(words[2]))), len(words[2]))
	for place := range n.sites {
		tallies = append(tallies, n.layout.Tally(place, words[0], words[1], sums, words[3]))
	}
	return tallies, nil
}

// placeCounters places the fields in which a compiled kernel counts.
func (v *Variant) placeCounters(n *counting) error {
	counts, ends, sums, exponents := n.layout.Sizes()
	add := func(name string, t reflect.Type, size int) (*store.Field, error) {
		c := &store.Field{}
		c.Init(t)
		c.Call(name)
		tree := v.Kernel.Program.Maker.Store.NewScratch()
		tree.Node.Dense("i", size).Place(c)
		if err := c.Ready(); err != nil {
			return nil, err
		}
		v.add(name, c)
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
	return n.ends.Words(true, func(all []int64) error {
		n.layout.Start(all)
		return nil
	})
}

func (n *counting) compile(o *front.Options) { o.Measure = n.comps }

func (*counting) ships() bool               { return false }
func (*counting) AsDerivative() *derivative { return nil }
