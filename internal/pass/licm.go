package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// hoist moves loop-invariant code out of loops: before a loop of the IR, and from the iterations of a task into its prologue.
//
// Input and output: a task, after access lowering for the most effect. Pure ops move, since none traps, except ops with an
// index, which is checked where they are; an expensive one is not moved out of an if, where it may not be needed. A load moves if nothing in
// the loop writes what it reads, its index is in range, and no op before it in the iteration may jump away. The activation of
// blocks of sparse trees moves too (hoistgrow.go).
func hoist(s *state, u *unit.Unit) {
	h := &hoister{level: map[*ir.Value]int{}, unchecked: s.opts.Unchecked, tested: testedBlocks(u)}
	for _, b := range u.Blocks {
		if u.Task != nil && b == u.Task.Body && u.Task.Prologue != nil {
			h.taskBody(u.Task)
			continue
		}
		h.block(b, frame{})
	}
}

// A hoister visits the code with the loops around it. The level of a value is the
// number of loops that must be around its uses; values without one have level 0.
type hoister struct {
	level map[*ir.Value]int
	loops []*openLoop
	// Indices are not checked, so one may be out of range if the loop does not run.
	unchecked bool
	tested    map[*ir.Value]bool // blocks whose existence the code tests
}

// An openLoop is a loop around the code being visited.
type openLoop struct {
	before []*ir.Op         // the ops that were moved before the loop
	writes analysis.Effects // what its body may write
	asked  bool             // an op visited in the body tests whether a block exists
}

// A frame describes the conditions under which the code being visited runs. Each number counts loops: the code does not run in
// every iteration of these, so that expensive ops, loads, or activations respectively are not moved out of them.
type frame struct {
	fixed int
	loads int
	grows int
}

// taskBody visits the body of a task, whose prologue is in front of it.
func (h *hoister) taskBody(t *ir.Task) {
	before := h.loop(t.Body, frame{grows: 1})
	last := len(t.Prologue.Ops) - 1
	end := t.Prologue.Ops[last]
	t.Prologue.Ops = append(append(t.Prologue.Ops[:last:last], before...), end)
}

// loop visits the body of a loop, and returns what moves in front of it.
func (h *hoister) loop(body *ir.Block, f frame) []*ir.Op {
	l := &openLoop{}
	l.writes.Block(body)
	h.loops = append(h.loops, l)
	for _, p := range body.Params {
		h.level[p] = len(h.loops)
	}
	h.block(body, f)
	h.loops = h.loops[:len(h.loops)-1]
	return l.before
}

// block visits a block.
func (h *hoister) block(b *ir.Block, f frame) {
	kept := make([]*ir.Op, 0, len(b.Ops))
	for _, o := range b.Ops {
		switch {
		case len(o.Regions) > 0:
			kept = h.control(o, f, kept)
			if analysis.MayJump(o) {
				f = h.inIf()
			}
		case h.moves(o, f):
		default:
			h.ask(o)
			kept = append(kept, o)
			h.stay(o)
		}
	}
	b.Ops = kept
}

// control visits an op with regions, which itself stays.
func (h *hoister) control(o *ir.Op, f frame, kept []*ir.Op) []*ir.Op {
	switch o.Code {
	case ir.OpFor, ir.OpLoop, ir.OpParFor, ir.OpFieldFor:
		if h.unchecked {
			f.loads = len(h.loops) + 1
		}
		if !runs(o) {
			f.grows = len(h.loops) + 1
		}
		kept = append(kept, h.loop(o.Regions[0], f)...)
	case ir.OpBlock:
		h.block(o.Regions[0], f)
	default:
		for _, r := range o.Regions {
			h.block(r, h.inIf())
		}
	}
	h.stay(o)
	return append(kept, o)
}

// inIf returns the frame of code that may not run in each iteration of any of the loops.
func (h *hoister) inIf() frame { n := len(h.loops); return frame{n, n, n} }

// stay gives the results of an op that is not moved the level of the block it is in.
func (h *hoister) stay(o *ir.Op) {
	for _, r := range o.Results {
		h.level[r] = len(h.loops)
	}
}

// moves hoists o out of as many loops as it can, and reports whether it is out of at least one.
func (h *hoister) moves(o *ir.Op, f frame) bool {
	switch o.Code {
	case ir.OpPtr, ir.OpElem, ir.OpCell, ir.OpLookup:
		return false // their index is checked where they stand
	}
	grows := o.Code == ir.OpGrow || o.Code == ir.OpEnter
	if !o.Code.Is(ir.Pure) && o.Code != ir.OpLoad && !grows {
		return false
	}
	least := 0
	for _, a := range o.Args {
		least = max(least, h.level[a])
	}
	switch {
	case o.Code == ir.OpLoad:
		least = max(least, f.loads)
		place := o.Args[0].Def
		if place == nil || !analysis.InRange(place) {
			return false
		}
		for least < len(h.loops) && h.written(o, least) {
			least++
		}
	case grows:
		least = max(least, f.grows, h.askedIn())
	case price(o) > maxSpeculated, o.Flags.Has(ir.InBounds):
		least = max(least, f.fixed)
	}
	if least >= len(h.loops) {
		return false
	}
	l := h.loops[least]
	l.before = append(l.before, o)
	for _, r := range o.Results {
		h.level[r] = least
	}
	return true
}

// written reports whether the loop of the given level or one in it writes what
// the load o reads.
func (h *hoister) written(o *ir.Op, level int) bool { return h.loops[level].writes.MayWrite(o) }
