// Package suite is shared by the benchmark commands: it times and checks cases, and compares them with the same
// cases in other programs.
//
// A [Case] is run by [Case.Run], which measures it here and then by each [Peer], compares the checks, and returns a
// [Row]; a [Table] prints rows as they come. A peer is a [Program], or the cases of this program in another form
// ([Variant]). Programs are run with --list and with --only NAME [--threads N], and print one line for a case:
//
//	NAME median us min us check
package suite
