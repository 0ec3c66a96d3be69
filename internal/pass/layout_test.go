package pass

import (
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// testLayout places the fields of the tests: each in a tree of its own, as an
// array of structures in row-major order; one whose name starts with Block in
// blocks of four along each axis, one whose name ends in SoA with its components
// in trees of their own.
type testLayout struct{}

func (testLayout) Access(f *ir.Field, comp int) *layout.Access {
	a := &layout.Access{Tree: f.Index, Shape: f.Shape, Origin: f.Origin}
	size := int64(0)
	for i, k := range f.Comps {
		if i == comp {
			a.Const = size
		}
		size += int64(k.Size())
	}
	if strings.HasSuffix(f.Name, "SoA") {
		a.Tree, a.Const, size = 10*(f.Index+1)+comp, 0, int64(f.Comps[comp].Size())
	}
	for i := len(f.Shape) - 1; i >= 0; i-- {
		t := layout.Term{Axis: i, Div: 1, Stride: size}
		size *= f.Shape[i]
		if strings.HasPrefix(f.Name, "Block") {
			t.Mod = 4
			a.Terms = append(a.Terms, layout.Term{Axis: i, Div: 4, Stride: 4 * t.Stride})
		}
		a.Terms = append(a.Terms, t)
	}
	return a
}

func (testLayout) Nest(f *ir.Field) []layout.NestDim {
	var ds []layout.NestDim
	for i, n := range f.Shape {
		if strings.HasPrefix(f.Name, "Block") {
			ds = append(ds, layout.NestDim{Axis: i, Extent: n / 4, Mul: 4}, layout.NestDim{Axis: i, Extent: 4, Mul: 1})
			continue
		}
		ds = append(ds, layout.NestDim{Axis: i, Extent: n, Mul: 1})
	}
	return ds
}

func (testLayout) Cells(*ir.Field) *Cells { return nil }

func (testLayout) Uniform(tree int) (ir.Kind, int64, bool) { return ir.F32, 4096, tree < 10 }
