package wasm

import "github.com/gotaichi/ti/internal/ir"

// The instructions for the smaller and the larger of two floats give NaN if one is, and tell zeros apart by their signs, for which an engine for amd64 needs a dozen
// instructions. Where that is certain to come out right by itself, another one is enough.

// extreme returns the instruction for a minimum or a maximum of vectors of floats that is enough, if there is one, and the operands in its order.
func (p *plan) extreme(o *ir.Op) (name string, a, b *ir.Value) {
	if o.Code != ir.OpMin && o.Code != ir.OpMax {
		return "", nil, nil
	}
	a, b = o.Args[0], o.Args[1]
	k := o.Results[0].Type.Kind
	if k != ir.F32 && k != ir.F64 {
		return "", nil, nil
	}
	if p.isFarFromZero(a) {
		a, b = b, a
	}
	switch {
	case p.isFarFromZero(b): // it gives the first operand, which may be NaN, unless the second one is truly less, or greater
		return laneShape(k, k.Size()) + map[ir.Code]string{ir.OpMin: ".pmin", ir.OpMax: ".pmax"}[o.Code], a, b
	case o.Code == ir.OpMax && k == ir.F32 && p.isPositive(a, 0) && p.isPositive(b, 0): // their bits are ordered as they are, with NaN at the end
		return "i32x4.max_u", a, b
	}
	return "", nil, nil
}

// isFarFromZero reports whether all lanes of a vector are a constant that is neither zero nor NaN.
func (p *plan) isFarFromZero(v *ir.Value) bool {
	o := p.constantOf(v)
	if o == nil || !v.Type.Kind.IsFloat() {
		return false
	}
	x := ir.FloatValue(v.Type.Kind, o.Bits)
	return x < 0 || x > 0
}

// isPositive reports whether floats are certain to have no minus sign, also if they are zero, unless they are NaN.
func (p *plan) isPositive(v *ir.Value, depth int) bool {
	const maxDepth = 8
	o := v.Def
	if o == nil || depth > maxDepth || len(o.Results) != 1 || !v.Type.Kind.IsFloat() {
		return false
	}
	all := func(vs ...*ir.Value) bool {
		for _, w := range vs {
			if !p.isPositive(w, depth+1) {
				return false
			}
		}
		return true
	}
	switch o.Code {
	case ir.OpConst:
		return o.Bits>>(v.Type.Kind.Bits()-1) == 0
	case ir.OpAbs:
		return true
	case ir.OpMul:
		return o.Args[0] == o.Args[1] || all(o.Args...)
	case ir.OpMax:
		return p.isPositive(o.Args[0], depth+1) || p.isPositive(o.Args[1], depth+1)
	case ir.OpAdd, ir.OpDiv, ir.OpMin, ir.OpSqrt, ir.OpSplat:
		return all(o.Args...)
	case ir.OpSelect:
		return all(o.Args[1:]...)
	}
	return false
}
