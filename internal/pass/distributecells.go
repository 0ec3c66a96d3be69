package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file is the part of distribute for loops over the cells of a sparse tree that count in histograms: the loop over the cells of
// a block, all of which are active, is as good as a strip.

// distributeCells takes apart the loops over the cells of a block that count.
func distributeCells(t *ir.Task, r *analysis.RangeInfo, measured bool, opts *Options) {
	var descend func(b *ir.Block)
	descend = func(b *ir.Block) {
		out := ir.NewBuilder(&ir.Block{})
		for _, o := range b.Ops {
			d := distributionOfCells(o, r)
			if d == nil && measured {
				d = countsOfCells(o, r)
			}
			if d != nil {
				opts.Notes.Say(o.Pos, note.Distributed)
				d.write(out)
				continue
			}
			if o.Code == ir.OpIf {
				descend(o.Regions[0])
				descend(o.Regions[1])
			}
			out.Block.Ops = append(out.Block.Ops, o)
		}
		b.Ops = out.Block.Ops
	}
	descend(t.Body)
}

// distributionOfCells returns nil for a loop over cells that is to stay whole, and for what is none.
func distributionOfCells(o *ir.Op, r *analysis.RangeInfo) *distribution {
	d := blockOfCells(o, r)
	if d == nil || !d.countsOnly() {
		return nil
	}
	return d
}

// countsOfCells is countsOfTask for a loop over cells.
func countsOfCells(o *ir.Op, r *analysis.RangeInfo) *distribution {
	d := blockOfCells(o, r)
	if d == nil || !d.loosen(o) {
		return nil
	}
	return d
}

// blockOfCells is the distribution of a loop that is as good as a strip, nil for another.
func blockOfCells(o *ir.Op, r *analysis.RangeInfo) *distribution {
	if o.Code != ir.OpFor || len(o.Args) != 2 {
		return nil
	}
	lo, ok1 := ir.IntOf(o.Args[0])
	hi, ok2 := ir.IntOf(o.Args[1])
	if !ok1 || !ok2 || lo != 0 || hi <= 0 || hi > stripOfSums || hi%bucketLanes != 0 {
		return nil
	}
	d := newDistribution(r, o.Pos, o.Regions[0], o.Regions[0].Params[0], hi)
	d.from, d.to, d.wide = o.Args[0], o.Args[1], true
	return d
}
