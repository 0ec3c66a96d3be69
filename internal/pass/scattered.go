package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// scattered marks loops that read a sparse tree at places far apart.
//
// Input: a task with addresses. Output: the same, with the flag Scattered on innermost
// loops that read and compute only, and look blocks up in an order that is not that of
// memory. One iteration after the other, a processor waits for few such reads at a time,
// because it looks ahead by so many instructions; LLVM does not count that, and finds
// that vectors of such loops do not pay.
//
// In these loops the terms of an address are added up before the block's, so that a
// vector of them is one number for each iteration, and since the block comes last.
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

// readsFarApart reports whether a loop is one of those.
func readsFarApart(o *ir.Op) bool {
	const fewest = 32 // iterations, for which vectors pay that are two registers long
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
			// The order of sums must not matter: LLVM takes it from the mark that it does not.
			if !p.Code.Is(ir.Pure) || len(p.Regions) > 0 || p.Code == ir.OpCall || p.Flags.Has(ir.Strict) && carries[p.Results[0]] {
				return false
			}
		}
	}
	return far
}

// mixes reports whether the results of o for neighbouring iterations have nothing to do
// with each other: o is what makes hashes, or reads indices. Digits of an index, as
// visits have them, are in the order of memory for the most part.
func mixes(o *ir.Op) bool {
	switch o.Code {
	case ir.OpLoad, ir.OpXor:
		return true
	case ir.OpMul:
		return o.Results[0].Type.Kind.IsInt() && !o.Flags.Has(ir.NoWrap)
	}
	return false
}

// sumFirst makes one offset of a chain of them in b, constants excepted, which
// instructions can hold.
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
