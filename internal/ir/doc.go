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
// at run time, variables of the kernel that parallel loops reduce into, and values of
// very many components are memory (alloc).
//
// Types are a scalar kind times lanes. Vectors and matrices of the language are
// taken apart while lowering; lanes serve code that works on several iterations
// or numbers at once, such as the vector variants of the maths library. Up to 64
// of them make a vector. While a kernel is differentiated, a value of any number
// of lanes is a large argument or result of a function with a derivative of its own.
//
// # Control
//
//	%5 = if %c : f32 { … yield %a } else { … yield %b }
//	^0: %6 = for %lo, %hi, %init : f32 { (%i: i32, %x: f32) … continue ^0 %y }
//	^1: %7 = loop %init : f32 { (%x: f32) … break ^1 %r … continue ^1 %y }
//	^2: %8 = block : f32 { … break ^2 %v … yield %w }
//	^3: parfor 1 %lo0, %hi0, %lo1, %hi1 { (%i: i32, %j: i32) … continue ^3 }
//	^4: fieldfor 2 @X { (%i: i32, %j: i32) … continue ^4 }
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
// A for may be rolled: short, or seldom run, and to be left as it is; or independent: its
// iterations are those of a parallel loop, to be made vectors of even if they are few.
//
// Parfor and fieldfor stand in the body of a kernel, not inside other ops. Their
// iterations may run at once, in any order. In the body of a task that was made of
// one, continue has no target; a serial task ends in return without values.
//
// # Memory
//
// Where the shape of a field has -1, the extent is the argument of an extent
// parameter, called after field and axis, that the host fills in; like names the
// field that has the very same extents. A view parameter
// of the source is a field whose elements the caller has: the view line gives the
// parameter with their address, the offset of each component and the bytes of an
// element.
//
// A place is a value of kind ptr. Lowering makes places with ptr (component of
// an element of a field), elem (the same of a slice parameter) and cell (element
// of an alloc); load, store and atomic work on places. In this form an index out
// of range is no undefined behaviour: the load gives zero, the store or atomic
// does nothing (an atomic gives zero), and the launch fails. Access lowering
// turns places into base, offset and explicit checks with fail; from then on a
// bad address is a bug.
//
// Components may be stored in fewer bits than their kind has: stored ["fixed(21,8)"]; see [Stored].
// The quantise pass makes accesses to words of such accesses: word @X.0 [] says of a field that its
// elements are those words.
//
// # Assignments
//
// The language assigns to whole vectors and structs, and updates them, each component by a store or
// atomic of its own. Where components share an exponent that is not the same as storing them one after
// the other, which would round them as often. So the flag More on a store or atomic says that the
// assignment goes on with the next one:
//
//	store.more %px, %x
//	store.more %py, %y
//	store %pz, %z
//
// These are one store: of each group the numbers get one exponent, and are rounded once. The parts of an
// assignment are to one element, or to elements of several fields with the very same indices. They stand
// in one block, with nothing between them but pure ops and places. What atomics return is used behind the last only.
// Components that share no exponent may be among them, where it makes no difference.
//
// # Memory orders
//
// A load or store may be atomic, with an order behind its name, and an atomic, which is
// relaxed, may have a stricter one: load.acquire, store.release, atomic.cas.acq_rel. They
// mean what they do in C++; a cas that fails stores nothing and keeps the acquire part. The
// protocols of the sparse runtime need them. Only functions have them: the accesses of a
// kernel race with none or are relaxed.
//
// # Functions
//
// A func has parameters and results, and no field or argument of the kernel. What it does
// to memory is said behind its results, by area: reads place writes place. A call has the
// effects of its function. The functions that kernels call have none, so that such a call
// is as pure as an add; those of the sparse runtime, which back ends call for ops such as
// grow, read and write blocks. In them worker is the number of the thread that runs the
// task.
//
// # Sparse trees
//
// The header says of a field what kind of node it is placed in, and whether some node
// on its path from the root is sparse: node pointer sparse. Elements of a sparse field
// are active or not. An inactive one reads as zero; a store or atomic to it makes it
// active, and all cells on its path. A field marked list has the elements of lists
// along its last index: k is active below the length, and a write to k makes the
// length k+1 at least. A node is a field without components, and in these ops a field
// stands for its node:
//
//	activate @B %i, %j
//	deactivate @B %i, %j
//	%1 = isactive @B %i, %j : bool
//	%2 = append @X %i : i32
//	%3 = count @X %i : i32
//	shrink @X %i, %n
//
// The last three have no index for the list's axis. Deactivate takes effect when its
// parallel loop has ended; in serial code, when the next outermost loop begins or the
// kernel ends. What becomes inactive becomes zero. Append gives the index of the new
// element, or -1 if the list is full; shrink makes a list's length %n at once, unless it is
// negative or more than the length, which fails the launch. An index
// out of range fails the launch as that of a ptr does; the op then does nothing, or
// gives false, -1 or 0. Activating or deactivating a cell of a path that is dense does
// nothing.
//
// Fieldfor visits the active cells of a field or node, those that are when it starts,
// of a list all elements. Marked serial, it takes them in the order of the path: by
// the number of the cell in the outermost node (row-major in the node's axes; of a
// hash node sorted by coordinates), then in the next. A loop may carry hints, which
// change no result: parfor 1 threads 8 local [@A @B] readonly [@W] %lo, %hi.
//
// # Arithmetic
//
// Integers wrap. Division and remainder by zero give 0. Shift counts of any size
// behave as in Go. Conversions from float to integer saturate, and NaN gives 0.
// Min and max of a NaN are NaN. Floats may be reassociated and contracted, but
// for ops with the Strict flag; NaN and infinities are honoured always.
//
// # Text and assertions
//
// Record hands the values of a site to the host, which prints them: that is an
// effect, and one iteration's records stay in their order. As lowering leaves it,
// the operands are the values; the number pass puts the number of the iteration in
// front, by which the host sorts. A fail that lowering makes has the values of its
// site's text only, as i64 with their bits; access lowering adds the indices of the
// loop.
//
// # Counting
//
// A kernel that counts what it stores, for Runtime.Ranges, says of each place of the source which field is stored to, and
// has fields of counters (package tally). A tally counts one store, a part of what is counted of it, or what was found of many:
//
//	measured #0 @X f32 @0:4:7
//
//	tally #0 %w, %old, %now, %lo, %hi
//	tally.least #0 %w
//
// A part that is found of numbers takes those of a vector, too, each as if it came by itself. Nothing in a kernel reads the counters, so
// that a tally is ordered with no other op. The counters pass makes updates of memory of it.
//
// # Stopping
//
// Poll checks whether the host has asked the launch to stop. If so, it ends the task, or
// returns from the function with zeros for its results; otherwise it does nothing. The
// results of a stopped launch are discarded; fields keep what was stored so far. The polls
// pass inserts polls into loops that may run long.
//
// # Linked kernels
//
// Package driver links the kernels of several launches: their bodies stand one behind the other. The header names the parts, with the
// first argument slot of each, the slot of its random key or -1, the number of loops before it, and what its source calls fields that have
// other names here. In the body, part 1 begins the code of the second part:
//
//	part Smooth args 0 key -1 loops 0
//	part Smooth args 2 key 4 loops 1 calls @X Y
//
// The split removes it, and gives each task its part.
//
// # Random numbers
//
// Rand gives the next draw of the iteration: word n%2 of a block of Threefry2x32-13,
// n being the number of draws made before in this iteration. (Salmon, Moraes, Dror,
// Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011.) With i as the row-major
// number of the index in the bounds of the parallel loop, modulo 2^64, l as the op's
// ordinal, both 0 in serial code of the kernel, and g as 2^64 over the golden ratio,
// 0x9e3779b97f4a7c15:
//
//   - The block's counter is (i's lower word, n/2 + i's upper word * g's upper word).
//     The multiples lie so far apart that a loop would have to make some 2^64 draws
//     before two of its iterations shared a block.
//   - The block's key is the lower and the upper word of spread(k + l*g), k being the
//     launch's key and spread the finaliser of SplitMix64. The engine makes k of the
//     seed and the number of the launch in the same way.
//
// Threefry is made of additions, rotations and exclusive ors of words, of which a
// vector holds twice as many as of Philox's products. Its authors know of no statistical
// flaw of 13 rounds or more, and use 20 by default. These are 13, since 20 cost half as
// much again, and keys are spread, so that related ones do not need the margin;
// docs/language.md says what was tested.
//
// # Text form
//
// A kernel is printed as a header, then functions, then the body or the tasks.
//
//	kernel Sum(a: f32, v: f32*3, x: []f32*2) f32, i32 {
//		int i32
//		file "sum.ti"
//		field @X [f32 f32] [128 128] origin [0 0]
//		field @Y [f32] [-1]
//		field @Z [f32] [-1] like @Y
//		field @m [f32] [-1 -1] view $m [0] 4
//		field @L [f32] [8 1024] origin [0 0] node dynamic sparse list
//		table #0 Faces i32 [1 2 3]
//		func @sin.f32x16(%0: f32x16) f32x16 scalar @sin.f32 {
//			…
//		}
//		body {
//			%1 = const 0x1p-01 : f32 @0:4:7
//			%2.sum = alloc 1 x f32 : ptr
//			^0: parfor 1 %3, %4 @0:5:2 { (%5.i: i32)
//				…
//				continue ^0
//			}
//			return %9, %10
//		}
//	}
//
// After the split there are tasks in place of the body, and the header has lines
// for the frame, the base table and the sites:
//
//	bases [3]
//	site #0 index X [128 128] low [0 0] @0:3:4
//	frame 48 done 8
//	task 1 "for i, j := range X" loop 1 i32 [0, frame 16 + -1), i32 [arg 0, len $x) @0:2:1 {
//		nest 0*1 1*4 low [0 0]
//		list 3 @B outer 1 masks 0
//		touches @X .0 to 1 w whole own .2 rw mask r list r
//		private 0 add f32 scratch 1 merge 2
//		prologue {
//			…
//			yield
//		}
//		body(%7.i: i32, %8.j: i32) {
//			…
//			continue
//		}
//		epilogue {
//			…
//		}
//	}
//
// Before the split, the header has the phases of the body, with what they touch below; loops name theirs:
//
//	phase 2 loop
//		touches @X .0 rw
//
//	^0: parfor 1 phase 2 %3, %4 { … }
//
// The range of a task over a list is i64 [0, list 0): the entries of the first of its
// lists, whose address the engine puts into entry 3 of the base table. A second range, as in
// i64 [0, list 0), i32 [0, 64), has the cells of each entry.
//
// One op is one line, with the regions below it indented:
//
//	^label: %results = name.flags attributes operands : types alias n @file:line:column
//
// Only what the op has is printed. %n numbers the values in the order of their
// definition, where the variable that a value came from stands behind it: %5.i.
// ^n is a label; an op has one when something jumps to it. Flags and the kind of an
// atomic follow the name behind a dot each: add.nowrap, ptr.inbounds,
// atomic.add.nonatomic. The operand of ptr.dynamic @X.1/9*4 that chooses the
// component, of 1, 5, 9 and so on, comes last; 9 is its limit, and without *4 the
// components follow each other. Float constants are hexadecimal, a NaN is printed
// with its bits (nan:7fc00000). Names that are no identifiers are quoted. @0:4:7
// is a position: file 0 of the header, line, column.
//
// Print and Parse are inverse; Parse also takes names for values (%i), decimal
// floats, comments and blank lines, which is handy in tests. Verify checks
// everything said here.
package ir
