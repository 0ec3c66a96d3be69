package gradient

import (
	"context"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/variant"
)

// back takes the steps of a tape in reverse order.
func (g *Gradients) back(t *tape) error {
	defer t.drop()
	for at := range t.backward() {
		s := *at
		*at = step{} // what it holds is needed once
		if s.back != nil {
			if err := s.back(); err != nil {
				return err
			}
			continue
		}
		if err := g.backStep(&s, t.clear.Load(), t); err != nil {
			return err
		}
	}
	return nil
}

// numberAgain numbers the launches that Adjoint takes back, whose random numbers depend on that: within CustomGrad as
// those that it stands for, else as the last ones that were made.
func (g *Gradients) numberAgain(t *tape) {
	g.Maker.Turn.Lock()
	defer g.Maker.Turn.Unlock()
	aside := 0
	for s := range t.backward() {
		if s.variant != nil && s.variant.Kernel.Program.Aside {
			aside++
		}
	}
	next := g.Maker.Numbers.Back(t.count-aside, aside)
	if first := g.custom.Load(); first != nil {
		next = *first
	}
	for _, piece := range t.steps {
		for i := range piece {
			if v := piece[i].variant; v != nil {
				piece[i].number = next.Next(v.Kernel.Program)
			}
		}
	}
}

// beginAdjoints begins to compile the adjoints of all launches that are left, side by side: on the backward pass each
// would be met when the one before has run. What fails is said there.
func (g *Gradients) beginAdjoints(t *tape, mode job.Mode) {
	begun := map[*variant.Variant]bool{}
	for s := range t.backward() {
		if s.variant == nil || s.back != nil || begun[s.kernel()] {
			continue
		}
		begun[s.kernel()] = true
		if adj, err := s.kernel().Derived(mode); err == nil && adj != nil {
			adj.Begin()
		}
	}
}

// backStep launches the adjoint of a launch, with its arguments and random numbers. T has the launches before it, and
// may be nil.
func (g *Gradients) backStep(s *step, clear bool, t *tape) error {
	mode := job.Reverse.With(clear, g.tangents())
	adj, err := s.kernel().Derived(mode)
	if err != nil || adj == nil {
		return err
	}
	if t != nil && !t.begun {
		if _, before := adj.Begin(); !before {
			t.begun = true
			g.beginAdjoints(t, mode)
		}
	}
	return g.again(adj, s)
}

// again launches a kernel, or what takes its place, with the arguments and random numbers of a step.
func (g *Gradients) again(v *variant.Variant, s *step) error {
	ctx := context.Background()
	if s.held == nil && v.TakesArgsAlone() {
		if queued, err := g.Way.Again(v, s.args, s.number); queued || err != nil {
			return v.NoDerivative(err)
		}
	}
	if err := v.Hold(ctx); err != nil {
		return v.NoDerivative(err)
	}
	defer g.Maker.Turn.Unlock()
	if err := s.sameTopology(v); err != nil {
		return err
	}
	if err := s.giveOld(v); err != nil {
		return err
	}
	copy(v.Frame.Args, s.args)
	err := v.Exe.RunAs(ctx, s.number)
	if err == nil && v.Stores() {
		s.hold().old, err = v.TakeOld()
	}
	return err
}
