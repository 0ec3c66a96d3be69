package sparse

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// soil writes what is no zero into all that elements of active cells have.
func (x *built) soil(t *testing.T) {
	t.Helper()
	a := x.field.Access(0)
	var failed error
	for idx, block := range x.Cells(x.field.Node(), &failed) {
		*(*float32)(at(uint64(uintptr(block)) + uint64(a.Offset(idx)))) = -7
	}
	if failed != nil {
		t.Fatal(failed)
	}
}

// TestReuse empties trees full of numbers, whose pools keep their memory as it is, and
// activates cells again: by threads of a task, by the host, and from a saved tree. All
// start with zero, those whose slots threads had aside too.
func TestReuse(t *testing.T) {
	for name, levels := range shapes {
		t.Run(name, func(t *testing.T) {
			x := build(t, levels, NewBudget(1<<32))
			saved := build(t, levels, NewBudget(1<<32))
			m := fill(t, saved, 3)
			m.x = x
			var text bytes.Buffer
			if _, err := saved.WriteTo(&text); err != nil {
				t.Fatal(err)
			}
			kept := false
			for round := range uint64(9) {
				if err := x.Clear(x.lay.Root()); err != nil {
					t.Fatal(err)
				}
				x.task(t, round, 300)
				x.soil(t)
				x.slots(t)
				if round%2 == 0 {
					if err := x.Clear(x.nodes[0]); err != nil {
						t.Fatal(err)
					}
				}
				if err := x.Clear(x.lay.Root()); err != nil {
					t.Fatal(err)
				}
				for _, p := range x.pools[1:] {
					kept = kept || p.used > 0
				}
				switch round % 3 {
				case 0:
					x.task(t, round+100, 100)
				case 1:
					for range 20 {
						x.host(t, round)
					}
				case 2:
					if _, err := x.ReadFrom(bytes.NewReader(text.Bytes())); err != nil {
						t.Fatal(err)
					}
					m.check(t)
				}
				x.slots(t)
			}
			if len(x.pools) > 1 && !kept {
				t.Error("no pool has kept memory")
			}
		})
	}
}

// task has three threads activate n cells, all of them the same, each of which is zero.
func (x *built) task(t *testing.T, seed uint64, n int) {
	t.Helper()
	a := x.field.Access(0)
	m := newModel(x)
	x.Prepare()
	var wg sync.WaitGroup
	for number := range 3 {
		wg.Go(func() {
			w := worker{x.Tree, number}
			r := rand.New(rand.NewPCG(seed, 5))
			for range n {
				idx := m.random(r)
				rel := relative(idx, a.Origin)
				b, full := w.grow(a.Steps, rel[:])
				if full {
					t.Error("no memory")
					return
				}
				if v := *(*float32)(at(b + uint64(a.Offset(idx)))); v != 0 {
					t.Errorf("element %v begins with %v", idx, v)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := x.Settle(); err != nil {
		t.Fatal(err)
	}
	x.zero(t)
}

// host activates a cell.
func (x *built) host(t *testing.T, seed uint64) {
	t.Helper()
	idx := newModel(x).random(rand.New(rand.NewPCG(seed, 6)))
	if _, err := x.Enter(x.field.Access(0), idx); err != nil {
		t.Fatal(err)
	}
	x.zero(t)
}

// zero checks that all elements are zero.
func (x *built) zero(t *testing.T) {
	t.Helper()
	a := x.field.Access(0)
	var failed error
	for idx, block := range x.Cells(x.field.Node(), &failed) {
		if v := *(*float32)(at(uint64(uintptr(block)) + uint64(a.Offset(idx)))); v != 0 {
			t.Fatalf("element %v is %v", idx, v)
		}
	}
	if failed != nil {
		t.Fatal(failed)
	}
	for _, p := range x.pools[1:] {
		n := p.count()
		for _, s := range p.free64(p.slots)[:n] {
			if b := memoryAt(p.address(s), p.bytes); slices.ContainsFunc(b, func(b byte) bool { return b != 0 }) {
				t.Fatalf("the block in slot %d is on the stack and not zero", s)
			}
		}
	}
}

// TestForget empties a tree that fewer cells are activated of from then on: what it has kept
// goes back, and what comes later is zero all the same.
func TestForget(t *testing.T) {
	x := build(t, []level{{pointer, "i", []int{8192}}, {dense, "i", []int{100}}}, NewBudget(1<<36))
	p, n, a := x.pools[1], x.nodes[0], x.field.Access(0)
	for _, again := range []int{0, 1, 100, 2999, 3000, 3001} {
		for i := range 3000 {
			x.enter(t, i)
		}
		x.soil(t)
		if err := x.Clear(n); err != nil {
			t.Fatal(err)
		}
		if p.used < 3000 {
			t.Fatalf("of 3000 blocks %d have kept their memory", p.used)
		}
		w := worker{x.Tree, 1}
		for i := range again {
			rel := relative([]int{i * 100}, a.Origin)
			w.grow(a.Steps, rel[:])
		}
		for range patience {
			if err := x.Settle(); err != nil {
				t.Fatal(err)
			}
		}
		if top := p.top(); top < 1500 && p.used != 0 {
			t.Errorf("%d blocks are in use, and %d have kept their memory", top, p.used)
		}
		if slots := p.top(); slots > 0 && !x.spotless(p, slots) {
			t.Errorf("%d blocks, and those behind them are not zero", again)
		}
		for i := range 3500 {
			x.enter(t, i)
		}
		x.zero(t)
		if err := x.Clear(n); err != nil {
			t.Fatal(err)
		}
	}
}

// enter activates a block by the host.
func (x *built) enter(t *testing.T, i int) {
	t.Helper()
	if _, err := x.Enter(x.field.Access(0), []int{i * 100}); err != nil {
		t.Fatal(err)
	}
}

// spotless reports whether what need not be zeroed from a slot on is zero.
func (x *built) spotless(p *pool, from int64) bool {
	for s := max(from, p.used); s < 3600; s++ {
		if slices.ContainsFunc(memoryAt(p.address(uint64(s)), p.bytes), func(b byte) bool { return b != 0 }) {
			return false
		}
	}
	return true
}

// TestDeactivateAll makes many cells inactive at once, as one by one; of nodes whose cells
// are always active nothing happens.
func TestDeactivateAll(t *testing.T) {
	for name, levels := range shapes {
		t.Run(name, func(t *testing.T) {
			x := build(t, levels, NewBudget(1<<28))
			m := fill(t, x, 4)
			r := rand.New(rand.NewPCG(8, 8))
			for i, n := range x.nodes {
				var cells []int64
				for range 20 {
					cell := m.cell(i, m.random(r))
					for _, c := range cell {
						cells = append(cells, int64(c))
					}
					if m.active[i] != nil {
						m.deactivate(i, cell)
					}
				}
				x.DeactivateAll(n, cells)
				x.Collect()
				m.check(t)
			}
			x.slots(t)
		})
	}
}
