package variant

import "context"

// A kernel may add up packed numbers in separate sums ([option.Accumulators]). If there is no memory for the sums, a launch falls
// back on a variant of the same kernel that updates the packed numbers one by one. It is compiled when it is first needed.

// newFallback returns such a variant of v.
func (v *Variant) newFallback() *Variant {
	of := v.Role
	if d := of.AsDerivative(); d != nil {
		of = d.another()
	}
	s := v.in(fallback{of})
	s.Of, s.Static = v.Of, v.Static
	s.lower, s.late, s.other = v.lower, v.late, v.other
	return s
}

// runFallback launches the fallback of v. The caller holds the launch lock, also while the fallback is compiled.
func (v *Variant) runFallback(ctx context.Context, number uint64) error {
	if v.fallback == nil {
		v.fallback = v.newFallback()
	}
	s := v.fallback
	if err := s.Compile(ctx); err != nil {
		return v.NoDerivative(err)
	}
	copy(s.Frame.Args, v.Frame.Args[:v.Plan().Slots])
	err := s.Exe.RunAs(ctx, number)
	copy(v.Frame.Results, s.Frame.Results)
	return err
}
