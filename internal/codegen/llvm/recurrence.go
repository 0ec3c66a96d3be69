package llvm

import "github.com/gotaichi/ti/internal/ir"

// factors hides a recurrence such as s = 31*s + x from LLVM where the loop around it is
// unrolled. Its scalar evolution writes the product of each step out as a polynomial, in
// 31, 31², 31³ and so on, of all terms before, and strength reduction tries the ways to
// split each: seconds for a row of 64 cells. There is nothing to gain, since each step
// waits for the one before. So the factor comes out of an empty line of assembly, which
// is no instruction, and of which nothing is known.
func (f *function) factors(o *ir.Op, t ir.Type, a, b string) (string, string) {
	if t.Lanes > 1 || !t.Kind.IsInt() || t.Kind.Bits() < 32 || o.Code != ir.OpMul || o.Flags.Has(ir.NoWrap) {
		return a, b
	}
	x, y := o.Args[0], o.Args[1]
	switch {
	case isConst(y) && recurs(x, 8):
		a = f.opaque(t, a)
	case isConst(x) && recurs(y, 8):
		b = f.opaque(t, b)
	}
	return a, b
}

// opaque returns a value of which LLVM knows no more than its type.
func (f *function) opaque(t ir.Type, v string) string {
	attributes := "nounwind readnone"
	if f.m.opts.Version >= 16 {
		attributes = "nounwind memory(none)"
	}
	return f.inst(`call %s asm "", "=r,0"(%s %s) %s`, typ(t), typ(t), v, attributes)
}

func isConst(v *ir.Value) bool { return v.Def != nil && v.Def.Code == ir.OpConst }

// recurs reports whether a value is a sum, difference or product, of at most depth
// levels, with what a loop carries from one iteration to the next, in a register or in
// the frame.
func recurs(v *ir.Value, depth int) bool {
	if v.Block != nil {
		o := v.Block.Parent
		return o != nil && (o.Code == ir.OpLoop || o.Code == ir.OpFor && v.Index > 0)
	}
	if v.Def == nil || depth == 0 {
		return false
	}
	switch v.Def.Code {
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return recurs(v.Def.Args[0], depth-1) || recurs(v.Def.Args[1], depth-1)
	case ir.OpLoad: // of a variable that tasks share; LLVM keeps it in a register in between
		from := v.Def.Args[0].Def
		return from != nil && from.Code == ir.OpFrame
	case ir.OpFor: // of a row, within the loop over rows
		return recurs(v.Def.Args[2+v.Index], depth-1)
	}
	return false
}
