package variant

import "context"

// This file has what launches of kernels fall back on that have sums apart ([option.Apart]), and no room for them: the
// same kernel, which updates the packed numbers one by one. It is compiled when it is needed first.

// newSpare returns a variant that differs in that.
func (v *Variant) newSpare() *Variant {
	of := v.Role
	if d := of.AsDerivative(); d != nil {
		of = d.another()
	}
	s := v.in(spare{of})
	s.Of, s.Static = v.Of, v.Static
	s.lower, s.late, s.other = v.lower, v.late, v.other
	return s
}

// runSpare makes a launch by the spare of v. The caller holds the launch lock, also while that is compiled.
func (v *Variant) runSpare(ctx context.Context, number uint64) error {
	if v.spare == nil {
		v.spare = v.newSpare()
	}
	s := v.spare
	if err := s.Compile(ctx); err != nil {
		return v.NoDerivative(err)
	}
	copy(s.Frame.Args, v.Frame.Args[:v.Plan().Slots])
	err := s.Exe.RunAs(ctx, number)
	copy(v.Frame.Results, s.Frame.Results)
	return err
}
