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
//
// The one piece of process-wide state is the table in guard.go that leads from
// a thread to the compilation it runs: libLLVM's fatal error handler belongs to
// the process and is told nothing but the message.
package llvm
