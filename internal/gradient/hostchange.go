package gradient

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// A program that changes fields by itself under a tape breaks the rules of data access like a kernel does. Set and
// CopyFrom leave no trace, and slices cannot. So in debug mode the tape keeps a copy of each dense tree that its
// launches use, and of the active cells of sparse fields, and compares before the next launch and at the end.

// A treeCopy is what the memory of a tree was after a launch.
type treeCopy struct {
	*store.Copy
	of []*store.Field // in it, that launches use
}

// A sparseCopy is what the active elements of a field in a sparse tree were after a launch.
type sparseCopy struct {
	of    *store.Field
	cells []store.Cell         // in the order of memory
	found map[cellPlace]uint64 // the same by place; nil until something is looked up
}

// A cellPlace identifies the components of a field's elements.
type cellPlace struct {
	comp  int
	index store.Index
}

// changedCell finds an element that a launch has used and the program has changed since.
func (t *tape) changedCell(k *sparseCopy) error {
	if k.of.Over() {
		return nil
	}
	now, err := k.of.ActiveCells()
	if err != nil || slices.Equal(k.cells, now) {
		return err
	}
	was := map[cellPlace]uint64{}
	for _, cell := range k.cells {
		was[cellPlace{cell.Comp, cell.Index}] = cell.Bits
	}
	for _, cell := range now { // one that was made since was zero
		at := cellPlace{cell.Comp, cell.Index}
		if was[at] != cell.Bits {
			if err := t.changedAt(k.of, cell.Comp, cell.Index); err != nil {
				return err
			}
		}
		delete(was, at)
	}
	for _, cell := range k.cells { // and one that is no more is zero
		if bits, gone := was[cellPlace{cell.Comp, cell.Index}]; gone && bits != 0 {
			if err := t.changedAt(k.of, cell.Comp, cell.Index); err != nil {
				return err
			}
		}
	}
	k.cells, k.found = now, nil
	return nil
}

// keepCells copies the active elements of a field in a sparse tree.
func (t *tape) keepCells(c *store.Field) error {
	i := slices.IndexFunc(t.cells, func(k *sparseCopy) bool { return k.of == c })
	if i < 0 {
		i = len(t.cells)
		t.cells = append(t.cells, &sparseCopy{of: c})
	}
	var err error
	t.cells[i].cells, err = c.ActiveCells()
	t.cells[i].found = nil
	return err
}

// keep copies the memory of the dense trees of a kernel after a launch. The caller holds the launch lock.
func (t *tape) keep(v *variant.Variant) error {
	if t.history == nil {
		return nil
	}
	for _, f := range v.Checked.Kernel(v.Kernel.Name).Fields {
		c := v.Scope.Named(f.Name)
		switch {
		case c == nil || c.Elem() == nil:
			continue
		case c.Sparse():
			if err := t.keepCells(c.Root()); err != nil {
				return err
			}
			continue
		}
		for _, tree := range c.Trees() {
			i := slices.IndexFunc(t.copies, func(k *treeCopy) bool { return k.Tree() == tree })
			if i < 0 {
				i = len(t.copies)
				made, err := tree.NewCopy()
				if err != nil {
					return err
				}
				t.copies = append(t.copies, &treeCopy{Copy: made})
			} else if err := t.copies[i].Update(); err != nil {
				return err
			}
			k := t.copies[i]
			if root := c.Root(); !slices.Contains(k.of, root) {
				k.of = append(k.of, root)
			}
		}
	}
	return nil
}

// changed finds an element that a launch has used and the program has changed since. The caller holds the launch lock.
func (t *tape) changed() error {
	for _, k := range t.copies {
		if is, err := k.IsChanged(); err != nil {
			return err
		} else if !is {
			continue
		}
		now, err := k.Tree().NewCopy()
		if err != nil {
			return err
		}
		for _, c := range k.of {
			if err := t.changedIn(c, k, now); err != nil {
				return err
			}
		}
		k.Copy = now // what nothing has used may change
	}
	for _, k := range t.cells {
		if err := t.changedCell(k); err != nil {
			return err
		}
	}
	return nil
}

// hostChanged is changed without the launch lock.
func (g *Gradients) hostChanged(t *tape) error {
	if t.history == nil {
		return nil
	}
	g.Maker.Turn.Lock()
	defer g.Maker.Turn.Unlock()
	return t.changed()
}

func (t *tape) changedIn(c *store.Field, k *treeCopy, now *store.Copy) error {
	for n, idx := range k.Changes(c, now) {
		if err := t.changedAt(c, n, idx); err != nil {
			return err
		}
	}
	return nil
}

// changedAt is the error for a change of component n of an element, if a backward pass reads it again. Else launches
// that read it later may break a rule.
func (t *tape) changedAt(c *store.Field, n int, idx store.Index) error {
	var index []uint64
	for _, i := range idx[:c.Rank] {
		index = append(index, uint64(i))
	}
	number, comp := t.g.numberOf(c), int64(c.Lo()+n)
	by, launch, site, ok := t.history.Known(number, comp, index)
	if !ok {
		if c.Placed(store.Grad) != nil && t.customs.Load() == 0 { // the backward pass of CustomGrad may account for what its program changes
			t.history.Change(number, comp, index)
		}
		return nil
	}
	return &variant.RuntimeError{Kernel: by, Pos: variant.PlaceOf(site.Place), Err: diag.ErrAccess, Count: 1, Field: c.Name(), Index: slices.Clone(idx[:c.Rank]),
		Msg: fmt.Sprintf("the program has changed %s%v under the tape, by itself or through a slice, after launch %d used it here: the backward pass would find the new value; change fields before the tape, or by kernels",
			c.Name(), idx[:c.Rank], launch)}
}

// changeError is the error of a launch that reads what the program has changed.
func changeError(b *record.Breach, count int) error {
	e := &variant.RuntimeError{Kernel: b.NowBy, Pos: variant.PlaceOf(b.Now.Place), Err: diag.ErrAccess, Count: count, Field: b.What, Index: b.Index, Other: variant.PlaceOf(b.Before.Place)}
	e.Msg = fmt.Sprintf("launch %d under the tape reads %s%v here, which the program has changed, by itself or through a slice, after launch %d, of %s, has %s at %s: its adjoint would be that of both values; change fields before the tape, or by kernels",
		b.NowLaunch, b.What, e.Index, b.BeforeLaunch, b.BeforeBy, did(b.Before.Kind), variant.Place(e.Other))
	return e
}
