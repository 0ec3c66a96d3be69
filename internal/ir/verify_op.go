package ir

import "slices"

// flagsOf lists the flags that each code may have; all pure ops may be Strict.
func flagsOf(c Code) Flags {
	var f Flags
	if c.Is(Pure) {
		f |= Strict
	}
	switch c {
	case OpAdd, OpSub, OpMul:
		f |= NoWrap | Builtin
	case OpNeg, OpConvert:
		f |= NoWrap
	case OpStore:
		f |= More | Guess | Streamed
	case OpLoad, OpActivate, OpCount:
		f |= Guess
	case OpPtr:
		f |= InBounds | Dynamic | Copied
	case OpWorker:
		f |= Copied
	case OpElem:
		f |= InBounds | Dynamic
	case OpCell, OpLookup:
		f |= InBounds
	case OpAtomic:
		f |= NonAtomic | Strict | Guess | More
	case OpFollow, OpAppend:
		f |= NonAtomic
	case OpAlloc:
		f |= Unset | Stack
	case OpVisit, OpGrow:
		f |= Proven
	case OpParFor, OpFieldFor:
		f |= Serial
	case OpFor:
		f |= Rolled | Independent | Scattered | Dependent
	case OpIf:
		f |= Seldom
	}
	return f
}

// operands checks number, visibility and kinds of o's operands, and its flags;
// false means that the other rules cannot be checked.
func (v *verifier) operands(o *Op) bool {
	info := o.Code.Info()
	if n := len(o.Args); n < info.Min || info.Max >= 0 && n > info.Max {
		v.op(o, "%s has %d operands", o.Code, n)
		return false
	}
	ok := true
	for i, a := range o.Args {
		switch {
		case a == nil:
			v.op(o, "operand %d is missing", i)
			ok = false
		case v.values[a] != visible:
			v.op(o, "operand %s is not visible here", v.names().use(a))
			ok = false
		case !info.Domain.Allows(a.Type.Kind):
			v.op(o, "%s takes no %s", o.Code, a.Type)
			ok = false
		}
	}
	if bad := o.Flags &^ flagsOf(o.Code); bad != 0 {
		v.op(o, "%s cannot have the flags %q", o.Code, bad.String())
	}
	if o.Flags.Has(NoWrap) && o.Code != OpConvert && len(o.Args) > 0 && o.Args[0] != nil && !o.Args[0].Type.Kind.IsInt() {
		v.op(o, "only integer ops can be nowrap")
	}
	if o.Pos.IsKnown() && int(o.Pos.File) >= len(v.k.Files) {
		v.op(o, "the position names file %d of %d", o.Pos.File, len(v.k.Files))
	}
	return ok
}

// rule checks the result type that the table prescribes.
func (v *verifier) rule(o *Op) {
	info := o.Code.Info()
	if info.Rule == RuleFree {
		if len(o.Results) != 1 && o.Code != OpIf && !o.Code.Is(Breakable) && o.Code != OpCall {
			v.op(o, "%s has %d results, not one", o.Code, len(o.Results))
		}
		return
	}
	want := 1
	if info.Rule == RuleNone {
		want = 0
	}
	if len(o.Results) != want {
		v.op(o, "%s has %d results, not %d", o.Code, len(o.Results), want)
		return
	}
	switch info.Rule {
	case RuleSame:
		v.same(o, o.Args...)
		v.is(o, o.Args[0].Type)
	case RuleBool:
		v.same(o, o.Args...)
		v.is(o, o.Args[0].Type.With(Bool))
	case RuleShift:
		if o.Args[0].Type.Lanes != o.Args[1].Type.Lanes {
			v.op(o, "the operands have different lanes")
		}
		v.is(o, o.Args[0].Type)
	case RuleSelect:
		c := o.Args[0].Type
		if c.Kind != Bool || c.Lanes != 1 && c.Lanes != o.Args[1].Type.Lanes {
			v.op(o, "the condition is %s", c)
		}
		v.same(o, o.Args[1:]...)
		v.is(o, o.Args[1].Type)
	case RuleBlock:
		if !namesBlock(o.Results[0].Type.Kind) {
			v.op(o, "the result is %s, not block", o.Results[0].Type)
		}
	case RulePtr:
		if o.Results[0].Type.Kind != Ptr && !v.behind(o) {
			v.op(o, "the result is %s, not ptr", o.Results[0].Type)
		}
	}
}

// behind reports whether o is the offset from one block to another one, as functions of the sparse runtime compute it.
func (v *verifier) behind(o *Op) bool {
	return o.Code == OpOffset && v.scope.fn != nil && o.Args[0].Type.Kind == BlockRef && o.Results[0].Type == o.Args[0].Type
}

func (v *verifier) same(o *Op, args ...*Value) {
	for _, a := range args[1:] {
		if a.Type != args[0].Type {
			v.op(o, "operands of types %s and %s", args[0].Type, a.Type)
			return
		}
	}
}

// is checks the type of a result; how many there are was checked before.
func (v *verifier) is(o *Op, t Type) {
	if len(o.Results) > 0 && o.Results[0].Type != t {
		v.op(o, "the result is %s where the operands give %s", o.Results[0].Type, t)
	}
}

// special checks what the table cannot say.
func (v *verifier) special(o *Op) {
	switch o.Code {
	case OpConst, OpParam, OpLen, OpRand, OpKey, OpWorker, OpOrdinal, OpConvert, OpBitcast, OpSplat, OpAny, OpAll, OpTotal, OpBits, OpIota, OpShuffle, OpSlide, OpPack, OpLane, OpCall, OpLookup:
		v.value(o)
	case OpPtr, OpElem, OpAlloc, OpCell, OpBase, OpArgPtr, OpFrame, OpOffset:
		v.place(o)
	case OpLoad, OpStore, OpAtomic, OpFail, OpRecord:
		v.memory(o)
	case OpActivate, OpDeactivate, OpIsActive, OpMask, OpAppend, OpCount, OpShrink:
		v.cells(o)
	case OpTally:
		v.tally(o)
	case OpPart:
		v.partOp(o)
	case OpEntry, OpListMask, OpVisit, OpRoot, OpFollow, OpGrow, OpFind, OpEnter:
		v.blocks(o)
	case OpYield, OpContinue, OpBreak, OpReturn:
		v.jump(o)
	case OpIf, OpFor, OpLoop, OpBlock, OpParFor, OpFieldFor:
		v.control(o)
	}
}

// canonical reports whether bits are as IntBits and FloatBits leave them.
func canonical(k Kind, bits uint64) bool {
	switch {
	case k == Bool || k.IsInt():
		return IntBits(k, int64(bits)) == bits
	case k.IsFloat():
		return k == F64 || bits>>k.Bits() == 0
	}
	return true
}

func (v *verifier) value(o *Op) {
	if len(o.Results) != 1 && o.Code != OpCall {
		return
	}
	var t Type
	if len(o.Results) == 1 {
		t = o.Results[0].Type
	}
	switch o.Code {
	case OpConst:
		if !canonical(t.Kind, o.Bits) {
			v.op(o, "%#x is no %s", o.Bits, t.Kind)
		}
	case OpParam:
		kind := Invalid
		for _, q := range v.k.Params {
			if (q.Content == ParamValue || q.Content == ParamNumber) && int64(q.Slot) <= o.Aux && o.Aux < int64(q.Slot+q.Comps) {
				kind = q.KindOf(int(o.Aux) - q.Slot)
			}
		}
		if t != Scalar(kind) {
			v.op(o, "argument slot %d is %s", o.Aux, kind)
		}
	case OpLen:
		if o.Param == nil || !v.params[o.Param] || !o.Param.HasLength() {
			v.op(o, "the operand is no parameter with a length")
		} else if t != Scalar(v.k.Int) && t != Scalar(I64) {
			v.op(o, "a length is %s, or i64", v.k.Int)
		}
	case OpRand:
		v.is(o, Scalar(U32))
	case OpKey:
		v.is(o, Scalar(U64))
	case OpWorker:
		if v.is(o, Scalar(I64)); v.scope.fn == nil && !o.Flags.Has(Copied) {
			v.op(o, "what a kernel computes does not depend on the thread")
		}
	case OpOrdinal:
		if !t.Kind.IsInt() || t.Lanes != 1 {
			v.op(o, "an ordinal is an integer, not %s", t)
		}
	case OpConvert:
		if t.Lanes != o.Args[0].Type.Lanes || !Scalars.Allows(t.Kind) {
			v.op(o, "%s cannot become %s", o.Args[0].Type, t)
		}
	case OpBitcast:
		if from := o.Args[0].Type; t.Lanes != from.Lanes || t.Kind.Bits() != from.Kind.Bits() || !t.Kind.IsNumber() {
			v.op(o, "%s has not the bits of %s", from, t)
		}
	case OpSplat:
		if o.Args[0].Type != t.Elem() {
			v.op(o, "%s is not the element of %s", o.Args[0].Type, t)
		}
	case OpShuffle:
		if t.Lanes < 2 || o.Aux < 0 || o.Aux >= numShuffles {
			v.op(o, "there is no shuffle %d of %s", o.Aux, t)
		}
	case OpPack:
		if int(t.Lanes) != len(o.Args) || slices.ContainsFunc(o.Args, func(a *Value) bool { return a.Type != t.Elem() }) {
			v.op(o, "these are not the lanes of %s", t)
		}
	case OpLane:
		if from := o.Args[0].Type; t != from.Elem() || o.Aux < 0 || o.Aux >= int64(from.Lanes) {
			v.op(o, "there is no lane %d of type %s in %s", o.Aux, t, from)
		}
	case OpSlide:
		if row := o.Bits * uint64(max(0, o.Stride)); row == 0 || uint64(t.Lanes)%row != 0 || o.Aux <= 0 || uint64(o.Aux) >= o.Bits {
			v.op(o, "the lanes of %s do not slide by %d in rows of %d, %d apart", t, o.Aux, o.Bits, o.Stride)
		}
	case OpIota:
		if !t.Kind.IsInt() || t.Lanes < 2 {
			v.op(o, "lanes are numbered in an integer of several lanes, not %s", t)
		}
	case OpTotal:
		v.is(o, o.Args[0].Type.Elem())
	case OpBits:
		if v.is(o, Scalar(U64)); o.Args[0].Type.Lanes > 64 {
			v.op(o, "a u64 has no bit for each lane of %s", o.Args[0].Type)
		}
	case OpAny, OpAll:
		v.is(o, Scalar(Bool))
	case OpCall:
		v.call(o)
	case OpLookup:
		if o.Table == nil || !v.tables[o.Table] {
			v.op(o, "the table is not the kernel's")
		} else {
			v.is(o, Type{o.Table.Kind, o.Args[0].Type.Lanes})
		}
	}
}

func (v *verifier) call(o *Op) {
	f := o.Func
	if f == nil || !v.funcs[f] {
		v.op(o, "the function is not the kernel's or is declared later")
		return
	}
	if len(o.Args) != len(f.Params) || len(o.Results) != len(f.Results) {
		v.op(o, "%s takes %d operands and gives %d results", f.Name, len(f.Params), len(f.Results))
		return
	}
	if f.Effects != (Effects{}) && v.scope.fn == nil {
		v.op(o, "%s has effects, which the passes do not expect of a call", f.Name)
	}
	for i, a := range o.Args {
		if a.Type != f.Params[i] {
			v.op(o, "operand %d is %s, %s takes %s", i, a.Type, f.Name, f.Params[i])
		}
	}
	for i, r := range o.Results {
		if r.Type != f.Results[i] {
			v.op(o, "result %d is %s, %s gives %s", i, r.Type, f.Name, f.Results[i])
		}
	}
}

func (v *verifier) slice(o *Op) bool {
	if o.Param == nil || !v.params[o.Param] || o.Param.Content != ParamSlice {
		v.op(o, "the slice is no slice parameter of the kernel")
		return false
	}
	return true
}

// place checks the ops that make a ptr.
func (v *verifier) place(o *Op) {
	if v.scope.fn != nil {
		switch o.Code {
		case OpPtr, OpElem, OpBase, OpArgPtr, OpFrame:
			v.op(o, "a function touches no memory but its own")
		}
	}
	switch o.Code {
	case OpPtr:
		if o.Field == nil || !v.fields[o.Field] {
			v.op(o, "the field is not the kernel's")
			return
		}
		v.index(o, o.Field.Rank(), len(o.Field.Comps))
	case OpElem:
		if v.slice(o) {
			v.index(o, 1, o.Param.Comps)
		}
	case OpAlloc:
		if o.Aux < 0 || o.Aux > 1<<28 || !Scalars.Allows(o.Kind) || o.Kind == Invalid {
			v.op(o, "no array has %d elements of kind %s", o.Aux, o.Kind)
		}
	case OpCell:
		if o.Args[0].Type.Kind != Ptr || !o.Args[1].Type.Kind.IsInt() {
			v.op(o, "cell takes an array and an integer")
		} else if d := o.Args[0].Def; d == nil || d.Code != OpAlloc && d.Code != OpFrame {
			v.op(o, "the first operand is no array")
		}
	case OpBase:
		if o.Aux < 0 || o.Aux >= int64(len(v.k.Bases)) {
			v.op(o, "there are %d bases", len(v.k.Bases))
		}
	case OpArgPtr:
		for _, q := range v.k.Params {
			if (q.Content == ParamSlice || q.Content == ParamView) && int64(q.Slot) == o.Aux {
				return
			}
		}
		v.op(o, "argument slot %d holds no slice or view", o.Aux)
	case OpFrame:
		if o.Aux < 0 || o.Aux >= v.k.FrameSize || v.scope.task == nil {
			v.op(o, "offset %d lies outside the frame of %d bytes", o.Aux, v.k.FrameSize)
		}
	case OpOffset:
		if o.Args[0].Type.Kind != Ptr && !v.behind(o) || o.Args[1].Type.Kind != I64 {
			v.op(o, "offset takes a ptr and an i64")
		}
	}
}

// index checks the operands and the component of ptr and elem.
func (v *verifier) index(o *Op, rank, comps int) {
	want, last := rank, o.Aux
	if o.Flags.Has(Dynamic) {
		want++
		if o.Bits == 0 || o.Bits > uint64(comps) || o.Stride < 1 {
			v.op(o, "a component limit of %d by %d", o.Bits, o.Stride)
			return
		}
		last += (int64(o.Bits) - 1) * int64(o.Stride)
	}
	if len(o.Args) != want {
		v.op(o, "%d indices where %d are needed", len(o.Args), want)
	}
	if o.Aux < 0 || last >= int64(comps) {
		v.op(o, "component %d of an element of %d", last, comps)
	}
}

// kindAt returns the kind of what lies at p where that is known.
func kindAt(p *Value) Kind {
	d := p.Def
	if d == nil {
		return Invalid
	}
	switch d.Code {
	case OpPtr:
		if d.Field != nil && d.Aux >= 0 && d.Aux < int64(len(d.Field.Comps)) {
			return d.Field.Comps[d.Aux]
		}
	case OpElem:
		if d.Param != nil {
			return d.Param.KindOf(int(min(d.Aux, int64(d.Param.Comps-1))))
		}
	case OpAlloc, OpFrame:
		return d.Kind
	case OpCell:
		if len(d.Args) == 2 && d.Args[0] != nil {
			return kindAt(d.Args[0])
		}
	}
	return Invalid
}

func (v *verifier) memory(o *Op) {
	if o.Code == OpFail {
		if o.Aux < 0 || o.Aux >= int64(len(v.k.Sites)) || o.Bits > uint64(len(o.Args)) || v.scope.fn != nil {
			v.op(o, "there are %d sites", len(v.k.Sites))
		}
		return
	}
	if o.Code == OpRecord {
		if o.Aux < 0 || o.Aux >= int64(len(v.k.Sites)) || v.scope.fn != nil {
			v.op(o, "there are %d sites, for kernels only", len(v.k.Sites))
		}
		return
	}
	p := o.Args[0]
	if p.Type.Kind != Ptr {
		v.op(o, "the first operand is %s, no place", p.Type)
		return
	}
	var t Type
	switch {
	case o.Code == OpStore:
		t = o.Args[1].Type
	case len(o.Results) == 1:
		t = o.Results[0].Type
	default:
		return
	}
	if at := kindAt(p); at != Invalid && at != t.Kind {
		v.op(o, "the place holds %s", at)
	}
	// Control words of a sparse tree refer to blocks. Functions publish blocks, too.
	words := (t == Scalar(Ptr) || t == Scalar(BlockRef)) && v.scope.fn != nil || namesBlock(t.Kind) && t.Lanes == 1 && o.Code == OpLoad && p.Type == Scalar(Ptr) && p.Def != nil && p.Def.Code == OpOffset
	if !Scalars.Allows(t.Kind) && !words {
		v.op(o, "memory holds no %s", t)
	}
	v.ordered(o)
	if p.Type.Lanes != 1 && p.Type.Lanes != t.Lanes {
		v.op(o, "%d places for %d lanes", p.Type.Lanes, t.Lanes)
	}
	if n := map[Code]int{OpLoad: 1, OpStore: 2}[o.Code]; n > 0 && len(o.Args) > n && o.Args[n].Type != t.With(Bool) {
		v.op(o, "the mask is %s for a value of %s", o.Args[n].Type, t)
	}
	if o.Code == OpAtomic {
		v.atomic(o, t)
	}
}

// atomicDomain says which kinds each atomic works on.
func atomicDomain(a AtomicKind) Domain {
	switch a {
	case AtomicAdd, AtomicSub, AtomicMul, AtomicDiv, AtomicMin, AtomicMax:
		return Numbers
	case AtomicAnd, AtomicOr, AtomicXor:
		return Bitwise
	case AtomicLAnd, AtomicLOr:
		return Bools
	case AtomicXchg, AtomicLoad:
		return Scalars
	case AtomicCAS:
		return AnyKind
	}
	return 0
}

func (v *verifier) atomic(o *Op, t Type) {
	want := 2
	if o.Atomic == AtomicCAS {
		want = 3
	}
	if len(o.Args) != want {
		v.op(o, "atomic.%s has %d operands", o.Atomic, len(o.Args))
	}
	for _, a := range o.Args[1:] {
		if a.Type != t {
			v.op(o, "an operand is %s and the result %s", a.Type, t)
		}
	}
	if !atomicDomain(o.Atomic).Allows(t.Kind) || t.Kind == Ptr && v.scope.fn == nil {
		v.op(o, "atomic.%s takes no %s", o.Atomic, t)
	}
}
