package engine

import (
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

// copies holds the private trees of one task, made when it first runs on several
// threads and kept: between runs they hold the identity of their operation.
type copies struct {
	tables [][]uint64         // slots of each thread; [0] is not used
	trees  [][]*memory.Region // of each thread, one for each entry of task.private
	joined []bool             // by thread: has worked on its copy in this run
}

// Room is the memory that the engine may take for copies of trees. Take reports whether there are so many bytes, and
// counts them; Give counts them no longer.
type Room interface {
	Take(bytes int64) bool
	Give(bytes int64)
}

// mapCopy makes a copy of a tree, if there is room for it.
func (e *Engine) mapCopy(bytes int64) (*memory.Region, error) {
	if e.Room != nil && !e.Room.Take(bytes) {
		return nil, launch.ErrCopies
	}
	r, err := e.place.Space().Map(bytes)
	if err != nil && e.Room != nil {
		e.Room.Give(bytes)
	}
	return r, err
}

// freeCopy gives it back.
func (e *Engine) freeCopy(r *memory.Region) {
	if e != nil && e.Room != nil { // code of tests has none
		e.Room.Give(int64(len(r.Bytes())))
	}
	_ = r.Free()
}

// privatise makes the copies that the first n threads need, and returns how many threads may run: fewer where there is no
// memory for more. The first one has the trees themselves.
func (e *Engine) privatise(c *Code, t *task, n int) int {
	if t.copies == nil {
		size := len(e.threads)
		t.copies = &copies{tables: make([][]uint64, size), trees: make([][]*memory.Region, size), joined: make([]bool, size)}
	}
	clear(t.copies.joined)
	for i := 1; i < n; i++ {
		if table := t.copies.tables[i]; table != nil {
			t.usePrivate(table, t.copies.trees[i])
			continue
		}
		table, err := c.words(len(t.slots))
		if err != nil {
			return i
		}
		var trees []*memory.Region
		for _, p := range t.Private {
			r, err := e.mapCopy(c.sizes[p.Base])
			if err != nil { // all or none: the next run tries again
				for _, r := range trees {
					e.freeCopy(r)
				}
				return i
			}
			fill(r.Bytes(), p.Identity, p.Size)
			trees = append(trees, r)
		}
		t.usePrivate(table, trees)
		t.copies.tables[i], t.copies.trees[i] = table, trees
	}
	return n
}

// usePrivate fills a thread's table with the slots of t, and with the addresses of its copies
// instead of the trees.
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
	c.dropSums()
	c.dropCopies()
	for i := range c.tasks {
		t := &c.tasks[i]
		if f := t.fixed; f != nil {
			for _, r := range f.regions {
				c.engine.freeCopy(r)
			}
			t.fixed = nil
		}
		if t.copies == nil {
			continue
		}
		for _, trees := range t.copies.trees {
			for _, r := range trees {
				c.engine.freeCopy(r)
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
