package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/algebra"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// promoteIndexed turns small local arrays into values although some indices are known only at run time, if they are proved in
// range. A load becomes a chain of selects, and a store one select for each element. Then the iteration has nothing in memory,
// and can be vectorised.
//
// Input and output: as for promote. If an index is not proved, the array stays in memory, so that the error can be reported. Without
// index checks, an index out of range reads the first element and writes none.
func promoteIndexed(s *state, u *unit.Unit) {
	if s.opts.Unchecked {
		u.Descent(func(o *ir.Op) {
			if o.Code == ir.OpCell && o.Args[0].Def != nil && o.Args[0].Def.Code == ir.OpAlloc && !ir.IsConst(o.Args[1]) {
				o.Flags |= ir.InBounds
			}
		})
	}
	p := &promoter{first: map[*ir.Op]int{}, bad: map[*ir.Op]bool{}, stored: map[*ir.Op][]int{}, subst: unit.Subst{},
		indexed: true, is: map[*ir.Op][]*ir.Value{}}
	p.run(u)
}

// maxSelects bounds the number of selects that replace the accesses to an array. In a serial loop, which carries the elements, each
// counts inLoop times. With more selects, memory is faster, even though it prevents vectors. (Measured: 8 times as fast with 4
// elements in straight-line code; in a loop that adds to one of n, 1.2 times with 4, 0.4 times with 8.)
// loop that adds to one of n, 1.2 times with 4, 0.4 times with 8.)
const (
	maxSelects = 32
	inLoop     = 4
)

// limitSelects leaves arrays in memory that would need more selects.
func (p *promoter) limitSelects(u *unit.Unit) {
	selects := map[*ir.Op]int64{}
	count := func(o *ir.Op, times int64) {
		if o.Code != ir.OpLoad && o.Code != ir.OpStore {
			return
		}
		cell := algebra.DefOf(o.Args[0], ir.OpCell)
		if cell == nil || cell.Args[0].Def == nil || ir.IsConst(cell.Args[1]) {
			return
		}
		alloc := cell.Args[0].Def
		if selects[alloc] += alloc.Aux * times; selects[alloc] > maxSelects {
			p.bad[alloc] = true
		}
	}
	u.Descent(func(o *ir.Op) {
		count(o, 1)
		if o.Code.Is(ir.Loop) {
			ir.Visit(o.Regions[0], func(o *ir.Op) bool {
				count(o, inLoop-1)
				return true
			})
		}
	})
}

// compare appends comparisons of a cell's index with the number of each element.
func (p *promoter) compare(b *ir.Block, cell *ir.Op) {
	index := cell.Args[1]
	for i := range cell.Args[0].Def.Aux {
		n := ir.NewOp(ir.OpConst, cell.Pos, []ir.Type{index.Type})
		n.Bits = ir.IntBits(index.Type.Kind, i)
		eq := ir.NewOp(ir.OpEq, cell.Pos, []ir.Type{ir.Scalar(ir.Bool)}, index, n.Results[0])
		b.Ops = append(b.Ops, n, eq)
		p.is[cell] = append(p.is[cell], eq.Results[0])
	}
}

// read appends the selects that give the element which load o reads.
func (p *promoter) read(b *ir.Block, o *ir.Op, first int, is []*ir.Value) *ir.Value {
	v := p.cur[first]
	for i := 1; i < len(is); i++ {
		v = choose(b, o, is[i], p.cur[first+i], v)
	}
	return v
}

// write appends the new values of the elements after store o.
func (p *promoter) write(b *ir.Block, o *ir.Op, first int, is []*ir.Value) {
	for i, c := range is {
		p.cur[first+i] = choose(b, o, c, o.Args[1], p.cur[first+i])
	}
}

// choose appends a select at o's position.
func choose(b *ir.Block, o *ir.Op, c, x, y *ir.Value) *ir.Value {
	s := ir.NewOp(ir.OpSelect, o.Pos, []ir.Type{x.Type}, c, x, y)
	b.Ops = append(b.Ops, s)
	return s.Results[0]
}
