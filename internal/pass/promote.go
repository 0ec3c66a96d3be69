package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/algebra"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// promote turns small local arrays whose indices are all constants into values.
//
// Input: a task before access lowering. Output: the same without those arrays: ifs yield, and loops carry, the values that their
// regions store. Arrays of the prologue stay, since iterations share them.
func promote(_ *state, u *unit.Unit) {
	(&promoter{first: map[*ir.Op]int{}, bad: map[*ir.Op]bool{}, stored: map[*ir.Op][]int{}, subst: unit.Subst{}}).run(u)
}

func (p *promoter) run(u *unit.Unit) {
	for _, b := range u.Blocks {
		if u.IsPrologue(b) {
			ir.Visit(b, func(o *ir.Op) bool {
				p.bad[o] = true
				return true
			})
		}
	}
	u.Descent(p.check)
	p.limitSelects(u)
	n := 0
	u.Descent(func(o *ir.Op) {
		if o.Code == ir.OpAlloc && !p.bad[o] && int64(n)+o.Aux <= maxPromoted {
			p.first[o] = n
			n += int(o.Aux)
			for range o.Aux {
				p.types = append(p.types, ir.Scalar(o.Kind))
			}
		}
	})
	if n == 0 {
		return
	}
	p.cur = make([]*ir.Value, n)
	for _, b := range u.Blocks {
		p.stores(b)
	}
	for _, b := range u.Blocks {
		p.block(b, nil)
	}
}

// maxPromoted bounds how many elements of arrays of a task become values.
const maxPromoted = 256

// A promoter gives every element of the arrays a number.
type promoter struct {
	bad    map[*ir.Op]bool  // allocs that stay in memory
	first  map[*ir.Op]int   // number of an alloc's first element
	types  []ir.Type        // of elements
	stored map[*ir.Op][]int // elements stored to in the regions of an op, and known outside; sorted
	cur    []*ir.Value      // current value of each element
	subst  unit.Subst

	indexed bool                   // indices known only at run time are allowed; see promoteIndexed
	is      map[*ir.Op][]*ir.Value // for each cell with such an index: whether it is that of element 0, 1, …
}

// check marks the allocs that must be in memory because of how an op uses them.
func (p *promoter) check(o *ir.Op) {
	for i, a := range o.Args {
		d := a.Def
		switch {
		case d == nil:
		case d.Code == ir.OpAlloc:
			if o.Code != ir.OpCell || i != 0 || !analysis.InRange(o) || !p.indexed && !ir.IsConst(o.Args[1]) {
				p.bad[d] = true
			}
		case d.Code == ir.OpCell:
			alloc := d.Args[0].Def
			fits := alloc != nil && (o.Code == ir.OpLoad && o.Results[0].Type == ir.Scalar(alloc.Kind) ||
				o.Code == ir.OpStore && i == 0 && o.Args[1].Type == ir.Scalar(alloc.Kind))
			if alloc != nil && !fits {
				p.bad[alloc] = true
			}
		}
	}
}

// element returns the number of the element at a place; -1 for a place not in a promoted array, or with an index known only at run
// time.
func (p *promoter) element(place *ir.Value) int {
	first, cell := p.cell(place)
	if cell == nil || !ir.IsConst(cell.Args[1]) {
		return -1
	}
	i, _ := ir.IntOf(cell.Args[1])
	return first + int(i)
}

// cell returns the op that made a place in a promoted array, and the number of the array's first element; nil for another place.
func (p *promoter) cell(place *ir.Value) (first int, cell *ir.Op) {
	d := algebra.DefOf(place, ir.OpCell)
	if d == nil || d.Args[0].Def == nil {
		return 0, nil
	}
	first, ok := p.first[d.Args[0].Def]
	if !ok {
		return 0, nil
	}
	return first, d
}

// stores fills in stored for the ops of b. It returns the elements that b stores to, sorted, without those of arrays that b makes.
func (p *promoter) stores(b *ir.Block) []int {
	var all []int
	own := map[int]bool{}
	for _, o := range b.Ops {
		if first, ok := p.first[o]; ok {
			for i := range int(o.Aux) {
				own[first+i] = true
			}
		}
		if o.Code == ir.OpStore {
			if e := p.element(o.Args[0]); e >= 0 {
				all = append(all, e)
			} else if first, cell := p.cell(o.Args[0]); cell != nil {
				for i := range int(cell.Args[0].Def.Aux) {
					all = append(all, first+i)
				}
			}
		}
		if len(o.Regions) == 0 {
			continue
		}
		var inside []int
		for _, r := range o.Regions {
			inside = append(inside, p.stores(r)...)
		}
		slices.Sort(inside)
		p.stored[o] = slices.Compact(inside)
		all = append(all, p.stored[o]...)
	}
	all = slices.DeleteFunc(all, func(e int) bool { return own[e] })
	slices.Sort(all)
	return slices.Compact(all)
}

// block rewrites b, a region of parent.
func (p *promoter) block(b *ir.Block, parent *ir.Op) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	for _, o := range ops {
		p.subst.Args(o)
		if p.op(b, o, parent) {
			b.Ops = append(b.Ops, o)
		}
	}
}

// op rewrites one op of b and reports whether it stays.
func (p *promoter) op(b *ir.Block, o, parent *ir.Op) bool {
	switch o.Code {
	case ir.OpAlloc:
		first, ok := p.first[o]
		if !ok {
			return true
		}
		zero := ir.NewOp(ir.OpConst, o.Pos, []ir.Type{ir.Scalar(o.Kind)})
		b.Ops = append(b.Ops, zero)
		for i := range int(o.Aux) {
			p.cur[first+i] = zero.Results[0]
		}
		return false
	case ir.OpCell:
		_, cell := p.cell(o.Results[0])
		if cell != nil && !ir.IsConst(o.Args[1]) {
			p.compare(b, o)
		}
		return cell == nil
	case ir.OpLoad:
		if e := p.element(o.Args[0]); e >= 0 {
			p.subst[o.Results[0]] = p.cur[e]
			return false
		}
		if first, cell := p.cell(o.Args[0]); cell != nil {
			p.subst[o.Results[0]] = p.read(b, o, first, p.is[cell])
			return false
		}
	case ir.OpStore:
		if e := p.element(o.Args[0]); e >= 0 {
			p.cur[e] = o.Args[1]
			return false
		}
		if first, cell := p.cell(o.Args[0]); cell != nil {
			p.write(b, o, first, p.is[cell])
			return false
		}
	case ir.OpYield:
		p.pass(o, p.stored[parent])
	case ir.OpBreak, ir.OpContinue:
		p.pass(o, p.stored[o.Target])
	case ir.OpIf:
		p.branch(o)
	case ir.OpFor, ir.OpLoop, ir.OpBlock:
		p.body(o)
	}
	return true
}

// pass appends the current values of elements to the operands of o.
func (p *promoter) pass(o *ir.Op, elements []int) {
	if len(elements) == 0 {
		return
	}
	args := slices.Clone(o.Args)
	for _, e := range elements {
		args = append(args, p.cur[e])
	}
	o.Args = args
}

// results appends results to o, which become the current values of the elements that o stores to.
func (p *promoter) results(o *ir.Op) {
	for _, e := range p.stored[o] {
		r := &ir.Value{Type: p.types[e], Def: o, Index: len(o.Results)}
		o.Results = append(o.Results, r)
		p.cur[e] = r
	}
}

func (p *promoter) branch(o *ir.Op) {
	before := slices.Clone(p.cur)
	p.block(o.Regions[0], o)
	copy(p.cur, before)
	p.block(o.Regions[1], o)
	copy(p.cur, before)
	if !analysis.EndsInJumps(o) {
		p.results(o)
	}
}

// body rewrites a loop or block.
func (p *promoter) body(o *ir.Op) {
	body := o.Regions[0]
	before := slices.Clone(p.cur)
	if o.Code != ir.OpBlock {
		p.pass(o, p.stored[o])
		for _, e := range p.stored[o] {
			p.cur[e] = body.AddParam(p.types[e], "")
		}
	}
	p.block(body, o)
	copy(p.cur, before)
	p.results(o)
}
