package wasm

import "github.com/gotaichi/ti/internal/ir"

// selectVector takes each lane from one of two vectors.
func (f *function) selectVector(o *ir.Op) {
	r := o.Results[0]
	size := f.laneBytes(r)
	if name, low, high := pseudoExtreme(o); name != "" {
		a, b := f.holdAsLanes(low, size), f.holdAsLanes(high, size)
		f.used(f.resolve(o.Args[0]))
		f.each(r, func(i int) { f.pair(laneShape(r.Type.Kind, size)+name, a, b, i) })
		return
	}
	a, b := f.holdAsLanes(o.Args[1], size), f.holdAsLanes(o.Args[2], size)
	if o.Args[0].Type.Lanes <= 1 {
		c := f.hold(o.Args[0])
		f.each(r, func(i int) {
			f.putPart(a, i)
			f.putPart(b, i)
			f.put(c)
			f.choose(v128)
		})
		return
	}
	c := f.maskOf(o.Args[0], size)
	name := "v128.bitselect"
	switch { // an engine makes four instructions of a bitselect
	case f.isZeros(o.Args[2]):
		name, b = "v128.and", c
	case f.isZeros(o.Args[1]):
		name, a, b = "v128.andnot", b, c
	}
	f.each(r, func(i int) {
		f.putPart(a, i)
		f.putPart(b, i)
		if name == "v128.bitselect" {
			f.putPart(c, i)
		}
		f.do(name)
	})
}

// isZeros reports whether all lanes of a vector are the constant 0.
func (f *function) isZeros(v *ir.Value) bool {
	o := f.constantOf(v)
	return o != nil && o.Bits == 0
}

// pseudoExtreme returns the instruction for the smaller or larger of two floats, where a selection compares them so that it does what the instruction does with
// zeros and NaN. The instruction gives its second operand only if that is truly less, or greater.
func pseudoExtreme(o *ir.Op) (name string, a, b *ir.Value) {
	c, k := o.Args[0].Def, o.Results[0].Type.Kind
	if c == nil || c.Code != ir.OpLt && c.Code != ir.OpGt || k != ir.F32 && k != ir.F64 || o.Args[0].Type.Lanes <= 1 {
		return "", nil, nil
	}
	x, y := o.Args[1], o.Args[2]
	switch {
	case c.Args[0] == x && c.Args[1] == y:
		name = map[ir.Code]string{ir.OpLt: ".pmin", ir.OpGt: ".pmax"}[c.Code]
	case c.Args[0] == y && c.Args[1] == x:
		name = map[ir.Code]string{ir.OpLt: ".pmax", ir.OpGt: ".pmin"}[c.Code]
	}
	return name, y, x
}
