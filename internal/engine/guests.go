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

// release gives the caller what tasks have written.
func (c *Code) release() {
	if g := c.guests; g != nil && g.region != nil {
		g.Give(c.k, c.args, g.region.Bytes())
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
