package packet

import (
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/target"
)

// This file decides which loops become vectors for a target that has no vectoriser of its own.

// Loops vectorises the innermost loops of a task for a target that makes no vectors by itself.
//
// Input: a task with addresses. Output: the same, with loops of vectors. If the iterations of the task itself become vectors, with all that
// is in them, the task takes a batch of iterations at a time, and its body has a loop of vectors and a loop of the remaining iterations:
//
//	body(from, to) {
//		for each vector of iterations between from and to { … }
//		for each iteration that is left { … }
//	}
//
// Otherwise inner loops become vectors in the same way. Iterations of a task, and those of a loop with the flag Independent, may run at once.
// Any other loop becomes vectors only if no iteration stores where another one loads or stores. What a loop carries from one iteration to
// the next must be the result of a reduction; a variable of the prologue to which iterations add becomes such a value.
func Loops(t *ir.Task, machine target.Traits, opts option.Options, notes *note.Notes) {
	if t.Body == nil || machine.VectorBits < 128 {
		return
	}
	l := &looper{t: t, machine: machine, opts: opts, notes: notes}
	if !l.task() {
		l.inner(t.Body)
	}
}

// A looper works on one task.
type looper struct {
	t       *ir.Task
	machine target.Traits
	opts    option.Options
	notes   *note.Notes
}

// longestBatch is the largest number of iterations that a task takes at a time. What a batch does before and after its loops hardly counts
// then.
const longestBatch = 1 << 12

// task vectorises the iterations of the task itself, and reports whether it did.
func (l *looper) task() bool {
	t := l.t
	last := len(t.Dims) - 1
	inOrder := len(t.Lists) > 0 && t.Threads == 1 // a serial loop over cells
	if last < 0 || t.Batch > 0 || t.Strip > 0 || inOrder || t.Dims[last].Hi.From == ir.FromList || t.Dims[last].Kind.Size() < 4 || hasVectors(t.Body) {
		return false
	}
	body, nest := t.Body, t.Nest
	t.Body = separated(t)
	loop := batch(t)
	registers(t, loop)
	if a := l.survey(loop, true); len(a.own()) > 0 {
		if b, _ := untied(t.Body, a.own()); b != nil {
			t.Body = b
			loop = firstLoop(b)
		}
	}
	why := l.vectorise(blockOf(t.Body, loop), loop, true)
	if why == nil {
		return true
	}
	t.Body, t.Nest, t.Batch = body, nest, 0
	if !hasLoop(body) {
		l.notes.Say(t.Pos, note.NoPackets, *why)
	}
	return false
}

// firstLoop returns the first loop in b over a range that is neither short nor seldom run.
func firstLoop(b *ir.Block) (first *ir.Op) {
	ir.Visit(b, func(o *ir.Op) bool {
		if first == nil && o.Code == ir.OpFor && !o.Flags.Has(ir.Rolled) {
			first = o
		}
		return first == nil
	})
	return first
}

// hasVectors reports whether b computes vectors.
func hasVectors(b *ir.Block) bool {
	found := false
	ir.Visit(b, func(o *ir.Op) bool {
		for _, r := range o.Results {
			found = found || r.Type.Lanes > 1
		}
		return !found
	})
	return found
}

// batch makes a task take a batch of iterations at a time, and returns the loop over them. If there are two versions of an iteration, one of
// which runs only if a check fails, then the batch has a loop for each, and batch returns that without checks.
func batch(t *ir.Task) *ir.Op {
	old := t.Body
	last := len(t.Dims) - 1
	body := &ir.Block{Params: slices.Clone(old.Params[:last])}
	values := map[*ir.Value]*ir.Value{}
	for i, p := range old.Params[:last] {
		v := &ir.Value{Type: p.Type, Block: body, Index: i, Name: p.Name}
		body.Params[i], values[p] = v, v
	}
	index := old.Params[last]
	from, to := body.AddParam(index.Type, index.Name), body.AddParam(index.Type, "")
	b := ir.NewBuilder(body)
	b.Pos = t.Pos
	loop := func(ops []*ir.Op) *ir.Op {
		o := ir.NewOp(ir.OpFor, t.Pos, nil, from, to)
		c := ir.NewCloner(maps.Clone(values))
		c.Values[index] = o.Regions[0].AddParam(index.Type, index.Name)
		o.Regions[0].Ops = ended(c.List(ops), o)
		b.Emit(o)
		return o
	}
	var first *ir.Op
	if choice := choiceOf(t); choice == nil {
		first = loop(old.Ops)
	} else {
		end := old.Ops[len(old.Ops)-1:]
		version := func(i int) []*ir.Op {
			ops := choice.Regions[i].Ops
			return append(slices.Clip(ops[:len(ops)-1]), end...)
		}
		b.If(choice.Args[0], nil, func() {
			first = loop(version(0))
			b.Yield()
		}, func() {
			loop(version(1)).Flags |= ir.Rolled
			b.Yield()
		})
	}
	b.Jump(ir.OpContinue, nil)
	t.Body, t.Nest, t.Batch = body, nil, longestBatch
	return first
}

// choiceOf returns the if between the two versions of an iteration; nil if there is only one. The prologue computes its condition.
func choiceOf(t *ir.Task) *ir.Op {
	ops := t.Body.Ops
	if len(ops) != 2 || ops[0].Code != ir.OpIf || len(ops[0].Results) > 0 || ops[1].Code != ir.OpContinue || t.Prologue == nil {
		return nil
	}
	choice := ops[0]
	if !slices.Contains(t.Prologue.Ops, choice.Args[0].Def) || !hasFail(choice.Regions[1]) || hasFail(choice.Regions[0]) {
		return nil
	}
	for _, r := range choice.Regions {
		if r.Terminator().Code != ir.OpYield {
			return nil
		}
	}
	return choice
}

// hasFail reports whether b has a check that may fail.
func hasFail(b *ir.Block) bool {
	found := false
	ir.Visit(b, func(o *ir.Op) bool {
		found = found || o.Code == ir.OpFail
		return !found
	})
	return found
}

// ended returns the ops of an iteration as those of the body of a loop. An iteration that may end early becomes a block, which it leaves.
func ended(ops []*ir.Op, loop *ir.Op) []*ir.Op {
	last := ops[len(ops)-1]
	early := 0
	ir.Visit(&ir.Block{Ops: ops}, func(o *ir.Op) bool {
		if o.Code == ir.OpContinue && o.Target == nil {
			early++
		}
		return true
	})
	last.Target = loop
	if early == 1 {
		return ops
	}
	block := ir.NewOp(ir.OpBlock, last.Pos, nil)
	inside := block.Regions[0]
	inside.Ops = append(ops[:len(ops)-1:len(ops)-1], ir.NewOp(ir.OpYield, last.Pos, nil))
	ir.Visit(inside, func(o *ir.Op) bool {
		if o.Code == ir.OpContinue && o.Target == nil {
			o.Code, o.Target = ir.OpBreak, block
		}
		return true
	})
	return []*ir.Op{block, last}
}

// inner vectorises the innermost loops in b.
func (l *looper) inner(b *ir.Block) {
	for _, o := range slices.Clone(b.Ops) {
		if o.Code == ir.OpFor && !o.Flags.Has(ir.Rolled) && !hasLoop(o.Regions[0]) && !hasVectors(o.Regions[0]) {
			registers(l.t, o)
			if why := l.vectorise(b, o, o.Flags.Has(ir.Independent)); why != nil {
				l.notes.Say(o.Pos, note.NoPackets, *why)
			}
			continue
		}
		for _, r := range o.Regions {
			l.inner(r)
		}
	}
}

// survey finds the values that vary between the iterations of a loop.
func (l *looper) survey(loop *ir.Op, task bool) *packetInfo {
	a := surveyLoop(l.t, loop, l.machine, l.opts)
	if !task {
		a.kept = nil
	}
	return a
}

// vectorise replaces a loop in b by a loop of vectors and one of the remaining iterations, or says why not. Independent means that its
// iterations may run at once.
func (l *looper) vectorise(b *ir.Block, loop *ir.Op, independent bool) *note.Cause {
	a := l.survey(loop, l.isBatch(loop))
	if why := a.leavesEarly(loop); why != nil {
		return why
	}
	if !a.fits(loop.Regions[0], loop, false) {
		return a.cause(loop)
	}
	if len(a.sums) > 0 && len(a.kept) == 0 {
		return causeAt(note.CarriesValue, loop)
	}
	var reduced []ir.Code
	for i := range loop.Args[2:] {
		code, why := a.reduction(loop, i)
		if why != nil {
			return why
		}
		reduced = append(reduced, code)
	}
	if !independent {
		if o := a.dependence(loop); o != nil {
			return causeAt(note.NextReads, o)
		}
	}
	a.grouped = map[*ir.Op]*components{}
	a.findComponents(loop.Regions[0])
	a.findNeeded(loop)
	widths, why := l.widths(a, loop)
	if why != nil {
		return why
	}
	w := &loopWriter{looper: l, a: a, loop: loop, reduced: reduced}
	ops := w.write(widths)
	i := slices.Index(b.Ops, loop)
	b.Ops = slices.Replace(b.Ops, i, i+1, ops...)
	for _, s := range a.kept {
		(&packer{packetInfo: a, lanes: widths[0]}).widen(s)
	}
	l.notes.Say(loop.Pos, note.Packets, slices.Max(widths))
	return nil
}

// isBatch reports whether a loop is that over a batch of iterations of the task.
func (l *looper) isBatch(loop *ir.Op) bool {
	return l.t.Batch > 0 && loop.Args[1].Block == l.t.Body
}

// causeAt is a reason with the place of an op.
func causeAt(why note.Reason, o *ir.Op) *note.Cause {
	c := why.With().At(o.Pos)
	return &c
}

// cause is why fits has refused the loop.
func (a *packetInfo) cause(loop *ir.Op) *note.Cause {
	if a.why != nil {
		return a.why
	}
	return causeAt(note.FarApart, loop)
}

// leavesEarly finds what ends a loop before its last iteration.
func (a *packetInfo) leavesEarly(loop *ir.Op) (why *note.Cause) {
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		if o.Code == ir.OpBreak && o.Target == loop || o.Code == ir.OpReturn {
			why = causeAt(note.EndsEarly, o)
		}
		return why == nil
	})
	return why
}
