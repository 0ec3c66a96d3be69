package vulkan

import (
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/memory"
)

// This file has pages of sparse trees go to the device and come back with the commands of a launch, so that it waits once: what the host has changed, if that is
// little, and what it is going to look at. That is what it looked at behind the launches before, mostly counters.

// The riders of a tree are such pages. The tree's mutex guards them.
type riders struct {
	room   *area // for pages that go, and behind them for those that come
	come   []rider
	going  bool // pages are under way to the device
	coming bool // and to the host
	c      bufferCopy
}

// A rider is a page that comes back with each launch.
type rider struct {
	m    *mirrored
	page int64
	idle int // launches since the host has looked at it
}

const (
	ridersMost = 16 // pages that go, and that come
	riderIdles = 8  // launches after which nobody wants a page any more
)

// open makes the room.
func (r *riders) open(d *device) (err error) {
	if r.room == nil {
		r.room, err = d.allocate(2 * ridersMost * pageBytes)
	}
	return err
}

// free gives it back.
func (r *riders) free() {
	if r.room != nil {
		_ = r.room.Free()
	}
	r.room, r.come = nil, nil
}

// want notes a page that the host looks at and that had to be fetched.
func (r *riders) want(m *mirrored, page int64) {
	if len(r.come) < ridersMost && !slices.ContainsFunc(r.come, func(k rider) bool { return k.m == m && k.page == page }) {
		r.come = append(r.come, rider{m: m, page: page})
	}
}

// saw notes that the host looks at a page that has come.
func (r *riders) saw(m *mirrored, page int64, now uint64) {
	if m.pages[page].Load() != now|pageBrought {
		return
	}
	m.pages[page].Store(now)
	for i := range r.come {
		if k := &r.come[i]; k.m == m && k.page == page {
			k.idle = 0
		}
	}
}

// ride records copies of what has changed, as the first commands of a launch.
func (t *treeMemory) ride(r *ring) error {
	if _, err := r.record(); err != nil {
		return err
	}
	k, at := &t.riders, int64(0)
	r.between(pipelineCompute|pipelineTransfer, accessWrite|accessCopyWrite, pipelineTransfer, accessCopyWrite)
	for _, m := range t.regions {
		_ = m.runs(pageZero, func(from, to int64) error {
			r.command(cmdFillBuffer, uintptr(m.memory.buffer), uintptr(from), uintptr(to-from), 0)
			return nil
		})
		_ = m.runs(pageWritten, func(from, to int64) error {
			copy(k.room.host[at:], m.copy.Bytes()[from:to])
			m.guard(from>>pageShift, to>>pageShift, memory.Reads)
			k.c = bufferCopy{from: uint64(at), to: uint64(from), size: uint64(to - from)}
			r.command(cmdCopyBuffer, uintptr(k.room.buffer), uintptr(m.memory.buffer), 1, uintptr(unsafe.Pointer(&k.c)))
			at += to - from
			t.moved.toDevice += to - from
			return nil
		})
	}
	r.between(pipelineTransfer, accessCopyWrite, pipelineCompute, accessRead|accessWrite)
	t.sent()
	k.going = true
	return nil
}

// bring records copies of the pages that the host most likely looks at, as the last commands of a launch. Where that fails the host fetches them.
func (t *treeMemory) bring(r *ring) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &t.riders
	k.come = slices.DeleteFunc(k.come, func(p rider) bool { return p.idle >= riderIdles })
	if len(k.come) == 0 {
		return
	}
	if _, err := r.record(); err != nil {
		return
	}
	r.between(pipelineCompute|pipelineTransfer, accessWrite|accessCopyWrite, pipelineTransfer, accessCopyRead|accessCopyWrite)
	for i := range k.come {
		p := &k.come[i]
		p.idle++
		k.c = bufferCopy{from: uint64(p.page << pageShift), to: uint64((ridersMost + i) << pageShift), size: pageBytes}
		r.command(cmdCopyBuffer, uintptr(p.m.memory.buffer), uintptr(k.room.buffer), 1, uintptr(unsafe.Pointer(&k.c)))
	}
	r.between(pipelineTransfer, accessCopyWrite, pipelineHost, accessHostRead)
	k.coming = true
}

// brought takes what has come, if the launch has not failed. If it has, what was under way to the device may be lost.
func (t *treeMemory) brought(err error) {
	k, now := &t.riders, t.now()
	if k.going && err != nil {
		_ = t.fail(err)
	}
	if k.coming && err == nil {
		for i, p := range k.come {
			from := (ridersMost + i) << pageShift
			p.m.guard(p.page, p.page+1, memory.All)
			copy(p.m.copy.Bytes()[p.page<<pageShift:], k.room.host[from:from+pageBytes])
			p.m.guard(p.page, p.page+1, memory.Reads)
			p.m.pages[p.page].Store(now | pageBrought)
			t.moved.toHost += pageBytes
		}
	}
	k.going, k.coming = false, false
}

// between records a barrier.
func (r *ring) between(before, from, after, to uint32) {
	r.around = memoryBarrier{typ: typeBarrier, from: from, to: to}
	r.command(cmdPipelineBarrier, uintptr(before), uintptr(after), 0, 1, uintptr(unsafe.Pointer(&r.around)), 0, 0, 0, 0)
}
