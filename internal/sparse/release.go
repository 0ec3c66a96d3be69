package sparse

import "github.com/gotaichi/ti/internal/layout"

// release gives groups of slots that are free altogether back to the system, if enough
// has been freed since it last looked: its time is that of the stack, which is spread
// over the slots freed in between. The caches have been flushed.
func (p *pool) release() {
	count := p.count()
	if p.freed*4 < count || count*p.bytes < pieceBytes {
		p.account()
		return
	}
	p.freed = 0
	stack, top := p.free64()[:count], p.top()
	groups := (top + p.group - 1) / p.group
	for int64(len(p.released)) < groups {
		p.released = append(p.released, false)
	}
	free := make([]int64, groups)
	for _, s := range stack {
		free[int64(s)/p.group]++
	}
	fresh := make([]bool, groups) // released by this call
	for g := range free {
		if free[g] == p.group { // a group that is cut short by the top is left to shrink
			fresh[g], p.released[g] = true, true
			p.gone += p.group
		}
	}
	end := p.shrink(free, top)
	p.discard(fresh)
	kept := stack[:0]
	for _, s := range stack {
		if int64(s) < end && !p.released[int64(s)/p.group] {
			kept = append(kept, s)
		}
	}
	*p.at(layout.ControlCount) = uint64(len(kept))
	from := int64(len(kept)) * wordBytes
	p.stack.Discard(from, min(count*wordBytes+4096, p.stack.Len())-from)
	p.account()
}

// shrink lowers the top over slots at the end of the region that are all free, and
// returns it.
func (p *pool) shrink(free []int64, top int64) int64 {
	end := top
	for g := int64(len(free)) - 1; g >= 0; g-- {
		low := g * p.group
		if !p.released[g] && free[g] != end-low {
			break
		}
		if p.released[g] {
			p.gone -= p.group
			p.released[g] = false
		}
		end = low
	}
	if end < top {
		p.region.Discard(end*p.bytes, (top-end)*p.bytes)
		*p.at(layout.ControlTop) = uint64(end)
	}
	return end
}

// discard gives the pages of runs of groups back.
func (p *pool) discard(groups []bool) {
	size := p.group * p.bytes
	for g := 0; g < len(groups); g++ {
		if !groups[g] {
			continue
		}
		from := g
		for g+1 < len(groups) && groups[g+1] {
			g++
		}
		p.region.Discard(int64(from)*size, int64(g+1-from)*size)
	}
}
