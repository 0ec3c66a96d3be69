package split

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/access"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file finds the reads of a loop's body that scratch can serve.

// find fills in fields and reads.
func (p *scratchPlan) find() {
	body := p.loop.loop.Regions[0]
	r := analysis.NewRangeInfo()
	for k, v := range body.Params {
		f := p.loop.loop.Field
		r.Of[v] = analysis.Interval{Lo: f.Low(k), Hi: f.Low(k) + f.Shape[k] - 1}
	}
	r.Block(body)
	use, ok := placesOf(body)
	if !ok {
		return
	}
	written := map[*ir.Field]bool{}
	spoilt := map[*ir.Field]bool{}
	ir.Visit(body, func(o *ir.Op) bool {
		if o.Code == ir.OpPtr && use[o] != onlyRead {
			written[o.Field] = true
			spoilt[o.Field] = spoilt[o.Field] || use[o] == otherwise || !analysis.SameValues(analysis.Indices(o), body.Params)
		}
		return true
	})
	fields := map[*ir.Field]*scratchField{}
	ir.Visit(body, func(o *ir.Op) bool {
		if how, used := use[o]; !used || how != onlyRead || spoilt[o.Field] || !p.inBlocks(o) {
			return true
		}
		rd, lo, hi := p.offsets(r, o)
		if rd == nil || written[o.Field] && rd.index != nil {
			return true
		}
		s := fields[o.Field]
		if s == nil {
			s = &scratchField{f: o.Field, lo: make([]int64, len(p.dims)), hi: make([]int64, len(p.dims))}
			fields[o.Field] = s
			p.fields = append(p.fields, s)
		}
		rd.field = s
		p.reads[o] = rd
		s.include(p, rd, lo, hi)
		if p.loads++; rd.index != nil {
			p.loads += 7 // it stands in a loop, as a rule
		}
		return true
	})
}

// How a place is used.
const (
	onlyRead  = iota
	readWrite // stored to, too
	otherwise // its address has other uses
)

// placesOf returns the use of each ptr of a body. It is not ok if the body may set values in cells to zero.
func placesOf(body *ir.Block) (use map[*ir.Op]int, ok bool) {
	use, ok = map[*ir.Op]int{}, true
	ir.Visit(body, func(o *ir.Op) bool {
		ok = ok && !o.Code.Effects().Writes.Has(ir.Cells)
		for i, a := range o.Args {
			if a.Def == nil || a.Def.Code != ir.OpPtr {
				continue
			}
			how := otherwise
			switch {
			case i > 0:
			case o.Code == ir.OpLoad:
				how = onlyRead
			case o.Code == ir.OpStore, o.Code == ir.OpAtomic:
				how = readWrite
			}
			use[a.Def] = max(use[a.Def], how)
		}
		return true
	})
	return use, ok
}

// inBlocks reports whether a ptr is to a component that lies in blocks like those of
// the loop.
func (p *scratchPlan) inBlocks(o *ir.Op) bool {
	f := o.Field
	if !f.Sparse || f.List || o.Flags.Has(ir.Dynamic) || f.Rank() != len(p.dims) {
		return false
	}
	acc := p.loop.s.lay.Access(f, int(o.Aux))
	if !slices.ContainsFunc(acc.Steps, func(s layout.Step) bool { return access.Leads(&s) }) {
		return false
	}
	for _, d := range p.dims {
		span := int64(1)
		for _, t := range acc.Terms {
			if t.Axis != d.axis {
				continue
			}
			if t.Mod == 0 {
				return false
			}
			span = max(span, t.Div*t.Mod)
		}
		if span != d.extent || (f.Low(d.axis)-p.loop.first[d.axis].low)%span != 0 {
			return false
		}
	}
	return true
}

// offsets returns the distance of a ptr from the own cell along each dim, and its bounds; nil if it is too large or unknown, or the cell
// itself, which needs no scratch.
func (p *scratchPlan) offsets(r *analysis.RangeInfo, o *ir.Op) (rd *scratchRead, lo, hi []int64) {
	body := p.loop.loop.Regions[0]
	rd = &scratchRead{comp: int(o.Aux), add: make([]int64, len(p.dims))}
	lo, hi = make([]int64, len(p.dims)), make([]int64, len(p.dims))
	own := true
	for d, dim := range p.dims {
		v, param := o.Args[dim.axis], body.Params[dim.axis]
		if at := analysis.LoopIndex(body, v); at.Param == param {
			rd.add[d], lo[d], hi[d] = at.Add, at.Add, at.Add
		} else {
			x, ok := r.Interval(r.LinearOf(v).Plus(analysis.Linear{Terms: []analysis.LinTerm{{V: param, Coef: 1}}}, -1))
			if !ok || x.Any {
				return nil, nil, nil
			}
			if rd.index == nil {
				rd.index = make([]*ir.Value, len(p.dims))
			}
			rd.index[d], lo[d], hi[d] = v, x.Lo, x.Hi
		}
		if most := min(maxReach, dim.extent); lo[d] < -most || hi[d] > most {
			return nil, nil, nil
		}
		own = own && lo[d] == 0 && hi[d] == 0
	}
	if own {
		return nil, nil, nil
	}
	return rd, lo, hi
}

// include makes s large enough for a read.
func (s *scratchField) include(p *scratchPlan, rd *scratchRead, lo, hi []int64) {
	for d := range p.dims {
		s.lo[d], s.hi[d] = max(s.lo[d], -lo[d]), max(s.hi[d], hi[d])
	}
	if !slices.Contains(s.comps, rd.comp) {
		s.comps = append(s.comps, rd.comp)
		slices.Sort(s.comps)
	}
	if len(p.dims) > maxNearDims {
		s.near = ^uint64(0)
		return
	}
	// A cell of a block reads this block, and the neighbour on the side of the offset.
	var each func(d int, number int64)
	each = func(d int, number int64) {
		if d == len(p.dims) {
			s.near |= 1 << number
			return
		}
		each(d+1, 3*number+1)
		if lo[d] < 0 {
			each(d+1, 3*number)
		}
		if hi[d] > 0 {
			each(d+1, 3*number+2)
		}
	}
	each(0, 0)
}

// maxNearDims is the largest number of dims for which near has a bit for each neighbouring block. The number of a block has ternary
// digits: 0, 1 or 2 for the block before, the same, or the next along each dim.
const maxNearDims = 3
