package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// scattered marks loops that read a sparse tree at places that are far apart.
//
// Input: a task with addresses. Output: the same, with the flag Scattered on innermost loops that only read and compute, and look up
// blocks in another order than that of memory. Run one iteration at a time, such a loop waits for memory: a processor executes only
// a limited number of instructions ahead, and so few reads are in flight at a time. LLVM's cost model ignores this, and decides that
// vectors do not pay.
//
// In these loops the block's address is added last to the terms of an address, so that the other terms are one vector.
func scattered(t *ir.Task, opts *Options) {
	markScattered(t.Body, opts.Notes)
}

// markScattered looks at the loops in b.
func markScattered(b *ir.Block, notes *note.Notes) {
	for _, o := range b.Ops {
		if o.Code == ir.OpFor && readsFarApart(o) {
			o.Flags |= ir.Scattered
			sumFirst(o.Regions[0])
			notes.Say(o.Pos, note.Scattered)
		}
		for _, r := range o.Regions {
			markScattered(r, notes)
		}
	}
}

// readsFarApart reports whether a loop reads in this way.
func readsFarApart(o *ir.Op) bool {
	const fewest = 32 // vectors of two registers pay from here on
	lo, ok1 := ir.IntOf(o.Args[0])
	hi, ok2 := ir.IntOf(o.Args[1])
	if o.Flags.Has(ir.Rolled) || ok1 && ok2 && hi-lo < fewest {
		return false
	}
	params := o.Regions[0].Params
	counts, mixed, carries := map[*ir.Value]bool{params[0]: true}, map[*ir.Value]bool{}, map[*ir.Value]bool{}
	for _, v := range params[1:] {
		carries[v] = true
	}
	far := false
	for _, p := range o.Regions[0].Ops {
		for _, r := range p.Results {
			for _, v := range p.Args {
				counts[r] = counts[r] || counts[v]
				mixed[r] = mixed[r] || mixed[v]
				carries[r] = carries[r] || carries[v]
			}
			mixed[r] = mixed[r] || counts[r] && mixes(p)
		}
		switch p.Code {
		case ir.OpFollow:
			if !p.Flags.Has(ir.NonAtomic) || carries[p.Args[0]] {
				return false
			}
			far = far || mixed[p.Args[0]]
		case ir.OpLoad:
			if carries[p.Args[0]] || p.Results[0].Type.Lanes > 1 {
				return false
			}
		case ir.OpContinue:
		default:
			// The order of sums must not matter: the mark allows LLVM to reassociate them.
			if !p.Code.Is(ir.Pure) || len(p.Regions) > 0 || p.Code == ir.OpCall || p.Flags.Has(ir.Strict) && carries[p.Results[0]] {
				return false
			}
		}
	}
	return far
}

// mixes reports whether the results of o for neighbouring iterations are unrelated: o is part of a hash, or reads indices. Digits of an
// index, as visits have them, are mostly in the order of memory.
func mixes(o *ir.Op) bool {
	switch o.Code {
	case ir.OpLoad, ir.OpXor:
		return true
	case ir.OpMul:
		return o.Results[0].Type.Kind.IsInt() && !o.Flags.Has(ir.NoWrap)
	}
	return false
}

// sumFirst combines chains of offsets in b into one offset each, except constants, which instructions can hold.
func sumFirst(b *ir.Block) {
	type sum struct{ root, off *ir.Value }
	sums := map[*ir.Value]sum{}
	out := ir.NewBuilder(&ir.Block{})
	for _, o := range b.Ops {
		if o.Code == ir.OpOffset && o.Results[0].Type.Lanes == 1 && o.Args[1].Type == ir.Scalar(ir.I64) {
			if _, constant := ir.IntOf(o.Args[1]); !constant {
				s := sum{o.Args[0], o.Args[1]}
				if before, ok := sums[o.Args[0]]; ok {
					out.Pos = o.Pos
					s = sum{before.root, out.NoWrap(ir.OpAdd, before.off, o.Args[1])}
					o.Args = []*ir.Value{s.root, s.off}
				}
				sums[o.Results[0]] = s
			}
		}
		out.Block.Ops = append(out.Block.Ops, o)
	}
	b.Ops = out.Block.Ops
}
