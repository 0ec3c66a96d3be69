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
	case a.IsFloat() && b.IsSigned():
		return f.intrinsic(to, "llvm.fptosi.sat."+suffix(to)+"."+suffix(from), from, v)
	case a.IsFloat():
		return f.intrinsic(to, "llvm.fptoui.sat."+suffix(to)+"."+suffix(from), from, v)
	case a.Bits() > b.Bits():
		return cast("trunc")
	case a.Bits() < b.Bits():
		return cast(extend(a))
	}
	return v // the same bits with another sign
}
