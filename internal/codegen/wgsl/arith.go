package wgsl

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gotaichi/ti/internal/ir"
)

// lowers are the ops of which the lower words of operands give that of the result.
var lowers = map[ir.Code]bool{ir.OpConst: true, ir.OpConvert: true, ir.OpBitcast: true, ir.OpNeg: true, ir.OpNot: true, ir.OpAdd: true, ir.OpSub: true, ir.OpMul: true,
	ir.OpAnd: true, ir.OpOr: true, ir.OpXor: true, ir.OpShl: true, ir.OpSelect: true}

// arithmetic prints the ops without memory or control.
func (p *printer) arithmetic(o *ir.Op) {
	if len(o.Results) != 1 {
		p.refuse(o, o.Code.String())
		return
	}
	r := o.Results[0]
	k := r.Type.Kind
	for _, v := range append([]*ir.Value{r}, o.Args...) {
		if v.Type.Kind.Bits() == 64 && (v.Type.Kind.IsFloat() || !lowers[o.Code]) {
			p.refuse(o, fmt.Sprintf("%s of %s", o.Code, v.Type.Kind))
			return
		}
	}
	var args []string
	for _, v := range o.Args {
		args = append(args, p.use(o, v))
	}
	of := k
	if len(o.Args) > 0 {
		of = o.Args[0].Type.Kind
	}
	number := ""
	switch {
	case o.Code == ir.OpConst:
		number = p.literal(k, o.Bits)
	case o.Code == ir.OpOrdinal:
		number = fmt.Sprintf("%du", p.task.Loop)
	case o.Code == ir.OpConvert:
		number = p.convert(o, of, k, args[0])
	case o.Code == ir.OpBitcast:
		number = castWord(k, wordOf(of, args[0]))
	case o.Code == ir.OpSelect:
		number = fmt.Sprintf("select(%s, %s, %s)", args[2], args[1], args[0])
	case len(args) == 1:
		number = p.unary(o, of, args[0])
	case len(args) == 2 && (o.Code == ir.OpShl || o.Code == ir.OpShr):
		number = p.shift(o, of, args[0], wordOf(o.Args[1].Type.Kind, args[1]))
	case len(args) == 2:
		number = p.binary(o, o.Code, of, args[0], args[1])
	default:
		p.refuse(o, o.Code.String())
	}
	if p.failed == nil {
		p.define(r, o, number)
	}
}

// literal is a constant. WGSL refuses those that are infinite or no number.
func (p *printer) literal(k ir.Kind, bits uint64) string {
	switch {
	case k == ir.Bool:
		return strconv.FormatBool(bits != 0)
	case k == ir.I32:
		if int32(bits) == math.MinInt32 {
			return "bitcast<i32>(2147483648u)"
		}
		return fmt.Sprintf("%di", int32(bits))
	case k == ir.F32:
		v := math.Float32frombits(uint32(bits))
		abs := math.Abs(float64(v))
		switch {
		case math.IsNaN(abs) || math.IsInf(abs, 0):
			return fmt.Sprintf("bitcast<f32>(%du | (given[0] & 0u))", uint32(bits))
		case abs < 0x1p-126:
			return fmt.Sprintf("bitcast<f32>(%du)", uint32(bits))
		}
		return strconv.FormatFloat(float64(v), 'g', -1, 32) + "f"
	}
	return fmt.Sprintf("%du", uint32(bits))
}

// convert changes the kind of a number.
func (p *printer) convert(o *ir.Op, from, to ir.Kind, v string) string {
	wide := from.Bits() == 64 || to.Bits() == 64
	switch {
	case from == to:
		return v
	case wide && (from.IsFloat() || to.IsFloat() || to == ir.Bool):
		p.refuse(o, fmt.Sprintf("conversions from %s to %s", from, to))
	case from == ir.Bool && to == ir.F32:
		return fmt.Sprintf("select(0.0f, 1.0f, %s)", v)
	case from == ir.Bool:
		return castWord(to, fmt.Sprintf("select(0u, 1u, %s)", v))
	case to == ir.Bool && from == ir.F32:
		return v + " != 0.0f"
	case to == ir.Bool:
		return wordOf(from, v) + " != 0u"
	case from == ir.F32:
		return p.helper(map[ir.Kind]string{ir.I32: "toI32", ir.U32: "toU32"}[to]) + "(" + v + ")"
	case to == ir.F32:
		return "f32(" + v + ")"
	}
	return castWord(to, wordOf(from, v))
}

// unary prints the ops with one operand.
func (p *printer) unary(o *ir.Op, k ir.Kind, v string) string {
	call := func(f string) string { return fmt.Sprintf("%s(%s)", f, v) }
	switch o.Code {
	case ir.OpNeg:
		if k.IsUnsigned() || k == ir.I64 {
			return "0u - " + v
		}
		return "-" + v
	case ir.OpNot:
		if k == ir.Bool {
			return "!" + v
		}
		return "~" + v
	case ir.OpAbs:
		if k.IsUnsigned() {
			return v
		}
		return call("abs")
	case ir.OpSign:
		switch {
		case k == ir.F32:
			return call(p.helper("signF"))
		case k.IsUnsigned():
			return fmt.Sprintf("min(%s, 1u)", v)
		}
		return call("sign")
	case ir.OpIsNaN:
		return call(p.helper("isNaN"))
	case ir.OpIsInf:
		return fmt.Sprintf("(bitcast<u32>(%s) & 2147483647u) == 2139095040u", v)
	case ir.OpSqrt:
		return call("sqrt")
	case ir.OpFloor:
		return call("floor")
	case ir.OpCeil:
		return call("ceil")
	case ir.OpTrunc:
		return call("trunc")
	case ir.OpRoundEven:
		return call("round")
	case ir.OpRound:
		return call(p.helper("roundAway"))
	case ir.OpPopcount:
		return call("countOneBits")
	case ir.OpClz:
		return call("countLeadingZeros")
	}
	p.refuse(o, o.Code.String())
	return v
}

// shift has Go's rules; the count is a word.
func (p *printer) shift(o *ir.Op, k ir.Kind, v, n string) string {
	switch {
	case o.Code == ir.OpShl:
		return castWord(k, fmt.Sprintf("%s(%s, %s)", p.helper("shiftLeft"), wordOf(k, v), n))
	case k == ir.I32:
		return fmt.Sprintf("%s >> min(%s, 31u)", v, n)
	}
	return fmt.Sprintf("%s(%s, %s)", p.helper("shiftRight"), v, n)
}

// operators are those that WGSL defines alike.
var operators = map[ir.Code]string{ir.OpAdd: "+", ir.OpSub: "-", ir.OpMul: "*", ir.OpAnd: "&", ir.OpOr: "|", ir.OpXor: "^",
	ir.OpEq: "==", ir.OpNe: "!=", ir.OpLt: "<", ir.OpLe: "<=", ir.OpGt: ">", ir.OpGe: ">="}

// divisions are the functions for those of integers, signed and unsigned.
var divisions = map[ir.Code][2]string{ir.OpDiv: {"divI", "divU"}, ir.OpRem: {"remI", "remU"}, ir.OpFloorDiv: {"floorDivI", "divU"}, ir.OpMod: {"modI", "remU"}}

// binary computes code, which may differ from that of o, of two numbers of a kind.
func (p *printer) binary(o *ir.Op, code ir.Code, k ir.Kind, a, b string) string {
	f, divides := divisions[code]
	switch op, simple := operators[code]; {
	case code == ir.OpXor && k == ir.Bool:
		return fmt.Sprintf("%s != %s", a, b)
	case simple:
		return fmt.Sprintf("%s %s %s", a, op, b)
	case code == ir.OpMin || code == ir.OpMax:
		name := code.String()
		if k == ir.F32 {
			name = p.helper(name + "F")
		}
		return fmt.Sprintf("%s(%s, %s)", name, a, b)
	case code == ir.OpDiv && k == ir.F32:
		return fmt.Sprintf("%s / %s", a, b)
	case divides && k == ir.I32:
		return fmt.Sprintf("%s(%s, %s)", p.helper(f[0]), a, b)
	case divides && k == ir.U32:
		return fmt.Sprintf("%s(%s, %s)", p.helper(f[1]), a, b)
	}
	p.refuse(o, fmt.Sprintf("%s of %s", code, k))
	return a
}
