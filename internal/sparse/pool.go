package sparse

import (
	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
)

const (
	pieceBytes = 64 << 10  // memory is granted and given back in pieces of about this size
	keepBytes  = 512 << 10 // of free slots a pool keeps at least, so that they need no new pages when they are taken again
	smallBytes = 4 << 20   // before that much of a region there are no large pages
	mostBytes  = 1 << 44   // of all blocks of one kind
	cacheSlots = 256       // more than the slots that a thread can have aside
)

// pool has the blocks of one kind. Its counters are the control words that compiled
// code works on; see layout/control.go. Slots are numbered from the start of the
// region. Blocks on the stack are zero, and so are those at the top and above, but for
// slots below used: they are zeroed when they are taken.
type pool struct {
	door
	kind    *layout.Block
	budget  *Budget
	control uint64 // address of the control words
	caches  uint64 // of the caches of the threads
	threads int

	region, stack *memory.Region
	base          uint64 // of slot 0
	bytes         int64  // of a slot
	slots         int64  // in the region
	most          int64  // blocks that can be wanted at a time

	group    int64  // slots that are given back together
	released []bool // by group: its slots are free, zero, and not on the stack
	gone     int64  // how many slots those are
	freed    int64  // slots pushed since groups were last given back
	warm     int64  // bytes from the start that the pool has kept though nothing was in use
	used     int64  // slots that were in use before the pool was emptied, and have kept their memory
	idle     int    // tasks since at least half of those were in use again
	solid    bool   // there are large pages at the start of the region
	large    bool   // large pages are asked for
	early    bool   // even at the start of the region, since the pool was large before it was emptied
	counted  int64  // bytes that the budget knows of
	limited  int64  // state of the budget from which the limit was computed
}

// newPool reserves address space for at most most blocks of a kind. The control words
// are at control, room for the caches of the threads is at caches.
func newPool(kind *layout.Block, most int64, b *Budget, d door, space device.Space, threads int, control, caches uint64) (*pool, error) {
	p := &pool{door: d, kind: kind, budget: b, control: control, caches: caches, threads: threads, bytes: kind.Stride(), most: most}
	p.group = max(1, pieceBytes/p.bytes)
	// Twice as much as is ever in use, so that slots which were given back need not be
	// found again soon.
	p.slots = 2*min(most, b.limit/p.bytes) + int64(threads)*cacheSlots + 2*p.group
	p.slots = max(1, min(p.slots, space.Most()/p.bytes))
	var err error
	for {
		p.region, err = space.Reserve(p.slots * p.bytes)
		if err == nil {
			p.stack, err = space.Reserve(2 * p.slots * wordBytes) // the list of slots that were given back lies behind the stack
		}
		if err == nil {
			break
		}
		p.free()
		if p.slots /= 2; p.slots*p.bytes < 1<<20 {
			return nil, err
		}
	}
	p.base = uint64(uintptr(p.region.Base()))
	p.set(layout.ControlRegion, p.base)
	p.set(layout.ControlFree, uint64(uintptr(p.stack.Base())))
	p.set(layout.ControlCaches, caches)
	p.store(caches+layout.CacheSlots, uint64(p.slots))
	p.askLarge(true)
	p.limited = -1
	p.prepare()
	return p, nil
}

// halve has the pool make do with half as many slots, and reports whether that is enough to be of use. It is a new one.
func (p *pool) halve() bool {
	if p.slots/2*p.bytes < 1<<20 {
		return false
	}
	p.slots /= 2
	p.store(p.caches+layout.CacheSlots, uint64(p.slots))
	p.limited = -1
	p.prepare()
	return true
}

// free gives the address space back.
func (p *pool) free() {
	for _, r := range []*memory.Region{p.region, p.stack} {
		if r != nil {
			_ = r.Free()
		}
	}
	p.region, p.stack = nil, nil
	p.budget.Add(-p.counted)
	p.counted = 0
}

// get returns one of the control words, set changes it.
func (p *pool) get(offset int64) uint64    { return p.load(p.control + uint64(offset)) }
func (p *pool) set(offset int64, v uint64) { p.change(p.control+uint64(offset), v) }

// top returns how many slots were taken from the region, those given back included,
// count how many are on the stack.
func (p *pool) top() int64 {
	return int64(min(p.get(layout.ControlTop), p.get(layout.ControlLimit)))
}
func (p *pool) count() int64 { return max(0, int64(p.get(layout.ControlCount))) }

// free64 are the first n free slots, as the stack has them, to be read. Free64From are those from one on, to be written.
func (p *pool) free64(n int64) []uint64 { return p.words(uint64(uintptr(p.stack.Base())), n) }
func (p *pool) free64From(first, n int64) []uint64 {
	return p.changingWords(uint64(uintptr(p.stack.Base()))+uint64(first*wordBytes), n)
}

// address returns the block in a slot, slot the slot of a block.
func (p *pool) address(slot uint64) uint64 { return p.base + slot*uint64(p.bytes) }
func (p *pool) slot(addr uint64) uint64    { return (addr - p.base) / uint64(p.bytes) }

// take returns a block for the host, 0 if there is none.
func (p *pool) take() uint64 {
	if n := p.count(); n > 0 {
		p.set(layout.ControlCount, uint64(n-1))
		return p.address(p.load(uint64(uintptr(p.stack.Base())) + uint64((n-1)*wordBytes)))
	}
	p.prepare()
	top := p.top()
	if top >= int64(p.get(layout.ControlLimit)) {
		if p.recover(1); p.count() == 0 {
			return 0
		}
		return p.take()
	}
	p.askEarly(false) // nobody calls settle
	return p.fresh(top)
}

// fresh takes the slot at the top.
func (p *pool) fresh(top int64) uint64 {
	p.set(layout.ControlTop, uint64(top+1))
	if top%p.group == 0 {
		p.account()
	}
	p.zero(uint64(top))
	return p.address(uint64(top))
}

// zero zeroes the block in a slot that has come from the region, if it has to be.
func (p *pool) zero(slot uint64) {
	if int64(slot) < p.used {
		p.clear(p.address(slot), p.bytes)
	}
}

// takeGranted returns a block for which memory was found beforehand, whatever the budget
// says now. It is 0 only where there is no address space left.
func (p *pool) takeGranted() uint64 {
	top := p.top()
	if p.count() == 0 && top >= p.slots {
		p.restack(1)
	}
	switch n := p.count(); {
	case n > 0:
		p.set(layout.ControlCount, uint64(n-1))
		return p.address(p.load(uint64(uintptr(p.stack.Base())) + uint64((n-1)*wordBytes)))
	case top >= p.slots:
		return 0
	}
	p.set(layout.ControlLimit, max(p.get(layout.ControlLimit), uint64(top+1)))
	return p.fresh(top)
}

// aside returns how many slots the threads have aside.
func (p *pool) aside() (n int64) {
	for i := range p.threads {
		c := p.caches + uint64(i*layout.CacheBytes)
		n += int64(p.load(c+layout.CacheEnd) - p.load(c+layout.CacheNext))
		n += max(0, int64(p.load(c+layout.CacheFree)-p.load(c+layout.CacheFreeStart)))
		n += min(1, int64(p.load(c+layout.CacheReserve)))
	}
	return n + int64(len(p.given()))
}

// given are the slots that threads without a cache have given back, the last one first.
func (p *pool) given() (slots []uint64) {
	next := uint64(uintptr(p.stack.Base())) + uint64(p.slots*wordBytes)
	for first := uint64(uint32(p.load(p.caches + layout.CacheGiven))); first != 0 && p.err() == nil; first = p.load(next + (first-1)*wordBytes) {
		slots = append(slots, first-1)
	}
	return slots
}

// setUsed notes how many slots have kept memory that may hold anything, and that no
// thread has one of them aside.
func (p *pool) setUsed(slots int64) {
	p.used = slots
	for i := range p.threads {
		c := p.caches + uint64(i*layout.CacheBytes)
		p.clear(c, layout.CacheBytes)
		p.store(c+layout.CacheUsed, uint64(slots))
	}
	p.store(p.caches+layout.CacheSlots, uint64(p.slots))
}

// flush brings what the threads have aside back onto the stack.
func (p *pool) flush() {
	var aside []uint64
	for i := range p.threads {
		c := p.caches + uint64(i*layout.CacheBytes)
		for s := p.load(c + layout.CacheNext); s < p.load(c+layout.CacheEnd); s++ {
			p.zero(s)
			aside = append(aside, s)
		}
		if from, to := p.load(c+layout.CacheFreeStart), p.load(c+layout.CacheFree); from < to {
			aside = append(aside, p.free64(int64(to))[from:]...)
		}
		if reserve := p.load(c + layout.CacheReserve); reserve != 0 {
			aside = append(aside, reserve-1)
		}
		for _, w := range [...]uint64{layout.CacheNext, layout.CacheEnd, layout.CacheFreeStart, layout.CacheFree, layout.CacheReserve} {
			p.change(c+w, 0)
		}
	}
	aside = append(aside, p.given()...)
	p.change(p.caches+layout.CacheGiven, 0)
	p.stacked(aside)
}

// push puts slots onto the stack, whose blocks are zero. The caches have been flushed.
func (p *pool) push(slots []uint64) {
	p.stacked(slots)
	p.freed += int64(len(slots))
}

// stacked puts slots onto the stack.
func (p *pool) stacked(slots []uint64) {
	if len(slots) == 0 {
		p.set(layout.ControlCount, uint64(p.count()))
		return
	}
	n := p.count()
	copy(p.free64From(n, int64(len(slots))), slots)
	p.set(layout.ControlCount, uint64(n+int64(len(slots))))
}

// settle brings the counters into order after a task; it reports whether the task got
// all blocks that it wanted.
func (p *pool) settle() bool {
	p.set(layout.ControlTop, uint64(p.top()))
	ok := p.get(layout.ControlFailed) == 0
	p.set(layout.ControlFailed, 0)
	if p.load(p.caches+layout.CacheGiven) != 0 {
		p.flush()
	}
	p.trim()
	p.account()
	return ok
}

// account tells the budget how much the pool has.
func (p *pool) account() {
	n := roundUp(max((p.top()-p.gone)*p.bytes, p.warm), pieceBytes) + roundUp(p.count()*wordBytes, 4096)
	if n != p.counted {
		p.budget.Add(n - p.counted)
		p.counted = n
	}
}

// prepare lets tasks take what the budget has left.
func (p *pool) prepare() {
	state := p.budget.changes.Load()
	if state == p.limited {
		return
	}
	p.limited = state
	top := p.top()
	more := p.budget.Left() / p.bytes
	p.set(layout.ControlTop, uint64(top))
	p.set(layout.ControlLimit, uint64(min(p.slots, top+more)))
	p.recover(min(p.most, more) - (p.slots - top) - p.count())
}

// recover puts the slots that were given back onto the stack again if so many are
// missing there.
func (p *pool) recover(missing int64) {
	if missing > 0 && p.gone > 0 && p.budget.Left() >= missing*p.bytes {
		p.restack(missing)
	}
}

// restack puts so many of the slots that were given back, or more, onto the stack again.
func (p *pool) restack(missing int64) {
	p.flush()
	var back []uint64
	for g := 0; missing > 0 && g < len(p.released); g++ {
		if !p.released[g] {
			continue
		}
		for s := int64(g) * p.group; s < int64(g+1)*p.group; s++ {
			back = append(back, uint64(s))
		}
		p.released[g] = false
		p.gone -= p.group
		missing -= p.group
	}
	p.stacked(back)
	p.account()
}
