package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// A stored line of memory is read into the caches first, unless it is written past them as a
// whole. Past them it saves a third of the traffic of a loop with one stream in and one out, but
// who reads it next finds it in no cache. So it pays for more than would have stayed there until
// then: leastStreamed is one and a half times the cache that four to eight cores commonly share.
// A row must have leastStreamedRow bytes, as the lines at its ends are stored in part.
const (
	leastStreamed    = 48 << 20
	leastStreamedRow = 512
	mostStreamed     = 4096 // bytes that an iteration may write to one piece of memory
)

// streamStores flags the stores of loops that fill much memory of which they read nothing.
//
// Input: a task as the back end takes it but for polls. Output: the same, with the flag Streamed
// on stores that may be written past the caches. These are made by each iteration; those to
// addresses that differ by constants fill what lies between one iteration and the next, so that
// a row of iterations fills one piece of memory; and nothing else in the task accesses their
// fields, so that it does not matter when in the task they take place.
func streamStores(k *ir.Kernel, t *ir.Task, opts *Options) {
	n, row := constantExtents(t)
	if n == 0 || len(t.Lists) > 0 || !storesCanWait(t.Body) {
		return
	}
	least, leastRow := streamLimits(opts)
	fills := slices.DeleteFunc(ir.FillsOf(t, func(o *ir.Op) bool { return mayStream(t, o) }), func(s ir.Fill) bool {
		return s.Stride*row < leastRow || !inLines(s.Stride)
	})
	if filled(fills, n) < least { // most loops, which are not looked at op by op then
		return
	}
	fills = slices.DeleteFunc(fills, func(s ir.Fill) bool { return accessedOtherwise(t, &s, row) })
	if filled(fills, n) < least {
		return
	}
	for _, s := range fills {
		for _, o := range s.Stores {
			o.Flags |= ir.Streamed
		}
		tellStreamed(k, &s, opts.Notes)
	}
}

// streamLimits is how many bytes a loop must fill, and how many a row of it.
func streamLimits(opts *Options) (least, leastRow int64) {
	if opts.StreamFrom > 0 {
		return int64(opts.StreamFrom), 0
	}
	return leastStreamed, leastStreamedRow
}

// constantExtents returns the number of iterations of t and that of a row, 0 if they are not
// known or too many.
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

// storesCanWait reports whether every iteration reaches its end, soon, and tells no one before
// what it has stored.
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

// mayStream reports whether a store goes to a tree that all threads share, in whole and as one
// of few.
func mayStream(t *ir.Task, o *ir.Op) bool {
	m := ir.MemoryOf(o.Args[0])
	return o.Alias != 0 && m != nil && m.Code == ir.OpBase &&
		!slices.ContainsFunc(t.Private, func(p ir.Private) bool { return int64(p.Base) == m.Aux })
}

// inLines reports whether lines of memory begin where iterations do.
func inLines(stride int64) bool {
	return stride <= mostStreamed && (stride%lineBytes == 0 || lineBytes%stride == 0)
}

// filled is how many bytes n iterations fill.
func filled(fills []ir.Fill, n int64) (bytes int64) {
	for _, s := range fills {
		bytes += s.Stride * n
	}
	return bytes
}

// accessedOtherwise reports whether something in the task beside the stores of s may access the
// same memory.
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

// mayMeet reports whether o may access memory that s fills in a row. What is in the same tree does
// so only if it is of the same field.
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

// tellStreamed notes which fields are streamed.
func tellStreamed(k *ir.Kernel, s *ir.Fill, notes *note.Notes) {
	for i, o := range s.Stores {
		if notes == nil || slices.ContainsFunc(s.Stores[:i], func(p *ir.Op) bool { return p.Alias == o.Alias }) {
			continue
		}
		for _, f := range k.Fields {
			if o.Alias == int32(f.Index+1) {
				notes.Say(o.Pos, note.Streamed, f.Name)
			}
		}
	}
}
