package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/target"
)

// A store loads its line into the caches first, unless it bypasses the caches and writes the whole line. Bypassing saves a third of the
// traffic of a loop that reads one stream and writes another, but the next reader does not find the line in a cache. So it pays for more
// memory than the caches would hold until then: leastStreamed is one and a half times the cache that four to eight cores commonly
// share. A row must have leastStreamedRow bytes, since the lines at its ends are written in part.
const (
	leastStreamed    = 48 << 20
	leastStreamedRow = 512
	mostStreamed     = 4096 // the most bytes that an iteration may write to one piece of memory
)

// streamStores flags the stores of loops that fill much memory which they do not read.
//
// Input: a task as the back end gets it, without polls. Output: the same, with the flag Streamed on stores that may bypass the
// caches. Each iteration makes these stores. Those to addresses that differ by constants fill the memory between one iteration and
// the next, so that a row of iterations fills a contiguous piece; and nothing else in the task accesses their fields, so that it does
// not matter when in the task they take place.
func streamStores(k *ir.Kernel, t *ir.Task, opts *Options) {
	n, row := constantExtents(t)
	if n == 0 || len(t.Lists) > 0 || t.Batch > 0 || !storesCanWait(t.Body) {
		return
	}
	least, leastRow := streamLimits(opts)
	streamLines(k, t, n, least, opts.Notes)
	fills := slices.DeleteFunc(ir.FillsOf(t, func(o *ir.Op) bool { return mayStream(t, o) && !ir.FillsLines(o, target.LineBytes) }), func(s ir.Fill) bool {
		return s.Stride*row < leastRow || !inLines(s.Stride)
	})
	if filled(fills, n) < least { // most loops are rejected here, without a visit of their ops
		return
	}
	fills = slices.DeleteFunc(fills, func(s ir.Fill) bool { return accessedOtherwise(t, &s, row) })
	if filled(fills, n) < least {
		return
	}
	for _, s := range fills {
		flagStreamed(k, s.Stores, opts.Notes)
	}
}

// streamLines flags stores of vectors that are whole lines, such as those of planes of blocks.
func streamLines(k *ir.Kernel, t *ir.Task, n, least int64, notes *note.Notes) {
	fields := lineStores(t)
	filled := int64(0)
	for _, stores := range fields {
		for _, o := range stores {
			v := o.Args[1].Type
			filled += n * int64(v.Kind.Size()) * int64(v.Lanes)
		}
	}
	if filled < least {
		return
	}
	for _, stores := range fields {
		flagStreamed(k, stores, notes)
	}
}

// lineStores returns the stores of whole lines, grouped by field. A field counts only if the task has no other accesses to it, except
// masked stores in the other region of a condition.
func lineStores(t *ir.Task) (fields [][]*ir.Op) {
	masked := map[*ir.Op]bool{}
	for _, o := range t.Body.Ops {
		if o.Code == ir.OpIf {
			for _, p := range o.Regions[1].Ops {
				masked[p] = p.Code == ir.OpStore && len(p.Args) == 3
			}
		}
	}
	lines, other := map[int32][]*ir.Op{}, map[int32]bool{}
	var classes []int32
	ir.Visit(t.Body, func(o *ir.Op) bool {
		again := func(p *ir.Op) bool { return p.Args[0] == o.Args[0] }
		switch {
		case o.Code == ir.OpStore && ir.FillsLines(o, target.LineBytes) && mayStream(t, o) && !slices.ContainsFunc(lines[o.Alias], again):
			if lines[o.Alias] == nil {
				classes = append(classes, o.Alias)
			}
			lines[o.Alias] = append(lines[o.Alias], o)
		case o.Code == ir.OpLoad, o.Code == ir.OpAtomic, o.Code == ir.OpStore && !masked[o]:
			other[o.Alias] = true
		}
		return true
	})
	for _, class := range classes {
		if !other[class] && !other[0] {
			fields = append(fields, lines[class])
		}
	}
	return fields
}

// flagStreamed flags stores.
func flagStreamed(k *ir.Kernel, stores []*ir.Op, notes *note.Notes) {
	for _, o := range stores {
		o.Flags |= ir.Streamed
	}
	tellStreamed(k, stores, notes)
}

// streamLimits returns the fewest bytes that a loop must fill, and the fewest of a row.
func streamLimits(opts *Options) (least, leastRow int64) {
	if opts.StreamFrom > 0 {
		return int64(opts.StreamFrom), 0
	}
	return leastStreamed, leastStreamedRow
}

// constantExtents returns the number of iterations of t and of a row; 0 if they are unknown or too many.
func constantExtents(t *ir.Task) (n, row int64) {
	const most = 1 << 40
	if len(t.Dims) == 0 {
		return 0, 0
	}
	n = 1
	for _, d := range t.Dims {
		row = d.Hi.Const - d.Lo.Const
		if d.Lo.From != ir.FromConst || d.Hi.From != ir.FromConst || row <= 0 || row > most/n {
			return 0, 0
		}
		n *= row
	}
	return n, row
}

// storesCanWait reports whether every iteration reaches its end in short time, and notifies no other thread of its stores before.
func storesCanWait(body *ir.Block) bool {
	ok := true
	ir.Visit(body, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpLoad, ir.OpStore:
			ok = ok && o.Order == ir.Plain
		case ir.OpAtomic, ir.OpAlloc, ir.OpIf, ir.OpYield:
		case ir.OpContinue:
			ok = ok && o.Target == nil
		default:
			ok = ok && o.Code.Is(ir.Pure)
		}
		return ok
	})
	return ok
}

// mayStream reports whether a store is to a tree that all threads share, not to a private copy.
func mayStream(t *ir.Task, o *ir.Op) bool {
	m := ir.MemoryOf(o.Args[0])
	return o.Alias != 0 && m != nil && m.Code == ir.OpBase &&
		!slices.ContainsFunc(t.Private, func(p ir.Private) bool { return int64(p.Base) == m.Aux })
}

// inLines reports whether iterations stay aligned with cache lines, and write at most mostStreamed bytes.
func inLines(stride int64) bool {
	return stride <= mostStreamed && (stride%target.LineBytes == 0 || target.LineBytes%stride == 0)
}

// filled is the number of bytes that n iterations fill.
func filled(fills []ir.Fill, n int64) (bytes int64) {
	for _, s := range fills {
		bytes += s.Stride * n
	}
	return bytes
}

// accessedOtherwise reports whether ops of the task other than the stores of s may access the same memory.
func accessedOtherwise(t *ir.Task, s *ir.Fill, row int64) (found bool) {
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			switch o.Code {
			case ir.OpLoad, ir.OpStore, ir.OpAtomic:
				found = found || !slices.Contains(s.Stores, o) && mayMeet(s, o, row)
			}
			return !found
		})
	}
	return found
}

// mayMeet reports whether o may access memory that s fills in a row. Accesses to the same tree overlap only if they are to the same
// field.
func mayMeet(s *ir.Fill, o *ir.Op, row int64) bool {
	if root, off := ir.FixedOffset(o.Args[0]); o.Code == ir.OpStore && root == s.Root {
		return max(off-s.Low, s.Low-off) < s.Stride*row
	}
	if m := ir.MemoryOf(o.Args[0]); m != nil {
		switch m.Code {
		case ir.OpAlloc, ir.OpCell, ir.OpFrame:
			return false
		case ir.OpBase:
			if m.Aux != ir.MemoryOf(s.Root).Aux {
				return false
			}
		}
	}
	return o.Alias == 0 || slices.ContainsFunc(s.Stores, func(p *ir.Op) bool { return p.Alias == o.Alias })
}

// tellStreamed notes the fields whose stores bypass the caches.
func tellStreamed(k *ir.Kernel, stores []*ir.Op, notes *note.Notes) {
	for i, o := range stores {
		if notes == nil || slices.ContainsFunc(stores[:i], func(p *ir.Op) bool { return p.Alias == o.Alias }) {
			continue
		}
		for _, f := range k.Fields {
			if o.Alias == int32(f.Index+1) {
				notes.Say(o.Pos, note.Streamed, f.Name)
			}
		}
	}
}
