package ir

import "slices"

// A Builder appends ops to a block. It gives each op the position Pos and does
// not simplify; that is the business of passes.
type Builder struct {
	Block *Block
	Pos   Pos
	Flags Flags // put on every arithmetic op, such as Strict

	room int    // ops that may be appended before full is called
	full func() // nil for no limit
}

// Limit makes the builder call full at each op that it appends after the first n.
func (b *Builder) Limit(n int, full func()) { b.room, b.full = n, full }

// NewBuilder returns a builder that appends to b.
func NewBuilder(b *Block) *Builder { return &Builder{Block: b} }

// NewOp makes an op with results of the given types without placing it.
func NewOp(code Code, pos Pos, types []Type, args ...*Value) *Op {
	// The operands are copied, since passes rewrite them in place.
	o := &Op{Code: code, Pos: pos, Args: slices.Clone(args)}
	for i, t := range types {
		o.Results = append(o.Results, &Value{Type: t, Def: o, Index: i})
	}
	for range code.Info().Regions {
		o.Regions = append(o.Regions, &Block{Parent: o})
	}
	return o
}

// Emit appends o and returns its first result, if any.
func (b *Builder) Emit(o *Op) *Value {
	b.Block.Ops = append(b.Block.Ops, o)
	if b.room--; b.room < 0 && b.full != nil {
		b.full()
	}
	return o.Result()
}

// In runs f with b appending to block, and returns to the block before.
func (b *Builder) In(block *Block, f func()) {
	saved := b.Block
	b.Block = block
	f()
	b.Block = saved
}

// Op appends an op whose result type follows from its operands by the table.
func (b *Builder) Op(code Code, args ...*Value) *Value {
	var t Type
	switch code.Info().Rule {
	case RuleSame, RuleShift:
		t = args[0].Type
	case RuleBool:
		t = args[0].Type.With(Bool)
	case RuleSelect:
		t = args[1].Type
	case RuleBlock:
		t = Scalar(BlockRef)
	case RulePtr:
		t = Scalar(Ptr)
	case RuleNone:
		o := NewOp(code, b.Pos, nil, args...)
		b.Emit(o)
		return nil
	default:
		panic("ir: " + code.String() + " needs a result type")
	}
	return b.OpOf(code, t, args...)
}

// NoWrap appends an integer op whose exact result is known to fit.
func (b *Builder) NoWrap(code Code, x, y *Value) *Value {
	v := b.Op(code, x, y)
	v.Def.Flags |= NoWrap
	return v
}

// OpOf appends an op with a result of type t.
func (b *Builder) OpOf(code Code, t Type, args ...*Value) *Value {
	o := NewOp(code, b.Pos, []Type{t}, args...)
	if code.Is(Pure) {
		o.Flags |= b.Flags.For(code, t)
	}
	return b.Emit(o)
}

// Const appends a constant with the given bits; see IntBits and FloatBits. With
// several lanes all of them have that value.
func (b *Builder) Const(t Type, bits uint64) *Value {
	o := NewOp(OpConst, b.Pos, []Type{t})
	o.Bits = bits
	return b.Emit(o)
}

// Int appends an integer constant (or a bool, 0 or 1).
func (b *Builder) Int(t Type, v int64) *Value { return b.Const(t, IntBits(t.Kind, v)) }

// Float appends a float constant.
func (b *Builder) Float(t Type, v float64) *Value { return b.Const(t, FloatBits(t.Kind, v)) }

// Convert appends a conversion to kind k, or returns v if it has that kind.
func (b *Builder) Convert(v *Value, k Kind) *Value {
	if v.Type.Kind == k {
		return v
	}
	return b.OpOf(OpConvert, v.Type.With(k), v)
}

// Bitcast appends a bitcast to kind k, or returns v if it has that kind.
func (b *Builder) Bitcast(v *Value, k Kind) *Value {
	if v.Type.Kind == k {
		return v
	}
	return b.OpOf(OpBitcast, v.Type.With(k), v)
}

// If appends an if with results of the given types; then and els fill the two
// regions, each up to and including its terminator.
func (b *Builder) If(cond *Value, types []Type, then, els func()) []*Value {
	o := NewOp(OpIf, b.Pos, types, cond)
	b.Emit(o)
	b.In(o.Regions[0], then)
	b.In(o.Regions[1], els)
	return o.Results
}

// Yield ends the region of an if or block.
func (b *Builder) Yield(vs ...*Value) { b.Emit(NewOp(OpYield, b.Pos, nil, vs...)) }

// Return ends a kernel or function.
func (b *Builder) Return(vs ...*Value) { b.Emit(NewOp(OpReturn, b.Pos, nil, vs...)) }

// Jump appends a break or continue of target with values.
func (b *Builder) Jump(code Code, target *Op, vs ...*Value) {
	o := NewOp(code, b.Pos, nil, vs...)
	o.Target = target
	b.Emit(o)
}

// Across appends the reduction of the lanes of a vector by join, half of the lanes with the other half until one is left. It returns a
// scalar as it is.
func (b *Builder) Across(v *Value, join func(x, y *Value) *Value) *Value {
	if v.Type.Lanes == 1 {
		return v
	}
	for n := v.Type.Lanes; n > 1; n /= 2 {
		even, odd := b.Op(OpShuffle, v, v), b.Op(OpShuffle, v, v)
		even.Def.Aux, odd.Def.Aux = ShuffleEven, ShuffleOdd
		v = join(even, odd)
	}
	return b.OpOf(OpLane, Scalar(v.Type.Kind), v)
}

// Ptr appends the place of component comp of an element of f.
func (b *Builder) Ptr(f *Field, comp int, index ...*Value) *Value {
	o := NewOp(OpPtr, b.Pos, []Type{Scalar(Ptr)}, index...)
	o.Field, o.Aux = f, int64(comp)
	return b.Emit(o)
}

// Alloc appends a zeroed local array of n elements.
func (b *Builder) Alloc(k Kind, n int, name string) *Value {
	o := NewOp(OpAlloc, b.Pos, []Type{Scalar(Ptr)})
	o.Kind, o.Aux = k, int64(n)
	o.Results[0].Name = name
	return b.Emit(o)
}

// Load appends a load of type t.
func (b *Builder) Load(t Type, p *Value) *Value { return b.OpOf(OpLoad, t, p) }

// Store appends a store.
func (b *Builder) Store(p, v *Value) { b.Op(OpStore, p, v) }

// Atomic appends an atomic op and returns the old value.
func (b *Builder) Atomic(kind AtomicKind, p *Value, vs ...*Value) *Value {
	o := NewOp(OpAtomic, b.Pos, []Type{vs[0].Type}, append([]*Value{p}, vs...)...)
	o.Atomic = kind
	return b.Emit(o)
}

// Call appends a call of f and returns its results.
func (b *Builder) Call(f *Func, args ...*Value) []*Value {
	o := NewOp(OpCall, b.Pos, f.Results, args...)
	o.Func = f
	b.Emit(o)
	return o.Results
}

// Length appends the length of p as kind k, the source's int or i64.
func (b *Builder) Length(p *Param, k Kind) *Value {
	o := NewOp(OpLen, b.Pos, []Type{Scalar(k)})
	o.Param = p
	return b.Emit(o)
}

// Slot returns the bits of a scalar as an i64: what a record or a failure takes.
func (b *Builder) Slot(v *Value) *Value {
	if k := v.Type.Kind; k.IsFloat() {
		v = b.Bitcast(v, map[int]Kind{16: U16, 32: U32, 64: I64}[k.Bits()])
	}
	return b.Convert(v, I64)
}

// Join makes the last n ops, which are stores or atomics, the parts of one assignment or update.
func (b *Builder) Join(n int) {
	ops := b.Block.Ops
	for i := len(ops) - n; i < len(ops)-1; i++ {
		ops[i].Flags |= More
	}
}

// Updated appends what an atomic makes of the old number and its operands.
func (b *Builder) Updated(kind AtomicKind, old *Value, args []*Value) *Value {
	v := args[0]
	switch kind {
	case AtomicXchg:
		return v
	case AtomicLoad:
		return old
	case AtomicCAS:
		// Floats compare as numbers here, so that 0 matches -0, as == does.
		return b.Op(OpSelect, b.Op(OpEq, old, v), args[1], old)
	}
	code, _ := kind.Code()
	return b.Op(code, old, v)
}
