package loader

import (
	"fmt"
	"runtime"
	"sync/atomic"
)

// A Code is an object in executable memory.
type Code struct {
	memory  []byte // the mapping
	base    uintptr
	symbols map[string]int // offsets of the functions
	names   []string
	closed  atomic.Bool
}

// Load puts an object for this machine into executable memory. The memory stays
// until [Code.Close].
func Load(object []byte) (*Code, error) {
	im, err := parse(object)
	if err != nil {
		return nil, err
	}
	if im.arch != runtime.GOARCH {
		return nil, wrongArch(im.arch)
	}
	return im.load()
}

// load puts an image for this machine into executable memory.
func (im *image) load() (*Code, error) {
	memory, err := reserve(im.size)
	if err != nil {
		return nil, fmt.Errorf("no memory for %d bytes of machine code: %w", im.size, err)
	}
	c := &Code{memory: memory, base: address(memory), symbols: im.symbols, names: im.names}
	data, err := im.link(uint64(c.base))
	if err == nil {
		copy(memory, data)
		err = seal(memory)
	}
	if err != nil {
		release(memory)
		return nil, err
	}
	return c, nil
}

// Symbol is the address of a function, and whether the object has it.
func (c *Code) Symbol(name string) (uintptr, bool) {
	offset, ok := c.symbols[name]
	return c.base + uintptr(offset), ok
}

// Symbols lists the functions in the order of the object's symbol table.
func (c *Code) Symbols() []string { return c.names }

// Size is how much memory the code takes, in bytes.
func (c *Code) Size() int { return len(c.memory) }

// Close gives the memory back. No thread may be in the code then or later.
func (c *Code) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	return release(c.memory)
}
