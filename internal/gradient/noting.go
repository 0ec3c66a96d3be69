package gradient

import (
	"context"
	"errors"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/variant"
)

// Cast has launches made of variants that store old values, and in debug mode of those that are watched.
func (t *tape) Cast(ctx context.Context, asked, chosen *variant.Variant) (*variant.Variant, error) {
	if t.keepsOld() {
		r, err := asked.Recording()
		if err != nil {
			return nil, err
		}
		if r != nil {
			chosen = r
			if t.tangents {
				d, err := asked.Derived(job.RecordTangent)
				if err != nil {
					return nil, err
				}
				if d != nil {
					chosen = d
				}
			}
		}
	}
	if !t.tangents && (t.watches() || t.notesInputs()) {
		return t.watched(ctx, asked)
	}
	return chosen, nil
}

// Before prepares what the tape notes of a launch.
func (t *tape) Before(l *flow.Launch) error {
	v := l.Variant
	if t.ends != nil && t.customs.Load() == 0 { // CustomGrad has a derivative of its own
		t.ends.launch(v)
	}
	if t.only && len(v.Frame.Results) > 0 {
		return diag.Errorf(diag.ErrArgs, "%s returns a value, and Adjoint does not launch it; leave the result out", v.Kernel)
	}
	l.NotMade = t.only
	s := &t.now
	*s = step{variant: v, args: t.newArgs(v.Plan().Slots)}
	copy(s.args, l.Args)
	if t.visit != nil {
		args := slices.Clone(l.Args)
		s.holdMemory()
		if err := t.g.visitStep(t, *s); err != nil {
			return err
		}
		copy(l.Args, args)
		return nil
	}
	topology, err := t.topologies(v)
	if err != nil {
		return err
	}
	if topology != nil {
		s.hold().topology = topology
	}
	if watch, is := v.Role.(*variant.Watching); is {
		if err := errors.Join(t.changed(), t.watch(v, watch)); err != nil {
			return err
		}
	}
	return nil
}

// After notes a launch.
func (t *tape) After(l *flow.Launch) error {
	if t.visit != nil {
		return nil
	}
	v, s := l.Variant, &t.now
	if _, is := v.Role.(*variant.Watching); is {
		t.dropped(v)
	}
	s.holdMemory()
	if s.held != nil {
		if err := t.launched(v, s.held.topology); err != nil {
			return err
		}
	}
	if !t.only && v.Stores() {
		old, err := v.TakeOld()
		if err != nil {
			return err
		}
		s.hold().old = old
	}
	if err := t.keep(v); err != nil {
		return err
	}
	s.number = l.Number
	t.add(*s)
	return nil
}

// Defers reports whether a launch may run behind After: nothing is read of what it leaves, and the backward pass needs no more than its arguments.
func (t *tape) Defers(v *variant.Variant) bool {
	if t.only || t.visit != nil || t.history != nil || t.compares() || t.notesInputs() || v.Stores() {
		return false
	}
	_, watched := v.Role.(*variant.Watching)
	return !watched && len(v.Plan().Sparse) == 0 && len(v.Plan().Memory) == 0
}
