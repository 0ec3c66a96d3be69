package distribute

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// This file lets the vector loop reduce in 32 bits if the variable has 64. This applies to the minimum and maximum of numbers of 32 bits,
// and to the number of times that a condition holds. The results of a strip fit into 32 bits, and a vector has twice as many lanes:
//
//	%least = max of i32
//	for the strip { … %least = min(%least, %x) }
//	%sum = min(%sum, convert %least)

// A narrowSum is a reduction of a strip in 32 bits.
type narrowSum struct {
	reduction
	number   *ir.Value // the operand of 32 bits, or the condition that is counted
	variable *ir.Value // the variable of the strip
}

// A narrowing holds the reductions that a strip makes in 32 bits.
type narrowing struct {
	sums []*narrowSum
	by   map[*ir.Op]*narrowSum // by the ops that they replace
}

// narrowSums finds the reductions that a strip can make in 32 bits.
func (d *distribution) narrowSums() {
	d.narrowed.by = map[*ir.Op]*narrowSum{}
	for _, s := range d.ops {
		if s.Code != ir.OpStore || !d.sums[s.Args[0]] || d.work[s] != computes {
			continue
		}
		n := d.narrowSumOf(s)
		if n == nil {
			continue
		}
		d.narrowed.sums = append(d.narrowed.sums, n)
		d.narrowed.by[n.load], d.narrowed.by[n.update], d.narrowed.by[n.store] = n, n, n
	}
}

// narrowSumOf returns the reduction that s stores; nil if it cannot be made in 32 bits.
func (d *division) narrowSumOf(s *ir.Op) *narrowSum {
	r := d.reductionOf(s)
	if r == nil || r.by.Type.Kind != ir.I64 || r.by.Def == nil {
		return nil
	}
	n, x := &narrowSum{reduction: *r}, r.by.Def
	switch {
	case n.update.Code == ir.OpAdd && x.Code == ir.OpSelect && ir.IsInt(x.Args[1], 1) && ir.IsInt(x.Args[2], 0):
	case (n.update.Code == ir.OpMin || n.update.Code == ir.OpMax) && x.Code == ir.OpConvert && x.Args[0].Type == ir.Scalar(ir.I32):
	default:
		return nil
	}
	n.number = x.Args[0]
	return n
}

// begin appends the variable of the strip, with its initial value.
func (n *narrowSum) begin(b *ir.Builder) {
	i32 := ir.Scalar(ir.I32)
	first := int64(0)
	switch n.update.Code {
	case ir.OpMin:
		first = math.MaxInt32
	case ir.OpMax:
		first = math.MinInt32
	}
	n.variable = b.Alloc(ir.I32, 1, "")
	n.variable.Def.Flags |= ir.Unset
	b.Store(n.variable, b.Int(i32, first))
}

// step appends the update of the variable of the strip, if o is the store of the reduction. It appends nothing for the other ops of the
// reduction.
func (n *narrowSum) step(p *phase, o *ir.Op) {
	if o != n.store {
		return
	}
	b, i32 := p.b, ir.Scalar(ir.I32)
	p.want(n.number)
	v := p.to.Value(n.number)
	if n.update.Code == ir.OpAdd {
		v = b.Op(ir.OpSelect, v, b.Int(i32, 1), b.Int(i32, 0))
	}
	b.Store(n.variable, b.Op(n.update.Code, b.Load(i32, n.variable), v))
}

// end appends the update of the variable of 64 bits after the loop.
func (n *narrowSum) end(b *ir.Builder) {
	to := ir.NewCloner(map[*ir.Value]*ir.Value{})
	b.Emit(to.Op(n.load))
	sum := b.Convert(b.Load(ir.Scalar(ir.I32), n.variable), ir.I64)
	to.Values[n.update.Results[0]] = b.Op(n.update.Code, to.Value(n.load.Results[0]), sum)
	b.Emit(to.Op(n.store))
}
