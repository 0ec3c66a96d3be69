// Package optim has optimisers: rules that move fields along their gradients to reduce a loss.
//
// In: fields with adjoints ([ti.WithGrad]), which [ti.Runtime.Tape] has computed. Out: the same fields after a step.
// The state of a rule is in fields of its own, as large as the fields that it moves. A step is one
// parallel kernel for each field; steps from equal numbers give equal numbers, on any number of threads.
//
//	o, err := optim.NewAdam(rt, 0.01, &weights, &bias)
//	for range steps {
//		err = errors.Join(rt.Tape(&loss, forward), o.Step())
//	}
//
// Elements are float32 or float64, or vectors or matrices of these. Structs are not supported: give their numbers fields of
// their own. Of a sparse field only the active elements move, but the state covers the whole domain.
//
// The rates and factors of an optimiser are struct members, which may change between steps: they are arguments of
// kernels, so nothing is compiled again.
package optim
