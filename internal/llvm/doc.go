// Package llvm drives libLLVM, versions 15 and newer, which it finds and opens
// at run time: no cgo, no headers, nothing to link.
//
// In: LLVM IR as text. Out: an object file (ELF, as the triple says), optimised
// IR or assembly. Invariants:
//
//   - Nothing that libLLVM reports ends the process. Its fatal error handler
//     parks the thread that met the error for good, and the caller gets the
//     message as an error; so does whatever the parser, the verifier and the
//     code generator find wrong.
//   - Every compilation has its own LLVMContext and its own locked thread, so
//     several may run at once.
//   - The same text with the same options and the same libLLVM gives the same
//     bytes.
//   - A library is opened once in a process and never unloaded.
//   - Code is for this machine's processor, for the one that the user has chosen
//     instead ([EnvProcessor]), or for any other ([Lib.For]). A [Lib] reports the
//     processor and features that it makes code for.
//   - Known faults of a version are repaired (faults.go). An option makes version 15 report
//     what its passes do: after it has vectorised a loop, and before the next pass runs,
//     vectors that would compute wrong numbers are changed.
//
// The only process-wide state is the table in guard.go that maps
// a thread to the compilation it runs: libLLVM's fatal error handler belongs to
// the process and gets only the message. (Version 15 also gets the option, for the process.)
package llvm
