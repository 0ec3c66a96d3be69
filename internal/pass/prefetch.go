package pass

import (
	"cmp"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/split"
	"github.com/gotaichi/ti/internal/target"
)

// prefetch loads the memory of a block into the caches before a loop over its cells.
//
// Input: the task of a loop over the cells of a tree, with addresses. Output: the same, with prefetches of all lines of the entry's
// block that every iteration accesses, in the order of memory, if these lines lie in several pieces, as the lines of several fields
// do. Hardware prefetchers detect sequential accesses, but not accesses that alternate between pieces of a page. The blocks of a list
// are contiguous, since they are allocated in the order of their activation, so prefetches in this order are sequential.
func prefetch(t *ir.Task, opts *Options) {
	if len(t.Lists) == 0 {
		return
	}
	at := slices.IndexFunc(t.Body.Ops, func(o *ir.Op) bool {
		return o.Code == ir.OpEntry && o.Results[0].Type.Kind == ir.Ptr
	})
	loops := 0
	for _, o := range t.Body.Ops {
		if o.Code == ir.OpFor {
			loops++
		}
	}
	if at < 0 || loops > 1 { // a block in several pieces waits less for memory
		return
	}
	ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0))
	f := &prefetcher{r: analysis.RangesOf(t, opts.Without), block: t.Body.Ops[at].Results[0]}
	all := f.askFor(t.Body, at+1, false)
	asked := all
	for _, o := range t.Body.Ops { // the versions with and without scratch, or with all cells active
		if o.Code == ir.OpIf && !all {
			asked = f.askFor(o.Regions[0], 0, true) || asked
		}
	}
	if asked {
		f.askForNext(t.Body, at)
	}
}

// askFor inserts prefetches of the memory that b accesses before its op number at. If some is set, conditional accesses count, too:
// scratch is used for blocks with enough active cells, whose computation is long enough to hide the prefetches.
func (f *prefetcher) askFor(b *ir.Block, at int, some bool) (asked bool) {
	f.pieces, f.some = nil, some
	f.look(b, 1)
	ask := ir.NewBuilder(&ir.Block{})
	ask.Pos = b.Ops[0].Pos
	pieces := f.merged()
	for _, p := range pieces {
		f.ask(ask, p)
	}
	b.Ops = slices.Insert(b.Ops, at, ask.Block.Ops...)
	return len(pieces) > 0
}

// askForNext inserts prefetches of the next entry's block after op number at, which reads the address of the current one. It
// prefetches the lines that the iteration accesses first, such as the bits of a mask, on which the later accesses depend. The list has
// an address after its last entry, too.
func (f *prefetcher) askForNext(b *ir.Block, at int) {
	var lines []int64
	for _, o := range b.Ops {
		if o.Code != ir.OpLoad {
			continue
		}
		if root, off, ok := fixedOffset(o.Args[0]); ok && root == f.block && off >= 0 {
			lines = append(lines, off/target.LineBytes)
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if len(lines) == 0 || len(lines) > mostNext {
		return
	}
	i64 := ir.Scalar(ir.I64)
	ask := ir.NewBuilder(&ir.Block{})
	ask.Pos = b.Ops[at].Pos
	this := b.Ops[at]
	next := ir.NewOp(ir.OpEntry, this.Pos, []ir.Type{ir.Scalar(ir.Ptr)}, ask.NoWrap(ir.OpAdd, this.Args[0], ask.Int(i64, 1)))
	next.Aux, next.Bits, next.Stride = this.Aux, this.Bits, this.Stride
	block := ask.Emit(next)
	for _, l := range lines {
		ask.Op(ir.OpPrefetch, ask.Op(ir.OpOffset, block, ask.Int(i64, l*target.LineBytes)))
	}
	b.Ops = slices.Insert(b.Ops, at+1, ask.Block.Ops...)
}

// fixedOffset splits p into a value and a constant.
func fixedOffset(p *ir.Value) (root *ir.Value, off int64, ok bool) {
	for p.Def != nil && p.Def.Code == ir.OpOffset {
		n, constant := ir.IntOf(p.Def.Args[1])
		if !constant {
			return nil, 0, false
		}
		off += n
		p = p.Def.Args[0]
	}
	return p, off, true
}

// Bounds of prefetching. The number of lines is limited, so that prefetches evict little from the first-level cache.
const (
	leastPrefetch = 8
	mostPrefetch  = 128
	mostNext      = 4
)

type prefetcher struct {
	r      *analysis.RangeInfo
	block  *ir.Value
	some   bool
	pieces []piece // of the block, in bytes
}

// look notes the pieces that b accesses in any case or, if some is set, under conditions. b runs count times.
func (f *prefetcher) look(b *ir.Block, count int64) {
	for _, o := range b.Ops {
		switch o.Code {
		case ir.OpFor:
			lo, ok1 := ir.IntOf(o.Args[0])
			hi, ok2 := ir.IntOf(o.Args[1])
			if ok1 && ok2 && lo < hi && hi-lo <= split.MostInside {
				f.look(o.Regions[0], min(count, split.MostInside)*(hi-lo))
			}
		case ir.OpBlock:
			f.look(o.Regions[0], count)
		case ir.OpIf:
			if f.some {
				f.look(o.Regions[0], count)
				continue
			}
			f.pieces = append(f.pieces, f.both(o, count)...)
		case ir.OpLoad:
			f.access(o.Args[0], o.Results[0].Type, count)
		case ir.OpStore:
			f.access(o.Args[0], o.Args[1].Type, count)
		}
	}
}

// both returns the pieces that both regions of an if access, so that the if accesses them in any case.
func (f *prefetcher) both(o *ir.Op, count int64) []piece {
	before := f.pieces
	var found [2][]piece
	for i, r := range o.Regions {
		f.pieces = nil
		f.look(r, count)
		found[i] = f.pieces
	}
	f.pieces = before
	return slices.DeleteFunc(found[0], func(p piece) bool {
		return !slices.ContainsFunc(found[1], func(q piece) bool { return q.lo <= p.lo && p.hi <= q.hi })
	})
}

// access notes the piece that count accesses at p cover, if they leave no line out.
func (f *prefetcher) access(p *ir.Value, t ir.Type, count int64) {
	x := analysis.Linear{}
	for p.Def != nil && p.Def.Code == ir.OpOffset {
		x = x.Plus(f.r.LinearOf(p.Def.Args[1]), 1)
		p = p.Def.Args[0]
	}
	at, ok := f.r.Interval(x)
	if p != f.block || !ok || at.Any || at.Lo < 0 || at.Hi-at.Lo > mostPrefetch*target.LineBytes || at.Hi-at.Lo >= count*target.LineBytes {
		return
	}
	f.pieces = append(f.pieces, piece{at.Lo, at.Hi + int64(t.Kind.Size())*int64(t.Lanes)})
}

// merged returns the pieces in the order of memory, without overlaps; none if prefetches do not pay.
func (f *prefetcher) merged() []piece {
	slices.SortFunc(f.pieces, func(a, b piece) int { return cmp.Compare(a.lo, b.lo) })
	var all []piece
	turns, lines := 0, int64(0)
	for _, p := range f.pieces {
		last := len(all) - 1
		if last >= 0 && p.lo < all[last].hi {
			all[last].hi = max(all[last].hi, p.hi)
			continue
		}
		turns++
		if last >= 0 && p.lo <= all[last].hi+target.LineBytes {
			all[last].hi = p.hi
			continue
		}
		all = append(all, p)
	}
	for _, p := range all {
		lines += (p.hi - p.lo + target.LineBytes - 1) / target.LineBytes
	}
	if turns < 2 || lines < leastPrefetch || lines > mostPrefetch {
		return nil
	}
	return all
}

// ask appends the prefetches of a piece.
func (f *prefetcher) ask(b *ir.Builder, p piece) {
	i64 := ir.Scalar(ir.I64)
	loop := ir.NewOp(ir.OpFor, b.Pos, nil, b.Int(i64, 0), b.Int(i64, (p.hi-p.lo+target.LineBytes-1)/target.LineBytes))
	loop.Flags = ir.Rolled // a loop of one instruction over sequential memory
	n := loop.Regions[0].AddParam(i64, "")
	b.Emit(loop)
	b.In(loop.Regions[0], func() {
		line := b.Op(ir.OpOffset, f.block, b.NoWrap(ir.OpMul, n, b.Int(i64, target.LineBytes)))
		b.Op(ir.OpPrefetch, b.Op(ir.OpOffset, line, b.Int(i64, p.lo)))
		b.Jump(ir.OpContinue, loop)
	})
}

// A piece is memory from lo to below hi.
type piece struct{ lo, hi int64 }
