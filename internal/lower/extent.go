package lower

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// launched reports whether the extents of f are to be read at launch.
func (l *lowerer) launched(f *typed.Field) bool {
	return f.Symbolic && l.launch[f.Name] != "" && !slices.Contains(l.root.Fixed, f)
}

// launchExtents makes the extents of a field of the host, or takes those of another
// of the same shape.
func (l *lowerer) launchExtents(g *ir.Field) {
	for _, like := range l.kernel.Fields {
		if like.Name == l.launch[g.Name] && like.Extents != nil && like.View == nil {
			g.Like, g.Extents = like, like.Extents
			for a := range g.Shape {
				g.Shape[a] = -1
			}
			return
		}
	}
	l.addExtents(g, ir.ParamExtent)
}

// addExtents makes the parameters that hold the extents of g.
func (l *lowerer) addExtents(g *ir.Field, content ir.ParamContent) {
	for a := range g.Shape {
		p := &ir.Param{Name: ir.ExtentName(g.Name, a), Content: content, Kind: ir.I64, Comps: 1, Slot: l.nextSlot()}
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
	lo := f.Low(axis)
	n, at := f.Extent(axis)
	switch {
	case at == nil:
		return l.int(lo + n)
	case lo == 0:
		return l.extent(f, axis)
	}
	return l.b.Op(ir.OpAdd, l.extent(f, axis), l.int(lo))
}

// view makes the field and the parameters of a view parameter of the kernel.
func (l *lowerer) view(v *typed.Var, t typed.View, k *typed.Func) {
	name := v.Name
	if name == "" || name == "_" {
		name = fmt.Sprintf("_%d", l.nextSlot())
	}
	p := &ir.Param{Name: name, Content: ir.ParamView, Kind: ir.Ptr, Comps: 1, Slot: l.nextSlot()}
	l.kernel.Params = append(l.kernel.Params, p)
	for slices.ContainsFunc(k.Fields, func(f *typed.Field) bool { return f.Name == name }) {
		name += "'" // the text form identifies fields by name
	}
	m := typed.MemoryOf(t.Elem)
	g := &ir.Field{
		Name: name, Index: len(l.kernel.Fields), Comps: kindsOf(t.Elem),
		Shape: make([]int64, t.Rank), Origin: make([]int64, t.Rank), View: &ir.View{Param: p, Size: int64(m.Size)},
	}
	for _, o := range m.Offsets {
		g.View.Offsets = append(g.View.Offsets, int64(o))
	}
	l.addExtents(g, ir.ParamLength)
	for a := range t.Rank - 1 {
		s := &ir.Param{Name: ir.StrideName(name, a), Content: ir.ParamStride, Kind: ir.I64, Comps: 1, Slot: l.nextSlot()}
		l.kernel.Params = append(l.kernel.Params, s)
		g.View.Strides = append(g.View.Strides, s)
	}
	l.kernel.Fields = append(l.kernel.Fields, g)
	l.bind(v, binding{view: g})
}
