package session

import "context"

// This file has what launches of kernels fall back on that have sums apart ([option.Apart]), and no room for them: the same kernel, which
// updates the packed numbers one by one. It is compiled when it is needed first.

// newSpare returns an instance that differs in that.
func (inst *instance) newSpare() *instance {
	of := inst.role
	if d := of.derivative(); d != nil {
		of = d.another()
	}
	s := inst.in(spare{of})
	s.of, s.static = inst.of, inst.static
	s.lower, s.late, s.other = inst.lower, inst.late, inst.other
	return s
}

// runSpare makes a launch by the spare of inst. The caller holds the launch lock, also while that is compiled.
func (inst *instance) runSpare(ctx context.Context, number uint64) error {
	if inst.spare == nil {
		inst.spare = inst.newSpare()
	}
	s := inst.spare
	if err := s.compile(ctx); err != nil {
		return inst.noDerivative(err)
	}
	copy(s.frame.Args, inst.frame.Args[:inst.plan().slots])
	err := s.exe.RunAs(ctx, number)
	copy(inst.frame.Results, s.frame.Results)
	return err
}
