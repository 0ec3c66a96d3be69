// Package dist runs programs of package ti on several machines, over an MPI that is
// installed there. Each process of the job, a rank, holds a part of every divided
// field; kernels and most host code stay as they are.
//
//	func main() { dist.Main(run) }
//
//	func run(w *dist.World) error {
//		rt, err := w.New(ti.Config{})
//		if err != nil {
//			return err
//		}
//		defer rt.Close()
//		g := w.Grid(ti.IJK, 512, 512, 512)
//		var s Heat
//		g.Divide(rt.NewTree()).Dense(ti.IJK, 512).Place(&s.T)
//		g.Divide(rt.NewTree()).Dense(ti.IJK, 512).Place(&s.Next)
//		if err := rt.Load(source, &s); err != nil {
//			return err
//		}
//		for range 1000 {
//			s.Step(0.1)
//		}
//		return w.WriteFile("heat.npy", &s.T)
//	}
//
// Started without mpiexec, the program is one rank and needs no MPI.
//
// All ranks must make the same calls in the same order, with equal arguments, of
// everything that is not marked local: launches above all. A rank that does
// otherwise ends the job with [ErrDiverged], which names both calls.
//
// # What is divided
//
// The rows of a divided tree, its elements of one first index, belong to one rank each. All other fields are
// replicated: every rank has them, and they are equal everywhere. Shapes, indices and errors are those of the whole field.
//
// A parallel loop that touches divided fields at a bounded distance from its own first index runs where
// the rows lie that it writes; rows of other ranks that it reads come before it. A loop that writes certain rows, such as a border, runs where these lie, and
// one without divided fields, like code outside of loops, everywhere. What a divided loop adds to a variable, or to an element of a replicated field, is
// added up over all ranks. Anything else, such as rows that data choose, is an error of the launch that says what to do.
//
// Results do not depend on the number of ranks, to the last bit: runtimes of package dist are
// [ti.Config.Deterministic]. Sums follow the tiles of the grid.
//
// # The host
//
// At, All and AllOf concern this rank's own elements of a divided field: At of another one panics with an error for which errors.Is finds [ErrReach].
// Set, which all ranks call, concerns any element. CopyTo, CopyFrom, Values, WriteTo, ReadFrom and Fill concern the whole field, on all ranks, and Slice fails:
// see [Window].
//
// Config.Debug, Batch and graphics processors are not for several ranks yet, and neither are sparse or packed trees that are divided, nor
// derivatives of kernels that use divided fields: each is an error.
package dist
