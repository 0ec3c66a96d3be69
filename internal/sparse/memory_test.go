package sparse

import (
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/randtest"
)

var many = randtest.Long("many", "run ten times as many operations")

// TestMemory activates and deactivates cells a million times, and looks at the memory
// when all are active, when few are, and when none is.
func TestMemory(t *testing.T) {
	for name, levels := range map[string][]level{
		"small blocks": {{pointer, "ij", []int{400, 400}}, {dense, "ij", []int{2, 2}}},
		"odd blocks":   {{pointer, "i", []int{40}}, {pointer, "ij", []int{20, 50}}, {dense, "ij", []int{5, 7}}},
		"large blocks": {{pointer, "ij", []int{20, 20}}, {dense, "ij", []int{150, 150}}},
		"hash":         {{hash, "ij", []int{400, 400}}, {dense, "ij", []int{4, 4}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBudget(1 << 32)
			x := build(t, levels, b)
			leaf := x.nodes[len(x.nodes)-2]
			shape := leaf.Shape()
			cells := shape[0] * shape[len(shape)-1]
			if len(shape) == 1 {
				cells = shape[0]
			}
			operations := 250_000
			if *many {
				operations *= 10
			}
			if leaf.CellBytes() > 1<<12 {
				operations /= 50 // each of which is a hundred times the work
			}
			start := b.Used()
			r := rand.New(rand.NewPCG(1, 1))
			for done := 0; done < operations; {
				part := 1
				if done%3 == 0 {
					part = 10
				}
				for i := range cells {
					if i%part != 0 {
						continue
					}
					if err := x.Activate(leaf, cellAt(leaf, i)); err != nil {
						t.Fatal(err)
					}
					done++
				}
				count, err := x.Count(leaf)
				if err != nil || count < cells/part {
					t.Fatalf("%d cells are active, not %d, %v", count, cells/part, err)
				}
				payload := int64(count) * leaf.CellBytes()
				kinds := int64(len(x.pools))
				if used := b.Used() - start; float64(used) > 1.3*float64(payload)*slack(x)+float64(kinds<<20) {
					t.Errorf("%d bytes are in use for a payload of %d", used, payload)
				}
				for _, i := range r.Perm(cells) {
					x.Deactivate(leaf, cellAt(leaf, i))
					if i%997 == 0 {
						x.Collect()
					}
					done++
				}
				x.Collect()
				if n := x.nodes[0]; n != leaf {
					for i := range n.Shape()[0] {
						x.Deactivate(n, []int{i, 0}[:len(n.PathAxes())])
					}
					x.Collect()
				}
				if err := x.Settle(); err != nil {
					t.Fatal(err)
				}
				if used := b.Used() - start; used > 768<<10*kinds {
					for _, p := range x.pools[1:] {
						t.Logf("kind %d: %d slots, %d gone, %d free, %d freed lately; groups of %d", p.kind.ID, p.top(), p.gone, p.count(), p.freed, p.group)
					}
					t.Fatalf("after all cells were deactivated %d bytes are in use", used)
				}
			}
		})
	}
}

// slack is how much larger blocks are than their cells.
func slack(x *built) float64 {
	last := x.pools[len(x.pools)-1]
	return float64(last.bytes) / float64(last.kind.Node.CellBytes())
}

// cellAt returns the index of a cell by its row-major number.
func cellAt(n *layout.Node, i int) []int {
	shape := n.Shape()
	idx := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		idx[k] = i % shape[k]
		i /= shape[k]
	}
	return idx
}

// BenchmarkFind reads elements of a sparse field.
func BenchmarkFind(b *testing.B) {
	for _, name := range []string{"pointer", "pointer of pointer", "hash"} {
		b.Run(name, func(b *testing.B) {
			x := build(b, shapes[name], NewBudget(1<<28))
			fill(b, x, 1)
			a := x.field.Access(0)
			idx := newModel(x).random(rand.New(rand.NewPCG(1, 3)))
			for b.Loop() {
				if x.Find(a, idx) == nil {
					b.Fatal("not found")
				}
			}
		})
	}
}
