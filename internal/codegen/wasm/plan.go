package wasm

import "github.com/gotaichi/ti/internal/ir"

// A plan says how the values of a function are kept.
//
// An address is a number of 64 bits to the host and one of 32 to code here, so most of what is computed of addresses and indices needs its lower 32 bits alone.
// Such values are numbers of 32 bits, although their type has 64. A sum, difference, product, left shift, and, or, xor or selection passes the question on to its
// operands.
type plan struct {
	wide  map[*ir.Value]bool      // values of a kind of 64 bits of which all bits are needed
	uses  map[*ir.Value]int       // how often a value is an operand
	home  map[*ir.Value]*ir.Block // the block of its uses; nil if there are several
	less  map[*ir.Value]int64     // by how many bytes a pointer is kept less than it is
	ends  map[*ir.Op]int64        // how far accesses reach from an address, at the first of them; see [plan.reach]
	small map[*ir.Value]int       // bytes of a lane of a vector, where these are less than a word
	lone  map[*ir.Op]*ir.Value    // loads of a number of which nothing but a vector with it in all lanes is used, with the vector

	groups map[*ir.Op]*fusedGroup // of fused products, by their ops
}

// is64 reports whether a number of a kind has 64 bits and no point.
func is64(k ir.Kind) bool { return k == ir.I64 || k == ir.U64 || k == ir.Ptr || k == ir.BlockRef }

// A planner finds which values must be wide.
type planner struct {
	m     *module
	p     *plan
	flows map[*ir.Value][]*ir.Value // operands that are wide if a value is
	work  []*ir.Value
}

// planOf makes the plan of what stands in blocks, one behind the other.
func (m *module) planOf(blocks ...*ir.Block) *plan {
	p := &planner{m: m, p: &plan{wide: map[*ir.Value]bool{}, uses: map[*ir.Value]int{}, home: map[*ir.Value]*ir.Block{}, less: map[*ir.Value]int64{}, ends: map[*ir.Op]int64{}, lone: map[*ir.Op]*ir.Value{}, small: map[*ir.Value]int{}, groups: map[*ir.Op]*fusedGroup{}}, flows: map[*ir.Value][]*ir.Value{}}
	for _, b := range blocks {
		p.block(b)
	}
	for len(p.work) > 0 {
		v := p.work[len(p.work)-1]
		p.work = p.work[:len(p.work)-1]
		p.all(p.flows[v]...)
	}
	for _, b := range blocks {
		p.p.narrowLanes(b)
	}
	for _, b := range blocks {
		p.p.biases(b)
		p.count(b)
	}
	for _, b := range blocks {
		p.p.reach(b)
		p.p.broadcasts(b)
		p.p.groupFused(b)
	}
	return p.p
}

// funcPlan is the plan of a function that is called.
func (m *module) funcPlan(fn *ir.Func) *plan {
	p := m.plans[fn]
	if p == nil {
		p = m.planOf(fn.Body)
		m.plans[fn] = p
	}
	return p
}

// all notes that all bits of values are needed.
func (p *planner) all(vs ...*ir.Value) {
	for _, v := range vs {
		if is64(v.Type.Kind) && !p.p.wide[v] {
			p.p.wide[v] = true
			p.work = append(p.work, v)
		}
	}
}

// flow notes that all bits of values are needed if all of r are.
func (p *planner) flow(r *ir.Value, vs ...*ir.Value) {
	for _, v := range vs {
		if is64(r.Type.Kind) && is64(v.Type.Kind) {
			p.flows[r] = append(p.flows[r], v)
		}
	}
}

func (p *planner) block(b *ir.Block) {
	if b == nil {
		return
	}
	for _, o := range b.Ops {
		p.op(b, o)
		for _, r := range o.Regions {
			p.block(r)
		}
	}
}

func (p *planner) op(b *ir.Block, o *ir.Op) {
	args := o.Args
	switch o.Code {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNeg, ir.OpNot, ir.OpOffset, ir.OpCell, ir.OpSplat, ir.OpPack, ir.OpLane, ir.OpShuffle, ir.OpSlide, ir.OpTotal:
		p.flow(o.Results[0], args...)
	case ir.OpShl:
		p.flow(o.Results[0], args[0])
		p.all(args[1])
	case ir.OpSelect:
		p.flow(o.Results[0], args[1:]...)
	case ir.OpConvert, ir.OpBitcast:
		if !o.Results[0].Type.Kind.IsInt() {
			p.all(args...)
		}
		p.flow(o.Results[0], args...)
	case ir.OpEq, ir.OpNe:
		if k := args[0].Type.Kind; k != ir.Ptr && k != ir.BlockRef { // of addresses the lower halves differ where they do
			p.all(args...)
		}
	case ir.OpLoad, ir.OpPrefetch, ir.OpEntry, ir.OpListMask:
	case ir.OpStore, ir.OpAtomic:
		p.all(args[1:]...)
	case ir.OpFollow:
		p.flow(o.Results[0], args[1])
	case ir.OpFind:
		p.callee(p.m.runtimeOf(o), args[:1])
		p.flow(o.Results[0], args[1])
	case ir.OpGrow:
		fn := p.m.runtimeOf(o)
		p.callee(fn, args[:1])
		if p.m.wideParam(fn, len(fn.Params)-1) {
			p.all(args[1])
		}
	case ir.OpEnter:
		p.callee(p.m.runtimeOf(o), args[:1])
	case ir.OpCall:
		p.callee(o.Func, args)
	default:
		p.jumps(b, o)
	}
}

// callee notes which arguments a function wants in full.
func (p *planner) callee(fn *ir.Func, args []*ir.Value) {
	for i, v := range args {
		if p.m.wideParam(fn, i) {
			p.all(v)
		}
	}
}

// wideParam reports whether a function needs all bits of a parameter.
func (m *module) wideParam(fn *ir.Func, i int) bool { return m.funcPlan(fn).wide[fn.Body.Params[i]] }

// jumps deals with control flow, and with ops that need all of their operands.
func (p *planner) jumps(b *ir.Block, o *ir.Op) {
	pairs := func(to, from []*ir.Value) {
		for i, v := range from {
			p.flow(to[i], v)
		}
	}
	switch o.Code {
	case ir.OpYield:
		if b.Parent != nil {
			pairs(b.Parent.Results, o.Args)
		}
	case ir.OpBreak:
		pairs(o.Target.Results, o.Args)
	case ir.OpContinue:
		if o.Target != nil {
			pairs(carried(o.Target), o.Args)
		}
	case ir.OpLoop:
		pairs(carried(o), o.Args)
	case ir.OpFor: // its results are in the locals of what it carries
		p.all(o.Args[:2]...)
		p.all(o.Regions[0].Params[0])
		pairs(carried(o), o.Args[2:])
		pairs(carried(o), o.Results)
		pairs(o.Results, carried(o))
	default:
		p.all(o.Args...)
	}
}

// carried are the parameters of a loop that its continues set.
func carried(o *ir.Op) []*ir.Value {
	if o.Code == ir.OpFor {
		return o.Regions[0].Params[1:]
	}
	return o.Regions[0].Params
}

// count counts the uses of values, other than those in ops that leave no code behind.
func (p *planner) count(b *ir.Block) {
	if b == nil {
		return
	}
	for _, o := range b.Ops {
		if from := p.p.shortcut(o); from != nil {
			p.use(from, b)
		} else if isFusedVector(o) {
			for _, v := range p.p.fusedUses(o) {
				p.use(v, b)
			}
		} else if !p.p.vanishes(o) {
			for _, v := range o.Args {
				p.use(v, b)
			}
		}
		for _, r := range o.Regions {
			p.count(r)
		}
	}
}

func (p *planner) use(v *ir.Value, b *ir.Block) {
	if o := v.Def; o != nil && p.p.vanishes(o) {
		for _, a := range o.Args {
			p.use(a, b)
		}
		return
	}
	if p.p.uses[v]++; p.p.uses[v] == 1 {
		p.p.home[v] = b
	} else if p.p.home[v] != b {
		p.p.home[v] = nil
	}
}

// shortcut returns the operand of an op that is translated with that whose result it takes, or nil.
func (p *plan) shortcut(o *ir.Op) *ir.Value {
	if from := p.clears(o); from != nil {
		return from
	}
	if from, _ := p.rotates(o); from != nil {
		return from
	}
	return p.rounds(o)
}

// clears returns the vector of which a shift there and back, by a constant, makes zeros of the lower bits, or nil.
func (p *plan) clears(o *ir.Op) *ir.Value {
	if o.Code != ir.OpShl || o.Results[0].Type.Lanes <= 1 {
		return nil
	}
	r, back := o.Results[0], o.Args[0].Def
	if back == nil || back.Code != ir.OpShr || p.laneBytes(r) != fullBytes(r.Type.Kind) || r.Type.Kind.Bits() != 8*fullBytes(r.Type.Kind) {
		return nil
	}
	c, ok := ir.ConstOf(o.Args[1])
	d, same := ir.ConstOf(back.Args[1])
	if v := back.Args[0]; ok && same && c == d && c < uint64(r.Type.Kind.Bits()) && p.laneBytes(v) == p.laneBytes(r) && v.Type == r.Type {
		return v
	}
	return nil
}

// vanishes reports whether the result of an op is made where it is used: it is a constant, its operand as it is, or an offset that belongs to an instruction.
func (p *plan) vanishes(o *ir.Op) bool {
	switch o.Code {
	case ir.OpConst, ir.OpIota:
		return true
	case ir.OpOffset:
		return p.folds(o)
	case ir.OpSplat:
		return p.isConstant(o.Results[0])
	}
	return p.same(o)
}

// same reports whether a conversion leaves its operand as it is.
func (p *plan) same(o *ir.Op) bool {
	if o.Code != ir.OpConvert && o.Code != ir.OpBitcast {
		return false
	}
	v, r := o.Args[0], o.Results[0]
	from, to := v.Type.Kind, r.Type.Kind
	if from == to {
		return true
	}
	if n := p.small[v]; n > 0 || p.small[r] > 0 { // wider and narrower lanes are no more than names for each other if they have one size
		return n == p.small[r] && from != ir.Bool && to != ir.Bool
	}
	switch {
	case v.Type.Lanes > 1 && o.Code == ir.OpBitcast && from.Bits() >= 32: // a vector has no kind
		return p.laneBytes(v) == p.laneBytes(r)
	case from.IsFloat() && from != ir.F16, to.IsFloat() && to != ir.F16, (from == ir.F16 || to == ir.F16) && o.Code == ir.OpConvert:
		return false
	case v.Type.Lanes > 1 && (from == ir.Bool || to == ir.Bool): // a mask is no number
		return false
	}
	if p.type64(v) || p.type64(r) {
		return p.type64(v) && p.type64(r)
	}
	switch {
	case to == ir.Bool:
		return false
	case from == ir.Bool, to.Bits() >= 32: // a number is kept as a word with its value
		return true
	case from == ir.F16:
		return to == ir.U16
	case to == ir.F16:
		return from == ir.U16
	}
	return from.IsUnsigned() && from.Bits() < to.Bits() || from.IsSigned() == to.IsSigned() && from.Bits() <= to.Bits()
}

// type64 reports whether a value is kept as a number of 64 bits.
func (p *plan) type64(v *ir.Value) bool { return is64(v.Type.Kind) && p.wide[v] }

// laneBytes is how many bytes a lane of a vector takes. Lanes of masks have all bits set or none. Narrow numbers and masks take a word each, unless they have
// lanes of their own size; see [plan.narrowLanes].
func (p *plan) laneBytes(v *ir.Value) int {
	if size := p.small[v]; size > 0 {
		return size
	}
	if v.Type.Kind == ir.F64 || p.type64(v) {
		return 8
	}
	return 4
}

// parts is how many locals a value takes.
func (p *plan) parts(v *ir.Value) int {
	if v.Type.Lanes <= 1 {
		return 1
	}
	return (int(v.Type.Lanes)*p.laneBytes(v) + 15) / 16
}

// maxOffset is the limit for offsets in instructions, and nearOffset that for offsets from what may be no place itself. An instruction adds its offset in more than
// 32 bits, so that what it adds to must not have wrapped. Whatever is accessed lies behind the first page, so an address that is less by a page at most has not.
const (
	maxOffset  = 1 << 30
	nearOffset = 1 << 16
)

// folds reports whether an address with an offset is made where it is used, so that an instruction can add the offset.
func (p *plan) folds(o *ir.Op) bool {
	if o.Args[0].Type.Lanes > 1 || o.Args[1].Type.Lanes > 1 {
		return false
	}
	c, ok := ir.IntOf(o.Args[1])
	return ok && c > -nearOffset/2 && (c < nearOffset || c < maxOffset && p.isPlace(o.Args[0]))
}

// biases finds the pointers that are kept less by some bytes than they are: by as many as the least offset from them is negative. Then the offsets in
// instructions are positive. What is added to such a pointer is kept less by as many.
func (p *plan) biases(b *ir.Block) {
	ir.Visit(b, func(o *ir.Op) bool {
		if code := o.Code; code == ir.OpLoad || code == ir.OpStore || code == ir.OpAtomic {
			v, offset := p.peel(o.Args[0])
			if r := p.root(v); offset < 0 && p.canBeLess(r) {
				p.less[r] = max(p.less[r], -offset)
			}
		}
		return true
	})
}

// peel takes the offsets off an address that an instruction can add.
func (p *plan) peel(v *ir.Value) (from *ir.Value, offset int64) {
	for o := v.Def; o != nil && o.Code == ir.OpOffset && p.folds(o); o = v.Def {
		c, _ := ir.IntOf(o.Args[1])
		if offset+c <= -nearOffset/2 || offset+c >= maxOffset {
			break
		}
		v, offset = o.Args[0], offset+c
	}
	return v, offset
}

// root is the pointer that others are added to.
func (p *plan) root(v *ir.Value) *ir.Value {
	for v.Type.Lanes <= 1 && v.Def != nil && v.Def.Code == ir.OpOffset {
		v = v.Def.Args[0]
	}
	return v
}

// canBeLess reports whether a pointer may be kept less than it is.
func (p *plan) canBeLess(v *ir.Value) bool {
	if v.Def == nil || v.Type != ir.Scalar(ir.Ptr) || p.wide[v] {
		return false
	}
	switch v.Def.Code {
	case ir.OpBase, ir.OpArgPtr, ir.OpFrame, ir.OpEntry, ir.OpFollow, ir.OpGrow, ir.OpFind, ir.OpEnter, ir.OpLoad:
		return true
	}
	return false
}

// lessBy returns by how many bytes a value is kept less than it is.
func (p *plan) lessBy(v *ir.Value) int64 {
	if v.Type != ir.Scalar(ir.Ptr) || len(p.less) == 0 {
		return 0
	}
	return p.less[p.root(v)]
}

// isPlace reports whether a value is certain to be an address within memory, and not one that only becomes so by what is added.
func (p *plan) isPlace(v *ir.Value) bool {
	o := v.Def
	if o == nil {
		return v.Type.Kind == ir.Ptr // a parameter
	}
	switch o.Code {
	case ir.OpBase, ir.OpArgPtr, ir.OpFrame, ir.OpAlloc, ir.OpEntry, ir.OpFollow, ir.OpGrow, ir.OpFind, ir.OpEnter, ir.OpLoad, ir.OpCall:
		return true
	case ir.OpOffset:
		return p.folds(o)
	case ir.OpSelect:
		return p.isPlace(o.Args[1]) && p.isPlace(o.Args[2])
	}
	return false
}
