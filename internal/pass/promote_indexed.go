package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/algebra"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// promoteIndexed turns small local arrays into values whose indices are known at
// run time only, but proven to be in range: a load becomes a chain of selects, a
// store a select for each element. Then nothing of the iteration is in memory, and
// neighbouring iterations can be carried out together.
//
// Input and output: as for promote. Where an index cannot be proven, the array stays
// in memory, for the sake of the error; unchecked, an index out of range reads the
// first element and writes none.
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

// maxSelects bounds the selects that take the place of an array's accesses, each
// counted inLoop times inside a serial loop, where the elements are carried from
// iteration to iteration. Beyond it memory is faster, even though it keeps iterations
// of the task apart. (Measured: 8 times as fast with 4 elements in plain code; in a
// loop that adds to one of n, 1.2 times with 4, 0.4 times with 8.)
const (
	maxSelects = 32
	inLoop     = 4
)

// limitSelects leaves arrays in memory that would need too many selects.
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

// read appends the choice of the element that load o reads.
func (p *promoter) read(b *ir.Block, o *ir.Op, first int, is []*ir.Value) *ir.Value {
	v := p.cur[first]
	for i := 1; i < len(is); i++ {
		v = choose(b, o, is[i], p.cur[first+i], v)
	}
	return v
}

// write appends what becomes of each element by store o.
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
