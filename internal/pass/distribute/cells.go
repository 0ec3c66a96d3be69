package distribute

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file splits loops over the cells of a sparse tree that count. The loop over the cells of a block, all of which are active, can serve
// as a strip.

// distributeCells splits the loops over the cells of a block that count.
func distributeCells(t *ir.Task, r *analysis.RangeInfo, measured bool, notes *note.Notes) {
	replace(t.Body, true, func(o *ir.Op, out *ir.Builder) bool {
		if d := distributionOfCells(o, r); d != nil {
			notes.Say(o.Pos, note.Distributed)
			d.write(out)
			return true
		}
		if !measured {
			return false
		}
		l := countsOfCells(o, r)
		if l != nil {
			notes.Say(o.Pos, note.Distributed)
			l.write(out)
		}
		return l != nil
	})
}

// distributionOfCells returns the distribution of a loop over cells; nil if the loop is not to be split, or o is no such loop.
func distributionOfCells(o *ir.Op, r *analysis.RangeInfo) *distribution {
	d := blockOfCells(o, r)
	if d == nil || !d.countsOnly() {
		return nil
	}
	return d
}

// countsOfCells is countsOfTask for a loop over cells.
func countsOfCells(o *ir.Op, r *analysis.RangeInfo) *countingLoop {
	d := blockOfCells(o, r)
	if d == nil {
		return nil
	}
	if l := newCountingLoop(d, o, mostRows); l.find() {
		return l
	}
	return nil
}

// blockOfCells returns the distribution of a loop that can serve as a strip; nil for any other op.
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

// countsOfList combines several blocks of cells: the cells of all these blocks are the rows of a strip. So small blocks are counted in long
// vectors, too. It returns nil for a task that is to stay as it is, and for a task that is not over a list.
func countsOfList(t *ir.Task, r *analysis.RangeInfo) *countingLoop {
	if len(t.Dims) != 1 || t.Dims[0].Hi.From != ir.FromList {
		return nil
	}
	cells := rowsIn(t.Body)
	if cells <= 1 || cells > mostCells {
		return nil
	}
	for blocks := stripOfSums / cells; blocks*cells >= bucketLanes; blocks /= 2 {
		l := newCountingLoop(newDistribution(r, t.Pos, t.Body, t.Body.Params[0], blocks), nil, cells)
		if found := l.find(); found && !l.room.full {
			return l
		} else if !l.room.full {
			return nil
		}
	}
	return nil
}

// rowsIn returns the largest trip count of nested loops of known length in b, as the product of their lengths. Loops of unknown length
// count as one iteration. The result is at most mostCells+1.
func rowsIn(b *ir.Block) int64 {
	most := int64(1)
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			most = max(most, min(max(roundsOf(o), 1), mostCells+1)*rowsIn(r))
		}
	}
	return min(most, mostCells+1)
}

// mostCells is the largest number of cells of a block of which several are combined.
const mostCells = stripOfSums / 4

// writeList writes the loops for several entries of the list.
func (l *countingLoop) writeList(t *ir.Task) {
	body := &ir.Block{}
	l.from, l.to = body.AddParam(l.index.Type, l.index.Name), body.AddParam(l.index.Type, "")
	t.Body, t.Nest, t.Batch = body, nil, l.trips
	b := ir.NewBuilder(body)
	b.Pos = t.Pos
	l.write(b)
	b.Jump(ir.OpContinue, nil)
}
