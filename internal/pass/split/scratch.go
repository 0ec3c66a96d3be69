package split

import (
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file and the next three make the task of a loop over cells whose body reads many neighbours from fields in blocks (Hu, Taichi,
// chapter 2, section 5.2: block-local scratchpads; docs/decisions/0004-sparse.md).
//
// For each block, the cells of such a field in the block and its border are copied into a local array, the scratch. Each neighbouring
// block is looked up once, and absent blocks give zeros. The body then runs once for all cells of the block, and reads elements of
// arrays at constant distances:
//
//	body(%e: i64) {
//		if %q is not at the end of the index range, and enough cells are active {
//			… scratch filled …
//			for cells of the block { … the body, on the scratch … }
//			yield
//		} else {
//			for cells of the block { … the body as it was … }
//			yield
//		}
//		continue
//	}
//
// A read may get the value of a cell from before another iteration's write, as in any loop whose iterations run in any order. It must
// get values that its own iteration has written: a field that the body writes to is read from scratch only at cells other than
// the iteration's own.

// A scratchPlan describes how a loop uses scratch.
type scratchPlan struct {
	loop   *cellPlan
	dims   []scratchDim
	group  int // the dims from here on are one loop of the nest
	fields []*scratchField
	reads  map[*ir.Op]*scratchRead // by the ptr that is read
	loads  int                     // estimated loads of a cell
}

// A scratchDim is an axis of the index, in the memory order of the block, with the extent of a block. Axes along which a block is a
// single cell come first.
type scratchDim struct {
	axis   int
	extent int64
}

// A scratchField is a field that is read from scratch.
type scratchField struct {
	f      *ir.Field
	lo, hi []int64 // distances before and after the own cell at which it is read, by dim
	comps  []int
	near   uint64 // a bit for each neighbouring block that is read, see nearBit; all ones if there are too many
}

// A scratchRead is the place that a ptr reads, relative to the own cell.
type scratchRead struct {
	field *scratchField
	comp  int
	add   []int64     // constant offsets from the own cell, by dim
	index []*ir.Value // the index along a dim, where its offset is not constant
}

// Limits of scratch: the distance of neighbours, and the bytes of all arrays, which fit into a core's second-level cache.
const (
	maxReach        = 4
	maxScratchBytes = 192 << 10
)

// planScratch returns a plan for scratch; nil if the loop cannot use it, or does not gain, and why.
func (c *cellPlan) planScratch() (p *scratchPlan, why note.Reason) {
	if why, no := c.noScratch(); no {
		return nil, why
	}
	p = &scratchPlan{loop: c, reads: map[*ir.Op]*scratchRead{}}
	if why, bad := p.shape(); bad {
		return nil, why
	}
	if p.find(); len(p.fields) == 0 {
		return nil, note.NoNeighbourRead
	}
	p.flatten()
	switch {
	case !p.fitsMemory():
		return nil, note.TooMuch
	case !p.hasInterior():
		return nil, note.AllAtEdge
	case !p.worth():
		return nil, note.Slower
	}
	var names []string
	for _, s := range p.fields {
		names = append(names, s.f.Name)
	}
	c.s.notes.Say(c.loop.Pos, note.Scratch, strings.Join(names, ", "))
	return p, 0
}

// shape sets dims. Bad is true if blocks do not have one extent along each axis; why is the reason.
func (p *scratchPlan) shape() (why note.Reason, bad bool) {
	visited := map[int]bool{}
	for _, d := range p.loop.dims {
		if d.Mul != 1 || visited[d.Axis] || d.Extent != p.loop.first[d.Axis].span {
			return note.ManyArrays, true
		}
		visited[d.Axis] = true
	}
	for k, at := range p.loop.first {
		switch {
		case at.unbounded:
			return note.NoBounds, true
		case !visited[k] && at.span != 1:
			return note.ManyArrays, true
		}
		if !visited[k] {
			p.dims = append(p.dims, scratchDim{k, 1})
		}
	}
	for _, d := range p.loop.dims {
		p.dims = append(p.dims, scratchDim{d.Axis, d.Extent})
	}
	return 0, false
}

// leastRow is the number of cells from which on a loop over them is worth vectors.
const leastRow = 8

// flatten selects the dims that are collapsed into one loop, since rows of small blocks are too short for vectors.
func (p *scratchPlan) flatten() {
	n := int64(1)
	p.group = len(p.dims)
	for p.group > 0 && n < leastRow {
		p.group--
		n *= p.dims[p.group].extent
	}
}

// cellsFrom is the number of cells of the group's dims from d on.
func (p *scratchPlan) cellsFrom(d int) int64 {
	n := int64(1)
	for ; d < len(p.dims); d++ {
		n *= p.dims[d].extent
	}
	return n
}

// padded returns, for the array of a block and its border, the distance between neighbours along each dim, and the size.
func (p *scratchPlan) padded(s *scratchField) (stride []int64, size int64) {
	stride, size = make([]int64, len(p.dims)), 1
	for d := len(p.dims) - 1; d >= 0; d-- {
		stride[d] = size
		size *= s.lo[d] + p.dims[d].extent + s.hi[d]
	}
	return stride, size
}

// rows returns, for the array that the body reads, the distances between cells and between offsets along each dim, and the size. The
// cells of a group are contiguous. For the cells at an offset to be contiguous, too, the array has a copy of the cells for each offset
// along the dims of the group but the first.
func (p *scratchPlan) rows(s *scratchField) (cell, offset []int64, size int64) {
	cell, offset = make([]int64, len(p.dims)), make([]int64, len(p.dims))
	size = 1
	for d := len(p.dims) - 1; d >= 0; d-- {
		cell[d] = size
		if d > p.group {
			size *= p.dims[d].extent
			continue
		}
		offset[d] = size
		size *= s.lo[d] + p.dims[d].extent + s.hi[d]
	}
	for d := len(p.dims) - 1; d > p.group; d-- {
		offset[d] = size
		size *= s.lo[d] + 1 + s.hi[d]
	}
	return cell, offset, size
}

// copied reports whether the body reads another array than the padded one.
func (p *scratchPlan) copied(s *scratchField) bool {
	for d := p.group + 1; d < len(p.dims); d++ {
		if s.lo[d]+s.hi[d] > 0 {
			return true
		}
	}
	return false
}

func (p *scratchPlan) fitsMemory() bool {
	bytes := int64(0)
	for _, s := range p.fields {
		_, size := p.padded(s)
		if p.copied(s) {
			_, _, rows := p.rows(s)
			size += rows
		}
		for _, comp := range s.comps {
			bytes += size * int64(s.f.Comps[comp].Size())
		}
	}
	return bytes <= maxScratchBytes
}

// hasInterior reports whether there are blocks for which the indices of all neighbours that are read are in range.
func (p *scratchPlan) hasInterior() bool {
	for d := range p.dims {
		at := p.loop.first[p.dims[d].axis]
		if lo, hi := p.interior(d); lo > hi || lo > at.blocks-1 || hi < 0 {
			return false
		}
	}
	return true
}

// interior returns the coordinates of such blocks along a dim.
func (p *scratchPlan) interior(d int) (lo, hi int64) {
	axis := p.dims[d].axis
	at := p.loop.first[axis]
	lo, hi = 0, at.blocks-1
	for _, s := range p.fields {
		low := s.f.Low(axis)
		lo = max(lo, -analysis.FloorDiv(-(low+s.lo[d]-at.low), at.span))
		hi = min(hi, analysis.FloorDiv(low+s.f.Shape[axis]-s.hi[d]-at.span-at.low, at.span))
	}
	return lo, hi
}

// worth compares scratch with the splitting of blocks at their borders, in estimated cycles for a block and in copies of the body,
// which take time to compile.
func (p *scratchPlan) worth() bool {
	cells, interior, copies := int64(1), int64(1), int64(1)
	for d, dim := range p.dims {
		lo, hi := int64(0), int64(0)
		for _, s := range p.fields {
			lo, hi = max(lo, s.lo[d]), max(hi, s.hi[d])
		}
		cells *= dim.extent
		interior *= max(0, dim.extent-lo-hi)
		copies *= lo + hi + 1
		if lo > maxBorder || hi > maxBorder {
			interior = 0
		}
	}
	if h := p.loop.loop.Hints; h != nil {
		for _, s := range p.fields {
			if slices.Contains(h.BlockLocal, s.f) {
				return true
			}
		}
	}
	const mostCopied = 800 // ops
	if copies*int64(p.loop.loop.Regions[0].Size()) > mostCopied {
		return true
	}
	const element, lookup, row = 1, 10, 4 // cycles; a row loads row elements at once
	fill := int64(0)
	for _, s := range p.fields {
		_, size := p.padded(s)
		fill += size*element*int64(len(s.comps)) + lookup*copies
	}
	loads := int64(p.loads)
	return fill+cells*loads/row < interior*loads/row+(cells-interior)*loads*2
}
