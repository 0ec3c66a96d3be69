package session

import (
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

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

// plainArgs are the arguments without the addresses of slices and arrays.
func (inst *instance) plainArgs(args []uint64) []uint64 {
	args = slices.Clone(args)
	for _, m := range inst.plan().memory {
		args[m.slot] = 0
	}
	return args
}
