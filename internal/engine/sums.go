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

// openSums sees to it that the sums of c are there, and zero. Where there is no room for all of them it takes none, so that
// the kernel in another form has the more: the next launch tries again. Results that must not depend on the machine
// need them.
func (e *Engine) openSums(c *Code) error {
	for i := range c.sums {
		s := &c.sums[i]
		if s.region == nil {
			r, err := e.mapCopy(s.Bytes)
			if err != nil {
				c.dropSums()
				if c.deterministic {
					return launch.ErrCopies
				}
				return launch.ErrSums
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

// dropSums gives the memory of the sums back.
func (c *Code) dropSums() {
	for i := range c.sums {
		if s := &c.sums[i]; s.region != nil {
			c.engine.freeCopy(s.region)
			s.region, s.dirty = nil, false
		}
	}
}
