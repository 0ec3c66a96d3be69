package llvm

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// infinity is the literal for it in every lane.
func infinity(t ir.Type) string { return float(t, math.Inf(1)) }

// convert changes the kind of a value.
func (f *function) convert(from, to ir.Type, v string) string {
	a, b := from.Kind, to.Kind
	cast := func(name string) string { return f.inst("%s %s %s to %s", name, typ(from), v, typ(to)) }
	switch {
	case a == b:
		return v
	case a == ir.F16:
		return f.convert(single(from), to, f.widenHalf(from, v))
	case b == ir.F16:
		return f.toHalf(from, to, v)
	case b == ir.Bool && a.IsFloat():
		return f.inst("fcmp une %s %s, %s", typ(from), v, float(from, 0))
	case b == ir.Bool:
		return f.inst("icmp ne %s %s, %s", typ(from), v, num(from, 0))
	case a == ir.Bool && b.IsInt():
		return cast("zext")
	case a.IsFloat() && b.IsFloat():
		if a.Bits() < b.Bits() {
			return cast("fpext")
		}
		return cast("fptrunc")
	case b.IsFloat():
		if a.IsSigned() {
			return cast("sitofp")
		}
		return cast("uitofp")
	case a.IsFloat():
		return f.saturate(from, to, v)
	case a.Bits() > b.Bits():
		return cast("trunc")
	case a.Bits() < b.Bits():
		return cast(extend(a))
	}
	return v // the same bits with another sign
}

// fitting converts a float to an integer that is known to hold what is before the point.
func (f *function) fitting(from, to ir.Type, v string) string {
	name := "fptosi"
	if to.Kind.IsUnsigned() {
		name = "fptoui"
	}
	return f.inst("%s %s %s to %s", name, typ(from), v, typ(to))
}

// saturate converts a float to an integer; what is out of range gives the
// nearest number, a NaN 0. LLVM has an intrinsic for it, which is one instruction
// on AArch64 and, on x86-64, scalar code that stops the vectoriser. A conversion that is out
// of range is poison, which is harmless where a select does not take it.
func (f *function) saturate(from, to ir.Type, v string) string {
	if f.m.opts.Arch == "arm64" {
		name := "llvm.fptoui.sat."
		if to.Kind.IsSigned() {
			name = "llvm.fptosi.sat."
		}
		return f.intrinsic(to, name+suffix(to)+"."+suffix(from), from, v)
	}
	if to.Kind.Size() < 4 {
		return f.saturateNarrow(from, to, v)
	}
	mask, width := typ(to.With(ir.Bool)), to.Kind.Bits()
	pick := func(predicate string, limit float64, x, y string) string {
		c := f.inst("fcmp %s %s %s, %s", predicate, typ(from), v, float(from, limit))
		return f.inst("select %s %s, %s %s, %s %s", mask, c, typ(to), x, typ(to), y)
	}
	if to.Kind.IsUnsigned() {
		r := f.inst("fptoui %s %s to %s", typ(from), v, typ(to))
		r = pick("oge", math.Ldexp(1, width), num(to, -1), r)
		return pick("ult", 0, num(to, 0), r) // a NaN too
	}
	limit := math.Ldexp(1, width-1)
	r := f.inst("fptosi %s %s to %s", typ(from), v, typ(to))
	r = pick("oge", limit, num(to, 1<<(width-1)-1), r)
	r = pick("ole", -limit, num(to, -1<<(width-1)), r)
	return pick("uno", 0, num(to, 0), r)
}

// saturateNarrow goes through 32 bits.
func (f *function) saturateNarrow(from, to ir.Type, v string) string {
	i32 := to.With(ir.I32)
	lo, hi := int64(0), int64(1)<<to.Kind.Bits()-1
	if to.Kind.IsSigned() {
		lo, hi = -1<<(to.Kind.Bits()-1), 1<<(to.Kind.Bits()-1)-1
	}
	r := f.saturate(from, i32, v)
	r = f.minMax(ir.OpMax, i32, r, num(i32, lo))
	r = f.minMax(ir.OpMin, i32, r, num(i32, hi))
	return f.convert(i32, to, r)
}
