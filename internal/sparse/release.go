package sparse

import "github.com/gotaichi/ti/internal/layout"

// worthwhile reports whether enough has been freed since release last looked: a part of
// the stack, so that its time is spread over the slots freed in between; and, while there
// is little on the stack beside what is in use, a part of that too, since few groups are
// free altogether then.
func (p *pool) worthwhile(count int64) bool {
	const most = 512 // slots of the stack looked at for each that was freed
	live := p.top() - p.gone - count
	return count*p.bytes >= pieceBytes && p.freed*most >= count && (p.freed*4 >= live || p.freed*4 >= count)
}

// release gives groups of slots that are free altogether back to the system, if that is
// worthwhile. The caches have been flushed.
func (p *pool) release() {
	count, top := p.count(), p.top()
	if count > 0 && count == top-p.gone { // nothing is in use
		p.region.Discard(0, top*p.bytes)
		p.stack.Discard(0, min(roundUp(count*wordBytes, pieceBytes), p.stack.Len()))
		*p.at(layout.ControlTop), *p.at(layout.ControlCount) = 0, 0
		p.released, p.gone, p.freed = nil, 0, 0
		p.account()
		return
	}
	if !p.worthwhile(count) {
		p.account()
		return
	}
	p.freed = 0
	stack := p.free64()[:count]
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
