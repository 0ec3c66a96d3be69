// Package cache keeps compiled kernels on disk from one run of a program to the next.
//
// In: a key, which covers all that the code depends on, and the bytes of an entry. Out: the same
// bytes, in this process or in another, or nothing. A cache never makes a launch fail: what
// cannot be read, written or trusted is compiled anew, and [Options.Warn] is told once a cause.
//
// # Files
//
// An entry is a file named by its key, in a folder named by the version of the compiler. It
// begins with a line that names the format, the key and the SHA-256 of what follows. Entries
// appear under their names by rename, whole or not at all, so that readers need no lock. What a
// process that was killed leaves behind are files with other names, and the next cleaning
// removes them once they are an hour old.
//
// # Room
//
// Where entries come to more than [Options.MaxBytes], cleaning takes out the least recently
// used (LRU) or the oldest (FIFO) until a quarter of the room is free, so that it is not needed
// for each new entry. A process cleans when it has written a sixteenth of the room, and at its first
// entry, unless another one has done so in the last ten minutes: looking at tens of thousands of
// files takes longer than compiling a kernel. An entry is as old as its file says: LRU renews that time when it reads
// one. Only one process cleans at a time; the others go on without.
//
// # Trust
//
// Whoever can write an entry runs code as the reader. So the folder and its entries must belong
// to the user, and nobody else may be able to write to them; a folder that is not so is refused,
// and an entry that is not so is taken for none.
//
// The policies, and a cleaning that removes a quarter, are those of Taichi's offline cache
// (Taichi documentation, "Performance tuning", section "Offline cache").
package cache
