// Package optim has optimisers: rules by which fields follow their gradients to where a loss is smaller.
//
// In: fields with adjoints ([ti.WithGrad]), which [ti.Runtime.Tape] has filled in. Out: the same fields, a step further.
// What a rule remembers from step to step lies in fields of its own, as large as the fields that it moves. A step is a
// parallel kernel for each field; all steps from equal numbers are equal, on any number of threads.
//
//	o, err := optim.NewAdam(rt, 0.01, &weights, &bias)
//	for range steps {
//		err = errors.Join(rt.Tape(&loss, forward), o.Step())
//	}
//
// Elements are float32 or float64, vectors or matrices of these; a number in a struct follows no gradient here, and needs a field of
// its own. Of a sparse field the active elements move, and what is remembered has room for the whole domain.
//
// The rates and factors of an optimiser are struct members, which may change between steps: they are arguments of
// kernels, and nothing is compiled again.
package optim
