package sparse

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gotaichi/ti/internal/layout"
)

// worker is a thread of a task: it works on the control words as compiled code does.
type worker struct {
	t      *Tree
	number int
}

// take returns a slot as compiled code takes it, false if there is none.
func (w *worker) take(p *pool) (uint64, bool) {
	c := p.caches + uint64(w.number*layout.CacheBytes)
	reserve, next, end := word(c+layout.CacheReserve), word(c+layout.CacheNext), word(c+layout.CacheEnd)
	free, start := word(c+layout.CacheFree), word(c+layout.CacheFreeStart)
	for {
		switch {
		case load(p.control+layout.ControlFailed) != 0:
			return 0, false
		case *reserve != 0:
			s := *reserve - 1
			*reserve = 0
			return s, true
		case *next < *end:
			*next++
			w.zero(p, *next-1)
			return *next - 1, true
		case *free > *start:
			*free--
			return p.free64(p.slots)[*free], true
		}
		if old := int64(atomic.AddUint64(p.at(layout.ControlCount), ^uint64(31))) + 32; old > 0 {
			*free, *start = uint64(old), uint64(max(0, old-32))
			continue
		}
		batch := uint64(min(64, max(1, 64<<10/p.bytes)))
		old := atomic.AddUint64(p.at(layout.ControlTop), batch) - batch
		limit := *p.at(layout.ControlLimit)
		if old >= limit {
			store(p.control+layout.ControlFailed, 1)
			return 0, false
		}
		*next, *end = old, min(old+batch, limit)
	}
}

// zero zeroes a block that was taken from the region and may hold anything.
func (w *worker) zero(p *pool, slot uint64) {
	if slot < load(p.caches+uint64(w.number*layout.CacheBytes)+layout.CacheUsed) {
		clear(memoryAt(p.address(slot), p.bytes))
	}
}

// grow makes all that is missing on the way, and returns the block. Where there is no
// memory it goes on with the dump block, and full is set.
func (w *worker) grow(steps []layout.Step, rel []int64) (b uint64, full bool) {
	b = w.t.base
	for i := range steps {
		s := &steps[i]
		place := place(s, b, rel)
		if place == 0 {
			continue
		}
		changed := w.t.base + uint64(w.t.lay.NodeControl(s.Node.Number())) + layout.ControlChanged
		switch s.Kind {
		case layout.StepMask:
			cell := uint64(sum(s.Cells, rel))
			if old := atomic.OrUint64(word(place+cell/64*wordBytes), 1<<(cell%64)); old>>(cell%64)&1 == 0 {
				store(changed, 1)
			}
		case layout.StepLength:
			for want := uint64(sum(s.Cells, rel) + 1); ; {
				old := load(place)
				if old >= want {
					break
				}
				if atomic.CompareAndSwapUint64(word(place), old, want) {
					store(changed, 1)
				}
			}
		case layout.StepPointer:
			next := load(place)
			if next == 0 {
				p := w.t.pools[s.Into.ID]
				slot, ok := w.take(p)
				if !ok {
					b, full = *p.at(layout.ControlDump), true
					continue
				}
				if atomic.CompareAndSwapUint64(word(place), 0, p.address(slot)) {
					store(changed, 1)
				} else {
					*word(p.caches + uint64(w.number*layout.CacheBytes) + layout.CacheReserve) = slot + 1
				}
				next = load(place)
			}
			b = next
		case layout.StepTable:
			var coords [layout.MaxRank]uint32
			if b = w.enter(w.t.nodes[s.Node.Number()].table, coordinates(s, rel, &coords)); b == 0 {
				b, full = *w.t.pools[s.Into.ID].at(layout.ControlDump), true
				continue
			}
			store(changed, 1)
		}
	}
	return b, full
}

// enter finds a block in a table or adds one under the lock of its stripe.
func (w *worker) enter(h *table, coords []uint32) uint64 {
	if b := h.block(coords); b != 0 {
		return b
	}
	tag := tagOf(coords)
	lock := word(h.base + tag&63*64)
	for !atomic.CompareAndSwapUint64(lock, 0, 1) {
		runtime.Gosched()
	}
	defer atomic.StoreUint64(lock, 0)
	if b := h.block(coords); b != 0 {
		return b
	}
	slot, ok := w.take(h.pool)
	if !ok {
		return 0
	}
	b := h.pool.address(slot)
	for i, c := range coords {
		*(*uint32)(at(b + uint64(4*i))) = c
	}
	number := atomic.AddUint64(h.at(layout.TableUsed), 1) - 1
	for {
		l := load(h.head + layout.TableHighest)
		if number >= h.room(l) {
			atomic.CompareAndSwapUint64(h.at(layout.TableHighest), l, l+1)
			continue
		}
		off, n := h.level(l)
		for i := int64(tag>>6) & (n - 1); ; i = (i + 1) & (n - 1) {
			e := h.base + uint64(off+i*entryBytes)
			// The tag claims the entry; it has no block until that is stored.
			if atomic.CompareAndSwapUint64(word(e), tagEmpty, tag) {
				store(e+wordBytes, b)
				return b
			}
		}
	}
}

// TestTasks lets several threads activate the same cells at the same time: each gets one
// child, nothing is lost, and all slots are accounted for.
func TestTasks(t *testing.T) {
	for name, levels := range shapes {
		t.Run(name, func(t *testing.T) {
			x := build(t, levels, NewBudget(1<<28))
			m := newModel(x)
			a := x.field.Access(0)
			want := map[[4]int]uint32{}
			for round := range uint64(12) {
				x.Prepare()
				var mu sync.Mutex
				var wg sync.WaitGroup
				for number := range 3 {
					wg.Go(func() {
						w := worker{x.Tree, number}
						r := rand.New(rand.NewPCG(round, 7)) // the same cells for all
						for range 60 {
							idx := m.random(r)
							rel := relative(idx, a.Origin)
							b, full := w.grow(a.Steps, rel[:])
							if full {
								t.Error("no memory")
								return
							}
							atomic.AddUint32((*uint32)(at(b+uint64(a.Offset(idx)))), 1)
							mu.Lock()
							want[key(idx)]++
							m.set(idx, 0)
							mu.Unlock()
						}
					})
				}
				wg.Wait()
				if err := x.Settle(); err != nil {
					t.Fatal(err)
				}
				m.checkCounts(t, x, want)
				x.slots(t)
				r := rand.New(rand.NewPCG(round, 9))
				for range 40 {
					i := r.IntN(len(x.nodes))
					if m.active[i] == nil {
						continue
					}
					cell := m.cell(i, m.random(r))
					x.Deactivate(x.nodes[i], cell)
					m.deactivate(i, cell)
				}
				x.Collect()
				for k := range want {
					if _, there := m.values[k]; !there {
						delete(want, k)
					}
				}
				m.checkCounts(t, x, want)
				x.slots(t)
			}
		})
	}
}

// checkCounts compares active cells and the numbers in the elements.
func (m *model) checkCounts(t *testing.T, x *built, want map[[4]int]uint32) {
	t.Helper()
	for i, n := range x.nodes {
		if got, err := x.Count(n); got != m.count(i) || err != nil {
			t.Fatalf("node %d has %d active cells, not %d (%v)", i, got, m.count(i), err)
		}
	}
	a := x.field.Access(0)
	var failed error
	found := 0
	for idx, block := range x.Cells(x.field.Node(), &failed) {
		got := *(*uint32)(at(uint64(uintptr(block)) + uint64(a.Offset(idx))))
		if got != want[key(idx)] {
			t.Fatalf("element %v is %d, not %d", idx, got, want[key(idx)])
		}
		if got > 0 {
			found++
		}
	}
	if found != len(want) {
		t.Fatalf("%d of %d elements are there", found, len(want))
	}
}

// slots checks that each slot that was taken is in the tree, free or in a cache, once.
func (x *built) slots(t *testing.T) {
	t.Helper()
	live := make([]map[uint64]bool, len(x.pools))
	for i := range live {
		live[i] = map[uint64]bool{}
	}
	all := x.hangingFrom(dead{x.lay.Blocks()[0], x.base}, nil)
	for _, c := range x.lay.Containers() {
		if c.Node.Kind() == hash { // hangingFrom takes the entries out
			for _, d := range all {
				var coords []uint32
				for i := range c.Into[0].Rank {
					coords = append(coords, *(*uint32)(at(d.block + uint64(4*i))))
				}
				x.Tree.nodes[c.Node.Number()].table.put(coords, d.block)
			}
		}
	}
	for len(all) > 0 {
		d := all[0]
		if s := x.pools[d.kind.ID].slot(d.block); live[d.kind.ID][s] {
			t.Fatalf("slot %d has two parents", s)
		} else {
			live[d.kind.ID][s] = true
		}
		all = x.hangingFrom(d, all[1:])
	}
	for id, p := range x.pools {
		if p == nil {
			continue
		}
		p.flush()
		for _, s := range p.free64(p.slots)[:p.count()] {
			if live[id][s] {
				t.Fatalf("slot %d of kind %d is free twice, or in use", s, id)
			}
			live[id][s] = true
			for _, b := range memoryAt(p.address(s), p.bytes) {
				if b != 0 {
					t.Fatalf("free slot %d of kind %d is not zero", s, id)
				}
			}
		}
		if int64(len(live[id]))+p.gone != p.top() {
			t.Fatalf("kind %d: of %d slots %d are known", id, p.top(), len(live[id]))
		}
	}
}

// TestLimit fills a tree until its budget is spent: the tasks that want more fail, and
// what was there stays.
func TestLimit(t *testing.T) {
	for _, name := range []string{"pointer", "pointer of pointer", "hash", "unbounded hash", "long list"} {
		t.Run(name, func(t *testing.T) {
			levels := append([]level{}, shapes[name]...)
			if levels[0].kind == pointer {
				levels[0].sizes = []int{300, 300}
			}
			if levels[0].kind == dynamic {
				levels[0].sizes = []int{1 << 18}
			}
			b := NewBudget(1 << 20)
			x := build(t, levels, b)
			if name == "long list" {
				b.limit = b.Used() + 192<<10
			}
			a := x.field.Access(0)
			w := worker{x.Tree, 1}
			n, full := 0, false
			for ; !full && n < 1<<16; n++ {
				x.Prepare()
				idx := []int{n%250*4 + 1, n / 250 * 5}
				if len(a.Shape) == 1 {
					idx = []int{n}
				}
				if int64(idx[0]) >= a.Shape[0]+a.Origin[0] {
					break
				}
				rel := relative(idx, a.Origin)
				block, none := w.grow(a.Steps, rel[:])
				*(*float32)(at(block + uint64(a.Offset(idx)))) = float32(n + 1)
				err := x.Settle()
				if full = err != nil; !full && none {
					t.Fatal("a failed allocation went unnoticed")
				}
			}
			if name != "hash" && !full {
				t.Fatalf("%d cells and %d bytes found room", n, b.Used())
			}
			var failed error
			sum := 0
			for idx, block := range x.Cells(x.field.Node(), &failed) {
				if *(*float32)(at(uint64(uintptr(block)) + uint64(a.Offset(idx)))) != 0 {
					sum++
				}
			}
			if sum < n-2 && failed == nil {
				t.Errorf("of %d elements %d are left", n, sum)
			}
			if b.Used() > b.limit+256<<10 { // the last task may overdraw it by what its tables grow
				t.Errorf("%d bytes are in use, of %d", b.Used(), b.limit)
			}
			x.slots(t)
			if err := x.Clear(x.lay.Root()); err != nil {
				t.Fatal(err)
			}
			_ = x.Settle()
			if _, err := x.Enter(a, []int{1, 0}[:len(a.Shape)]); err != nil {
				t.Errorf("after clearing: %v", fmt.Errorf("%w; %d bytes are in use", err, b.Used()))
			}
		})
	}
}
