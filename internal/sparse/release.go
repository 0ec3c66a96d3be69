package sparse

import (
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
)

// What is free goes back to the system only beyond an allowance: a part of what is in use,
// and keepBytes, so that activating and deactivating by turns does not cost new pages each
// time. So at rest there is no more than 1.3 times what is in use, and 1 MiB for each kind
// of block, unless what is free is scattered among what is in use.
//
// A pool of which nothing is in use any more is emptied at once. Most such trees are filled
// again by the next task, by as many blocks, so the pool keeps its pages with all that is in
// them, and blocks are zeroed when they are taken, by the thread that then fills them. The
// system may have those pages whenever it needs them, so the budget does not count them.
// What is kept goes back once less than half of it was taken again in patience tasks.

// keep returns how many bytes of a pool that is not in use are kept: few where there is
// little memory to be had, since other trees may want it.
func (p *pool) keep() int64 { return min(keepBytes, p.budget.limit/256/pieceBytes*pieceBytes) }

// Kept returns how many bytes the tree may have, beyond those that it had when it was new,
// while no cell is active: what pools keep, and tables that have grown.
func (t *Tree) Kept() (n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.pools {
		if p != nil {
			n += p.keep()
		}
	}
	for i := range t.nodes {
		if h := t.nodes[i].table; h != nil {
			n += h.counted
		}
	}
	return n
}

const (
	offerShare = 64 // of what all trees may have in use a pool offers no more than this part
	patience   = 16
)

// offered returns how many bytes an empty pool has at most, of which it offers to the system
// what it does not keep.
func (p *pool) offered() int64 { return max(p.keep(), p.budget.limit/offerShare) }

// allowance returns how many bytes may be free.
func (p *pool) allowance(live int64) int64 { return p.keep() + live*p.bytes/8 }

// worthwhile reports whether enough has been freed since release last looked: a part of
// the stack, so that its time is spread over the slots freed in between; and, while there
// is little on the stack beside what is in use, a part of that too, since few groups are
// free altogether then.
func (p *pool) worthwhile(count, live int64) bool {
	const most = 512 // slots of the stack looked at for each that was freed
	return count*p.bytes > p.allowance(live) && p.freed*most >= count && (p.freed*4 >= live || p.freed*4 >= count)
}

// askLarge asks for large pages, or for none any more. Not at the start of the region,
// where they would be more than little content is worth; and not once groups have been
// given back from between others, since the system may fill such holes with large pages.
func (p *pool) askLarge(large bool) {
	if n := p.region.Len() - smallBytes; n > 0 && large != p.large {
		p.large = large
		p.region.Large(smallBytes, n, large)
	}
}

// askEarly asks for large pages at the start of the region too, or for none any more.
func (p *pool) askEarly(early bool) {
	if early != p.early {
		p.early = early
		p.region.Large(0, min(smallBytes, p.region.Len()), early)
	}
}

// largeEnd returns the end of the large page that n bytes end in.
func (p *pool) largeEnd(n int64) int64 {
	return min(roundUp(int64(p.base)+n, memory.LargePage)-int64(p.base), p.region.Len())
}

// trim ends large pages at the start of the region once a task has made blocks there, and
// gives back what the last one has beyond them, which was never touched. It also gives back
// what was kept when the pool was emptied and is not needed again.
func (p *pool) trim() {
	top, end := p.top()*p.bytes, p.used*p.bytes
	if p.idle++; top*2 >= end {
		p.idle = 0
	} else if p.idle >= patience {
		p.forget(top, end)
		p.idle, end = 0, 0
	}
	if !p.early || top == 0 {
		return
	}
	p.askEarly(false)
	if end = max(top, end); end < smallBytes {
		p.discard(p.region, end, p.largeEnd(end)-end)
	}
}

// forget gives back what the pool has kept above the top.
func (p *pool) forget(top, end int64) {
	p.flush() // and zeroes what the threads have aside
	p.setUsed(0)
	if from := max(top, p.warm); from < end {
		p.zeroRange(p.region, from, p.largeEnd(end)-from)
		p.solid = p.solid && from >= smallBytes
	}
	if top < p.warm {
		p.clear(p.base+uint64(top), p.warm-top)
	}
}

// last reports whether nothing is in use any more once n more slots are free, of a pool of
// which some slots were.
func (p *pool) last(n int64) bool {
	return p.top() > 0 && p.count()+p.aside()+n == p.top()-p.gone
}

// shed gives back what is free beyond the allowance.
func (p *pool) shed() {
	if p.last(0) {
		p.empty()
		return
	}
	p.flush()
	p.release()
}

// empty makes a pool of which nothing is in use one that was never used, but for the memory
// that it keeps and offers. If it was large it keeps none, since it may become so again, with
// large pages from the start; unless there is little memory to be had. Blocks need not be
// zero.
func (p *pool) empty() {
	top, count := p.top()*p.bytes, p.count()*wordBytes
	early := top >= smallBytes/2 && p.keep() == keepBytes
	had := max(top, p.used*p.bytes, p.warm)
	stays := min(had, p.offered())
	if p.warm = min(had, p.keep()); early {
		p.warm = 0
	}
	if stays < had {
		p.zeroRange(p.region, stays, p.largeEnd(had)-stays) // a page of which a part stays is no large one any more
	}
	if early && !p.solid {
		p.zeroRange(p.region, 0, min(smallBytes, p.largeEnd(stays)))
	}
	p.solid, early = early, early && !p.solid
	if !p.region.Offer(p.warm, p.largeEnd(stays)-p.warm) {
		p.zeroRange(p.region, p.warm, p.largeEnd(stays)-p.warm)
		p.solid, stays = false, p.warm
	}
	p.discard(p.stack, 0, min(roundUp(count, pieceBytes), p.stack.Len()))
	p.set(layout.ControlTop, 0)
	p.set(layout.ControlCount, 0)
	p.setUsed((stays + p.bytes - 1) / p.bytes)
	p.released, p.gone, p.freed = nil, 0, 0
	p.askLarge(true)
	p.askEarly(early)
	p.account()
}

// release gives groups of slots that are free altogether back to the system, if that is
// worthwhile. The caches have been flushed.
func (p *pool) release() {
	count, top := p.count(), p.top()
	live := top - p.gone - count
	if !p.worthwhile(count, live) {
		p.account()
		return
	}
	p.freed, p.warm = 0, 0 // more than p.warm bytes are on the stack
	stack := p.free64From(0, count)
	groups := (top + p.group - 1) / p.group
	for int64(len(p.released)) < groups {
		p.released = append(p.released, false)
	}
	free := make([]int64, groups)
	for _, s := range stack {
		free[int64(s)/p.group]++
	}
	fresh := make([]bool, groups) // released by this call
	keep, floor := p.allowance(live)/(p.group*p.bytes), 0
	for g := range free {
		if free[g] != p.group { // a group that is cut short by the top is left to shrink
			continue
		}
		if keep > 0 {
			keep--
			floor = g + 1
			continue
		}
		fresh[g], p.released[g] = true, true
		p.gone += p.group
	}
	end := p.shrink(free, floor, top)
	p.askLarge(p.gone == 0)
	p.discardGroups(fresh)
	kept := stack[:0]
	for _, s := range stack {
		if int64(s) < end && !p.released[int64(s)/p.group] {
			kept = append(kept, s)
		}
	}
	p.set(layout.ControlCount, uint64(len(kept)))
	from := int64(len(kept)) * wordBytes
	p.discard(p.stack, from, min(count*wordBytes+4096, p.stack.Len())-from)
	p.account()
}

// shrink lowers the top over slots at the end of the region that are all free, but not
// below group floor, and returns it.
func (p *pool) shrink(free []int64, floor int, top int64) int64 {
	end := top
	for g := int64(len(free)) - 1; g >= int64(floor); g-- {
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
		p.discard(p.region, end*p.bytes, (top-end)*p.bytes)
		p.solid = p.solid && end*p.bytes >= smallBytes
		p.set(layout.ControlTop, uint64(end))
	}
	return end
}

// discardGroups gives the pages of runs of groups back.
func (p *pool) discardGroups(groups []bool) {
	size := p.group * p.bytes
	for g := 0; g < len(groups); g++ {
		if !groups[g] {
			continue
		}
		from := g
		for g+1 < len(groups) && groups[g+1] {
			g++
		}
		p.discard(p.region, int64(from)*size, int64(g+1-from)*size)
		p.solid = p.solid && int64(from)*size >= smallBytes
	}
}
