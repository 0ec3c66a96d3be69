// Package loader puts object files into executable memory. It needs no LLVM,
// so code from a cache runs on a machine that has none.
//
// [Load] takes an object as it is. [Cut] takes one with several tasks apart into a [Piece]
// for each, which is the same whatever else the object holds, and [Link] puts pieces from
// anywhere together, and binds the calls between them.
//
// What comes in are the bytes of a relocatable ELF object as libLLVM writes it
// for position-independent code of the small model, for x86-64 or AArch64 (ELF
// on every operating system: only the loader reads it). What goes out are the
// addresses of its functions. Invariants:
//
//   - Memory is never writable and executable at once: the image is put
//     together and relocated in ordinary memory, copied, and then sealed.
//   - An object has code and constants only. Writable data, thread-local data
//     and undefined symbols are errors; unwinding tables are left out.
//   - Any bytes whatever give an image or an error, never a crash. (That an
//     image does what its author wants cannot be known: a cache has to protect
//     its entries with a checksum.)
package loader
