package access

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of access lowering for fields of words, which quantise makes: a failure names the field and the element of the
// source.

// wordName returns the name of the field for which a place in a field of words was made.
func wordName(o *ir.Op) string {
	if n := o.Results[0].Name; n != "" {
		return n
	}
	return o.Field.Word.Field.Name
}

// cellsAlong returns the number of elements that a word has along an axis; 0 if o is no place in words of a bit array, which are
// numbered from 0.
func cellsAlong(o *ir.Op, axis int) int64 {
	if o.Code != ir.OpPtr || o.Field.Word == nil || o.Field.Word.Cells == nil || axis >= len(o.Field.Word.Cells) {
		return 0
	}
	return o.Field.Word.Cells[axis]
}

// elementOf returns the index of the element whose word has index v: the number that v is a quotient of, or else the first element of
// the word.
func (a *accessor) elementOf(b *ir.Builder, v *ir.Value, cells, low int64) *ir.Value {
	if d := v.Def; d != nil && len(d.Args) == 2 {
		n, ok := ir.IntOf(d.Args[1])
		if ok && (d.Code == ir.OpShr && cells == 1<<min(uint64(n), 62) && bits.OnesCount64(uint64(cells)) == 1 || d.Code == ir.OpFloorDiv && n == cells) {
			v, cells = d.Args[0], 1
		}
	}
	if s := v.Def; s != nil && s.Code == ir.OpSub && cells == 1 && low != 0 {
		if n, ok := ir.IntOf(s.Args[1]); ok && n == low {
			return s.Args[0]
		}
	}
	if cells != 1 {
		v = a.own(b.Op(ir.OpMul, v, a.own(b.Int(v.Type, cells))))
	}
	if low != 0 {
		v = a.own(b.Op(ir.OpAdd, v, a.own(b.Int(v.Type, low))))
	}
	return v
}
