package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
)

// launched reports whether the extents of f are to be read at launch.
func (l *lowerer) launched(f *check.Field) bool {
	return f.Symbolic && l.launch[f.Name] && !slices.Contains(l.root.Fixed, f)
}

// addExtents makes the parameters that hold the extents of g.
func (l *lowerer) addExtents(g *ir.Field, form ir.ParamForm) {
	for a := range g.Shape {
		p := &ir.Param{Name: ir.ExtentName(g.Name, a), Form: form, Kind: ir.I64, Comps: 1, Slot: l.nextSlot()}
		l.kernel.Params = append(l.kernel.Params, p)
		g.Shape[a] = -1
		g.Extents = append(g.Extents, p)
	}
}

// nextSlot is the argument slot behind those of all parameters.
func (l *lowerer) nextSlot() int {
	n := len(l.kernel.Params)
	if n == 0 {
		return 0
	}
	last := l.kernel.Params[n-1]
	return last.Slot + last.Slots()
}

// extent appends the extent of f along an axis, an int of the source.
func (l *lowerer) extent(f *ir.Field, axis int) *ir.Value {
	n, at := f.Extent(axis)
	if at == nil {
		return l.int(n)
	}
	return l.b.Length(at, l.kernel.Int)
}

// end appends the first index behind those of f along an axis.
func (l *lowerer) end(f *ir.Field, axis int) *ir.Value {
	lo := f.Origin[axis]
	n, at := f.Extent(axis)
	switch {
	case at == nil:
		return l.int(lo + n)
	case lo == 0:
		return l.extent(f, axis)
	}
	return l.b.Op(ir.OpAdd, l.extent(f, axis), l.int(lo))
}
