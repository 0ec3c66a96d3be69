package llvm

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

var kindTypes = [...]string{
	ir.Bool: "i1", ir.I8: "i8", ir.I16: "i16", ir.I32: "i32", ir.I64: "i64",
	ir.U8: "i8", ir.U16: "i16", ir.U32: "i32", ir.U64: "i64",
	ir.F16: "i16", ir.F32: "float", ir.F64: "double", ir.Ptr: "ptr",
}

// typ is the LLVM type of a value; see half.go for that of half-precision numbers.
func typ(t ir.Type) string { return lanes(kindTypes[t.Kind], t) }

// memTyp is the type it has in memory: a bool is a byte there.
func memTyp(t ir.Type) string {
	if t.Kind == ir.Bool {
		return lanes("i8", t)
	}
	return typ(t)
}

// intTyp is the integer type as wide as a float in memory.
func intTyp(t ir.Type) string { return lanes(fmt.Sprintf("i%d", 8*t.Kind.Size()), t) }

func lanes(elem string, t ir.Type) string {
	if t.Lanes <= 1 {
		return elem
	}
	return fmt.Sprintf("<%d x %s>", t.Lanes, elem)
}

// suffix is how a type is written in the name of an intrinsic.
func suffix(t ir.Type) string {
	k := t.Kind
	s := fmt.Sprintf("i%d", k.Bits())
	switch {
	case k == ir.Ptr:
		s = "p0"
	case k.IsFloat() && k != ir.F16:
		s = fmt.Sprintf("f%d", k.Bits())
	}
	if t.Lanes > 1 {
		s = fmt.Sprintf("v%d%s", t.Lanes, s)
	}
	return s
}

// constant is the literal for a value of type t with the given bits in each lane.
func constant(t ir.Type, bits uint64) string {
	lit := scalarConstant(t.Kind, bits)
	if t.Lanes <= 1 {
		return lit
	}
	if bits == 0 {
		return "zeroinitializer"
	}
	one := kindTypes[t.Kind] + " " + lit
	return "<" + strings.Repeat(one+", ", int(t.Lanes)-1) + one + ">"
}

func scalarConstant(k ir.Kind, bits uint64) string {
	switch k {
	case ir.Bool:
		return [2]string{"false", "true"}[bits&1]
	case ir.F32:
		return fmt.Sprintf("0x%016X", widen(uint32(bits)))
	case ir.F64:
		return fmt.Sprintf("0x%016X", bits)
	case ir.Ptr:
		return "null"
	}
	return fmt.Sprint(int64(bits))
}

// widen gives the bits of the double that LLVM's text has for a float. It keeps
// the payload of a NaN as a conversion in hardware would not.
func widen(b uint32) uint64 {
	f := math.Float32frombits(b)
	if f == f {
		return math.Float64bits(float64(f))
	}
	return uint64(b>>31)<<63 | 0x7ff<<52 | uint64(b&0x7fffff)<<29
}

// num is the literal for the integer v in every lane.
func num(t ir.Type, v int64) string { return constant(t, ir.IntBits(t.Kind, v)) }

// float is the literal for the float v in every lane.
func float(t ir.Type, v float64) string { return constant(t, ir.FloatBits(t.Kind, v)) }
