package engine

import (
	"fmt"

	"github.com/gotaichi/ti/internal/launch"
)

// guests is the memory of the caller that arguments name, copied into the place of an embedder for a launch.
type guests struct {
	launch.Callers
	room
	args []uint64 // the arguments with addresses of the copies
}

// receive copies the caller's memory into the place.
func (c *Code) receive() error {
	g := c.guests
	if g == nil {
		return nil
	}
	size := g.Lay(c.k, c.args)
	if size > 0 {
		if err := g.atLeast(size, c.place.Space()); err != nil {
			return fmt.Errorf("%w for a copy of the memory that arguments name: %w", launch.ErrMemory, err)
		}
	}
	copy(g.args, c.args)
	if size == 0 {
		return nil
	}
	g.Take(c.k, c.args, g.region.Bytes())
	for i := range c.k.Memory {
		slot := c.k.Memory[i].Slot
		g.args[slot] = g.Address(g.base(), c.args[slot])
	}
	return nil
}

// keptCopy is the size of the largest copy of the caller's memory that a kernel keeps for its next launch: all kernels share the place, and a
// few large copies would fill it.
const keptCopy = 256 << 20

// release gives the caller what tasks have written.
func (c *Code) release() {
	g := c.guests
	if g == nil || g.region == nil {
		return
	}
	g.Give(c.k, c.args, g.region.Bytes())
	if g.region.Len() > keptCopy {
		g.free()
	}
}

// dropCopies gives back the copies of lists, and of the caller's memory.
func (c *Code) dropCopies() {
	for i := range c.lent {
		c.lent[i].free()
	}
	if c.guests != nil {
		c.guests.free()
	}
}
