package gradient

import (
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/variant"
)

// What a tape does with the old values that a launch has stored.

// keepsOld reports whether launches under t store what the backward pass needs of them.
func (t *tape) keepsOld() bool {
	return t != nil && !t.only && t.visit == nil && (t.paused.Load() == 0 || t.notesInputs()) // a variant that is watched has both
}

// giveOld puts back what the launch of a step has stored, if v needs it. The caller holds the launch lock.
func (s *step) giveOld(v *variant.Variant) error {
	d := v.Role.AsDerivative()
	switch {
	case d == nil || d.Mode.Records() || d.RecordedAt == nil:
	case s.kernel().Old.Refused != nil:
		return s.kernel().Old.Refused
	case s.held == nil || s.held.old == nil:
		return &variant.RuntimeError{Kernel: v.Kernel.Name, Pos: variant.PlaceOf(*d.RecordedAt), Err: diag.ErrGradient, Count: 1,
			Msg: "the backward pass needs the old value that this returned, which a launch under a tape stores; Adjoint launches nothing: use Tape, or a Checkpoint under one"}
	default:
		return v.Kernel.Program.Maker.GiveOld(s.held.old)
	}
	return nil
}
