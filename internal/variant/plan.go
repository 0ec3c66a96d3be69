package variant

import (
	"slices"

	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/typed"
)

// A stepPlan is what a tape has to know of a kernel.
type stepPlan struct {
	Slots  int           // of all parameters; those behind are extents of fields
	Memory []memoryParam // slices and arrays of the caller
	Sparse []string      // the names of its sparse fields
	old    bool          // it uses old values of atomics
}

// A memoryParam is a slice or, of a rank above 0, an array of the caller.
type memoryParam struct {
	Slot, Rank int
	Size       int // of an element
}

// Plan is found once.
func (v *Variant) Plan() *stepPlan {
	if p := v.steps.Load(); p != nil {
		return p
	}
	p := &stepPlan{}
	f := v.Checked.Kernel(v.Kernel.Name)
	for i, param := range f.Params {
		switch t := param.Type.(type) {
		case typed.View:
			p.Memory = append(p.Memory, memoryParam{p.Slots, t.Rank, typed.MemoryOf(t.Elem).Size})
		case typed.Slice:
			p.Memory = append(p.Memory, memoryParam{p.Slots, 0, typed.MemoryOf(t.Elem).Size})
		}
		p.Slots += v.signature().In[i].Slots()
	}
	for _, field := range f.Fields {
		if c := v.Scope.Named(field.Name); c != nil && field.Sparse {
			p.Sparse = append(p.Sparse, field.Name)
		}
	}
	p.old = f.OldValues
	v.steps.Store(p)
	return p
}

// PlainArgs are the arguments without the addresses of slices and arrays.
func (v *Variant) PlainArgs(args []uint64) []uint64 {
	args = slices.Clone(args)
	for _, m := range v.Plan().Memory {
		args[m.Slot] = 0
	}
	return args
}

// signature is how the kernel is called.
func (v *Variant) signature() *hostabi.Signature {
	if v.Kernel.Template != nil {
		return &v.Boxed.Sig
	}
	return &v.Kernel.Boxed.Sig
}
