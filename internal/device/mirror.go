package device

// A Mirrored space can have the memory of a tree to itself, with a copy for the host at the addresses by which both name it.
type Mirrored interface {
	Space

	// Apart returns the space for one tree, and what the host asks before each access there. The latter is nil if the machine shares the memory.
	Apart() (Space, Mirror)
}

// A Mirror keeps the host's copy of a tree's memory up to date. The caller holds the launch lock, or is called by a launch between its tasks. Several
// goroutines may call at a time, each for places of its own.
//
// None of these returns an error, since they come before each access. Once one has failed, the host's copy is what it was, and [Mirror.Err] says so, as does each launch on the tree.
type Mirror interface {
	// Read sees to it that the host can read n bytes at an address.
	Read(address uint64, n int64)
	// Write sees to it that the host can write them, too, and that the machine has them before the next launch. If the host writes all of
	// them before it reads any, what they were does not matter.
	Write(address uint64, n int64, all bool)
	// Zero says that n bytes are 0 from now on, of the machine too. They are whole pages, and those of the host are 0.
	Zero(address uint64, n int64)
	// Err is the first error of a copy.
	Err() error
}
