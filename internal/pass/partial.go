package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/access"
	"github.com/gotaichi/ti/internal/pass/note"
)

// partials merges the accumulators of a task in an order that does not depend on threads: each chunk of iterations stores its
// accumulators, and a helper task adds them to their places, chunk by chunk.
type partials struct {
	k     *ir.Kernel
	t     *ir.Task
	merge *ir.Task // nil if there is nothing to merge
	b     *ir.Builder
	from  *ir.Value // in merge: the address of the accumulators of a chunk
	words int64
}

// maxChunks is above the number of chunks that the engine makes of a task with fixed chunks.
const maxChunks = 1 << 16

// lineWords is the number of 64-bit words in a cache line. The accumulators of each chunk begin at a line, as every base address does.
const lineWords = 8

// add stores the accumulator of c in the epilogue of a chunk, and appends to the helper task an update of its place.
func (p *partials) add(c *cell, epi *ir.Builder) {
	if p.merge == nil {
		p.begin()
	}
	offset := func(b *ir.Builder, base *ir.Value) *ir.Value {
		return b.Op(ir.OpOffset, base, b.Int(ir.Scalar(ir.I64), 8*p.words))
	}
	sum := c.sum(epi)
	epi.Store(offset(epi, p.base(epi)), sum)
	p.b.Pos = c.place.Pos
	p.b.Atomic(c.kind, copyPlace(p.b, c.place), p.b.Load(c.typ, offset(p.b, p.from)))
	p.words++
}

// base appends the address of the stored accumulators.
func (p *partials) base(b *ir.Builder) *ir.Value {
	return b.Emit(access.BaseOp(p.t.Partial.Scratch, p.t.Pos))
}

// begin makes the helper task.
func (p *partials) begin() {
	m := mergeAfter(p.t, maxChunks)
	m.Index = len(p.k.Tasks)
	ir.NewBuilder(m.Prologue).Yield()
	p.t.Partial = &ir.Partial{Scratch: len(p.k.Bases), Merge: m.Index}
	p.k.Bases = append(p.k.Bases, -1)
	p.k.Tasks = append(p.k.Tasks, m)
	p.merge, p.b = m, ir.NewBuilder(m.Body)
	p.b.Pos = p.t.Pos
	chunk := m.Body.AddParam(ir.Scalar(ir.I64), "chunk")
	// The stride between chunks is known at the end; see finish.
	stride := p.b.Int(ir.Scalar(ir.I64), 0)
	p.from = p.b.Op(ir.OpOffset, p.base(p.b), p.b.Op(ir.OpMul, chunk, stride))
}

// finish sets the stride between chunks.
func (p *partials) finish() {
	if p.merge == nil {
		return
	}
	words := (p.words + lineWords - 1) / lineWords * lineWords
	p.t.Partial.Words = int(words)
	p.from.Def.Args[1].Def.Args[1].Def.Bits = uint64(8 * words)
	p.b.Jump(ir.OpContinue, nil)
}

// orderless reports whether the results of updates by a, of numbers of kind k, do not depend on their order, to the last bit.
func orderless(a ir.AtomicKind, k ir.Kind) bool {
	switch a {
	case ir.AtomicXchg, ir.AtomicCAS, ir.AtomicDiv, ir.AtomicLoad, ir.AtomicNone:
		return false
	}
	return !k.IsFloat() // even a minimum depends on the order, because of zeros and NaNs
}

// serialise makes a loop run in order on one thread if its results could depend on the order.
//
// Input: a range task with places. Output: the same, with Threads 1 if it still has an atomic whose old value is used, or whose result
// depends on the order of updates.
func serialise(s *state, t *ir.Task) {
	if len(t.Dims) == 0 {
		return
	}
	used := usedValues(t)
	ir.Visit(t.Body, func(o *ir.Op) bool {
		if o.Code == ir.OpAppend && !o.Flags.Has(ir.NonAtomic) {
			t.Threads = 1
			s.opts.Notes.Say(o.Pos, note.AppendsInOrder)
			return true
		}
		if o.Code != ir.OpAtomic || o.Flags.Has(ir.NonAtomic) {
			return true
		}
		if used[o.Results[0]] || !orderless(o.Atomic, o.Results[0].Type.Kind) {
			t.Threads = 1
			s.opts.Notes.Say(o.Pos, note.UpdateInOrder)
		}
		return true
	})
}
