package hostabi

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/layout"
)

// Strides are those of an array with gaps between its rows.
type Strides struct {
	steps []int  // in elements, for each axis but the last
	Bad   string // why the array cannot be used, "" if it can
}

// NewStrides describes an array of some shape in a slice of n elements.
func NewStrides(shape []int, along []int, n int) (s *Strides, why string) {
	s = &Strides{steps: slices.Clone(along)}
	return s, s.misfit(shape, n)
}

// misfit says why elements of a shape do not lie in a slice of n, "" if they do.
func (s *Strides) misfit(shape []int, n int) string {
	if len(s.steps) != len(shape)-1 {
		return fmt.Sprintf("a Shape of %s takes %s, one for each axis but the last, and it has %d", Count(len(shape), "axis", "axes"), Count(max(0, len(shape)-1), "stride", "strides"), len(s.steps))
	}
	empty := false
	for i, extent := range shape {
		if extent < 0 {
			return fmt.Sprintf("it has the shape %v; extents are not negative", shape)
		}
		if i < len(s.steps) && s.steps[i] < 0 {
			return fmt.Sprintf("the stride along axis %d is %d; strides are not negative", i, s.steps[i])
		}
		empty = empty || extent == 0
	}
	if empty {
		return ""
	}
	inner := 1 // elements from the first to the last of an index, both included
	for i := len(shape) - 1; i >= 0; i-- {
		step := s.step(i, shape[i], inner)
		if step < inner {
			return fmt.Sprintf("elements overlap: an index along axis %d spans %d elements, and the stride there is %d; make it %d or more", i, inner, step, inner)
		}
		if shape[i] > 1 && step > (n-inner)/(shape[i]-1) || inner > n {
			return fmt.Sprintf("the shape %v with strides %v goes beyond the %s of data; give it more of them, or a smaller Shape", shape, s.steps, Count(n, "element", "elements"))
		}
		inner += (shape[i] - 1) * step
	}
	return ""
}

// step is the stride along an axis of some extent. It is of no matter where there is one
// index only, and kernels may multiply it by any.
func (s *Strides) step(axis, extent, inner int) int {
	if axis >= len(s.steps) || extent <= 1 {
		return inner
	}
	return s.steps[axis]
}

// putStrided is putView for an array with strides. It works on a copy of the shape.
func (c *Codec) putStrided(slots []uint64, h *arrayHeader) bool {
	var shape [layout.MaxRank]int
	if copy(shape[:], h.shape) != c.view || h.strides.Bad != "" || h.strides.misfit(shape[:c.view], h.data.len) != "" {
		return false
	}
	slots[0] = uint64(uintptr(h.data.data))
	inner := 1
	for i := c.view - 1; i >= 0; i-- {
		step := h.strides.step(i, shape[i], inner)
		slots[1+i] = uint64(shape[i])
		if i < c.view-1 {
			slots[1+c.view+i] = uint64(step)
		}
		if int64(shape[i]) > c.high {
			return false
		}
		inner += max(0, shape[i]-1) * step
	}
	return true
}

// unfitStrided is unfit for an array with strides, of the given shape.
func (c *Codec) unfitStrided(h *arrayHeader, shape []int) string {
	if h.strides.Bad != "" {
		return h.strides.Bad
	}
	if why := h.strides.misfit(shape, h.data.len); why != "" {
		return "was changed after ti.Strided made it: " + why
	}
	for _, n := range shape {
		if int64(n) > c.high {
			return fmt.Sprintf("has the shape %v, and %d does not fit an i32; use Config.Int 64", shape, n)
		}
	}
	return fmt.Sprintf("had another shape than %v a moment ago; do not change it during the launch", shape)
}
