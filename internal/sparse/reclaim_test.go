package sparse

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti/internal/layout"
)

// TestLost has a task that finds no memory for an outer block, and makes inner ones all
// the same, below the dump block: their slots come back.
func TestLost(t *testing.T) {
	for _, name := range []string{"pointer of pointer", "hash of pointers", "hash of lists", "list in cells"} {
		t.Run(name, func(t *testing.T) {
			x := build(t, shapes[name], NewBudget(1<<28))
			m := fill(t, x, 1)
			a := x.field.Access(0)
			for i := range 2 {
				cell := m.cell(0, m.inside(i))
				if x.Deactivate(x.nodes[0], cell); m.active[0] != nil {
					m.deactivate(0, cell)
				}
			}
			x.Collect()
			*x.pools[1].at(layout.ControlCount) = 0
			*x.pools[1].at(layout.ControlLimit) = uint64(x.pools[1].top())
			w := worker{x.Tree, 2}
			lost := 0
			checkIndices(x.field.Shape(), 60, func(idx []int) {
				if x.ActiveAt(a, idx) {
					return
				}
				rel := relative(idx, a.Origin)
				if b, full := w.grow(a.Steps, rel[:]); full {
					*(*float32)(at(b + uint64(a.Offset(idx)))) = 1
					lost++
				} else {
					m.set(idx, 0)
				}
			})
			if lost == 0 {
				t.Fatal("all cells found room")
			}
			if err := x.Settle(); !errors.Is(err, ErrMemory) {
				t.Errorf("got error %v", err)
			}
			x.slots(t)
			m.check(t)
			x.Prepare()
			if err := x.Settle(); err != nil {
				t.Errorf("the next task: %v", err)
			}
			for _, b := range x.dump.Bytes() {
				if b != 0 {
					t.Fatal("the dump block is not zero")
				}
			}
		})
	}
}

// inside returns the lowest or the highest index of a small field.
func (m *model) inside(end int) []int {
	idx := make([]int, m.x.field.Rank())
	for k, s := range m.x.field.Shape() {
		idx[k] = end * int(s-1)
	}
	return idx
}

// checkIndices visits the indices below most along each axis.
func checkIndices(shape []int64, most int64, visit func([]int)) {
	idx := make([]int, len(shape))
	var descend func(k int)
	descend = func(k int) {
		if k == len(shape) {
			visit(idx)
			return
		}
		for idx[k] = range int(min(most, shape[k])) {
			descend(k + 1)
		}
	}
	descend(0)
}
