package llvm

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// division translates the four integer divisions. A divisor that the processor
// would trap on is replaced by 1: that gives MIN/-1 = MIN and remainders of 0,
// and only the quotient by zero has to be set.
func (f *function) division(code ir.Code, t ir.Type, a, b string) string {
	lt, mask, signed := typ(t), typ(t.With(ir.Bool)), t.Kind.IsSigned()
	pick := func(cond, x, y string) string {
		return f.inst("select %s %s, %s %s, %s %s", mask, cond, lt, x, lt, y)
	}
	zero := f.inst("icmp eq %s %s, %s", lt, b, num(t, 0))
	bad, sign := zero, "u"
	if signed {
		sign = "s"
		minus := f.inst("icmp eq %s %s, %s", lt, b, num(t, -1))
		lowest := f.inst("icmp eq %s %s, %s", lt, a, num(t, -1<<(t.Kind.Bits()-1)))
		over := f.inst("and %s %s, %s", mask, minus, lowest)
		bad = f.inst("or %s %s, %s", mask, zero, over)
	}
	safe := pick(bad, num(t, 1), b)
	div := func() string { return f.inst("%sdiv %s %s, %s", sign, lt, a, safe) }
	rem := func() string { return f.inst("%srem %s %s, %s", sign, lt, a, safe) }
	switch {
	case code == ir.OpRem || code == ir.OpMod && !signed:
		return rem()
	case code == ir.OpDiv || !signed:
		return pick(zero, num(t, 0), div())
	}
	// Rounding down differs where the remainder is not 0 and has another sign
	// than the divisor.
	r := rem()
	some := f.inst("icmp ne %s %s, %s", lt, r, num(t, 0))
	differ := f.inst("icmp slt %s %s, %s", lt, f.inst("xor %s %s, %s", lt, r, b), num(t, 0))
	down := f.inst("and %s %s, %s", mask, some, differ)
	if code == ir.OpMod {
		return pick(down, f.inst("add %s %s, %s", lt, r, b), r)
	}
	q := div()
	q = pick(down, f.inst("sub %s %s, %s", lt, q, num(t, 1)), q)
	return pick(zero, num(t, 0), q)
}

// floatDivision translates the quotient and the remainder of floats; those that round down are of the maths library.
func (f *function) floatDivision(o *ir.Op, code ir.Code, t ir.Type, a, b string) string {
	switch code {
	case ir.OpDiv:
		return f.inst("fdiv %s%s %s, %s", f.fast(o), typ(t), a, b)
	case ir.OpRem:
		return f.inst("call %s @%s(%s %s, %s %s)", typ(t), f.m.remainder(t), typ(t), a, typ(t), b)
	}
	f.fail(o, "the op has no translation; a pass should have expanded it")
	return a
}

// perLane makes a value of type t lane by lane; lane picks the present one out
// of a value.
func (f *function) perLane(t ir.Type, one func(lane func(v string, vt ir.Type) string) string) string {
	if t.Lanes <= 1 {
		return one(func(v string, _ ir.Type) string { return v })
	}
	all := "poison"
	for i := range int(t.Lanes) {
		v := one(func(v string, vt ir.Type) string {
			if vt.Lanes <= 1 {
				return v
			}
			return f.inst("extractelement %s %s, i64 %d", typ(vt), v, i)
		})
		all = f.inst("insertelement %s %s, %s %s, i64 %d", typ(t), all, typ(t.Elem()), v, i)
	}
	return all
}

// remainder defines the exact remainder of floats, with the sign of the dividend, and returns its name. The maths library
// asks for it where a quick sequence fails. So it stays out of line, LLVM makes machine code of it as it stands, and that of
// vectors is a loop over the lanes.
func (m *module) remainder(t ir.Type) string {
	name := "rem." + suffix(t)
	if t.Lanes <= 1 {
		m.helper(name, func() string { return m.remainderOf(t, name) })
		return name
	}
	one := m.remainder(t.Elem())
	m.helper(name, func() string { return fmt.Sprintf(vectorRemainder, typ(t), name, typ(t.Elem()), one, t.Lanes) })
	return name
}

// Operands: 1 type, 2 name, 3 type of a lane, 4 name of the function for a lane, 5 number of lanes.
const vectorRemainder = `define internal %[1]s @%[2]s(%[1]s %%x, %[1]s %%y) #2 optnone {
entry:
  %%xs = alloca %[1]s
  %%ys = alloca %[1]s
  store %[1]s %%x, ptr %%xs
  store %[1]s %%y, ptr %%ys
  br label %%lane
lane:
  %%i = phi i64 [ 0, %%entry ], [ %%next, %%lane ]
  %%xp = getelementptr %[3]s, ptr %%xs, i64 %%i
  %%yp = getelementptr %[3]s, ptr %%ys, i64 %%i
  %%xi = load %[3]s, ptr %%xp
  %%yi = load %[3]s, ptr %%yp
  %%r = call %[3]s @%[4]s(%[3]s %%xi, %[3]s %%yi)
  store %[3]s %%r, ptr %%xp
  %%next = add i64 %%i, 1
  %%more = icmp ult i64 %%next, %[5]d
  br i1 %%more, label %%lane, label %%end
end:
  %%all = load %[1]s, ptr %%xs
  ret %[1]s %%all
}

`

// remainderOf is the function for one lane. It takes both numbers apart into integers, and reduces the dividend's some
// bits at a time.
func (m *module) remainderOf(t ir.Type, name string) string {
	mantissa := map[ir.Kind]int{ir.F16: 10, ir.F32: 23, ir.F64: 52}[t.Kind]
	bits := t.Kind.Bits()
	widen, narrow := "", ""
	ax, ay, result := "%ax.n", "%ay.n", "%abs"
	if bits < 64 {
		widen = fmt.Sprintf("  %%ax.w = zext i%d %%ax.n to i64\n  %%ay.w = zext i%d %%ay.n to i64\n", bits, bits)
		narrow = fmt.Sprintf("  %%abs.n = trunc i64 %%abs to i%d\n", bits)
		ax, ay, result = "%ax.w", "%ay.w", "%abs.n"
	}
	inf := uint64(1)<<(bits-1) - uint64(1)<<mantissa
	m.declare("i64", "llvm.ctlz.i64", []string{"i64", "i1"})
	m.declare("i64", "llvm.umin.i64", []string{"i64", "i64"})
	m.declare("i64", "llvm.umax.i64", []string{"i64", "i64"})
	return fmt.Sprintf(remainderText, typ(t), name, bits, mantissa, uint64(1)<<(bits-1)-1, inf,
		uint64(1)<<mantissa, 63-mantissa, widen, narrow, ax, ay, result)
}

// Operands: 1 type, 2 name, 3 width, 4 bits of the mantissa, 5 mask of all but
// the sign, 6 infinity, 7 implicit bit, 8 how many bits fit above the mantissa, 9 and 10 conversions to and from i64.
const remainderText = `define internal %[1]s @%[2]s(%[1]s %%x, %[1]s %%y) #2 optnone {
entry:
  %%bx = bitcast %[1]s %%x to i%[3]d
  %%by = bitcast %[1]s %%y to i%[3]d
  %%ax.n = and i%[3]d %%bx, %[5]d
  %%ay.n = and i%[3]d %%by, %[5]d
  %%sign = xor i%[3]d %%bx, %%ax.n
%[9]s  %%y0 = icmp eq i64 %[12]s, 0
  %%ynan = icmp ugt i64 %[12]s, %[6]d
  %%xbig = icmp uge i64 %[11]s, %[6]d
  %%bad1 = or i1 %%y0, %%ynan
  %%bad = or i1 %%bad1, %%xbig
  br i1 %%bad, label %%nan, label %%finite
nan:
  %%p = fmul %[1]s %%x, %%y
  %%n = fdiv %[1]s %%p, %%p
  ret %[1]s %%n
finite:
  %%less = icmp ult i64 %[11]s, %[12]s
  br i1 %%less, label %%small, label %%split
small:
  ret %[1]s %%x
split:
  %%ex0 = lshr i64 %[11]s, %[4]d
  %%ey0 = lshr i64 %[12]s, %[4]d
  %%ex = call i64 @llvm.umax.i64(i64 %%ex0, i64 1)
  %%ey = call i64 @llvm.umax.i64(i64 %%ey0, i64 1)
  %%hx = shl i64 %%ex, %[4]d
  %%hy = shl i64 %%ey, %[4]d
  %%dx = sub i64 %[11]s, %%hx
  %%dy = sub i64 %[12]s, %%hy
  %%mx = add i64 %%dx, %[7]d
  %%my = add i64 %%dy, %[7]d
  %%r0 = urem i64 %%mx, %%my
  %%d0 = sub i64 %%ex, %%ey
  br label %%reduce
reduce:
  %%r = phi i64 [ %%r0, %%split ], [ %%r2, %%step ]
  %%d = phi i64 [ %%d0, %%split ], [ %%d2, %%step ]
  %%end = icmp eq i64 %%d, 0
  br i1 %%end, label %%pack, label %%step
step:
  %%k = call i64 @llvm.umin.i64(i64 %%d, i64 %[8]d)
  %%r1 = shl i64 %%r, %%k
  %%r2 = urem i64 %%r1, %%my
  %%d2 = sub i64 %%d, %%k
  br label %%reduce
pack:
  %%lz = call i64 @llvm.ctlz.i64(i64 %%r, i1 false)
  %%up0 = sub i64 %%lz, %[8]d
  %%room = sub i64 %%ey, 1
  %%up = call i64 @llvm.umin.i64(i64 %%up0, i64 %%room)
  %%m = shl i64 %%r, %%up
  %%e = sub i64 %%room, %%up
  %%he = shl i64 %%e, %[4]d
  %%sum = add i64 %%he, %%m
  %%is0 = icmp eq i64 %%r, 0
  %%abs = select i1 %%is0, i64 0, i64 %%sum
%[10]s  %%bits = or i%[3]d %[13]s, %%sign
  %%v = bitcast i%[3]d %%bits to %[1]s
  ret %[1]s %%v
}

`
