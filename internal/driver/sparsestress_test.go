package driver_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/randtest"
)

var long = randtest.Long("long", "activate and deactivate sparse cells millions of times")

// stressOps is how many operations a stress test of n does by default, and with -long.
func stressOps(t *testing.T, n int) int {
	switch {
	case *long:
		return n
	case testing.Short():
		return n / 200
	}
	return n / 40
}

// resident returns the memory of the process in bytes, 0 if the system does not say.
func resident(t *testing.T) int64 {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var total, pages int64
	if _, err := fmt.Sscan(string(text), &total, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// stressWorld has kernels on a plot in memory, at full optimisation.
func stressWorld(t *testing.T, p *plot, threads int, kernels string) *memoryWorld {
	t.Helper()
	p.build(t)
	g := &kernelGen{p: p}
	g.source(0)
	host, lay := p.bound()
	prog := plotProgram(t, g.b.String()+kernels, &host)
	return newMemoryWorld(t, p, prog, lay, driver.TestOptions(t, 3), threads)
}

// mustRun launches a kernel that must succeed.
func (w *memoryWorld) mustRun(t *testing.T, name string, arg int) []int32 {
	t.Helper()
	r, failed, err := w.launch(name, arg)
	if failed.count > 0 || err != nil {
		t.Fatalf("%s(%d): %d indices are out of range; %v", name, arg, failed.count, err)
	}
	return r
}

// churned is the number that says what happens in iteration i of launch n, as the
// kernel computes it.
func churned(i, n int) uint32 {
	h := (uint32(i) + uint32(n)*40503) * 2654435761
	h ^= h >> 15
	h *= 2246822519
	return h ^ h>>13
}

const (
	churnCells = 6000
	churnLoop  = 50_000 // operations of a launch
)

// TestChurn has threads activate, write and deactivate random cells ten million times
// (with -long), compares them with a table, and looks at the memory in between.
func TestChurn(t *testing.T) {
	for _, c := range []struct {
		name string
		plot *plot
		node string // whose cells come and go
		at   string // an element of cell c
	}{
		{"pointer", plant(seed(layout.Pointer, "i", churnCells), seed(layout.Dense, "i", 40)), "N0", "X0[c*40+c%40]"},
		{"pointer of pointer", plant(seed(layout.Pointer, "i", 60), seed(layout.Pointer, "i", 100), seed(layout.Dense, "j", 40)), "N1", "X0[c][c%40]"},
		{"hash", plant(seed(layout.Hash, "i"), seed(layout.Dense, "i", 40)), "N0", "X0[c*40+c%40]"},
		{"bits in hash", plant(seed(layout.Hash, "i", 60), seed(layout.Bitmasked, "i", 100), seed(layout.Dense, "j", 8)), "N1", "X0[c][c%8]"},
		{"lists", plant(seed(layout.Pointer, "i", churnCells), seed(layout.Dynamic, "j", 1000)), "N0", "X0[c][c%30]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := stressWorld(t, c.plot, 3, fmt.Sprintf(`
func Churn(n int) (r0, r1 int) {
	for i := range %d {
		h := (u32(i) + u32(n)*40503) * 2654435761
		h ^= h >> 15
		h *= 2246822519
		h ^= h >> 13
		c := int(h %% %d)
		if h>>28 < 5 {
			deactivate(%[3]s, c)
		} else {
			%[4]s += 1
		}
	}
	return
}

func Sum(n int) (r0, r1 int) {
	for c := range %[2]d {
		if isActive(%[3]s, c) {
			r0 += 1
			r1 += (c + 1) * int(%[4]s)
		}
	}
	return
}`, churnLoop, churnCells, c.node, c.at))
			tree := w.trees[0]
			start := tree.BytesInUse()
			level, launch := int64(0), 0
			var active [churnCells]bool
			var value [churnCells]int32
			launches := max(4, stressOps(t, 10_000_000)/churnLoop)
			for round := range 4 {
				for range launches / 4 {
					launch++
					w.mustRun(t, "Churn", launch)
					var gone [churnCells]bool
					for i := range churnLoop {
						h := churned(i, launch)
						if c := h % churnCells; h>>28 < 5 {
							gone[c] = true
						} else {
							active[c], value[c] = true, value[c]+1
						}
					}
					count, sum := int32(0), int32(0)
					for c := range active {
						if gone[c] {
							active[c], value[c] = false, 0
						}
						if active[c] {
							count++
							sum += int32(c+1) * value[c]
						}
					}
					if r := w.mustRun(t, "Sum", 0); r[0] != count || r[1] != sum {
						t.Fatalf("after launch %d: %d cells with sum %d, want %d with %d", launch, r[0], r[1], count, sum)
					}
				}
				w.deactivateAll(t, w.p.nodes[0])
				clear(active[:])
				clear(value[:])
				if n := tree.Lost(); n != 0 {
					t.Errorf("round %d: %d blocks are lost", round, n)
				}
				if used := tree.BytesInUse() - start; used > tree.Kept() {
					t.Errorf("round %d: with no cell active %d bytes more than at first are in use", round, used)
				}
				if now := resident(t); round == 0 {
					level = now
				} else if now > level+8<<20 {
					t.Errorf("round %d: %d bytes are resident, %d after the first round", round, now, level)
				}
			}
		})
	}
}

// deactivateAll deactivates all cells of a node, one by one.
func (w *memoryWorld) deactivateAll(t *testing.T, n *plotNode) {
	t.Helper()
	cells, err := w.cells(n)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		w.tree(n.lay).Deactivate(n.lay, c)
	}
	w.tree(n.lay).Collect()
}

// TestSameCells has four threads go over the same cells in the same order, none of
// which is there yet: who comes later finds cells made, is quicker, and so comes to the
// cell that the first is just about to make. Each cell gets one child: nothing that was
// added is lost, and no block is taken twice.
func TestSameCells(t *testing.T) {
	const cells, threads = 50_000, 4
	for _, c := range []struct {
		name string
		plot *plot
		what string // is done to cell c
		wide bool   // a list gets an element from each
	}{
		{"pointer", plant(seed(layout.Pointer, "i", cells), seed(layout.Dense, "j", 3)), "X0[c][1] += 1", false},
		{"pointer of pointer", plant(seed(layout.Pointer, "i", cells/2), seed(layout.Pointer, "i", 2), seed(layout.Dense, "j", 3)), "X0[c][2] += 1", false},
		{"hash", plant(seed(layout.Hash, "i"), seed(layout.Dense, "j", 3)), "X0[c][1] += 1", false},
		{"hash of pointers", plant(seed(layout.Hash, "i", cells/2), seed(layout.Pointer, "i", 2)), "X0[c] += 1", false},
		{"bitmasked", plant(seed(layout.Bitmasked, "i", cells)), "X0[c] += 1", false},
		{"bits in pointers", plant(seed(layout.Pointer, "i", cells/10), seed(layout.Bitmasked, "i", 10)), "X0[c] += 1", false},
		{"list", plant(&plotNode{kind: layout.Dynamic, axes: []int{0}, sizes: []int64{cells}, chunk: 2}), "X0[c] += 1", false},
		{"lists", plant(seed(layout.Pointer, "i", cells), &plotNode{kind: layout.Dynamic, axes: []int{1}, sizes: []int64{16}, chunk: 4}), "append(X0[c], 1)", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := stressWorld(t, c.plot, threads, fmt.Sprintf(`
func Same(n int) (r0, r1 int) {
	for range 5 {
		for c := range serial(%d) {
			%s
		}
	}
	return
}

func Sum(n int) (r0, r1 int) {
	for p := range X0 {
		r0 += 1
		r1 = max(r1, int(X0[p]))
	}
	return
}

func Total(n int) (r0, r1 int) {
	for p := range X0 {
		r0 += int(X0[p])
	}
	for range N0 {
		r1 += 1
	}
	return
}`, cells, c.what))
			tree, leaf := w.trees[0], w.p.fields[0].node
			rows := int32(1)
			if leaf.kind == layout.Dense {
				rows = 3
			}
			most, count := int32(5), cells*rows
			if c.wide {
				most, count = 1, 5*cells
			}
			level, start := int64(0), tree.BytesInUse()
			for round := range max(2, stressOps(t, 4_000_000)/cells) {
				w.mustRun(t, "Same", 0)
				if r := w.mustRun(t, "Sum", 0); r[0] != count || r[1] != most {
					t.Fatalf("round %d: %d elements of up to %d, want %d of up to %d", round, r[0], r[1], count, most)
				}
				if r := w.mustRun(t, "Total", 0); r[0] != 5*cells || r[1] != int32(w.p.nodes[0].count(cells)) {
					t.Fatalf("round %d: what was added is %d in %d cells, not %d in %d", round, r[0], r[1], 5*cells, w.p.nodes[0].count(cells))
				}
				if used := tree.BytesInUse(); round == 0 {
					level = used
				} else if used > level+1<<20 {
					t.Fatalf("round %d: %d bytes for the same cells, %d in the first", round, used, level)
				}
				if n := tree.Lost(); n != 0 {
					t.Fatalf("round %d: %d blocks are lost", round, n)
				}
				w.empty(w.p.nodes[0])
				if n := tree.Lost(); n != 0 {
					t.Fatalf("round %d: %d blocks are lost when no cell is active", round, n)
				}
				if used := tree.BytesInUse() - start; used > tree.Kept() {
					t.Fatalf("round %d: with no cell active %d bytes more than at first are in use", round, used)
				}
			}
		})
	}
}

// count is how many cells an outermost node has when the first n leaves are active.
func (n *plotNode) count(leaves int64) int64 {
	if len(n.sizes) == 0 {
		return leaves
	}
	return n.sizes[0]
}

// watched is a world that is looked at after each task before its trees are in order.
type watched struct {
	*memoryWorld
	look func()
}

func (w watched) Settle() error {
	w.look()
	return w.memoryWorld.Settle()
}

// TestTableLevels fills tables of hash nodes from many threads, and looks at them before
// their levels are merged: all entries are counted, and no level is fuller than it should
// be.
func TestTableLevels(t *testing.T) {
	const cells, threads = 60_000, 6
	w := stressWorld(t, plant(seed(layout.Hash, "i")), threads, fmt.Sprintf(`
func Fill(n int) (r0, r1 int) {
	for c := range %d {
		X0[(c*7919 + n)%%(1<<30)] = 1
	}
	return
}`, cells))
	tree := w.trees[0]
	header := unsafe.Add(tree.Base(), w.p.trees[0].Containers()[0].Const)
	word := func(offset int64) uint64 { return *(*uint64)(unsafe.Add(header, offset)) }
	code, _, err := w.code("Fill")
	if err != nil {
		t.Fatal(err)
	}
	for round := range max(3, stressOps(t, 3_000_000)/cells) {
		looked := false
		code.(*engine.Code).Trees = watched{w, func() {
			if looked {
				return // a task that comes later
			}
			entry := memory.Pointer(uintptr(word(layout.TableRegion) + layout.TableLocks))
			first, total := uint64(1)<<word(layout.TableLog), uint64(0)
			for l := range word(layout.TableHighest) + 1 {
				n := uint64(0)
				for range first << l {
					if *(*uint64)(entry) != 0 {
						n++
					}
					entry = unsafe.Add(entry, 16)
				}
				if n > first<<l/4*3+threads {
					t.Errorf("round %d: level %d has %d entries of %d", round, l, n, first<<l)
				}
				total += n
			}
			if used := word(layout.TableUsed); total != used || total != cells || word(layout.TableHighest) < 4 {
				t.Errorf("round %d: %d levels have %d entries, %d are counted, of %d cells", round, word(layout.TableHighest)+1, total, used, cells)
			}
			looked = true
		}}
		w.mustRun(t, "Fill", round)
		if n, err := tree.Count(w.p.nodes[0].lay); n != cells || err != nil || !looked {
			t.Fatalf("round %d: %d cells are active, not %d; %v; looked at: %t", round, n, cells, err, looked)
		}
		w.empty(w.p.nodes[0])
	}
}
