package session

import (
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/typed"
)

// A step is a launch, or what takes the place of launches.
type step struct {
	inst     *instance
	args     []uint64
	memory   [][]byte          // copies of what the caller's slices and arrays held, which args point to
	topology []topologyVersion // of the kernel's sparse fields
	old      []int64           // values that its atomics returned, as far as the way back needs them
	number   uint64            // of the launch, which its random numbers depend on
	back     func() error
}

// A call is what one run of a checkpoint's function launched, to be compared with the next run.
type call struct {
	kernel string
	args   []uint64
}

// params returns the parameters of the instance, with the slots that each takes.
func (inst *instance) params() (vars []*typed.Var, slots []int) {
	f := inst.checked.Kernel(inst.k.name)
	for i, v := range f.Params {
		vars = append(vars, v)
		slots = append(slots, inst.signature().In[i].Slots())
	}
	return vars, slots
}

// slots is the number of slots of all parameters; those behind are extents of fields.
func (inst *instance) slots() (n int) {
	for _, c := range inst.signature().In {
		n += c.Slots()
	}
	return n
}

// holdMemory copies the slices and arrays of the caller, as they are now, to which the arguments of a step point. As of fields, the way back
// takes what the launch has left there.
func (inst *instance) holdMemory(s *step) {
	vars, slots := inst.params()
	at := 0
	for i, v := range vars {
		args := s.args[at : at+slots[i]]
		at += slots[i]
		size := uint64(0)
		switch t := v.Type.(type) {
		case typed.View:
			size = uint64(viewElements(args, t.Rank) * typed.MemoryOf(t.Elem).Size)
		case typed.Slice:
			size = args[1] * uint64(typed.MemoryOf(t.Elem).Size)
		}
		if size > 0 {
			held := slices.Clone(sliceBytes(args[0], size, 1))
			s.memory = append(s.memory, held)
			args[0] = uint64(uintptr(unsafe.Pointer(&held[0])))
		}
	}
}

// viewElements is how far apart the first and the last element of a view are, both included; args are its address, extents and strides.
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

// plainArgs are the arguments without the addresses of slices and arrays.
func (inst *instance) plainArgs(args []uint64) []uint64 {
	args = slices.Clone(args)
	vars, slots := inst.params()
	at := 0
	for i, v := range vars {
		switch v.Type.(type) {
		case typed.Slice, typed.View:
			args[at] = 0
		}
		at += slots[i]
	}
	return args
}
