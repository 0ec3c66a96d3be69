package observe

import (
	"cmp"
	"context"
	"errors"
	"go/token"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/tally"
	"github.com/gotaichi/ti/internal/variant"
)

// This file counts what a part of a program stores in fields. While it runs, launches are made of
// other variants of the kernels, which count in fields of their own; on the oracle the interpreter
// counts.

// A rangeCount counts so.
type rangeCount struct {
	flow.Idle
	fields []*store.Field

	mu       sync.Mutex
	variants []*variant.Variant // that count, guarded by mu
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
func Count(w *flow.Way, f func() error, fields []*store.Field) ([]FieldCount, error) {
	if err := w.Maker.Usable("Ranges"); err != nil {
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
		if c.Node().Store() != w.Maker.Store {
			return nil, diag.Errorf(diag.ErrArgs, "Ranges: %s is a field of another runtime", c.Name())
		}
	}
	r := &rangeCount{fields: fields}
	err := w.Join(r, func(other flow.Observer) error {
		if _, is := other.(*rangeCount); is {
			return diag.Errorf(diag.ErrBusy, "a Ranges of this runtime inside another, or beside one")
		}
		return errCountedTape()
	})
	if err != nil {
		return nil, err
	}
	out := make([]FieldCount, len(fields))
	for i, c := range fields {
		out[i].Field = c
		countContents(c, out[i].numbers, (*tally.Tally).Numbers)
	}
	ended := false
	defer func() {
		if !ended { // f has panicked
			w.Leave(r)
			_ = r.collect(w, nil)
		}
	}()
	err = f()
	w.Leave(r)
	ended = true
	return out, errors.Join(err, r.collect(w, out))
}

// errCountedTape is the error of Ranges and tapes together. Whoever begins sees the other one.
func errCountedTape() error {
	return diag.Errorf(diag.ErrBusy, "derivatives beside Ranges, which counts what plain launches store; run the program without Tape and Tangent for it")
}

// numbers returns the tally of numbers of a kind.
func (f *FieldCount) numbers(k layout.Kind) *tally.Tally {
	return f.numbersOf(k)
}

func (f *FieldCount) numbersOf(kind scalar.Kind) *tally.Tally {
	i := slices.IndexFunc(f.Numbers, func(t *tally.Tally) bool { return t.Kind == kind })
	if i < 0 {
		i = len(f.Numbers)
		f.Numbers = append(f.Numbers, tally.New(kind))
	}
	return f.Numbers[i]
}

// collect adds up what the variants have counted, and drops them.
func (r *rangeCount) collect(way *flow.Way, out []FieldCount) error {
	var trees []*store.Tree
	way.Maker.Turn.Lock()
	r.mu.Lock()
	variants := r.variants
	r.mu.Unlock()
	closed := way.Maker.Closed.Load()
	var errs []error
	for _, w := range variants {
		if !closed {
			errs = append(errs, addCounts(w, out))
		}
		trees = append(trees, w.EndCounting()...)
	}
	way.Maker.Turn.Unlock()
	if closed {
		return way.Maker.Usable("Ranges")
	}
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

// addCounts adds what a variant has counted. The caller holds the launch lock.
func addCounts(v *variant.Variant, out []FieldCount) error {
	return v.EachCount(func(c *store.Field, pos token.Position, t *tally.Tally) {
		for i := range out {
			f := &out[i]
			if !within(f.Field, c) {
				continue
			}
			f.numbersOf(t.Kind).Add(numbersOf(t))
			k := slices.IndexFunc(f.Stores, func(o StoreCount) bool { return o.Pos == pos && o.Kind == t.Kind })
			if k < 0 {
				k = len(f.Stores)
				f.Stores = append(f.Stores, StoreCount{pos, tally.New(t.Kind)})
			}
			f.Stores[k].Add(t)
		}
	})
}

// numbersOf has what a tally says of the numbers alone.
func numbersOf(t *tally.Tally) *tally.Tally {
	n := tally.New(t.Kind)
	n.Total, n.Least, n.Largest, n.Smallest = t.Total, t.Least, t.Largest, t.Smallest
	copy(n.Exponents, t.Exponents)
	return n
}

// within reports whether a field has components of another that kernels know.
func within(c, other *store.Field) bool { return other != nil && c.Overlaps(other) }

// Beside refuses what has launches made of other variants.
func (*rangeCount) Beside(flow.Observer) error { return errCountedTape() }

// Cast has launches made of variants that count, if their kernels have one of the fields.
func (r *rangeCount) Cast(_ context.Context, asked, _ *variant.Variant) (*variant.Variant, error) {
	w, isNew, err := asked.Counted(r, r.components)
	if isNew {
		r.mu.Lock()
		r.variants = append(r.variants, w)
		r.mu.Unlock()
	}
	return w, err
}

// components are those of a field of a kernel that count, nil for none.
func (r *rangeCount) components(c *store.Field) (comps []bool) {
	for _, g := range r.fields {
		if !within(g, c) {
			continue
		}
		if comps == nil {
			comps = make([]bool, c.Comps())
		}
		for k := max(g.Lo(), c.Lo()); k < min(g.Hi(), c.Hi()); k++ {
			comps[k-c.Lo()] = true
		}
	}
	return comps
}
