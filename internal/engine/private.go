package engine

import (
	"github.com/gotaichi/ti/internal/memory"
)

// copies holds the private trees of one task, made when it first runs on several
// threads and kept: between runs they hold the identity of their operation.
type copies struct {
	tables [][]uint64         // slots of each thread; [0] is not used
	trees  [][]*memory.Region // of each thread, one for each entry of task.private
	joined []bool             // by thread: has worked on its copy in this run
}

// privatise makes the copies that the first n threads need.
func (e *Engine) privatise(c *Code, t *task, n int) error {
	if t.copies == nil {
		size := len(e.threads)
		t.copies = &copies{tables: make([][]uint64, size), trees: make([][]*memory.Region, size), joined: make([]bool, size)}
	}
	for i := 1; i < n; i++ {
		if table := t.copies.tables[i]; table != nil {
			t.usePrivate(table, t.copies.trees[i])
			continue
		}
		var trees []*memory.Region
		for _, p := range t.Private {
			r, err := memory.Map(c.sizes[p.Base])
			if err != nil { // all or none: the next run tries again
				for _, r := range trees {
					_ = r.Free()
				}
				return err
			}
			fill(r.Bytes(), p.Identity, p.Size)
			trees = append(trees, r)
		}
		table := aligned(len(t.slots))
		t.usePrivate(table, trees)
		t.copies.tables[i], t.copies.trees[i] = table, trees
	}
	clear(t.copies.joined)
	return nil
}

// usePrivate fills a thread's table with the slots of t, and with the addresses of its copies
// in the place of the trees.
func (t *task) usePrivate(table []uint64, trees []*memory.Region) {
	copy(table, t.slots)
	for k, p := range t.Private {
		t.setBase(table, p.Base, uint64(uintptr(trees[k].Base())))
	}
}

// merge adds the copies that were worked on to the trees, by the helper tasks,
// which also reset them.
func (e *Engine) merge(c *Code, t *task) {
	for i, joined := range t.copies.joined {
		if !joined {
			continue
		}
		for k, p := range t.Private {
			c.bases[p.Scratch] = uint64(uintptr(t.copies.trees[i][k].Base()))
			e.runTask(c, &c.tasks[p.Merge], nil)
		}
	}
}

// Free gives back what the code has taken beside the Go heap.
func (c *Code) Free() {
	for i := range c.tasks {
		t := &c.tasks[i]
		if f := t.fixed; f != nil {
			for _, r := range f.regions {
				_ = r.Free()
			}
			t.fixed = nil
		}
		if t.copies == nil {
			continue
		}
		for _, trees := range t.copies.trees {
			for _, r := range trees {
				_ = r.Free()
			}
		}
		t.copies = nil
	}
}

// fill fills fresh, zeroed memory with numbers of size bytes.
func fill(mem []byte, bits uint64, size int) {
	if bits == 0 {
		return
	}
	for i := range size {
		mem[i] = byte(bits >> (8 * i))
	}
	for n := size; n < len(mem); n *= 2 {
		copy(mem[n:], mem[:n])
	}
}
