package quantise

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// A WordFields has the fields of a kernel that stand for words of quantised numbers.
type WordFields struct {
	k    *ir.Kernel
	made map[*layout.Word]*ir.Field
	sums map[*layout.Word]*ir.Field // of codes of words
}

// NewWordFields finds those that there are. The list of the kernel's fields becomes its own.
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

// Of returns the field of the words that a component is packed in.
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

// sumsOf returns the field of sums of the codes in words that have one each.
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

// Forget takes back the fields that were made after the first n of the kernel.
func (s *WordFields) Forget(n int) {
	for w, f := range s.made {
		if f.Index >= n {
			delete(s.made, w)
		}
	}
	s.k.Fields = s.k.Fields[:n]
}

// NewWordField makes the field of the words that a component is packed in.
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
