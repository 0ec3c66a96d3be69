package oracle

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A machine is one run of a program.
type machine struct {
	p      *Program
	env    *Env
	ctx    context.Context
	vals   []uint64 // by slot
	places []place  // by slot, of values of kind ptr
	refs   []ref    // by slot, of values of floats; nil without a tape

	rand    stream
	loop    []int64 // index of the parallel iteration
	over    *Node   // whose cells the parallel loop visits, nil for another loop
	ordinal int64   // of the loop
	failure *Failure
	pending []pending // deactivated
	records *[]record // of the loop over cells that runs, nil if there is none
	parts   []part    // of the assignment or update that goes on with the next op
	steps   int64
	err     error
}

// A jump says how a block was left: by which terminator, to where, with what.
type jump struct {
	kind   ir.Code
	target *inst
	values operands
}

// Operands are values and, if a tape records, the entries they come from.
type operands struct {
	bits []uint64
	refs []ref // nil without a tape
}

// step counts an op and reports whether the run has to end.
func (m *machine) step() bool {
	if m.steps++; m.steps&1023 == 0 && m.err == nil {
		m.err = m.ctx.Err()
	}
	if m.env.MaxSteps > 0 && m.steps > m.env.MaxSteps && m.err == nil {
		m.err = ErrSteps
	}
	return m.err != nil
}

// body runs the body of a kernel. A return in a part of a linked one ends the part.
func (m *machine) body() (j jump) {
	ops := m.p.body.ops
	for m.err == nil && len(ops) > 0 {
		next := 1 + slices.IndexFunc(ops[1:], func(in *inst) bool { return in.op.Code == ir.OpPart })
		if next == 0 {
			next = len(ops)
		}
		j = m.block(&block{ops: ops[:next]})
		ops = ops[next:]
	}
	return j
}

// block runs b up to its terminator, or up to a jump out of an op in it.
func (m *machine) block(b *block) jump {
	for _, in := range b.ops {
		if m.step() {
			return jump{kind: ir.OpReturn}
		}
		if in.op.Code.Is(ir.Terminator) {
			return jump{in.op.Code, in.target, m.get(in.args)}
		}
		if len(in.regions) == 0 {
			m.simple(in)
			continue
		}
		if j := m.control(in); j.kind != ir.OpYield {
			return j
		} else {
			m.set(in.results, j.values)
		}
	}
	return jump{kind: ir.OpYield}
}

func (m *machine) get(slots []int) operands {
	vs := operands{bits: make([]uint64, len(slots))}
	for i, s := range slots {
		vs.bits[i] = m.vals[s]
	}
	if m.refs != nil {
		vs.refs = make([]ref, len(slots))
		for i, s := range slots {
			vs.refs[i] = m.refs[s]
		}
	}
	return vs
}

func (m *machine) set(slots []int, vs operands) {
	for i, s := range slots {
		m.vals[s] = vs.bits[i]
		if m.refs != nil {
			m.refs[s] = vs.refs[i]
		}
	}
}

// control runs an op with regions. The jump it returns is a yield with the op's
// results where the op ends in its place, and else one that goes further out.
func (m *machine) control(in *inst) jump {
	switch in.op.Code {
	case ir.OpIf:
		if m.vals[in.args[0]] != 0 {
			return m.block(in.regions[0])
		}
		return m.block(in.regions[1])
	case ir.OpBlock:
		j := m.block(in.regions[0])
		if j.kind == ir.OpBreak && j.target == in {
			j.kind = ir.OpYield
		}
		return j
	case ir.OpLoop:
		return m.endless(in)
	case ir.OpFor:
		return m.serialFor(in)
	case ir.OpParFor:
		m.outermost(in, func() { m.parallel(in, m.bounds(in)) })
	case ir.OpFieldFor:
		m.outermost(in, func() { m.fieldFor(in) })
	}
	return jump{kind: ir.OpYield}
}

// outermost runs a parallel loop.
func (m *machine) outermost(in *inst, run func()) {
	m.settle()
	m.ordinal = in.op.Aux
	m.enter(m.ordinal, false)
	run()
	m.settle()
	m.enter(m.ordinal, true)
}

// fieldFor runs a loop over the active cells of a field or node.
func (m *machine) fieldFor(in *inst) {
	f := in.op.Field
	if n := m.node(f); n != nil {
		m.overCells(in, n)
		return
	}
	var bounds [][2]int64
	for a, n := range m.shape(f) {
		lo := f.Low(a)
		bounds = append(bounds, [2]int64{lo, lo + n})
	}
	m.parallel(in, bounds)
}

// iterate runs the body of a serial loop once. carried are the values for the
// next iteration; done means that the loop is over, by j.
func (m *machine) iterate(in *inst) (carried operands, j jump, done bool) {
	j = m.block(in.regions[0])
	switch {
	case m.err != nil:
		return operands{}, j, true
	case j.kind == ir.OpContinue && j.target == in:
		return j.values, j, false
	case j.kind == ir.OpBreak && j.target == in:
		j.kind = ir.OpYield
	}
	return operands{}, j, true
}

func (m *machine) endless(in *inst) jump {
	carried := m.get(in.args)
	for {
		m.set(in.regions[0].params, carried)
		next, j, done := m.iterate(in)
		if done {
			return j
		}
		carried = next
	}
}

func (m *machine) serialFor(in *inst) jump {
	kind := in.op.Args[0].Type.Kind
	lo, hi := m.vals[in.args[0]], m.vals[in.args[1]]
	carried := m.get(in.args[2:])
	for i := lo; less(kind, i, hi); i = ir.IntBits(kind, int64(i)+1) {
		m.vals[in.regions[0].params[0]] = i
		m.set(in.regions[0].params[1:], carried)
		next, j, done := m.iterate(in)
		if done {
			return j
		}
		carried = next
	}
	return jump{kind: ir.OpYield, values: carried}
}

func (m *machine) bounds(in *inst) [][2]int64 {
	var bounds [][2]int64
	for d := 0; d < len(in.args); d += 2 {
		lo, hi := m.vals[in.args[d]], m.vals[in.args[d+1]]
		if !less(in.op.Args[d].Type.Kind, lo, hi) {
			hi = lo
		}
		bounds = append(bounds, [2]int64{int64(lo), int64(hi)})
	}
	return bounds
}

// tooMany reports whether the product of the ranges has more than ir.MaxIterations
// iterations. Bounds of a u64 are stored as their bits, so lengths are computed unsigned.
func tooMany(bounds [][2]int64) bool {
	total, many := uint64(1), false
	for _, b := range bounds {
		n := uint64(b[1] - b[0])
		if n == 0 {
			return false
		}
		over, low := bits.Mul64(total, n)
		many = many || over != 0 || low > ir.MaxIterations
		total = low
	}
	return many
}

// parallel runs the iterations of a parallel loop in row-major order, or from the last to the first. The number
// of the iteration is the counter of its random numbers.
func (m *machine) parallel(in *inst, bounds [][2]int64) {
	if tooMany(bounds) {
		m.err = &ir.TooManyIterations{Pos: in.op.Pos}
		return
	}
	if slices.ContainsFunc(bounds, func(b [2]int64) bool { return b[0] == b[1] }) {
		return // no iterations: do not run through the other ranges, which may be long
	}
	outer := m.rand
	backward := m.env.Backward && !in.op.Flags.Has(ir.Serial)
	index := make([]int64, len(bounds))
	var nest func(d int, number uint64)
	nest = func(d int, number uint64) {
		if d < len(bounds) {
			lo, n := bounds[d][0], uint64(bounds[d][1]-bounds[d][0])
			for t := uint64(0); t < n && m.err == nil; t++ {
				i := t
				if backward {
					i = n - 1 - t
				}
				index[d] = lo + int64(i)
				nest(d+1, number*n+i)
			}
			return
		}
		m.iteration(in, index, number)
	}
	nest(0, 0)
	m.loop, m.rand = nil, outer
}

// simple runs an op without regions.
func (m *machine) simple(in *inst) {
	o := in.op
	switch o.Code {
	case ir.OpConst:
		m.vals[in.results[0]] = o.Bits
	case ir.OpParam:
		m.vals[in.results[0]] = canonical(o.Results[0].Type.Kind, m.env.Args[o.Aux])
	case ir.OpLen:
		n := int64(0)
		if o.Param.Content == ir.ParamSlice {
			n = m.env.Slices[in.param].Len
		} else {
			n = int64(m.env.Args[o.Param.LengthSlot()])
		}
		if o.Results[0].Type.Kind == ir.I32 {
			n = min(n, math.MaxInt32) // the largest number that it holds
		}
		m.vals[in.results[0]] = uint64(n)
	case ir.OpOrdinal:
		m.vals[in.results[0]] = uint64(m.ordinal)
	case ir.OpRand:
		m.vals[in.results[0]] = uint64(m.rand.next())
	case ir.OpKey: // of an adjoint, in which random numbers are arithmetic
		m.vals[in.results[0]] = m.rand.key
	case ir.OpCall:
		m.set(in.fn.params, m.get(in.args))
		if j := m.block(in.fn); m.err == nil {
			m.set(in.results, j.values)
		}
	case ir.OpLookup:
		m.lookup(in)
	case ir.OpPtr, ir.OpElem, ir.OpAlloc, ir.OpCell:
		m.places[in.results[0]] = m.place(in)
	case ir.OpLoad:
		p := m.places[in.args[0]]
		if m.p.used[in.results[0]] {
			m.touch(&p, Read)
		}
		m.vals[in.results[0]] = p.load()
		m.recordLoad(in, p)
	case ir.OpStore:
		m.store(in)
	case ir.OpAtomic:
		m.atomic(in)
	case ir.OpActivate, ir.OpDeactivate, ir.OpIsActive, ir.OpAppend, ir.OpCount, ir.OpShrink:
		m.cell(in)
	case ir.OpFail:
		m.failAt(o, m.get(in.args).bits)
	case ir.OpPart: // it computes nothing
	case ir.OpPoll:
		if m.err == nil {
			m.err = m.ctx.Err()
		}
	case ir.OpRecord:
		if m.env.Record != nil {
			m.record(int(o.Aux), m.rand.iteration, m.get(in.args).bits)
		}
	default:
		m.vals[in.results[0]] = m.compute(in)
		m.recordOp(in)
	}
}

func (m *machine) compute(in *inst) uint64 {
	o := in.op
	kind := o.Args[0].Type.Kind
	x := m.vals[in.args[0]]
	switch len(in.args) {
	case 1:
		return unary(o.Code, kind, o.Results[0].Type.Kind, x)
	case 2:
		y := m.vals[in.args[1]]
		if o.Code == ir.OpShl || o.Code == ir.OpShr {
			return shift(o.Code, kind, x, o.Args[1].Type.Kind, y)
		}
		return binaryOp(o.Code, kind, x, y)
	}
	y, z := m.vals[in.args[1]], m.vals[in.args[2]]
	if o.Code == ir.OpFma {
		return fma(kind, x, y, z)
	}
	if x != 0 { // select
		return y
	}
	return z
}
