// Package llvm drives libLLVM, versions 15 and newer, which it finds and opens
// at run time: no cgo, no headers, nothing to link.
//
// What comes in is LLVM IR as text; what goes out is an object file (ELF, by
// the triple given), optimised IR or assembly. Invariants:
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
//   - Code is for this machine's processor, for the one that the user has chosen in its
//     place ([EnvProcessor]), or for any other ([Lib.For]). Whoever asks a [Lib] for its
//     processor and features is told of that one.
//   - Known faults of a version are mended (faults.go). Version 15 is told to report what its
//     passes do: when it has made vectors of a loop, and before the next pass sees
//     them, those are changed that would compute wrong numbers.
//
// The one piece of process-wide state is the table in guard.go that leads from
// a thread to the compilation it runs: libLLVM's fatal error handler belongs to
// the process and is told nothing but the message. (And version 15 gets an option.)
package llvm
