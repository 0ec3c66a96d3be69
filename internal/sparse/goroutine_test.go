package sparse

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// TestGoroutines lets goroutines activate and look up the same elements at the same
// time: what was entered is found from then on.
func TestGoroutines(t *testing.T) {
	for _, name := range []string{"pointer of pointer", "unbounded hash", "hash of pointers", "list in cells"} {
		t.Run(name, func(t *testing.T) {
			x := build(t, shapes[name], NewBudget(1<<28))
			a := x.field.Access(0)
			m := newModel(x)
			var wg sync.WaitGroup
			for g := range uint64(4) {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(g/2, 4)) // the same elements for each two
					for range 400 {
						idx := m.random(r)
						p, err := x.Enter(a, idx)
						if err != nil {
							t.Error(err)
							return
						}
						atomic.AddUint32((*uint32)(p), 1)
						if q := x.Find(a, idx); q != p || !x.ActiveAt(a, idx) {
							t.Errorf("element %v is at %p, and not found but at %p", idx, p, q)
							return
						}
					}
				})
			}
			wg.Wait()
			sum := uint32(0)
			var err error
			for idx, block := range x.Cells(x.field.Node(), &err) {
				sum += *(*uint32)(at(uint64(uintptr(block)) + uint64(a.Offset(idx))))
			}
			if sum != 1600 || err != nil {
				t.Errorf("%d of 1600 additions are there, %v", sum, err)
			}
			x.slots(t)
		})
	}
}

// TestShared has two trees with one budget: what one takes the other cannot have.
func TestShared(t *testing.T) {
	b := NewBudget(2 << 20)
	levels := []level{{pointer, "i", []int{4000}}, {dense, "i", []int{128}}}
	x := build(t, levels, b)
	y := build(t, levels, b)
	full := func(x *built) int {
		for i := range 4000 {
			if _, err := x.Enter(x.field.Access(0), []int{i * 128}); err != nil {
				return i
			}
		}
		return 4000
	}
	if n := full(x); n < 3500 || n == 4000 {
		t.Errorf("the first tree has %d cells", n)
	}
	if n := full(y); n > 200 {
		t.Errorf("the second tree has %d cells", n)
	}
	if err := x.Clear(x.nodes[0]); err != nil {
		t.Fatal(err)
	}
	if n := full(y); n < 3000 {
		t.Errorf("after the first was cleared the second has %d cells", n)
	}
	x.Prepare()
	if err := x.Settle(); err != nil {
		t.Errorf("a task that took nothing: %v", err)
	}
}
