package gradient

import (
	"fmt"
	"go/token"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// In debug mode a cell that a launch under a tape deactivates is taken as a store of zeros to its elements, and with
// the cell goes what it has of their adjoints. Kernels record which cells they name, which need not have been active;
// and lists are emptied without a record. So the active elements behind the launch are compared with the copies of
// those before it.

// copySparse copies the sparse fields of a kernel of which there is no copy. The caller holds the launch lock.
func (t *tape) copySparse(v *variant.Variant) error {
	for _, f := range v.Checked.Kernel(v.Kernel.Name).Fields {
		c := v.Scope.Named(f.Name)
		if c == nil || c.Elem() == nil || !c.Sparse() || slices.ContainsFunc(t.cells, func(k *sparseCopy) bool { return k.of == c.Root() }) {
			continue
		}
		if err := t.keepCells(c.Root()); err != nil {
			return err
		}
	}
	return nil
}

// dropped takes the cells that a launch which was watched has deactivated. The caller holds the launch lock.
func (t *tape) dropped(v *variant.Variant) {
	if t.customs.Load() > 0 {
		return // the backward pass of CustomGrad may account for that
	}
	behind := sync.OnceValue(func() func(at token.Position) bool {
		tree, err := v.Checked.Tree()
		if err != nil {
			return func(token.Position) bool { return false } // there is no source
		}
		return tree.BehindDeactivation(v.Kernel.Name)
	})
	t.eachSparse(func(of *record.Dropped) {
		of.Later = func(at *launch.Site) bool { return behind()(variant.PlaceOf(at.Place)) }
		t.history.Drop(of, t.paused.Load() > 0)
	})
}

// droppedAgain says that a checkpoint has ended.
func (g *Gradients) droppedAgain(t *tape) {
	if t.history == nil {
		return
	}
	g.Maker.Turn.Lock()
	defer g.Maker.Turn.Unlock()
	t.eachSparse(t.history.EndAgain)
}

// eachSparse describes the sparse fields that launches have used. The caller holds the launch lock.
func (t *tape) eachSparse(f func(of *record.Dropped)) {
	for _, k := range t.cells {
		c := k.of
		if c.Over() {
			continue
		}
		adjoint, err := c.ReadyCompanion(store.Grad)
		if err != nil {
			adjoint = nil // the backward pass has this error
		}
		f(&record.Dropped{
			Number: t.g.numberOf(c), Rank: c.Rank,
			Was:      k.has,
			Is:       c.Holds,
			Adjoints: adjoint != nil,
			Kept:     func(comp int, index []int) bool { return adjoint != nil && adjoint.Holds(comp, index) },
		})
	}
}

// has reports whether the component was active, and its element, with which it would have become zero.
func (k *sparseCopy) has(comp int, index []int) bool {
	_, ok := k.lookUp(comp, index)
	if ok && k.of.Layout().Apart(comp) {
		_, ok = k.lookUp(0, index)
	}
	return ok
}

// dropError is the error of a broken rule that a launch breaks by what it deactivates.
func dropError(b *record.Breach, count int) error {
	e := &variant.RuntimeError{Kernel: b.BeforeBy, Pos: variant.PlaceOf(b.Before.Place), Err: diag.ErrAccess, Count: count, Field: b.What, Index: b.Index}
	why := "the backward pass would find 0"
	switch {
	case b.Lost:
		why = "its adjoint would be lost"
	case b.Adjoint:
		why = "its adjoint would be that of both values"
	}
	e.Msg = fmt.Sprintf("launch %d under the tape, of %s, deactivates the cell of %s%v, which launch %d, of %s, has %s here: %s; deactivate cells after the tape, or see Checkpoint",
		b.NowLaunch, b.NowBy, b.What, e.Index, b.BeforeLaunch, b.BeforeBy, did(b.Before.Kind), why)
	return e
}

// did says what a launch has done to an element.
func did(k site.Kind) string {
	return map[site.Kind]string{site.Read: "read", site.Write: "stored to", site.Update: "added to"}[k]
}
