package session

import "github.com/gotaichi/ti/internal/diag"

// What a tape does with the old values that a launch has stored.

// keepsOld reports whether launches under t store what the way back needs of them.
func (t *tape) keepsOld() bool {
	return t != nil && !t.only && t.visit == nil && (t.paused.Load() == 0 || t.notesInputs()) // an instance that is watched has both
}

// giveOld puts back what the launch of a step has stored, if inst needs it. The caller holds the launch lock.
func (s *step) giveOld(inst *instance) error {
	d := inst.role.derivative()
	switch {
	case d == nil || d.Mode.Records() || d.recordedAt == nil:
	case s.kernel().old.refused != nil:
		return s.kernel().old.refused
	case s.held == nil || s.held.old == nil:
		return &RuntimeError{Kernel: inst.k.name, Pos: placeOf(*d.recordedAt), Err: diag.ErrGradient, Count: 1,
			Msg: "the way back needs the old value that this returned, which a launch under a tape stores; Adjoint launches nothing: use Tape, or a Checkpoint under one"}
	default:
		copy(inst.k.p.maker.oldNumbers(), s.held.old)
	}
	return nil
}
