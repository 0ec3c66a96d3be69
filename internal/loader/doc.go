// Package loader puts object files into executable memory. It needs no LLVM,
// so code from a cache runs on a machine that has none.
//
// [Load] loads a whole object. [Cut] cuts an object with several tasks into a [Piece]
// for each, which does not depend on the rest of the object, and has a binary form ([Piece.Append], [Read]). [Link] joins pieces from
// any objects, and binds the calls between them.
//
// In: the bytes of a relocatable ELF object as libLLVM writes it
// for position-independent code of the small model, for x86-64 or AArch64 (ELF
// on every operating system: only the loader reads it). Out: the
// addresses of its functions. Invariants:
//
//   - Memory is never writable and executable at once: the image is put
//     together and relocated in ordinary memory, copied, and then sealed.
//   - An object has code and constants only. Writable data, thread-local data
//     and undefined symbols are errors; unwinding tables are left out.
//   - Any bytes give an image or an error, never a crash. (The loader cannot
//     check what the code of an image does: a cache has to protect
//     its entries with a checksum.)
package loader
