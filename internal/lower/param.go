package lower

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// param describes a parameter of the kernel, whose arguments begin with slot.
func (l *lowerer) param(v *typed.Var, slot int) *ir.Param {
	p := &ir.Param{Name: v.Name, Slot: slot}
	t := v.Type
	if s, ok := t.(typed.Slice); ok {
		p.Content, t = ir.ParamSlice, s.Elem
	}
	kinds := kindsOf(t)
	p.Kind, p.Comps = kinds[0], len(kinds)
	if typed.HasStruct(t) {
		p.Kinds = kinds
		if p.Content == ir.ParamSlice {
			m := typed.MemoryOf(t)
			p.Size = int64(m.Size)
			for _, at := range m.Offsets {
				p.Offsets = append(p.Offsets, int64(at))
			}
		}
	}
	if p.Name == "" || p.Name == "_" { // the text form identifies parameters by name
		p.Name = fmt.Sprintf("_%d", slot)
	}
	return p
}
