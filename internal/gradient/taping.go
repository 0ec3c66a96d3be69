package gradient

import (
	"cmp"
	"context"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// Tape computes the gradient of loss; see ti.Runtime.Tape.
func (g *Gradients) Tape(loss *store.Field, f func() error) error {
	return g.taped(&tape{ends: newEndings(store.Grad)}, loss, f)
}

// TapeToStart is Tape, after which the adjoint of an element that f stored to is that of what it was before f: 0,
// unless a launch had read it. It reports whether f called CustomGrad, whose backward pass leaves adjoints as it likes.
func (g *Gradients) TapeToStart(loss *store.Field, f func() error) (custom bool, err error) {
	t := &tape{ends: newEndings(store.Grad)}
	t.clear.Store(true)
	err = g.taped(t, loss, f)
	return t.custom.Load(), err
}

// taped is Tape with a new tape.
func (g *Gradients) taped(t *tape, loss *store.Field, f func() error) error {
	if err := g.usable("a tape"); err != nil {
		return err
	}
	adjoint, err := g.lossAdjoint(loss)
	if err != nil {
		return err
	}
	if g.tape() != nil || !g.taping.CompareAndSwap(false, true) {
		return errTapeWithin()
	}
	defer g.taping.Store(false)
	if err := g.clearAdjoints(); err != nil {
		return err
	}
	if err := g.record(t, f); err != nil {
		return err
	}
	if !t.names(loss) {
		return diag.Errorf(diag.ErrArgs, "no kernel that the tape recorded computes the loss %s; launch the one that does within the tape's function", loss.Name())
	}
	if err := g.report(t.ends, loss); err != nil {
		t.drop()
		return err
	}
	setOne(adjoint)
	if !t.repeats() {
		return g.back(t)
	}
	// A checkpoint runs again what adds to the loss, or restores what it was before.
	restore, err := holdOnly(loss, g.tangents())
	if err != nil {
		return err
	}
	return cmp.Or(g.back(t), restore())
}

// Adjoint runs the adjoints of what f launches; see ti.Runtime.Adjoint.
func (g *Gradients) Adjoint(f func() error) error {
	if err := g.usable("an adjoint"); err != nil {
		return err
	}
	if t := g.tape(); t != nil {
		return diag.Errorf(diag.ErrBusy, "Adjoint while a tape records, which would miss it; see CustomGrad")
	}
	t := &tape{only: true, ends: newEndings(store.Grad)}
	t.clear.Store(g.taping.Load()) // on the backward pass other launches have used the same fields, and will
	if err := g.record(t, f); err != nil {
		return err
	}
	if err := g.report(t.ends, nil); err != nil {
		t.drop()
		return err
	}
	g.numberAgain(t)
	return g.back(t)
}

// record runs f under a tape.
func (g *Gradients) record(t *tape, f func() error) error {
	if f == nil {
		return diag.Errorf(diag.ErrArgs, "a tape of a nil function")
	}
	t.g = g
	t.tangents = g.tangents()
	err := g.Way.Join(t, func(other flow.Observer) error {
		if _, is := other.(*tape); is {
			return errTapeWithin()
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer g.Way.Leave(t) // f may panic
	if g.Maker.Opt.Debug && !t.only && t.visit == nil {
		t.history, t.inputRoom = record.NewHistory(g.Maker.RecordRoom()), g.Maker.RecordRoom()
	}
	err = flow.Joined(f())
	// Launches find the tape and add to it under the launch lock, also those of other goroutines. It ends under the
	// lock, too, so that none of them adds to it on the backward pass. Nobody who has the lock waits for a tape. Launches may run
	// later, unless elements are compared.
	turn, ctx := &g.Maker.Turn, context.Background()
	_ = turn.Order(ctx) // this context never ends
	defer turn.Unlock()
	if t.history != nil {
		_ = turn.Rest(ctx)
	}
	g.Way.Leave(t)
	if err = cmp.Or(err, t.faulty()); err != nil {
		t.drop()
		return err
	}
	return cmp.Or(t.breach(), t.changed())
}

// lossAdjoint checks a loss and returns its adjoint.
func (g *Gradients) lossAdjoint(loss *store.Field) (*store.Field, error) {
	if err := loss.Ready(); err != nil {
		return nil, err
	}
	if loss.Node().Store() != g.Maker.Store {
		return nil, diag.Errorf(diag.ErrArgs, "the loss %s is a field of another runtime", loss.Name())
	}
	if n := variant.Elements(loss.Shape()) * (loss.Comps()); n != 1 {
		return nil, diag.Errorf(diag.ErrArgs, "the loss %s has %d numbers, and a loss is one; sum them up in a field with one element", loss.Name(), n)
	}
	if !loss.IsReal() {
		return nil, diag.Errorf(diag.ErrArgs, "the loss %s is a %v and no real number", loss.Name(), loss.Elem())
	}
	return loss.Adjoint()
}

// clearAdjoints sets all adjoints to zero.
func (g *Gradients) clearAdjoints() error {
	for _, c := range g.Maker.Store.Adjoints() {
		zero := make([]byte, c.Elem().Size())
		c.Fill(unsafe.Pointer(unsafe.SliceData(zero)))
		if !g.tangents() {
			continue
		}
		d, err := c.ReadyCompanion(store.Dual)
		if err != nil {
			return err
		}
		if d != nil {
			d.Fill(unsafe.Pointer(unsafe.SliceData(zero)))
		}
	}
	return nil
}

// setOne sets the only element to 1.
func setOne(c *store.Field) {
	one := make([]byte, c.Elem().Size())
	variant.OneOf(c.Access(0).Kind, unsafe.Pointer(unsafe.SliceData(one)))
	c.Set(unsafe.Pointer(unsafe.SliceData(one)), only(c), c.Rank)
}

// only is the index of the only element.
func only(c *store.Field) (idx store.Index) {
	for k, l := range c.Layout().LowestNow() {
		idx[k] = int(l)
	}
	return idx
}

// holdOnly remembers the only element, with its tangent if that is asked for, and returns what gives it back.
func holdOnly(c *store.Field, tangent bool) (restore func() error, err error) {
	held := []*store.Field{c}
	if tangent {
		if held, err = withTangents(held); err != nil {
			return nil, err
		}
	}
	values := make([][]byte, len(held))
	for i, f := range held {
		values[i] = make([]byte, f.Elem().Size())
		if err := f.TryGet(unsafe.Pointer(unsafe.SliceData(values[i])), only(f)); err != nil {
			return nil, err
		}
	}
	return func() (err error) {
		for i, f := range held {
			err = cmp.Or(err, f.TrySet(unsafe.Pointer(unsafe.SliceData(values[i])), only(f)))
		}
		return err
	}, nil
}
