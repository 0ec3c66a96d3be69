package engine

import (
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

// sumMemory is memory of a kernel that is zero between launches.
type sumMemory struct {
	launch.Sums
	region *memory.Region // nil before the first launch
	dirty  bool           // a launch is under way, or ended early
}

// openSums sees to it that the sums of c are there, and zero.
func (e *Engine) openSums(c *Code) error {
	for i := range c.sums {
		s := &c.sums[i]
		if s.region == nil {
			r, err := e.mapCopy(s.Bytes)
			if err != nil {
				return err
			}
			s.region = r
			c.bases[s.Base], c.sizes[s.Base] = uint64(uintptr(r.Base())), s.Bytes
		} else if s.dirty {
			clear(s.region.Bytes())
		}
		s.dirty = true
	}
	return nil
}

// closeSums notes that a launch of c has left its sums zero.
func (c *Code) closeSums() {
	for i := range c.sums {
		c.sums[i].dirty = false
	}
}
