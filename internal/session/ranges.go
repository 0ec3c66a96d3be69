package session

import (
	"cmp"
	"context"
	"errors"
	"go/token"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/gotaichi/ti/internal/front"

	"github.com/gotaichi/ti/internal/config"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/tally"
)

// This file counts what a stretch of a program stores in fields. While it runs, launches are made of
// other instances of the kernels, which count in fields of their own; on the oracle the interpreter
// counts.

// A rangeCount is such a stretch.
type rangeCount struct {
	fields []*store.Field

	mu        sync.Mutex
	instances []*instance // that count, guarded by mu
}

// A counting instance counts what the kernel stores.
type counting struct {
	during *rangeCount
	comps  map[string][]bool // by name of a field: the components that count, as the layout counts them
	sites  []front.StoreSite
	layout tally.Layout

	counts, ends, sums, exponents *store.Field   // of compiled kernels
	tallies                       []*tally.Tally // of the oracle
}

// StoreCount is what was counted at one place of a source.
type StoreCount struct {
	Pos token.Position
	*tally.Tally
}

// FieldCount is what was counted of one field.
type FieldCount struct {
	Field   *store.Field
	Numbers []*tally.Tally // what it held and what was to be stored, by kind
	Stores  []StoreCount   // in the order of the source, one for each place and kind of numbers
}

// Count runs f and counts what fields hold and what kernels store in them meanwhile.
func (rt *Runtime) Count(f func() error, fields []*store.Field) ([]FieldCount, error) {
	if err := rt.usable("Ranges"); err != nil {
		return nil, err
	}
	switch {
	case f == nil:
		return nil, diag.Errorf(diag.ErrArgs, "Ranges of a nil function")
	case len(fields) == 0:
		return nil, diag.Errorf(diag.ErrArgs, "Ranges of no fields; name those that the report is to be about")
	}
	for i, c := range fields {
		switch {
		case c == nil:
			return nil, diag.Errorf(diag.ErrArgs, "Ranges: field %d is nil", i)
		case slices.Contains(fields[:i], c):
			return nil, diag.Errorf(diag.ErrArgs, "Ranges has %s twice", c.Name())
		}
		if err := c.Ready(); err != nil {
			return nil, err
		}
		if c.Node().Store() != rt.maker.store {
			return nil, diag.Errorf(diag.ErrArgs, "Ranges: %s is a field of another runtime", c.Name())
		}
	}
	r := &rangeCount{fields: fields}
	if !rt.ranges.CompareAndSwap(nil, r) {
		return nil, diag.Errorf(diag.ErrBusy, "a Ranges of this runtime inside another, or beside one")
	}
	if rt.tape.Load() != nil || rt.tangent.Load() {
		rt.ranges.Store(nil)
		return nil, errCountedTape()
	}
	out := make([]FieldCount, len(fields))
	for i, c := range fields {
		out[i].Field = c
		countContents(c, out[i].numbers, (*tally.Tally).Numbers)
	}
	ended := false
	defer func() {
		if !ended { // f has panicked
			rt.ranges.Store(nil)
			_ = rt.collect(r, nil)
		}
	}()
	err := f()
	rt.ranges.Store(nil)
	ended = true
	return out, errors.Join(err, rt.collect(r, out))
}

// errCountedTape is the error of Ranges and tapes together. Whoever begins sees the other one.
func errCountedTape() error {
	return diag.Errorf(diag.ErrBusy, "derivatives beside Ranges, which counts what plain launches store; run the program without Tape and Tangent for it")
}

// numbers returns the tally of numbers of a kind.
func (f *FieldCount) numbers(k layout.Kind) *tally.Tally {
	return f.numbersOf(layout.ScalarKind(k))
}

func (f *FieldCount) numbersOf(kind scalar.Kind) *tally.Tally {
	i := slices.IndexFunc(f.Numbers, func(t *tally.Tally) bool { return t.Kind == kind })
	if i < 0 {
		i = len(f.Numbers)
		f.Numbers = append(f.Numbers, tally.New(kind))
	}
	return f.Numbers[i]
}

// collect adds up what the instances have counted, and drops them.
func (rt *Runtime) collect(r *rangeCount, out []FieldCount) error {
	var trees []*store.Tree
	rt.maker.eng.Lock()
	r.mu.Lock()
	instances := r.instances
	r.mu.Unlock()
	closed := rt.maker.closed.Load()
	for _, w := range instances {
		if !closed {
			w.addCounts(out)
		}
		trees = append(trees, w.role.(*counting).trees()...)
		w.of.k.p.mu.Lock()
		w.of.others[countingPlace] = nil
		w.of.k.p.mu.Unlock()
		w.free()
	}
	rt.maker.eng.Unlock()
	if closed {
		return rt.usable("Ranges")
	}
	var errs []error
	for _, t := range trees {
		errs = append(errs, t.Close())
	}
	for i := range out {
		f := &out[i]
		if err := f.Field.Alive(); err != nil {
			errs = append(errs, err)
			continue
		}
		countContents(f.Field, f.numbers, (*tally.Tally).Extents)
		slices.SortStableFunc(f.Stores, func(a, b StoreCount) int {
			return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Kind, b.Kind))
		})
	}
	return errors.Join(errs...)
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

// addCounts adds what the instance has counted. The caller holds the launch lock.
func (inst *instance) addCounts(out []FieldCount) {
	n := inst.role.(*counting)
	for place, s := range n.sites {
		t := n.tally(place)
		if t == nil || t.Total == 0 {
			continue
		}
		c := inst.scope.Named(s.Field)
		for i := range out {
			f := &out[i]
			if !within(f.Field, c) {
				continue
			}
			f.numbersOf(t.Kind).Add(numbersOf(t))
			k := slices.IndexFunc(f.Stores, func(o StoreCount) bool { return o.Pos == s.Pos && o.Kind == t.Kind })
			if k < 0 {
				k = len(f.Stores)
				f.Stores = append(f.Stores, StoreCount{s.Pos, tally.New(t.Kind)})
			}
			f.Stores[k].Add(t)
		}
	}
}

// numbersOf has what a tally says of the numbers alone.
func numbersOf(t *tally.Tally) *tally.Tally {
	n := tally.New(t.Kind)
	n.Total, n.Least, n.Largest, n.Smallest = t.Total, t.Least, t.Largest, t.Smallest
	copy(n.Exponents, t.Exponents)
	return n
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

// within reports whether a field has components of another that kernels know.
func within(c, other *store.Field) bool { return other != nil && c.Overlaps(other) }

// counted returns the instance that takes the place of inst in launches that are counted: inst itself
// if it has none of the fields.
func (inst *instance) countedBy(r *rangeCount) (*instance, error) {
	p := inst.k.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(inst.k); err != nil {
		return nil, err
	}
	if w := inst.others[countingPlace]; w != nil && w.role.(*counting).during == r {
		return w, nil
	}
	n := &counting{during: r, comps: map[string][]bool{}}
	for _, f := range inst.checked.Kernel(inst.k.name).Fields {
		c := inst.scope.Named(f.Name)
		for _, g := range r.fields {
			if !within(g, c) {
				continue
			}
			if n.comps[f.Name] == nil {
				n.comps[f.Name] = make([]bool, c.Comps())
			}
			for k := max(g.Lo(), c.Lo()); k < min(g.Hi(), c.Hi()); k++ {
				n.comps[f.Name][k-c.Lo()] = true
			}
		}
	}
	if len(n.comps) == 0 {
		return inst, nil
	}
	w := inst.in(n)
	t, err := w.lower.Tree()
	if err != nil {
		return nil, err
	}
	if n.sites, n.layout, err = t.StoreSites(inst.k.name, w.scope.Layout, w.options(nil)); err != nil {
		return nil, err
	}
	if len(n.sites) == 0 {
		return inst, nil
	}
	if p.rt.maker.Opt.Arch != config.Oracle {
		if err := w.placeCounters(n); err != nil {
			return nil, err
		}
	}
	inst.others[countingPlace] = w
	r.mu.Lock()
	r.instances = append(r.instances, w)
	r.mu.Unlock()
	return w, nil
}

// placeCounters places the fields in which a compiled kernel counts.
func (inst *instance) placeCounters(n *counting) error {
	counts, ends, sums, exponents := n.layout.Sizes()
	add := func(name string, t reflect.Type, size int) (*store.Field, error) {
		c := &store.Field{}
		c.Init(t)
		c.Call(name)
		tree := inst.k.p.rt.maker.store.NewScratch()
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

// heldCounting is held where launches are counted.
func (inst *instance) heldCounting(ctx context.Context, r *rangeCount) (*instance, error) {
	rt := inst.k.p.rt
	w, err := inst.countedBy(r)
	if err != nil {
		return nil, err
	}
	if err := w.hold(ctx); err == nil || w == inst || rt.ranges.Load() == r {
		return w, err
	}
	return inst.held(ctx) // Ranges has ended meanwhile
}
