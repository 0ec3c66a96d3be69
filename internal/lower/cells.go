package lower

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/typed"
)

// This file lowers the operations on cells of nodes and on lists.

var nodeKinds = [...]ir.NodeKind{
	typed.NodeDense: ir.NodeDense, typed.NodePointer: ir.NodePointer, typed.NodeBitmasked: ir.NodeBitmasked,
	typed.NodeDynamic: ir.NodeDynamic, typed.NodeHash: ir.NodeHash,
}

// NodeKind is the IR's name for a kind of node.
func NodeKind(k typed.NodeKind) ir.NodeKind { return nodeKinds[k] }

var cellCodes = [...]ir.Code{
	typed.Activate: ir.OpActivate, typed.Deactivate: ir.OpDeactivate, typed.IsActive: ir.OpIsActive,
	typed.Append: ir.OpAppend, typed.ListLen: ir.OpCount, typed.Empty: ir.OpShrink, typed.Resize: ir.OpShrink,
}

// cellOp lowers an operation on a cell or list.
func (l *lowerer) cellOp(e *typed.CellOp) []*ir.Value {
	index := l.exprs(e.Index)
	var x value
	if e.Value != nil {
		x = l.eval(e.Value)
	}
	l.at(e.Pos)
	switch e.Fn {
	case typed.Empty:
		index = append(index, l.int(0))
	case typed.Resize:
		index = append(index, x.list[0])
	}
	r := l.onCell(cellCodes[e.Fn], l.field(e.Field), index)
	switch {
	case r == nil:
		return nil
	case e.Fn == typed.Append:
		l.appended(r, l.field(e.Field), index, x, e.Value.Type())
	}
	return []*ir.Value{r}
}

// onCell appends an op on a cell or list and returns its result, if it has one.
func (l *lowerer) onCell(code ir.Code, f *ir.Field, index []*ir.Value) *ir.Value {
	var types []ir.Type
	switch code {
	case ir.OpIsActive:
		types = []ir.Type{ir.Scalar(ir.Bool)}
	case ir.OpAppend, ir.OpCount:
		types = []ir.Type{ir.Scalar(l.kernel.Int)}
	}
	o := ir.NewOp(code, l.b.Pos, types, index...)
	o.Field = f
	return l.b.Emit(o)
}

// appended stores what was appended at index k of a list, unless k is -1 as the list
// is full or the index of the list out of range.
func (l *lowerer) appended(k *ir.Value, f *ir.Field, list []*ir.Value, x value, t typed.Type) {
	room := l.b.Op(ir.OpGe, k, l.int(0))
	if l.debug {
		last := f.Rank() - 1
		l.require(room, site.Site{Kind: site.Full, Text: []site.Piece{
			{Text: fmt.Sprintf("append: a list of %s is full: it has room for %d elements", f.Name, f.Shape[last])},
		}})
	}
	index := append(list[:len(list):len(list)], k)
	l.b.If(room, nil, func() {
		// The index is in range, else there would have been no room.
		l.storeValue((&place{field: f, index: index, inBounds: true}).holds(kindsOf(t)), x)
		l.b.Yield()
	}, func() { l.b.Yield() })
}

// hints returns what the source says about a loop and fields in it, nil if nothing.
func (l *lowerer) hints(list []typed.Hint) *ir.Hints {
	var h ir.Hints
	for _, hint := range list {
		if hint.Name == "blockDim" {
			h.BlockDim = hint.Value
		}
		if hint.Name == "bitVectorize" {
			h.BitVectorize = hint.Value
		}
		for _, f := range hint.Fields {
			if hint.Name == "blockLocal" {
				h.BlockLocal = append(h.BlockLocal, l.field(f))
			} else {
				h.CacheReadOnly = append(h.CacheReadOnly, l.field(f))
			}
		}
	}
	if h.BlockLocal == nil && h.CacheReadOnly == nil && h.BlockDim == 0 && h.BitVectorize == 0 {
		return nil
	}
	return &h
}
