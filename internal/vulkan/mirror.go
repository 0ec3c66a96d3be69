package vulkan

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	idevice "github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/memory"
)

// This file has sparse trees in memory of the device, with a copy for the host, page by page. Words of a tree name its blocks by addresses of that copy.

// A treeMemory is the memory of a tree.
type treeMemory struct {
	s        *space
	launches atomic.Uint64 // that may have changed the tree

	mu      sync.Mutex // it comes before that of the device's staging
	regions []*mirrored
	failure atomic.Pointer[error] // of the first copy that has failed: nobody knows then what the host should have
	moved   moved
	riders  riders
}

// moved counts bytes that were copied between device and host.
type moved struct{ toDevice, toHost int64 }

// A mirrored region is memory of the device with the host's copy of it.
type mirrored struct {
	of     *treeMemory
	memory *area
	copy   *memory.Region
	base   uint64          // address of the copy
	pages  []atomic.Uint64 // for which number of launches a page of the copy is right, and below that how it differs from the device's

	// The following is guarded by the tree's mutex.
	fresh   bool    // the device's memory is not yet 0
	changed []int32 // pages that differ
	next    int64   // the page behind the last one that was fetched
	ahead   int64   // how many were fetched beyond those that were asked for
	fetches int64   // since the last launch
	since   uint64  // that launch
	guarded bool    // accesses that are not announced fault
	opened  bool    // some of the copy may be accessed
}

// How the host's copy of a page differs from the device's memory.
const (
	pageSame    = 0
	pageWritten = 1 // the host has written there
	pageZero    = 2 // it is 0
	pageBrought = 3 // not at all, and nobody has looked since a launch has brought it; see riders.go
	pageBits    = 2
)

const (
	pageShift = 12
	pageBytes = 1 << pageShift
	aheadMost = 1 << 10 // pages
)

// A region of slots is no larger than this, nor than a part of the device's memory.
const (
	mirrorMost  = 256 << 20
	mirrorShare = 8
)

// hides reports whether sparse trees are to lie in the device's own memory.
func (d *device) hides() bool { return d.memory.local >= 0 && (d.card || d.memory.shared < 0) }

// Apart returns the memory of one tree.
func (s *space) Apart() (idevice.Space, idevice.Mirror) {
	if !s.d.hides() {
		return s, nil
	}
	t := &treeMemory{s: s}
	return t, t
}

var (
	_ idevice.Mirrored = (*space)(nil)
	_ idevice.Space    = (*treeMemory)(nil)
	_ idevice.Mirror   = (*treeMemory)(nil)
)

// Map returns a region of which all is needed.
func (t *treeMemory) Map(bytes int64) (*memory.Region, error) {
	if bytes > t.s.d.most {
		return nil, fmt.Errorf("%s has no %d bytes at once", t.s.d.name, bytes)
	}
	d := t.s.d
	r, a, err := t.s.reserve(bytes, func(r *memory.Region) (*area, error) { return d.allocateHidden(r.Len(), uint32(d.memory.local)) })
	if err != nil {
		return nil, err
	}
	m := &mirrored{of: t, memory: a, copy: r, base: uint64(uintptr(r.Base())), pages: make([]atomic.Uint64, r.Len()/pageBytes), fresh: true, opened: true}
	m.guarded = d.memory.strict
	m.guard(0, int64(len(m.pages)), memory.Reads)
	t.mu.Lock()
	t.regions = append(t.regions, m)
	t.mu.Unlock()
	first, end := t.s.unit(m.base), t.s.unit(m.base+uint64(r.Len())-1)+1
	for i := first; i < end; i++ {
		t.s.mirrors[i].Store(m)
	}
	r.OnFree(func() {
		for i := first; i < end; i++ {
			t.s.mirrors[i].Store(nil)
		}
		t.mu.Lock()
		if t.regions = slices.DeleteFunc(t.regions, func(r *mirrored) bool { return r == m }); len(t.regions) == 0 {
			t.riders.free()
		}
		t.mu.Unlock()
	})
	if err := t.riders.open(d); err != nil {
		return nil, errors.Join(err, r.Free())
	}
	return r, nil
}

// Reserve returns a region for slots. It has all of its memory: a task takes slots while nobody can give more.
func (t *treeMemory) Reserve(bytes int64) (*memory.Region, error) {
	if most := t.s.d.mirrorMost(); bytes > most {
		return nil, fmt.Errorf("%s has no %d bytes for a region of a tree, of %d at most", t.s.d.name, bytes, most)
	}
	return t.Map(bytes)
}

// mirrorMost is how large a region may be.
func (d *device) mirrorMost() int64 { return min(mirrorMost, d.most, d.memory.heap/mirrorShare) }

// Most is as for the processors: regions that are too large are refused.
func (t *treeMemory) Most() int64 { return t.s.Most() }

// mirror returns the region that an address lies in; nil for none, or one that is shared.
func (s *space) mirror(host uint64) *mirrored {
	if s.arena == nil || host < uint64(s.arena.Base()) || s.unit(host) >= int64(len(s.mirrors)) {
		return nil
	}
	return s.mirrors[s.unit(host)].Load()
}

// read sees to it that the host can read bytes of a tree.
func (s *space) read(host uint64, n int64) {
	if m := s.mirror(host); m != nil {
		m.of.Read(host, n)
	}
}

// span returns the pages of n bytes at an address.
func (m *mirrored) span(host uint64, n int64) (first, end int64) {
	off := int64(host - m.base)
	return off >> pageShift, (off + n + pageBytes - 1) >> pageShift
}

// now is what a page has that is as the device's, after all launches.
func (t *treeMemory) now() uint64 { return t.launches.Load() << pageBits }

// right reports whether the copy of a page is right: the device has nothing that it lacks.
func (m *mirrored) right(page int64, now uint64) bool {
	return m.pages[page].Load()&^(1<<pageBits-1) == now
}

// Read fetches the pages that the copy lacks.
func (t *treeMemory) Read(host uint64, n int64) {
	m := t.s.mirror(host)
	if m == nil || n <= 0 {
		return
	}
	now := t.now()
	first, end := m.span(host, n)
	for p := first; p < end; p++ {
		if v := m.pages[p].Load(); v&^(1<<pageBits-1) != now || v == now|pageBrought {
			t.mu.Lock()
			m.fetch(p, end, now)
			t.mu.Unlock()
			return
		}
	}
}

// Write fetches the pages that the copy lacks, and notes that the device lacks them.
func (t *treeMemory) Write(host uint64, n int64, all bool) {
	m := t.s.mirror(host)
	if m == nil || n <= 0 {
		return
	}
	now := t.now()
	first, end := m.span(host, n)
	for p := first; p < end; p++ {
		if m.pages[p].Load() != now|pageWritten {
			t.mu.Lock()
			m.write(host, n, all, now)
			t.mu.Unlock()
			return
		}
	}
}

// write is Write for those who hold the mutex.
func (m *mirrored) write(host uint64, n int64, all bool, now uint64) {
	first, end := m.span(host, n)
	if inner, last := int64(host-m.base+pageBytes-1)>>pageShift, int64(host-m.base+uint64(n))>>pageShift; all && inner < last {
		m.fetch(first, inner, now)
		m.fetch(last, end, now)
	} else {
		m.fetch(first, end, now)
	}
	m.guard(first, end, memory.All) // before others see the mark, and write without a lock
	if m.of.Err() == nil {          // else what the host writes is lost, as the tree is
		m.mark(first, end, now, pageWritten)
	}
}

// mark notes how pages differ from the device's memory.
func (m *mirrored) mark(first, end int64, now, how uint64) {
	for p := first; p < end; p++ {
		if was := m.pages[p].Load(); was != now|pageWritten && was != now|pageZero {
			m.changed = append(m.changed, int32(p))
		}
		m.pages[p].Store(now | how)
	}
}

// Zero notes that pages are 0.
func (t *treeMemory) Zero(host uint64, n int64) {
	m := t.s.mirror(host)
	if m == nil || n <= 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	first, end := m.span(host, n)
	m.guard(first, end, memory.Reads)
	m.mark(first, end, t.now(), pageZero)
}

// Err is why the copy of the tree is not what the device has.
func (t *treeMemory) Err() error {
	if err := t.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// fail notes that a copy has failed.
func (t *treeMemory) fail(err error) error {
	err = fmt.Errorf("copying a sparse tree: %w", err)
	t.failure.CompareAndSwap(nil, &err)
	return err
}

// guard allows accesses to pages, where what is not announced faults. It reports false, and allows everything, if the system does not.
func (m *mirrored) guard(first, end int64, a memory.Access) bool {
	if !m.guarded || first >= end {
		return false
	}
	if m.opened = m.opened || a != memory.Nothing; m.copy.Guard(first<<pageShift, (end-first)<<pageShift, a) == nil {
		return true
	}
	m.guarded = false
	_ = m.copy.Guard(0, m.copy.Len(), memory.All)
	return false
}

// fetch copies the pages that the host lacks, and some behind them if it comes there from those that were fetched last.
func (m *mirrored) fetch(first, end int64, now uint64) {
	if m.of.Err() != nil {
		m.guard(first, end, memory.Reads)
		return
	}
	for p := first; p < end; {
		if m.right(p, now) {
			m.of.riders.saw(m, p, now)
			p++
			continue
		}
		m.of.riders.want(m, p)
		from, to := m.around(p, end, now)
		if err := m.get(from, to); err != nil {
			_ = m.of.fail(err)
			m.guard(first, end, memory.Reads)
			return
		}
		for i := from; i < to; i++ {
			m.pages[i].Store(now)
		}
		p, m.next = to, to
	}
}

// around returns which pages to fetch if the host lacks page p, and wants those before end: some behind them where it goes on from the last ones, and more around
// them the more often it has come since the last launch. So a look-up costs few bytes, and a look at everything few copies.
func (m *mirrored) around(p, end int64, now uint64) (from, to int64) {
	if m.since != now {
		m.since, m.fetches = now, 0
	}
	m.fetches++
	if p == m.next {
		m.ahead = min(max(1, 2*m.ahead), aheadMost)
	} else {
		m.ahead = 0
	}
	const patient = 8 // copies before they get twice as large
	window := min(1<<min(m.fetches/patient, 62), int64(aheadMost))
	from, to = p, p+1
	for from > p&^(window-1) && !m.right(from-1, now) {
		from--
	}
	for to < int64(len(m.pages)) && to < max(end+m.ahead, p&^(window-1)+window) && !m.right(to, now) {
		to++
	}
	return from, to
}

// get copies pages to the host.
func (m *mirrored) get(first, end int64) error {
	d := m.of.s.d
	s := &d.staging
	s.mu.Lock()
	defer s.mu.Unlock()
	from, to := first<<pageShift, end<<pageShift
	if err := s.open(d, to-from); err != nil {
		return err
	}
	m.guard(first, end, memory.All)
	if err := s.get(d, m.copy.Bytes()[from:to], m.memory, from); err != nil {
		return err
	}
	m.guard(first, end, memory.Reads)
	m.of.moved.toHost += to - from
	return nil
}

// upload gives the device what the host has changed. Commands are about to be recorded. A little goes with them.
func (t *treeMemory) upload(r *ring) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.Err(); err != nil {
		return err
	}
	bytes, any, fresh := int64(0), false, false
	for _, m := range t.regions {
		bytes += int64(len(m.changed)) << pageShift
		any, fresh = any || len(m.changed) > 0, fresh || m.fresh
		slices.Sort(m.changed)
	}
	switch {
	case fresh:
	case !any:
		return nil
	case bytes <= ridersMost*pageBytes:
		return t.ride(r)
	}
	d := t.s.d
	s := &d.staging
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := t.send(bytes); err != nil {
		s.abandon(d)
		return t.fail(err)
	}
	t.sent()
	return nil
}

// sent notes that the device lacks nothing.
func (t *treeMemory) sent() {
	now := t.now()
	for _, m := range t.regions {
		for _, p := range m.changed {
			m.pages[p].Store(now)
		}
		m.fresh, m.changed = false, m.changed[:0]
	}
}

// send copies what upload is about: first what becomes 0.
func (t *treeMemory) send(bytes int64) error {
	d := t.s.d
	s := &d.staging
	if err := s.open(d, bytes); err != nil {
		return err
	}
	for _, m := range t.regions {
		var err error
		if m.fresh {
			err = s.zero(d, m.memory, 0, wholeSize)
		} else {
			err = m.runs(pageZero, func(from, to int64) error { return s.zero(d, m.memory, from, uintptr(to-from)) })
		}
		if err != nil {
			return err
		}
	}
	if s.recorded {
		s.barrier(d, pipelineTransfer, accessCopyWrite, pipelineTransfer, accessCopyWrite)
	}
	for _, m := range t.regions {
		if err := m.runs(pageWritten, func(from, to int64) error {
			t.moved.toDevice += to - from
			m.guard(from>>pageShift, to>>pageShift, memory.Reads)
			return s.put(d, m.memory, from, m.copy.Bytes()[from:to])
		}); err != nil {
			return err
		}
	}
	return s.submit(d)
}

// runs calls f for runs of pages that differ in one way, with where they begin and end in the region.
func (m *mirrored) runs(how uint64, f func(from, to int64) error) error {
	for i := 0; i < len(m.changed); {
		from, n := int64(m.changed[i]), int64(0)
		for i < len(m.changed) && int64(m.changed[i]) == from+n && m.pages[from+n].Load()&(1<<pageBits-1) == how {
			n++
			i++
		}
		if n == 0 {
			i++
			continue
		}
		if err := f(from<<pageShift, (from+n)<<pageShift); err != nil {
			return err
		}
	}
	return nil
}

// written notes that tasks may have changed the tree: no page of the copy is right any more, but for those that the launch has brought. The launch may have failed.
func (t *treeMemory) written(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.brought(err)
	t.launches.Add(1)
	for _, m := range t.regions {
		if len(m.changed) > 0 && t.s.d.memory.strict {
			_ = t.fail(errors.New("the host changes it while a kernel is launched"))
		}
		if m.guarded && m.opened && m.guard(0, int64(len(m.pages)), memory.Nothing) {
			m.opened = false
		}
	}
}

// findHidden notes the trees that the kernel works on and the host does not see.
func (w *launcher) findHidden() {
	open, is := w.data.Trees.(openTrees)
	if !is {
		return
	}
	_, roots := open.Roots()
	for _, at := range roots {
		if m := w.m.space.mirror(uint64(at)); m != nil {
			w.hidden = append(w.hidden, m.of)
		}
	}
}
