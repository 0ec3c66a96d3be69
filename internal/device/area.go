package device

import "github.com/gotaichi/ti/internal/memory"

// An Area is memory of a machine, zero at first. Methods may be called by several goroutines, but for Free.
type Area interface {
	Bytes() int64

	// Shared reports whether the machine and the host have the same memory. Then Map and Unmap do nothing.
	Shared() bool

	// Host is what the host reads and writes in the area's place, at an address that stays until Free.
	Host() []byte

	// Map lets the host read the area or, if it says so, write it too. It may be mapped several times at once, and each Map needs
	// an Unmap. It fails if the machine cannot give what the area holds.
	Map(write bool) error
	Unmap() error

	// Retire gives the memory back and keeps the addresses of Host: nothing faults there until Free, and what is read and written
	// does not matter. Map succeeds.
	Retire() error

	// Free gives the addresses back as well. Doing so again does nothing.
	Free() error
}

// Memory is that of a machine.
type Memory interface {
	// Allocate returns an area of at least so many bytes.
	Allocate(bytes int64) (Area, error)
	// Space is where sparse trees have their blocks.
	Space() Space
}

// A Space gives memory in which machine and host have the same addresses.
type Space interface {
	// Map is as [memory.Map].
	Map(bytes int64) (*memory.Region, error)
	// Reserve is as [memory.Reserve].
	Reserve(bytes int64) (*memory.Region, error)
	// Most is how many bytes to reserve at most now where only parts are used, so that there is address space for others.
	Most() int64
}
