package states

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// repeats reports whether the cells that a launch activates follow from its arguments and from which cells are active: the indices of what activates them, and
// what decides whether that is reached, are computed from constants, arguments and indices of loops alone. The launch deactivates no cell, and changes the
// length of no list.
func (f *finder) repeats() bool {
	s := &steadiness{f: f, known: map[*ir.Value]bool{}, ok: true}
	s.block(f.k.Body, true)
	return s.ok && !(s.grows && s.jumps)
}

// steadiness is the state of repeats.
type steadiness struct {
	f     *finder
	known map[*ir.Value]bool
	ok    bool
	grows bool // something activates cells
	jumps bool // iterations, or the launch, may end early
}

// block looks at the ops of a block that is reached or not whatever fields hold, if steady is true.
func (s *steadiness) block(b *ir.Block, steady bool) {
	for i, o := range b.Ops {
		last := i == len(b.Ops)-1
		switch o.Code {
		case ir.OpAppend, ir.OpShrink, ir.OpDeactivate:
			s.ok = false
		case ir.OpBreak: // of a block, and of each endless loop
			s.jumps = true
		case ir.OpContinue:
			s.jumps = s.jumps || !last || b.Parent != o.Target
		case ir.OpReturn:
			s.jumps = s.jumps || !last || b != s.f.k.Body
		}
		if s.activates(o) {
			s.grows = true
			s.ok = s.ok && steady && s.follow(o)
		}
		inner := steady && s.enters(o)
		if o.IsParallel() {
			s.f.over = o
		}
		for _, r := range o.Regions {
			s.block(r, inner)
		}
		if o.IsParallel() {
			s.f.over = nil
		}
	}
}

// activates reports whether an op may activate a cell.
func (s *steadiness) activates(o *ir.Op) bool {
	f, _ := analysis.Activated(o)
	if f == nil || !f.Sparse {
		return false
	}
	if o.Code != ir.OpStore && o.Code != ir.OpAtomic {
		return true
	}
	return !s.f.isActive(o.Args[0].Def)
}

// follow reports whether what an op activates follows from constants, arguments and indices of loops.
func (s *steadiness) follow(o *ir.Op) bool {
	f, args := analysis.Activated(o)
	if o.Code == ir.OpStore || o.Code == ir.OpAtomic {
		args = o.Args[0].Def.Args // with a component that is chosen at run time
	}
	return !f.List && s.all(args)
}

// enters reports whether constants, arguments, indices and active cells decide which of the regions of an op are reached, and how often.
func (s *steadiness) enters(o *ir.Op) bool {
	switch o.Code {
	case ir.OpFieldFor:
		return !o.Field.List
	case ir.OpIf:
		return s.steady(o.Args[0])
	case ir.OpFor:
		return s.all(o.Args[:2])
	case ir.OpParFor:
		return s.all(o.Args)
	}
	return true
}

func (s *steadiness) all(vs []*ir.Value) bool {
	for _, v := range vs {
		if !s.steady(v) {
			return false
		}
	}
	return true
}

// steady reports whether a value is computed from constants, arguments and indices of loops.
func (s *steadiness) steady(v *ir.Value) bool {
	if is, known := s.known[v]; known {
		return is
	}
	is := false
	switch o := v.Def; {
	case o == nil:
		is = s.index(v)
	case o.Code == ir.OpParam || o.Code == ir.OpConst:
		is = true
	case o.Code == ir.OpKey || o.Code == ir.OpWorker || o.Code == ir.OpCall:
	case o.Code.Is(ir.Pure) && len(o.Regions) == 0:
		is = s.all(o.Args)
	}
	s.known[v] = is
	return is
}

// index reports whether a value is the index of a loop. Whether the loop has that iteration is another question.
func (s *steadiness) index(v *ir.Value) bool {
	if v.Block == nil || v.Block.Parent == nil {
		return false
	}
	o := v.Block.Parent
	return o.IsParallel() || o.Code == ir.OpFor && v.Index == 0 // what is behind the index passes from one iteration to the next
}
