package quantise

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// A WordFields holds the fields of a kernel that stand for words of quantised numbers.
type WordFields struct {
	k    *ir.Kernel
	made map[*layout.Word]*ir.Field
	sums map[*layout.Word]*ir.Field // the fields of sums of codes
}

// NewWordFields finds the fields of words that the kernel already has. It clones the kernel's list of fields, to which it may append.
func NewWordFields(k *ir.Kernel, lay unit.Layout) *WordFields {
	w := &WordFields{k, map[*layout.Word]*ir.Field{}, map[*layout.Word]*ir.Field{}}
	k.Fields = slices.Clone(k.Fields)
	for _, f := range k.Fields {
		if f.Word != nil && !f.Word.Sums {
			w.made[lay.Access(f.Word.Field, f.Word.Comp).Packed.Word] = f
		}
	}
	return w
}

// Of returns the field of the words in which a component is packed. It makes the field if there is none.
func (s *WordFields) Of(f *ir.Field, c int, w *layout.Word) *ir.Field {
	if g := s.made[w]; g != nil {
		return g
	}
	g := NewWordField(f, c, w)
	g.Index = len(s.k.Fields)
	s.made[w] = g
	s.k.Fields = append(s.k.Fields, g)
	return g
}

// sumsOf returns the field of the sums of codes, for words with one code each.
func (s *WordFields) sumsOf(f *ir.Field, c int, w *layout.Word) *ir.Field {
	g := s.sums[w]
	if g == nil {
		g = &ir.Field{
			Name: fmt.Sprintf("%s.sums%d", f.Name, c), Index: len(s.k.Fields), Comps: []ir.Kind{ir.U64}, Shape: f.Shape, Origin: f.Origin,
			Word: &ir.WordOf{Field: f, Comp: c, Sums: true},
		}
		s.sums[w] = g
		s.k.Fields = append(s.k.Fields, g)
	}
	return g
}

// Forget removes the fields after the first n of the kernel.
func (s *WordFields) Forget(n int) {
	for w, f := range s.made {
		if f.Index >= n {
			delete(s.made, w)
		}
	}
	s.k.Fields = s.k.Fields[:n]
}

// NewWordField returns the field of the words in which a component is packed.
func NewWordField(f *ir.Field, c int, w *layout.Word) *ir.Field {
	g := &ir.Field{
		Name: fmt.Sprintf("%s.word%d", f.Name, c), Comps: []ir.Kind{w.Kind},
		Shape: f.Shape, Origin: f.Origin, Sparse: f.Sparse, Node: f.Node, List: f.List,
		Word: &ir.WordOf{Field: f, Comp: c, Cells: w.Cells()},
	}
	if w.Array() {
		g.Shape, g.Origin = slices.Clone(f.Shape), make([]int64, len(f.Shape))
		for a, n := range g.Word.Cells {
			g.Shape[a] /= n
		}
		g.Node, g.Sparse = nodeKinds[w.Home().Kind()], w.Home().Sparse()
	}
	return g
}

var nodeKinds = [...]ir.NodeKind{
	layout.Dense: ir.NodeDense, layout.Pointer: ir.NodePointer, layout.Bitmasked: ir.NodeBitmasked,
	layout.Dynamic: ir.NodeDynamic, layout.Hash: ir.NodeHash,
}
