package llvm

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// arithmetic translates the ops without memory or control.
func (f *function) arithmetic(o *ir.Op) {
	info := o.Code.Info()
	if len(o.Results) != 1 || len(o.Args) < info.Min || info.Rule == ir.RulePtr {
		f.fail(o, "the op has no translation; a pass should have lowered it")
		return
	}
	r := o.Results[0]
	var v string
	switch {
	case isHalf(o):
		v = f.half(o)
	case o.Code == ir.OpConst:
		v = constant(r.Type, o.Bits)
	case o.Code == ir.OpConvert:
		from := o.Args[0].Type
		if o.Flags.Has(ir.NoWrap) && from.Kind.Bits() >= 32 && from.Kind.IsFloat() && r.Type.Kind.IsInt() {
			v = f.fitting(from, r.Type, f.use(o.Args[0]))
		} else {
			v = f.convert(from, r.Type, f.use(o.Args[0]))
		}
	case o.Code == ir.OpBitcast:
		v = f.use(o.Args[0])
		if typ(o.Args[0].Type) != typ(r.Type) {
			v = f.inst("bitcast %s %s to %s", typ(o.Args[0].Type), v, typ(r.Type))
		}
	case o.Code == ir.OpSelect:
		c, a, b := o.Args[0], o.Args[1], o.Args[2]
		v = f.inst("select %s %s, %s %s, %s %s", typ(c.Type), f.use(c), typ(a.Type), f.use(a), typ(b.Type), f.use(b))
	case o.Code == ir.OpFma:
		v = f.intrinsic(r.Type, "llvm.fma."+suffix(r.Type), r.Type, f.uses(o.Args)...)
	case o.Code == ir.OpSplat:
		v = f.splat(r.Type, f.use(o.Args[0]))
	case o.Code == ir.OpAny || o.Code == ir.OpAll:
		v = f.anyAll(o)
	case o.Code == ir.OpTotal:
		v = f.total(o)
	case o.Code == ir.OpBits:
		v = f.laneBits(o)
	case o.Code == ir.OpShuffle:
		a, b := o.Args[0], o.Args[1]
		v = f.inst("shufflevector %s %s, %s %s, %s", typ(a.Type), f.use(a), typ(b.Type), f.use(b), shuffle(o.Aux, int64(r.Type.Lanes)))
	case o.Code == ir.OpSlide:
		a, b := o.Args[0], o.Args[1]
		v = f.inst("shufflevector %s %s, %s %s, %s", typ(a.Type), f.use(a), typ(b.Type), f.use(b), slide(o))
	case o.Code == ir.OpPack:
		v = f.pack(o)
	case o.Code == ir.OpLane:
		v = f.inst("extractelement %s %s, i32 %d", typ(o.Args[0].Type), f.use(o.Args[0]), o.Aux)
	case o.Code == ir.OpIota:
		v = iota(r.Type)
	case info.Max == 2:
		a, b := f.factors(o, r.Type, f.use(o.Args[0]), f.use(o.Args[1]))
		v = f.binary(o, o.Code, o.Args[0].Type, o.Args[1].Type, a, b)
	default:
		v = f.unary(o, o.Args[0].Type, f.use(o.Args[0]))
	}
	f.values[r] = v
}

// shuffle is the mask of a shuffle of vectors of n lanes.
func shuffle(kind, n int64) string {
	elems := make([]string, n)
	for i := range n {
		lane := int64(0)
		switch kind {
		case ir.ShuffleEven, ir.ShuffleOdd:
			lane = 2*i + kind - ir.ShuffleEven
		default:
			lane = (kind-ir.ShuffleLow)*n/2 + i/2 + i%2*n
		}
		elems[i] = fmt.Sprintf("i32 %d", lane)
	}
	return fmt.Sprintf("<%d x i32> <%s>", n, strings.Join(elems, ", "))
}

// slide is the mask of the shuffle that a slide is.
func slide(o *ir.Op) string {
	n, apart := int64(o.Results[0].Type.Lanes), int64(o.Stride)
	elems := make([]string, n)
	for i := range n {
		lane := i + o.Aux*apart
		if i/apart%int64(o.Bits)+o.Aux >= int64(o.Bits) { // behind the end of its row
			lane += n - int64(o.Bits)*apart
		}
		elems[i] = fmt.Sprintf("i32 %d", lane)
	}
	return fmt.Sprintf("<%d x i32> <%s>", n, strings.Join(elems, ", "))
}

// pack makes a vector of numbers: those that are constant in its literal, the others inserted, or by one shuffle if all are
// lanes of another vector.
func (f *function) pack(o *ir.Op) string {
	t := o.Results[0].Type
	if from, mask := lanesOf(o); from != nil {
		ft := typ(from.Type)
		return f.inst("shufflevector %s %s, %s poison, %s", ft, f.use(from), ft, mask)
	}
	elems := make([]string, t.Lanes)
	for i, a := range o.Args {
		elems[i] = typ(t.Elem()) + " poison"
		if isConstant(a) {
			elems[i] = typ(t.Elem()) + " " + f.use(a)
		}
	}
	v := "<" + strings.Join(elems, ", ") + ">"
	for i, a := range o.Args {
		if !isConstant(a) {
			v = f.inst("insertelement %s %s, %s %s, i32 %d", typ(t), v, typ(t.Elem()), f.use(a), i)
		}
	}
	return v
}

// lanesOf returns the vector whose lanes a pack is of, and the mask of their numbers, if there is one.
func lanesOf(o *ir.Op) (from *ir.Value, mask string) {
	var elems []string
	for _, a := range o.Args {
		if a.Def == nil || a.Def.Code != ir.OpLane || from != nil && a.Def.Args[0] != from {
			return nil, ""
		}
		from = a.Def.Args[0]
		elems = append(elems, fmt.Sprintf("i32 %d", a.Def.Aux))
	}
	return from, fmt.Sprintf("<%d x i32> <%s>", len(elems), strings.Join(elems, ", "))
}

// isConstant reports whether v is a literal where it is used.
func isConstant(v *ir.Value) bool { return v.Def != nil && v.Def.Code == ir.OpConst }

// iota is the literal of the lanes' numbers.
func iota(t ir.Type) string {
	elems := make([]string, t.Lanes)
	for i := range elems {
		elems[i] = typ(t.Elem()) + " " + constant(t.Elem(), ir.IntBits(t.Kind, int64(i)))
	}
	return "<" + strings.Join(elems, ", ") + ">"
}

// fast is the flags that a float instruction of o gets.
func (f *function) fast(o *ir.Op) string {
	if f.m.opts.Strict || o.Flags.Has(ir.Strict) {
		return ""
	}
	return "reassoc contract "
}

// intrinsic calls an intrinsic whose operands have type at, and declares it.
func (f *function) intrinsic(result ir.Type, name string, at ir.Type, args ...string) string {
	return f.callIntrinsic("", typ(result), name, repeat(typ(at), len(args)), args)
}

// callIntrinsic is the general form, with flags and a type for each operand.
func (f *function) callIntrinsic(flags, result, name string, types, args []string) string {
	f.m.declare(result, name, types)
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = types[i] + " " + a
	}
	call := fmt.Sprintf("call %s%s @%s(%s)", flags, result, name, strings.Join(list, ", "))
	if result == "void" {
		f.do("%s", call)
		return ""
	}
	return f.inst("%s", call)
}

func repeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

// splat puts a scalar into every lane of a value of type t.
func (f *function) splat(t ir.Type, v string) string {
	if t.Lanes <= 1 {
		return v
	}
	one := f.inst("insertelement %s poison, %s %s, i64 0", typ(t), typ(t.Elem()), v)
	return f.inst("shufflevector %s %s, %s poison, <%d x i32> zeroinitializer", typ(t), one, typ(t), t.Lanes)
}

func (f *function) anyAll(o *ir.Op) string {
	t, v := o.Args[0].Type, f.use(o.Args[0])
	if t.Lanes <= 1 {
		return v
	}
	name := "llvm.vector.reduce.or."
	if o.Code == ir.OpAll {
		name = "llvm.vector.reduce.and."
	}
	return f.intrinsic(t.Elem(), name+suffix(t), t, v)
}

// total adds up the lanes of a vector, those of floating-point numbers in any order: an update of a sum has none.
func (f *function) total(o *ir.Op) string {
	t, v := o.Args[0].Type, f.use(o.Args[0])
	switch name := "llvm.vector.reduce."; {
	case t.Lanes <= 1:
		return v
	case t.Kind.IsFloat():
		zero := scalarConstant(t.Kind, ir.FloatBits(t.Kind, math.Copysign(0, -1)))
		return f.callIntrinsic("reassoc ", typ(t.Elem()), name+"fadd."+suffix(t), []string{typ(t.Elem()), typ(t)}, []string{zero, v})
	default:
		return f.intrinsic(t.Elem(), name+"add."+suffix(t), t, v)
	}
}

// laneBits makes a number of a mask, with the first lane in the lowest bit.
func (f *function) laneBits(o *ir.Op) string {
	t, v := o.Args[0].Type, f.use(o.Args[0])
	word := fmt.Sprintf("i%d", t.Lanes)
	if t.Lanes > 1 {
		v = f.inst("bitcast %s %s to %s", typ(t), v, word)
	}
	if t.Lanes == 64 {
		return v
	}
	return f.inst("zext %s %s to i64", word, v)
}

// unary translates the ops with one operand.
func (f *function) unary(o *ir.Op, t ir.Type, v string) string {
	lt, isFloat := typ(t), t.Kind.IsFloat()
	switch o.Code {
	case ir.OpNeg:
		if isFloat {
			return f.inst("fneg %s%s %s", f.fast(o), lt, v)
		}
		return f.inst("sub %s%s %s, %s", noWrap(o, t), lt, num(t, 0), v)
	case ir.OpNot:
		return f.inst("xor %s %s, %s", lt, v, num(t, -1))
	case ir.OpAbs:
		switch {
		case isFloat:
			return f.intrinsic(t, "llvm.fabs."+suffix(t), t, v)
		case t.Kind.IsUnsigned():
			return v
		}
		return f.callIntrinsic("", lt, "llvm.abs."+suffix(t), []string{lt, "i1"}, []string{v, "false"})
	case ir.OpSign:
		return f.sign(t, v)
	case ir.OpIsNaN:
		return f.inst("fcmp uno %s %s, %s", lt, v, v)
	case ir.OpIsInf:
		return f.inst("fcmp oeq %s %s, %s", lt, f.intrinsic(t, "llvm.fabs."+suffix(t), t, v), infinity(t))
	case ir.OpClz:
		return f.callIntrinsic("", lt, "llvm.ctlz."+suffix(t), []string{lt, "i1"}, []string{v, "false"})
	}
	if o.Code == ir.OpRsqrtEst {
		return f.rsqrtEstimate(t, v)
	}
	name, ok := unaryIntrinsics[o.Code]
	if !ok {
		f.fail(o, "the op has no translation; a pass should have expanded it")
		return v
	}
	return f.intrinsic(t, name+suffix(t), t, v)
}

var unaryIntrinsics = map[ir.Code]string{
	ir.OpSqrt: "llvm.sqrt.", ir.OpFloor: "llvm.floor.", ir.OpCeil: "llvm.ceil.",
	ir.OpRound: "llvm.round.", ir.OpTrunc: "llvm.trunc.", ir.OpRoundEven: "llvm.roundeven.", ir.OpPopcount: "llvm.ctpop.",
}

// rsqrtEstimate is AVX-512's estimate.
func (f *function) rsqrtEstimate(t ir.Type, v string) string {
	return f.inSixteens(t, []string{v}, func(lt string, v []string) string {
		return f.callIntrinsic("", lt, "llvm.x86.avx512.rsqrt14.ps.512", []string{lt, lt, "i16"}, []string{v[0], "zeroinitializer", "-1"})
	})
}

// scale is AVX-512's multiplication by a power of two, rounded as all is.
func (f *function) scale(t ir.Type, a, n string) string {
	return f.inSixteens(t, []string{a, n}, func(lt string, v []string) string {
		types, args := []string{lt, lt, lt, "i16", "i32"}, []string{v[0], v[1], "zeroinitializer", "-1", "4"}
		return f.callIntrinsic("", lt, "llvm.x86.avx512.mask.scalef.ps.512", types, args)
	})
}

// inSixteens does op for vectors of 16 lanes, as many as there are in those of type t.
func (f *function) inSixteens(t ir.Type, vs []string, op func(lt string, vs []string) string) string {
	const lanes = 16
	lt := typ(t)
	if t.Lanes == lanes {
		return op(lt, vs)
	}
	n := int(t.Lanes)
	half := ir.Vec(t.Kind, n/2)
	var parts [2]string
	for i := range parts {
		part := make([]string, len(vs))
		for k, v := range vs {
			part[k] = f.inst("shufflevector %s %s, %s poison, %s", lt, v, lt, consecutive(i*n/2, n/2))
		}
		parts[i] = f.inSixteens(half, part, op)
	}
	return f.inst("shufflevector %s %s, %s %s, %s", typ(half), parts[0], typ(half), parts[1], consecutive(0, n))
}

// consecutive is the mask of a shuffle that takes n lanes from lane first on.
func consecutive(first, n int) string {
	elems := make([]string, n)
	for i := range elems {
		elems[i] = fmt.Sprintf("i32 %d", first+i)
	}
	return fmt.Sprintf("<%d x i32> <%s>", n, strings.Join(elems, ", "))
}

// sign gives -1, 0 or 1; a float keeps a zero's sign and a NaN.
func (f *function) sign(t ir.Type, v string) string {
	bt := t.With(ir.Bool)
	pick := func(cond, a, b string) string {
		return f.inst("select %s %s, %s %s, %s %s", typ(bt), cond, typ(t), a, typ(t), b)
	}
	if t.Kind.IsFloat() {
		up := f.inst("fcmp ogt %s %s, %s", typ(t), v, float(t, 0))
		down := f.inst("fcmp olt %s %s, %s", typ(t), v, float(t, 0))
		return pick(up, float(t, 1), pick(down, float(t, -1), v))
	}
	up := f.inst("icmp ne %s %s, %s", typ(t), v, num(t, 0))
	one := f.inst("zext %s %s to %s", typ(bt), up, typ(t))
	if t.Kind.IsUnsigned() {
		return one
	}
	down := f.inst("icmp slt %s %s, %s", typ(t), v, num(t, 0))
	return pick(down, num(t, -1), one)
}

// noWrap is the flag of integer arithmetic that is proven not to overflow.
func noWrap(o *ir.Op, t ir.Type) string {
	switch {
	case !o.Flags.Has(ir.NoWrap) || !t.Kind.IsInt():
		return ""
	case t.Kind.IsUnsigned():
		return "nuw "
	}
	return "nsw "
}

// binary translates the ops with two operands; code may differ from o's, which
// gives the flags.
func (f *function) binary(o *ir.Op, code ir.Code, t, bt ir.Type, a, b string) string {
	if t.Kind == ir.F16 { // in an atomic
		return f.binaryHalf(o, code, t, a, b)
	}
	isFloat, lt := t.Kind.IsFloat(), typ(t)
	switch code {
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		name := map[ir.Code]string{ir.OpAdd: "add", ir.OpSub: "sub", ir.OpMul: "mul"}[code]
		if isFloat {
			return f.inst("f%s %s%s %s, %s", name, f.fast(o), lt, a, b)
		}
		return f.inst("%s %s%s %s, %s", name, noWrap(o, t), lt, a, b)
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return f.inst("%s %s %s, %s", code, lt, a, b)
	case ir.OpShl, ir.OpShr:
		return f.shift(code, t, bt, a, b)
	case ir.OpMin, ir.OpMax:
		return f.minMax(code, t, a, b)
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		return f.compare(code, t, a, b)
	case ir.OpDiv, ir.OpRem, ir.OpFloorDiv, ir.OpMod:
		if isFloat {
			return f.floatDivision(o, code, t, a, b)
		}
		return f.division(code, t, a, b)
	}
	if code == ir.OpScale {
		return f.scale(t, a, b)
	}
	f.fail(o, "the op has no translation; a pass should have expanded it")
	return a
}

var (
	floatPredicates = map[ir.Code]string{ir.OpEq: "oeq", ir.OpNe: "une", ir.OpLt: "olt", ir.OpLe: "ole", ir.OpGt: "ogt", ir.OpGe: "oge"}
	intPredicates   = map[ir.Code]string{ir.OpEq: "eq", ir.OpNe: "ne", ir.OpLt: "lt", ir.OpLe: "le", ir.OpGt: "gt", ir.OpGe: "ge"}
)

func (f *function) compare(code ir.Code, t ir.Type, a, b string) string {
	if t.Kind == ir.F16 { // in an atomic
		t, a, b = single(t), f.widenHalf(t, a), f.widenHalf(t, b)
	}
	if t.Kind.IsFloat() {
		return f.inst("fcmp %s %s %s, %s", floatPredicates[code], typ(t), a, b)
	}
	p := intPredicates[code]
	switch {
	case code == ir.OpEq || code == ir.OpNe:
	case t.Kind.IsSigned():
		p = "s" + p
	default:
		p = "u" + p
	}
	return f.inst("icmp %s %s %s, %s", p, typ(t), a, b)
}

// minMax gives a NaN if either operand is one.
func (f *function) minMax(code ir.Code, t ir.Type, a, b string) string {
	lt, name := typ(t), code.String()
	switch {
	case t.Kind.IsSigned():
		return f.intrinsic(t, "llvm.s"+name+"."+suffix(t), t, a, b)
	case t.Kind.IsUnsigned():
		return f.intrinsic(t, "llvm.u"+name+"."+suffix(t), t, a, b)
	case f.m.opts.Version >= 19:
		// Older ones do not know it on x86, or not as a reduction.
		return f.callIntrinsic("nsz ", lt, "llvm."+name+"imum."+suffix(t), []string{lt, lt}, []string{a, b})
	}
	predicate := map[ir.Code]string{ir.OpMin: "olt", ir.OpMax: "ogt"}[code]
	bt := typ(t.With(ir.Bool))
	first := f.inst("fcmp %s %s %s, %s", predicate, lt, a, b)
	r := f.inst("select %s %s, %s %s, %s %s", bt, first, lt, a, lt, b) // b if either is a NaN
	nan := f.inst("fcmp uno %s %s, %s", lt, a, a)
	return f.inst("select %s %s, %s %s, %s %s", bt, nan, lt, a, lt, r)
}

// shift follows Go: a count of the width or more shifts everything out. A
// negative count counts as one, so it is compared as an unsigned number.
func (f *function) shift(code ir.Code, t, ct ir.Type, v, count string) string {
	width := int64(t.Kind.Bits())
	mask := typ(t.With(ir.Bool))
	fits := f.inst("icmp ult %s %s, %s", typ(ct), count, num(ct, width))
	arithmetic := code == ir.OpShr && t.Kind.IsSigned()
	limit := int64(0)
	if arithmetic {
		limit = width - 1
	}
	// The select comes before the shift, for a shift by too much is undefined.
	count = f.inst("select %s %s, %s %s, %s %s", mask, fits, typ(ct), count, typ(ct), num(ct, limit))
	switch cb := ct.Kind.Bits(); {
	case cb > t.Kind.Bits():
		count = f.inst("trunc %s %s to %s", typ(ct), count, typ(t))
	case cb < t.Kind.Bits():
		count = f.inst("zext %s %s to %s", typ(ct), count, typ(t))
	}
	if arithmetic {
		return f.inst("ashr %s %s, %s", typ(t), v, count)
	}
	name := map[ir.Code]string{ir.OpShl: "shl", ir.OpShr: "lshr"}[code]
	r := f.inst("%s %s %s, %s", name, typ(t), v, count)
	return f.inst("select %s %s, %s %s, %s %s", mask, fits, typ(t), r, typ(t), num(t, 0))
}
