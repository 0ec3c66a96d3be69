package versioning

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// Limits of Predication: ops of a loop that is copied, and comparisons at the start of a task.
const (
	mostPredicated = 400 // a stencil of 27 points has some 300
	mostPredicates = 24
	mostGuards     = 8 // comparisons before one inner loop
	fewestGuarded  = 4 // fewest iterations of an inner loop
)

// Predication tests once, at the start of a task, whether all iterations pass their index checks, and makes a version of innermost
// loops without checks for that case. That version can be vectorised; the version with checks runs only in launches that fail.
//
// Input: a task with addresses, whose checks are ifs with a fail. Output: the same. If nothing but checks prevents vectors in an
// innermost loop, and every check compares a sum of loop indices with a limit that is known at the start, the loop becomes
//
//	if %all { loop without checks } else { loop }
//
// and so does the body of a task without inner loops, which LLVM's loop unswitching splits into two loops. All, in the prologue, is
// the conjunction of the comparisons for the ends of the ranges of the indices.
//
// The versions are the safe regions of Midkiff, Moreira and Snir, "Optimizing Array Reference Checking in Java Programs", IBM Systems
// Journal 37(3), 1998, but a region is the whole loop or empty.
//
// If the indices of an inner loop depend on values that are known only where it starts, such as a range of a list that is read from
// memory, the test is before that loop; see guard.
func Predication(t *ir.Task, opts option.Options, notes *note.Notes) {
	if t.Body == nil || len(t.Dims) == 0 || opts.Unchecked {
		return
	}
	ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0))
	p := &predication{t: t, r: analysis.RangesOf(t, opts.Without), atStart: map[*ir.Value]bool{}, dims: map[*ir.Value]ir.Dim{},
		serial: map[*ir.Value]*ir.Op{}, made: map[string]bool{}}
	for _, o := range t.Prologue.Ops {
		for _, v := range o.Results {
			p.atStart[v] = true
		}
	}
	for i, v := range t.Body.Params {
		p.dims[v] = t.Dims[i]
	}
	p.loop(t.Body, nil, nil)
	if len(p.loops) > 0 && len(p.all) <= mostPredicates {
		p.versions(notes)
	}
	for _, l := range p.others {
		p.guard(l, notes)
	}
}

// versions makes versions of the loops that one test at the start of the task covers.
func (p *predication) versions(notes *note.Notes) {
	all := p.conjunction()
	for _, l := range p.loops {
		if l.op == nil {
			l.versionBody(all)
		} else {
			l.version(all)
		}
		l.say(notes)
	}
}

// say notes that one test before the loop replaces the checks of l.
func (l checkedLoop) say(notes *note.Notes) {
	for _, c := range l.checks {
		notes.CheckedAs(note.CheckedOnce, c.Pos)
	}
}

// guard puts a test before an inner loop, if its bounds and the other terms of its indices prove all checks of all its iterations. The
// version with checks is not optimised, since it runs only if a check fails.
func (p *predication) guard(l checkedLoop, notes *note.Notes) {
	lo, ok1 := ir.IntOf(l.op.Args[0])
	hi, ok2 := ir.IntOf(l.op.Args[1])
	if ok1 && ok2 && hi-lo < fewestGuarded {
		return
	}
	q := &predication{t: p.t, r: p.r, inside: analysis.LoopBodyOf(l.op.Regions[0]).Inside,
		serial: map[*ir.Value]*ir.Op{l.op.Regions[0].Params[0]: l.op}, made: map[string]bool{}}
	if !q.provable(l.checks) || len(q.all) == 0 || len(q.all) > mostGuards {
		return
	}
	b := ir.NewBuilder(&ir.Block{})
	b.Pos = l.op.Pos
	all := q.conjoin(b)
	at := slices.Index(l.in.Ops, l.op)
	l.version(all)
	l.in.Ops = slices.Insert(l.in.Ops, at, b.Block.Ops...)
	l.op.Flags |= ir.Rolled
	l.say(notes)
}

// A predication is the state of the pass for a task.
type predication struct {
	t       *ir.Task
	r       *analysis.RangeInfo
	atStart map[*ir.Value]bool   // values of the prologue
	inside  map[*ir.Value]bool   // if not nil, all other values are known where the test is
	dims    map[*ir.Value]ir.Dim // the dims of indices of the task
	serial  map[*ir.Value]*ir.Op // the loops of indices of serial loops
	loops   []checkedLoop        // those that get a version
	others  []checkedLoop        // inner loops with checks that a test at the start of the task cannot cover
	all     []comparison         // the comparisons for all of them
	made    map[string]bool      // keys of the comparisons
}

// A checkedLoop is an innermost loop whose checks one test before it can cover.
type checkedLoop struct {
	op     *ir.Op    // nil for the iterations of the task
	in     *ir.Block // the block with op, or the body of the task
	checks []*ir.Op  // ifs with a region that fails
}

// version replaces l by an if between a copy without checks and l.
func (l checkedLoop) version(all *ir.Value) {
	c := ir.NewCloner(nil)
	fast := c.Op(l.op)
	types := make([]ir.Type, len(l.op.Results))
	for i, v := range l.op.Results {
		types[i] = v.Type
	}
	choice := ir.NewOp(ir.OpIf, l.op.Pos, types, all)
	l.in.Ops[slices.Index(l.in.Ops, l.op)] = choice

	// Uses of the loop's results become uses of the if's results.
	choice.Results, l.op.Results = l.op.Results, choice.Results
	for _, o := range []*ir.Op{choice, l.op} {
		for i, v := range o.Results {
			v.Def, v.Index = o, i
		}
	}
	for i, o := range []*ir.Op{fast, l.op} {
		b := ir.NewBuilder(choice.Regions[i])
		b.Pos = l.op.Pos
		b.Emit(o)
		b.Yield(o.Results...)
	}
	DropChecks(choice.Regions[0], copiesOf(l.checks, c))
}

// versionBody does the same with the body of a task.
func (l checkedLoop) versionBody(all *ir.Value) {
	last := len(l.in.Ops) - 1
	end := l.in.Ops[last]
	c := ir.NewCloner(nil)
	sides := [2][]*ir.Op{c.List(l.in.Ops[:last]), l.in.Ops[:last:last]}
	l.in.Ops = nil
	b := ir.NewBuilder(l.in)
	b.Pos = end.Pos
	choice := ir.NewOp(ir.OpIf, end.Pos, nil, all)
	b.Emit(choice)
	b.Emit(end)
	for i, ops := range sides {
		b.In(choice.Regions[i], func() {
			b.Block.Ops = ops
			b.Yield()
		})
	}
	DropChecks(choice.Regions[0], copiesOf(l.checks, c))
}

// loop finds the checks of a loop with this body, after those of the loops inside. Op is the loop, in the block in; it is nil for the
// body of the task.
func (p *predication) loop(body *ir.Block, op *ir.Op, in *ir.Block) {
	l, vectors, size := checkedLoop{op: op, in: in}, true, 0
	if op == nil {
		l.in = body
	}
	var descent func(b *ir.Block)
	descent = func(b *ir.Block) {
		for _, o := range b.Ops {
			size++
			if o.Code.Is(ir.Loop) {
				vectors = false // the loop around it cannot be vectorised
				if o.Code == ir.OpFor {
					p.serial[o.Regions[0].Params[0]] = o
				}
				p.loop(o.Regions[0], o, b)
				continue
			}
			if _, serial := note.Obstacles[o.Code]; serial && o.Code != ir.OpFail {
				vectors = false
			}
			if o.Code == ir.OpIf && Fails(o.Regions[1]) {
				l.checks = append(l.checks, o)
			}
			for _, region := range o.Regions {
				descent(region)
			}
		}
	}
	descent(body)
	if !vectors || size > mostPredicated || len(l.checks) == 0 {
		return
	}
	if p.provable(l.checks) {
		p.loops = append(p.loops, l)
	} else if op != nil && op.Code == ir.OpFor {
		p.others = append(p.others, l)
	}
}

// provable reports whether one test can cover all checks, and records the comparisons.
func (p *predication) provable(checks []*ir.Op) bool {
	all := p.all[:len(p.all):len(p.all)]
	var keys []string
	for _, c := range checks {
		more, ok := p.condition(c.Args[0])
		if !ok {
			return false
		}
		for _, m := range more {
			if m.key = m.describe(); !p.made[m.key] && !slices.Contains(keys, m.key) {
				keys, all = append(keys, m.key), append(all, m)
			}
		}
	}
	for _, k := range keys {
		p.made[k] = true
	}
	p.all = all
	return true
}
