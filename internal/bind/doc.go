// Package bind binds the vars of a source to the fields, nodes and constants of a host, by name. It knows nothing of
// compiled code.
//
// In: files of a source and of its libraries; the declarations in them (package outline); a host, as a pointer to a
// struct or as Bindings. Out: a [Bound], which describes the host to the checker and the compiler; the funcs of the
// host that are to be set to kernels; and mistakes of the host with position, cause and remedy.
//
//	Source     files and libraries, joined: source, library
//	Binder     binds the vars of one package: binder; a bundle's parts by their paths: bundle
//	Bound      the bindings of a host, and new ones after it has changed: bound
//	Ref        pointers of the host to fields, nodes and bundles: refs
//	Const      constants, and their last values: const
//	           the types of package ti, recognised by their parts: hosttype
//
// Invariants:
//
//   - A Bound is immutable once it is shared. If the host has changed, there is a new one.
//   - A bound field is ready, is in the store of the binder, and shares no component with another field.
//   - Every mistake of a host is reported here. Faulty names the declarations concerned, so that the checker does not
//     report them again.
//   - A launch reads each constant from the host's memory, and compares each pointer there: one comparison each.
package bind
