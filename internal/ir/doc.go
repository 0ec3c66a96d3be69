// Package ir is the intermediate representation between the typed tree of a
// source and the code of a back end. This page and the op table in op.go are
// its reference manual.
//
// What comes in: internal/lower builds a [Kernel] whose Body is the whole
// kernel. What goes out: internal/pass turns Body into a list of [Task]s in
// which every access is arithmetic on addresses, and a back end translates
// those. The package knows nothing of Go syntax, layouts or LLVM.
//
// # Structure
//
// The IR is structured static single assignment. A [Value] is assigned once, as
// the result of an [Op] or the parameter of a [Block]. Ops with regions (if, for,
// loop, block, parfor, fieldfor) have one block a region, so a value is visible
// exactly in what follows it in its block and in regions there. There are no
// mutable scalars: an if yields values, a loop carries them. Only arrays indexed
// at run time, and variables of the kernel that parallel loops reduce into, are
// memory (alloc).
//
// Types are a scalar kind times lanes. Vectors and matrices of the language are
// taken apart while lowering; lanes serve code that works on several iterations
// or numbers at once, such as the vector variants of the maths library.
//
// # Control
//
//	%5 = if %c : f32 { … yield %a } else { … yield %b }
//	%6 = for %lo, %hi, %init : f32 { (%i: i32, %x: f32) … continue %y }
//	%7 = loop %init : f32 { (%x: f32) … break ^7 %r … continue %y }
//	%8 = block : f32 { … break ^8 %v … yield %w }
//	parfor 1 %lo0, %hi0, %lo1, %hi1 { (%i: i32, %j: i32) … continue }
//	fieldfor 2 @X { (%i: i32, %j: i32) … continue }
//
// The last op of every block is a terminator, and nothing else is one. Yield
// ends a region of an if, or a block normally. Continue ends the body of a loop
// and starts its next iteration, break leaves a loop or block; both name their
// target, which may be any enclosing one up to the nearest parfor or fieldfor (a
// parallel loop can be continued, not left), and stand at the end of a region of
// an if as well, or of a body. Where one region of an if ends in a jump, the
// if's results come from the other; where both do, the if is followed by a
// terminator that is never reached, and has no results. A for runs lo ≤ i < hi;
// its results are the carried values at the end, and a break out of it gives
// values for them. A loop's results are those that breaks give. Return ends the
// kernel, with the scalar components of its results; it may stand in serial
// control flow outside parallel loops.
//
// Parfor and fieldfor stand in the body of a kernel, not inside other ops. Their
// iterations may run at once, in any order.
//
// # Memory
//
// A place is a value of kind ptr. Lowering makes places with ptr (component of
// an element of a field), elem (the same of a slice parameter) and cell (element
// of an alloc); load, store and atomic work on places. In this form an index out
// of range is no undefined behaviour: the load gives zero, the store or atomic
// does nothing (an atomic gives zero), and the launch fails. Access lowering
// turns places into base, offset and explicit checks with fail; from then on a
// bad address is a bug.
//
// # Arithmetic
//
// Integers wrap. Division and remainder by zero give 0. Shift counts of any size
// behave as in Go. Conversions from float to integer saturate, and NaN gives 0.
// Min and max of a NaN are NaN. Floats may be reassociated and contracted, but
// for ops with the Strict flag; NaN and infinities are honoured always.
//
// # Random numbers
//
// Rand gives the next draw of the iteration: word n%4 of the Philox4x32-10 block
// whose counter is (iteration low word, iteration high word, n/4, loop) and
// whose key is the launch's, n being the number of draws made before in this
// iteration. The iteration is the row-major number of the index in the bounds of
// the parallel loop; loop is the op's ordinal. In serial code of the kernel both
// are 0. (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2,
// 3; SC 2011.)
//
// # Text form
//
// A kernel is printed as its header, then functions, then the body or the tasks.
// One op is one line, with the regions below it indented:
//
//	kernel Sum(a: f32, x: []f32) f32 {
//		int i32
//		file "sum.ti"
//		field @X [f32 f32] [128 128] origin [0 0]
//		table #0 Faces i32 [1 2 3]
//	body:
//		%0 = const 0x1p-1 : f32 @0:4:7
//		%1 = alloc 1 x f32 : ptr
//		%2 = len $x : i32
//		…
//		return %9
//	}
//
// Float constants are hexadecimal, @file:line:column at the end is the position,
// ^n names an op by its first result's number (or by a label of its own, printed
// ^n: in front of it, when something jumps to it), flags follow the op's name
// behind a dot each: add.nowrap, ptr.inbounds, atomic.add.nonatomic. Print and
// Parse are inverse; Verify checks everything said here.
package ir
