// Package bind has sources, and what a host gives them: the fields, nodes and constants that the vars of a source
// stand for, by name. It knows no code.
//
// In: files of a source and of its libraries; the declarations in them (package outline); a host, as a pointer to a
// struct or as Bindings. Out: a [Bound], which describes the host to the checker and the compiler; funcs that are to
// be set to kernels; and mistakes of the host with position, cause and remedy.
//
//	Source     files and libraries, joined: source, library
//	Binder     binds the vars of one package: binder; a bundle's parts by their paths: bundle
//	Bound      what is bound, and bound again where the host has changed since: bound
//	Ref        pointers of the host that lead to something bound: refs
//	Const      constants, and the values that they had: const
//	           the types of package ti, known by their parts: hosttype
//
// These hold:
//
//   - A Bound does not change once others know it. What a host has changed makes another one.
//   - A field that is bound is ready, in the store of the binder, and has no component in common with another.
//   - Whatever can be wrong with a host is an error here, so that the checker need not say it again: Faulty has the
//     names.
//   - Constants are read where the host has them, and pointers compared where they lie: both cost a launch one
//     comparison each.
package bind
