package autodiff

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// Reads are the loads of a launch that its adjoint makes again. [Reverse] fills them in; when passes have dropped what
// nothing needs, those that are left tell what the backward pass really reads.
type Reads struct {
	facts *facts
	body  *ir.Block          // of the launch, in the normal form
	of    map[*ir.Op]*ir.Op  // of a load of the adjoint, that of the launch, or an update that may have clamped
	own   map[*ir.Field]bool // the fields of the launch
}

func newReads(f *facts, body *ir.Block, fields []*ir.Field) *Reads {
	own := map[*ir.Field]bool{}
	for _, x := range fields {
		own[x] = true
	}
	return &Reads{facts: f, body: body, of: map[*ir.Op]*ir.Op{}, own: own}
}

// Check reports a load of an adjoint, which the backward pass changes, that the adjoint makes again, or the first
// write of the launch that the text alone proves to change, behind a load, what the adjoint loads again. The error is
// an [Unsupported]; its Access is set in the second case.
func (r *Reads) Check(adjoint *ir.Kernel) error {
	again := map[*ir.Op]bool{}
	ir.Visit(adjoint.Body, func(o *ir.Op) bool {
		if l := r.of[o]; l != nil && (l.Args[0].Def.Code == ir.OpElem || r.own[l.Args[0].Def.Field]) {
			again[l] = true
		}
		return true
	})
	if len(again) == 0 {
		return nil
	}
	var loads, writes []*ir.Op
	ir.Visit(r.body, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpLoad:
			if again[o] {
				loads = append(loads, o)
			}
		case ir.OpStore, ir.OpAtomic:
			if again[o] {
				loads = append(loads, o)
			}
			if isShared(o.Args[0]) {
				writes = append(writes, o)
			}
		}
		return true
	})
	for _, l := range loads {
		if f := l.Args[0].Def.Field; f != nil && r.facts.isAdjoint(f) {
			return &Unsupported{Pos: l.Pos, Msg: fmt.Sprintf("the derivative depends on %s, which the backward pass changes; let it read a copy in another field", f.Name)}
		}
	}
	for _, w := range writes {
		for _, l := range loads {
			if r.spoils(w, l) {
				return &Unsupported{Pos: w.Pos, Access: true, Msg: spoiled(w, l)}
			}
		}
	}
	return nil
}

// isShared reports whether a place is in a field, or in memory of the caller, of which the tape keeps what the launch
// has left in it.
func isShared(place *ir.Value) bool {
	return place.Def != nil && (place.Def.Code == ir.OpPtr || place.Def.Code == ir.OpElem)
}

// isAdjoint reports whether x is the adjoint of a field.
func (f *facts) isAdjoint(x *ir.Field) bool {
	for _, g := range f.grad {
		if g == x {
			return true
		}
	}
	return false
}

// spoils reports whether w certainly comes behind l, for some element.
func (r *Reads) spoils(w, l *ir.Op) bool {
	if l.Code == ir.OpAtomic && w.Code != ir.OpStore { // what it has come to in the end tells
		return false
	}
	if !r.facts.sameInLoops(w, l) || r.facts.apart(l, w) {
		return false
	}
	return r.facts.pos[w] > r.facts.pos[l] || r.facts.repeatsBoth(l, w) != nil
}

// spoiled says what is wrong, and where it was read.
func spoiled(w, l *ir.Op) string {
	does, remedy := "overwritten", "store to another field"
	if w.Code == ir.OpAtomic {
		does, remedy = "changed", "accumulate in another field"
	}
	where, needs := "after it was read", "what was read"
	if l.Code == ir.OpAtomic {
		where, needs = "after it was added to", "to know whether the sum was clamped"
	}
	if l.Pos.IsKnown() && l.Pos.File == w.Pos.File && l.Pos != w.Pos {
		where += fmt.Sprintf(" at %d:%d", l.Pos.Line, l.Pos.Col)
	}
	return "this element is " + does + " " + where + ", and the backward pass, which needs " + needs + ", would read the new value; " + remedy
}

// sameInLoops is samePlace for accesses in two loops, too: over the same range, they come to the same elements.
func (f *facts) sameInLoops(a, b *ir.Op) bool {
	p, q := a.Args[0].Def, b.Args[0].Def
	return p.Code == q.Code && p.Field == q.Field && p.Param == q.Param && p.Aux == q.Aux && p.Flags&ir.Dynamic == q.Flags&ir.Dynamic && slices.EqualFunc(p.Args, q.Args, f.same)
}

// same reports whether v and w are one number, or go through the same numbers in two loops.
func (f *facts) same(v, w *ir.Value) bool {
	v, w = unmarked(v), unmarked(w)
	if sameNumber(v, w) {
		return true
	}
	p, q := v.Def, w.Def
	switch {
	case p == nil && q == nil:
		return v.Index == w.Index && f.sameRange(v, w)
	case p == nil || q == nil || p.Code != q.Code || p.Code == ir.OpConst || len(p.Regions) > 0:
		return false
	case p.Code != ir.OpParam && !p.Code.Is(ir.Pure):
		return false
	}
	return v.Type == w.Type && p.Aux == q.Aux && p.Field == q.Field && p.Param == q.Param && v.Index == w.Index && slices.EqualFunc(p.Args, q.Args, f.same)
}

// sameRange reports whether two values are indices of two loops over the same range.
func (f *facts) sameRange(v, w *ir.Value) bool {
	if v.Block == nil || w.Block == nil {
		return false
	}
	p, q := v.Block.Parent, w.Block.Parent
	if p == nil || q == nil || p == q || p.Code != q.Code || f.contains(p, q) || f.contains(q, p) {
		return false
	}
	switch p.Code {
	case ir.OpParFor:
		return slices.EqualFunc(p.Args, q.Args, f.same)
	case ir.OpFieldFor:
		return p.Field == q.Field
	case ir.OpFor:
		return v.Index == 0 && f.same(p.Args[0], q.Args[0]) && f.same(p.Args[1], q.Args[1])
	}
	return false
}
