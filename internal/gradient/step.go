package gradient

import (
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/variant"
)

// A step is a launch, or what takes the place of launches. There may be millions.
type step struct {
	variant *variant.Variant
	args    []uint64
	number  uint64 // of the launch, which its random numbers depend on
	back    func() error
	held    *held // nil for nothing
}

// A held is what few launches need.
type held struct {
	memory   [][]byte          // copies of what the caller's slices and arrays held, which args point to
	topology []topologyVersion // of the kernel's sparse fields
	first    []topologyVersion // in the second run of a checkpoint, those of the first
	old      []int64           // values that its atomics returned, as far as the backward pass needs them
}

// hold returns what s holds, for more.
func (s *step) hold() *held {
	if s.held == nil {
		s.held = &held{}
	}
	return s.held
}

// holdMemory copies the slices and arrays of the caller, as they are now, to which the arguments of a step point. As
// of fields, the backward pass takes what the launch has left there.
func (s *step) holdMemory() {
	for _, m := range s.variant.Plan().Memory {
		args := s.args[m.Slot:]
		n := args[1]
		if m.Rank > 0 {
			n = uint64(viewElements(args, m.Rank))
		}
		if n == 0 || m.Size == 0 {
			continue
		}
		held := slices.Clone(variant.SliceBytes(args[0], n, m.Size))
		s.hold().memory = append(s.hold().memory, held)
		args[0] = uint64(uintptr(unsafe.Pointer(&held[0])))
	}
}

// viewElements is how far apart the first and the last element of a view are, both included; args are its address,
// extents and strides.
func viewElements(args []uint64, rank int) int {
	n := 1
	for axis, extent := range args[1 : 1+rank] {
		if extent == 0 {
			return 0
		}
		stride := 1
		if axis < rank-1 {
			stride = int(args[1+rank+axis])
		}
		n += (int(extent) - 1) * stride
	}
	return n
}

// kernel is the variant that was launched, without tangents.
func (s *step) kernel() *variant.Variant {
	if s.variant.Of != nil {
		return s.variant.Of
	}
	return s.variant
}

// A topologyVersion is that of the cells of a field at a launch.
type topologyVersion struct {
	field         string
	before, after int64
	cells         [2]uint64 // before and after the launch, as Field.CellSum has them; in a checkpoint
}
