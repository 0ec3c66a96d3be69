package driver

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// memoryOf describes the caller's memory that the arguments of a kernel name.
func memoryOf(k *ir.Kernel) (all []launch.Memory) {
	written := writtenArguments(k)
	for _, p := range k.Params {
		switch p.Content {
		case ir.ParamSlice:
			all = append(all, launch.Memory{Slot: p.Slot, Size: p.ElemSize(), Shape: []int64{-1}, Extents: []int{p.LengthSlot()}, Writes: written(p.Slot)})
		case ir.ParamView:
			i := slices.IndexFunc(k.Fields, func(f *ir.Field) bool { return f.View != nil && f.View.Param == p })
			if i < 0 {
				continue // no task is left that uses it
			}
			f := k.Fields[i]
			m := launch.Memory{Slot: p.Slot, Size: f.View.Size, Writes: written(p.Slot)}
			for axis := range f.Rank() {
				n, at := f.Extent(axis)
				m.Shape, m.Extents = append(m.Shape, n), append(m.Extents, lengthSlot(at))
			}
			for _, s := range f.View.Strides {
				m.Strides = append(m.Strides, s.LengthSlot())
			}
			all = append(all, m)
		}
	}
	return all
}

// writtenArguments returns a func that reports whether a kernel may write to the memory whose address is in an argument slot. A place of which
// nobody knows where it lies may lie in any.
func writtenArguments(k *ir.Kernel) func(slot int) bool {
	written := map[int64]bool{}
	anywhere := false
	for _, b := range k.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Code != ir.OpStore && o.Code != ir.OpAtomic && o.Code != ir.OpCall {
				return true
			}
			for i, v := range o.Args {
				if v.Type.Kind != ir.Ptr || o.Code != ir.OpCall && i > 0 {
					continue
				}
				for v.Def != nil && v.Def.Code == ir.OpOffset {
					v = v.Def.Args[0]
				}
				switch {
				case v.Def == nil:
					anywhere = true
				case v.Def.Code == ir.OpArgPtr:
					written[v.Def.Aux] = true
				case !elsewhere(v.Def.Code):
					anywhere = true
				}
			}
			return true
		})
	}
	return func(slot int) bool { return anywhere || written[int64(slot)] }
}

// elsewhere reports whether an op gives a place that is none of the caller's memory.
func elsewhere(c ir.Code) bool {
	switch c {
	case ir.OpBase, ir.OpFrame, ir.OpAlloc, ir.OpCell, ir.OpBlockPtr, ir.OpEntry, ir.OpFollow, ir.OpGrow, ir.OpFind, ir.OpEnter:
		return true
	}
	return false
}
