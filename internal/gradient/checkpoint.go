package gradient

import (
	"bytes"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// Checkpoint runs f and keeps some fields as they are before; see ti.Runtime.Checkpoint.
func (g *Gradients) Checkpoint(f func() error, keep ...*store.Field) error {
	if err := g.usable("a checkpoint"); err != nil {
		return err
	}
	if f == nil {
		return diag.Errorf(diag.ErrArgs, "Checkpoint of a nil function")
	}
	t := g.tape()
	if t == nil {
		return flow.Joined(f())
	}
	if t.only {
		return diag.Errorf(diag.ErrBusy, "Checkpoint within Adjoint, which launches nothing forward")
	}
	if t.visit != nil {
		return flow.Joined(f())
	}
	if t.paused.Load() > 0 {
		t.noteEvent("Checkpoint")
		if err := flow.Joined(f()); err != nil {
			return err
		}
		t.noteEvent("the end of Checkpoint")
		return nil
	}
	if g.tangents() {
		var err error
		if keep, err = withTangents(keep); err != nil {
			return err
		}
	}
	saved := make([]bytes.Buffer, len(keep))
	for i, k := range keep {
		if err := k.Ready(); err != nil {
			return err
		}
		if !k.Sparse() {
			saved[i].Grow(variant.Elements(k.Shape()) * int(k.Elem().Size()))
		}
		if _, err := k.WriteTo(&saved[i]); err != nil {
			return err
		}
	}
	first := g.Maker.Numbers.Now(&g.Maker.Turn)
	var calls []call
	t.noteEvent("Checkpoint")
	outer := t.noteIn(&calls)
	inputs, end := t.noteInputs()
	err := t.pause(f)
	end()
	g.droppedAgain(t)
	t.noteIn(outer)
	if outer != nil {
		*outer = append(*outer, calls...)
	}
	if err != nil {
		return flow.Joined(err)
	}
	t.noteEvent("the end of Checkpoint")
	t.clear.Store(true) // of what lies outside of the checkpoint too: its fields are those of the checkpoint
	t.add(step{back: func() error {
		for i, k := range keep {
			if _, err := k.ReadFrom(bytes.NewReader(saved[i].Bytes())); err != nil {
				return err
			}
		}
		saved = nil // the steps of f hold what they need of it
		return g.checkpointBack(f, first, calls, inputs)
	}})
	return nil
}

// withTangents returns fields and, behind them, their tangents.
func withTangents(fields []*store.Field) ([]*store.Field, error) {
	all := slices.Clone(fields)
	for _, f := range fields {
		if err := f.Ready(); err != nil {
			return nil, err
		}
		d, err := f.ReadyCompanion(store.Dual)
		if err != nil {
			return nil, err
		}
		if d != nil {
			all = append(all, d)
		}
	}
	return all, nil
}

// checkpointBack runs the function of a checkpoint again, with the random numbers, constants and pointers of the host
// of its first run, and then the backward pass.
func (g *Gradients) checkpointBack(f func() error, first variant.Numbers, calls []call, inputs *record.Inputs) error {
	var now []call
	inner := &tape{notes: &now, first: calls}
	inner.clear.Store(true)
	var inputsNow *record.Inputs
	err := g.Maker.Numbers.Resume(&g.Maker.Turn, first, func() error {
		return g.record(inner, func() error {
			var end func()
			inputsNow, end = inner.noteInputs()
			defer end()
			return f()
		})
	})
	if err != nil {
		return err
	}
	if err := sameCalls(calls, now); err != nil {
		return err
	}
	if err := g.sameInputs(inputs, inputsNow); err != nil {
		return err
	}
	return g.back(inner)
}
