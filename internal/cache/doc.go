// Package cache keeps compiled kernels on disk from one run of a program to the next.
//
// In: a key, which covers all that the code depends on, and the bytes of an entry. Out: the same
// bytes, in this process or in another, or nothing. A cache never makes a launch fail: if an entry
// cannot be read, written or trusted, the kernel is compiled again, and [Options.Warn] is called once for each cause.
//
// # Files
//
// An entry is a file named by its key, in a folder named by the version of the compiler. It
// begins with a line that names the format, the key and the SHA-256 of what follows. Entries
// appear under their names by rename, whole or not at all, so that readers need no lock. A
// process that is killed may leave temporary files, which have other names; the next cleaning
// removes them once they are an hour old.
//
// # Cleaning
//
// If all entries together are larger than [Options.MaxBytes], cleaning removes the least recently
// used (LRU) or the oldest (FIFO) until a quarter of MaxBytes is free, so that not every new entry
// causes a cleaning. A process cleans whenever it has written a sixteenth of MaxBytes, and at its first entry
// unless another process has cleaned in the last ten minutes, since listing tens of thousands of
// files takes longer than compiling a kernel. The age of an entry is the time of its file, which LRU renews when it
// reads the entry. Only one process cleans at a time; the others continue without cleaning.
//
// # Trust
//
// Whoever can write an entry can run code with the rights of the reader. So the folder and its entries must belong
// to the user, and nobody else may have write access to them; any other folder is refused,
// and any other entry is ignored.
//
// The policies, and a cleaning that removes a quarter, are those of Taichi's offline cache
// (Taichi documentation, "Performance tuning", section "Offline cache").
package cache
