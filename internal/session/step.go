package session

import (
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/typed"
)

// A step is a launch, or what takes the place of launches. There may be millions.
type step struct {
	inst   *instance
	args   []uint64
	number uint64 // of the launch, which its random numbers depend on
	back   func() error
	held   *held // nil for nothing
}

// A held is what few launches need.
type held struct {
	memory   [][]byte          // copies of what the caller's slices and arrays held, which args point to
	topology []topologyVersion // of the kernel's sparse fields
	first    []topologyVersion // in the second run of a checkpoint, those of the first
	old      []int64           // values that its atomics returned, as far as the way back needs them
}

// hold returns what s holds, for more.
func (s *step) hold() *held {
	if s.held == nil {
		s.held = &held{}
	}
	return s.held
}

// argChunk is how many slots of arguments a tape makes at once.
const argChunk = 1 << 12

// newArgs returns n slots of arguments.
func (t *tape) newArgs(n int) []uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n > len(t.args) {
		t.args = make([]uint64, max(n, argChunk))
	}
	args := t.args[:n:n]
	t.args = t.args[n:]
	return args
}

// A stepPlan is what a tape has to know of a kernel.
type stepPlan struct {
	slots  int           // of all parameters; those behind are extents of fields
	memory []memoryParam // slices and arrays of the caller
	sparse []string      // the names of its sparse fields
	old    bool          // it uses old values of atomics
}

// A memoryParam is a slice or, of a rank above 0, an array of the caller.
type memoryParam struct {
	slot, rank int
	size       int // of an element
}

// plan is found once.
func (inst *instance) plan() *stepPlan {
	if p := inst.steps.Load(); p != nil {
		return p
	}
	p := &stepPlan{}
	f := inst.checked.Kernel(inst.k.name)
	for i, v := range f.Params {
		switch t := v.Type.(type) {
		case typed.View:
			p.memory = append(p.memory, memoryParam{p.slots, t.Rank, typed.MemoryOf(t.Elem).Size})
		case typed.Slice:
			p.memory = append(p.memory, memoryParam{p.slots, 0, typed.MemoryOf(t.Elem).Size})
		}
		p.slots += inst.signature().In[i].Slots()
	}
	for _, field := range f.Fields {
		if c := inst.scope.Named(field.Name); c != nil && field.Sparse {
			p.sparse = append(p.sparse, field.Name)
		}
	}
	p.old = f.OldValues
	inst.steps.Store(p)
	return p
}

// holdMemory copies the slices and arrays of the caller, as they are now, to which the arguments of a step point. As of fields, the way back
// takes what the launch has left there.
func (inst *instance) holdMemory(s *step) {
	for _, m := range inst.plan().memory {
		args := s.args[m.slot:]
		n := args[1]
		if m.rank > 0 {
			n = uint64(viewElements(args, m.rank))
		}
		if n == 0 || m.size == 0 {
			continue
		}
		held := slices.Clone(sliceBytes(args[0], n, m.size))
		s.hold().memory = append(s.hold().memory, held)
		args[0] = uint64(uintptr(unsafe.Pointer(&held[0])))
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
	for _, m := range inst.plan().memory {
		args[m.slot] = 0
	}
	return args
}
