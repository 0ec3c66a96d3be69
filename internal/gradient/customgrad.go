package gradient

import (
	"cmp"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/variant"
)

// CustomGrad runs forward and has backward take its place on the backward pass; see ti.Runtime.CustomGrad.
func (g *Gradients) CustomGrad(forward, backward func() error) error {
	if err := g.usable("a custom gradient"); err != nil {
		return err
	}
	if forward == nil || backward == nil {
		return diag.Errorf(diag.ErrArgs, "CustomGrad of a nil function")
	}
	t := g.tape()
	if t == nil {
		return flow.Joined(forward())
	}
	if t.visit != nil {
		return g.visitCustom(t, forward, backward)
	}
	t.custom.Store(true)
	if t.only {
		return diag.Errorf(diag.ErrBusy, "CustomGrad within Adjoint, which launches nothing forward")
	}
	t.noteEvent("CustomGrad")
	first := g.Maker.Numbers.Now(&g.Maker.Turn)
	err := t.pause(func() error {
		if err := g.hostChanged(t); err != nil {
			return err
		}
		t.customs.Add(1)
		defer t.customs.Add(-1)
		return cmp.Or(flow.Joined(forward()), g.hostChanged(t))
	})
	if err != nil {
		return err
	}
	t.noteEvent("the end of CustomGrad")
	t.add(step{back: func() error { return g.customBack(first, backward) }})
	return nil
}

// customBack runs the function that CustomGrad has instead of launches. Its launches, and those that its Adjoint takes
// back, draw the random numbers of these.
func (g *Gradients) customBack(first variant.Numbers, backward func() error) error {
	defer g.custom.Store(g.custom.Swap(&first))
	return flow.Joined(g.Maker.Numbers.Resume(&g.Maker.Turn, first, backward))
}
