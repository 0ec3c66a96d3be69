// Package ti is a parallel programming language for simulation and visual
// computing, embedded in Go.
//
// A program has two halves. The host half is Go: it creates a [Runtime],
// describes its data as [Field] values placed in a layout [Tree], and launches
// kernels. The kernel half is a source in Go syntax with its own type rules
// (operators on vectors, parallel outermost loops), compiled when it is first
// used.
//
//	const source = `
//	package sum
//
//	var X field[f32]
//
//	func Total() f32 {
//		s := f32(0)
//		for i := range X { // runs in parallel; s is a reduction
//			s += X[i]
//		}
//		return s
//	}
//	`
//
//	type Sum struct {
//		X     ti.Field[float32]
//		Total func() float32
//	}
//
//	func main() {
//		rt, err := ti.New(ti.Config{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer rt.Close()
//		var s Sum
//		rt.Place(ti.Shape{1 << 20}, &s.X)
//		if err := rt.Load(source, &s); err != nil {
//			log.Fatal(err) // every error of the source, with positions
//		}
//		s.X.Fill(0.5)
//		fmt.Println(s.Total())
//	}
//
// # The concepts
//
//	Runtime     one compiler, one device, its memory and its threads
//	Field       elements of one Go type under up to eight integer indices
//	Tree, Node  how fields are stored in memory: together or separately, in blocks
//	Program     a checked source bound to fields and constants
//	Kernel      an exported function of a source, launched through a Go func or by name
//
// # Types
//
// Element and parameter types are Go types.
//
//	Go                                kernel language
//	bool, int8 … uint64               bool, i8 … u64
//	float32, float64                  f32, f64
//	Float16                           f16
//	[3]float32 (= Vec3), [n]T         vec3, [n]T
//	[2][2]float32 (= Mat2), [n][m]T   mat2, [n][m]T, by rows
//	struct of these                   the struct type with the same field names, in any order
//
// These stand for parameters only, int for results too:
//
//	int                               int, whatever its width; a value that does not fit is ErrArgs
//	[]T                               []T: the caller's memory, not a copy
//	Array[T]                          array[T, Dn]: a slice with n axes; see also Strided and Pixels
//	*Field[T], *Node, AnyField        field[T], node, template: bound when the kernel is compiled
//	pointer to a struct of these      the struct type that holds fields: a bundle, bound likewise
//
// An element type has a fixed size and no pointers; int and uint are not element
// types, since their size is the machine's. Structs keep Go's own layout, padding
// included, so [Field.Slice] and []T arguments need no conversion; a []T of structs
// has their fields in the order of the source. A tag `ti:"name"` gives a field another
// name in kernels.
//
// # When a launch runs
//
// A launch has finished when its call returns. Launches of all goroutines run one
// after another, in the order of their calls. With [Config.Batch] above 1 they are collected, and run
// when the batch is full or something waits for them; they take effect in the same order.
//
// A launch that fails behind its call is reported once, by the first call that can return an error: of a kernel, [Runtime.Sync] or
// [Runtime.Close]. If the function of the failed kernel has no error result, that call panics, or the next one that uses an element.
// Launches before the one that failed have taken effect. What launches behind it have written does not matter, and is valid memory.
//
// # Failures
//
// Errors are returned, never printed, and describe cause, place and remedy.
//
//   - Layout calls ([Node.Dense], [Runtime.Place], …) return no errors, so
//     that they can be chained. Their mistakes are recorded with file and line of the call, and
//     returned by [Tree.Err] and by Load or Compile of a source that uses the tree.
//   - [Runtime.Load] and [Runtime.Compile] return all errors of a source at once
//     ([SourceErrors]).
//   - A kernel that fails (an index out of range) gives a [*RuntimeError].
//   - A kernel's Go function that ends in an error result returns the failure;
//     one that does not panics with it.
//   - Misuse for which a slice would panic panics here too: an index of
//     the wrong rank or out of range in At or Set, and At on a field that is not placed.
//
// Use [errors.Is] with the Err variables, and [errors.As] with the two types.
//
// # Lifetimes
//
// A field lives as long as its tree: until [Tree.Close], or [Runtime.Close], which
// closes every tree. Both wait for running launches. Afterwards kernels bound to
// the field fail with [ErrClosed], and so do methods that return an error; the
// others panic with it. Memory obtained from [Field.Slice] must no longer be
// accessed. The garbage collector does not free trees.
//
// # Goroutines
//
// Every method of Runtime, Program and Kernel, and every kernel function, may be
// called from several goroutines at once; launches do not overlap. Element access is
// as for a Go slice: reads may run concurrently, and the program must order a write
// with respect to all other accesses to that field, including launches in other
// goroutines. Only one goroutine may build a tree, or load a value.
package ti
