// Package driver takes a checked kernel through lowering, the passes, code
// generation and the loader: the whole compiler behind one call.
//
// In: a [typed.Program], the name of a kernel, a [Layout] that says where its
// fields lie, and [Options]. Out: a [Compiled] kernel, whose tasks have addresses
// in this process, or its text at any stage ([Dump]).
//
// # Linking
//
// [Link] makes one kernel of those of several launches that follow each other. It lowers each part as [Prepare] does, and puts the bodies one
// behind the other before the passes, which then see the loops of all launches: pass deadstores drops what a later launch overwrites, pass
// loopfusion makes one loop of several, and forward removes the traffic through memory between them. The outcome is a [Unit] like others,
// with a key of its own.
//
//   - Fields are one [ir.Field] exactly if they are the same memory: the same components of one field of the host, or the same node. Names
//     tell nothing: two programs, or a template with swapped arguments, may call one memory by two names, and two by one. Fields that
//     share some components, such as a member and the whole, cannot be linked, since passes take different fields for different memory.
//     Different fields of the host never share memory.
//   - The linked kernel has names of its own for fields that are called alike; [Linked] says how parts call them, and has the layout by which
//     regions are found. What users read has the names of the source: sites of failures and names of tasks ([ir.Kernel.NameIn]).
//   - Arguments that the caller says are the same ([job.SameArg]) are read from one slot, so that ranges that follow from them are one value.
//   - Each part has its own argument slots, loop ordinals, files and sites. If it draws random numbers, one slot has the key of its launch; a
//     number then depends on this key and on the loop's ordinal in its own source, as it does alone. So records of one part are given to the host before the next
//     part runs, which deactivates cells, and access lowering makes no site for two parts. Functions and tables that are equal are one.
//   - The op part says where a part begins, so that serial code of two parts is two tasks, and descriptors know the part of each task. By
//     itself, each launch reports its own failures. So the engine reports the first part that fails, and the failures of this part
//     alone. Fused loops cannot fail: all their places are proved to exist.
//   - A linked launch that ends early, for want of memory, ends in a part ([launch.InPart]), or in the first of the parts
//     whose loops are one. What stands before that part has run, so no pass moves a loop, or drops a store, across what may end a launch.
//   - A return ends its part. Where tasks of the part come behind it, a flag in the frame says that they are not to run ([launch.Part]), and the
//     tasks of other parts do. So nothing of a part may be taken for certain behind its return: pass deadstores forgets what is overwritten
//     there, cse what is computed there, and loopfusion fuses no such loop with one of another part. If there is only serial code behind it,
//     package algebra puts that under a condition, and there is no return left.
//   - What depends on the launch as such is not linked, with an [Apart] that names the reason: results, text, memory of the
//     caller, extents that are read at launch, records of debug mode and of tapes, counts of stored numbers.
//
// In Strict mode linked launches compute what they do by themselves, bit for bit: loops with sums of floats, whose rounding follows from
// the loop as a whole, are not fused. Without it, linked code may round differently, as that of one kernel may: what one launch multiplies and
// stores and the next adds to something is rounded once. In Deterministic mode, too, results do not depend on the number of threads, but
// whoever launches must not let it depend on time whether launches are linked.
//
// Invariants: equal inputs give equal object bytes; nothing is shared between
// compilations, so several may run at once; a panic anywhere in the compiler
// becomes an error that names the kernel.
package driver
