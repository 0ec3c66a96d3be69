package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// facts describes a loop before anything is decided.
type facts struct {
	r          *analysis.RangeInfo
	pos        ir.Pos
	index      *ir.Value
	ops        []*ir.Op              // of the body, without its terminator
	flat       bool                  // ops includes those in regions, after the op with the regions
	at         map[*ir.Op]int        // positions of the ops
	depends    map[*ir.Value]bool    // values that depend on the iteration
	places     map[*ir.Op]place      // the places of the accesses
	sums       map[*ir.Value]bool    // local variables to which the loop stores: reductions
	able       map[*ir.Op]bool       // results of computableFirst, so that it visits each op once
	simple     map[*ir.Value]bool    // results of ofIndex, likewise
	reductions map[*ir.Op]*reduction // all reductions, by their stores; nil until they are searched for
}

// A place describes where an op accesses memory.
type place struct {
	class int32
	local bool // a local array
	far   bool // the address is not linear in the iteration; for a write, also if it is atomic or the address does not change
}

// newFacts returns the facts of a loop with this body, which survey completes.
func newFacts(r *analysis.RangeInfo, pos ir.Pos, body *ir.Block, index *ir.Value) *facts {
	return &facts{r: r, pos: pos, index: index, ops: body.Ops[:len(body.Ops)-1], at: map[*ir.Op]int{}, depends: map[*ir.Value]bool{},
		places: map[*ir.Op]place{}, sums: map[*ir.Value]bool{}, able: map[*ir.Op]bool{}, simple: map[*ir.Value]bool{}}
}

// survey determines what the ops depend on and access. It reports whether the body consists of accesses and arithmetic.
func (f *facts) survey() bool {
	f.depends[f.index] = true
	for _, o := range f.ops { // variables, which are the same place in all iterations
		if o.Code == ir.OpStore && o.Args[0].Def != nil && o.Args[0].Def.Code == ir.OpAlloc {
			f.sums[o.Args[0]] = true
		}
	}
	for i, o := range f.ops {
		f.at[o] = i
		if !f.plain(o) {
			return false
		}
		if o.Code == ir.OpLoad && f.sums[o.Args[0]] {
			f.depends[o.Results[0]] = true
		}
		if slices.ContainsFunc(operands(o), func(v *ir.Value) bool { return f.depends[v] }) {
			for _, v := range o.Results {
				f.depends[v] = true
			}
		}
		if !accesses(o) {
			continue
		}
		stride, linear := f.r.Stride(o.Args[0], f.index, f.depends)
		root := o.Args[0]
		for root.Def != nil && root.Def.Code == ir.OpOffset {
			root = root.Def.Args[0]
		}
		p := place{class: o.Alias, local: root.Def != nil && root.Def.Code == ir.OpAlloc, far: !linear}
		switch {
		case o.Code == ir.OpLoad:
		case f.sums[o.Args[0]] && o.Code == ir.OpStore:
		case p.local:
			return false
		default:
			p.far = p.far || stride == 0 || o.Code == ir.OpAtomic
		}
		f.places[o] = p
	}
	return true
}

// accesses reports whether o is an access to memory.
func accesses(o *ir.Op) bool {
	return o.Code == ir.OpLoad || o.Code == ir.OpStore || o.Code == ir.OpAtomic
}

// operands returns the values that o and the ops in it use.
func operands(o *ir.Op) []*ir.Value {
	if len(o.Regions) == 0 {
		return o.Args
	}
	var vs []*ir.Value
	unit.Within(o, func(o *ir.Op) bool {
		vs = append(vs, o.Args...)
		return true
	})
	return vs
}

// plain reports whether o is an op that distribution supports: on scalars, and without effects other than accesses.
func (f *facts) plain(o *ir.Op) bool {
	ok := true
	unit.Within(o, func(p *ir.Op) bool {
		for _, v := range p.Results {
			ok = ok && v.Type.Lanes == 1
		}
		switch {
		case accesses(p):
			ok = ok && p == o && p.Order == ir.Plain && !p.Flags.Has(ir.More)
		case p.Code == ir.OpIf || p.Code == ir.OpYield:
		case p.Code == ir.OpTally:
			ok = ok && p == o
		default:
			ok = ok && p.Code.Is(ir.Pure) && len(p.Regions) == 0 && p.Code != ir.OpAlloc && (p.Code != ir.OpCall || p == o && p.Effects() == ir.Effects{})
		}
		return ok
	})
	return ok
}

// meetPlaces reports whether two accesses may be to one place.
func meetPlaces(p, q place) bool {
	if p.local || q.local {
		return p.local && q.local
	}
	return p.class == q.class || p.class == 0 || q.class == 0
}

// calls reports whether the body has calls. A loop with calls is split only if it counts.
func (f *facts) calls() bool {
	return slices.ContainsFunc(f.ops, func(o *ir.Op) bool { return o.Code == ir.OpCall })
}

// operands returns the values that o uses. They include the values that its regions use, unless ops includes the ops in regions.
func (f *facts) operands(o *ir.Op) []*ir.Value {
	if f.flat {
		return o.Args
	}
	return operands(o)
}
