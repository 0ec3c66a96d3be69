package sparse

import (
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
)

// Tree is the memory of a tree with nodes that are not dense.
type Tree struct {
	door
	lay     *layout.Tree
	budget  *Budget
	space   device.Space
	threads int

	root, caches *memory.Region
	zero, dump   *memory.Region // the block that is read where there is none; those that are written where there is no memory
	base         uint64         // of the root block
	fixed        int64          // bytes that the tree has from the start
	before       int64          // bytes that it had when the task began
	pools        []*pool        // by ID of the kind of block; none for the root

	mu     sync.Mutex
	nodes  []node      // by number
	made   []*madeList // lists for loops
	parts  [][]uint64  // memory for parts of lists while they are made
	dead   []dead      // memory for blocks that are collected; empty
	remake bool        // lists are made for each task
	epoch  int64       // of the lists then: tasks prepared

	followers []follower
}

// node is what is known of a node that is not dense.
type node struct {
	*layout.Container
	steps   []layout.Step // to its cells
	origin  []int64       // lowest index of its cells
	version int64         // changes of its topology
	leaving []int64       // indices, from 0, of the cells that are to become inactive
	spans   []int64       // cells of the node along each axis in a block that it lies in
	table   *table        // of a hash node
	blocks  blockList     // of a node whose cells have blocks of their own

}

// dumpAlign is how dump blocks are aligned: as well as any block.
const dumpAlign = 64

// stagger is how far apart trees begin in their pages, so that elements of equal
// index in several trees do not have equal low address bits.
const stagger = 4096

// New gives a frozen tree its memory, in a space; a task on it has at most the given number of
// threads.
func New(lay *layout.Tree, threads int, b *Budget, space device.Space) (*Tree, error) {
	d := door{}
	if m, is := space.(device.Mirrored); is {
		space, d.mirror = m.Apart()
	}
	t := &Tree{door: d, lay: lay, budget: b, space: space, threads: max(1, threads), pools: make([]*pool, len(lay.Blocks())), nodes: make([]node, len(lay.Containers()))}
	if err := t.reserve(); err != nil {
		_ = t.Close()
		return nil, err
	}
	return t, nil
}

// reserve makes the regions.
func (t *Tree) reserve() (err error) {
	size := t.lay.Bytes()
	if size > t.budget.Left() {
		return ErrMemory
	}
	if t.root, err = t.space.Map(size + stagger); err != nil {
		return err
	}
	t.base = uint64(uintptr(t.root.Base())) + uint64(t.lay.ID()*7%16*(stagger/16))
	blocks, largest, all := t.lay.Blocks(), int64(1), int64(1)
	if t.caches, err = t.space.Map(int64(len(blocks) * t.threads * layout.CacheBytes)); err != nil {
		return err
	}
	caches := uint64(uintptr(t.caches.Base()))
	most := capacities(t.lay)
	for _, b := range blocks[1:] {
		control := t.base + uint64(t.lay.BlockControl(b.ID))
		t.pools[b.ID], err = newPool(b, most[b.ID], t.budget, t.door, t.space, t.threads, control, caches+uint64(b.ID*t.threads*layout.CacheBytes))
		if err != nil {
			return err
		}
		largest = max(largest, b.Bytes)
		all += roundUp(b.Bytes, dumpAlign)
	}
	if t.zero, err = t.space.Reserve(largest); err != nil {
		return err
	}
	if err := t.zero.ReadOnly(); err != nil {
		return err
	}
	if t.dump, err = t.space.Reserve(all); err != nil {
		return err
	}
	dump := uint64(uintptr(t.dump.Base()))
	for _, b := range blocks[1:] {
		t.pools[b.ID].set(layout.ControlDump, dump)
		dump += uint64(roundUp(b.Bytes, dumpAlign))
	}
	if t.lay.Sparse() {
		control := t.base + uint64(t.lay.Control())
		t.store(control+layout.ControlZero, uint64(uintptr(t.zero.Base())))
	}
	t.fixed = size
	t.budget.Add(size)
	return t.describe()
}

// describe fills in what is known of the nodes.
func (t *Tree) describe() (err error) {
	for i, c := range t.lay.Containers() {
		n := &t.nodes[i]
		n.Container, n.steps = c, c.Node.Steps()
		n.origin = c.Node.Lowest()
		for _, a := range c.Node.PathAxes() {
			span := c.Node.Extent(a)
			if slices.Contains(c.Block.Node.PathAxes(), a) {
				span /= c.Block.Node.Extent(a)
			}
			n.spans = append(n.spans, span)
		}
		if c.Node.Kind() == layout.Hash {
			if n.table, err = newTable(c, t.base+uint64(c.Const), t.pools[c.Into[0].ID], t.space); err != nil {
				return err
			}
		}
	}
	return nil
}

// capacities returns how many blocks of each kind there can be at a time.
func capacities(lay *layout.Tree) []int64 {
	most := make([]int64, len(lay.Blocks()))
	most[0] = 1
	for _, c := range lay.Containers() { // outermost first; of the directories of lists the first places are unused
		n := most[c.Block.ID]
		for _, l := range c.Repeat {
			n = mulClamp(n, l.Size)
		}
		switch c.Node.Kind() {
		case layout.Pointer, layout.Hash:
			for _, s := range c.Node.Sizes() {
				n = mulClamp(n, s)
			}
			most[c.Into[0].ID] = n
		case layout.Dynamic:
			for i, b := range c.Into {
				n = mulClamp(n, c.Fan[i])
				most[b.ID] = n
			}
		}
	}
	return most
}

// mulClamp multiplies; too large a product is that of a full address space.
func mulClamp(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > mostBytes {
		return mostBytes
	}
	return int64(lo)
}

// Close gives the memory back; nothing of the tree may be used any more.
func (t *Tree) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.pools {
		if p != nil {
			p.free()
		}
	}
	for i := range t.nodes {
		if h := t.nodes[i].table; h != nil {
			h.free()
		}
		t.nodes[i].blocks = blockList{}
	}
	for _, r := range []*memory.Region{t.root, t.caches, t.zero, t.dump} {
		if r != nil {
			_ = r.Free()
		}
	}
	t.root, t.caches, t.zero, t.dump, t.pools = nil, nil, nil, nil, nil
	t.budget.Add(-t.fixed)
	t.fixed, t.made = 0, nil
	return nil
}

// Layout returns what the tree was made of.
func (t *Tree) Layout() *layout.Tree { return t.lay }

// Base returns the address of the root block, which never changes.
func (t *Tree) Base() unsafe.Pointer { return at(t.base) }

// Root returns the area that the root block lies in, and where it begins there.
func (t *Tree) Root() (a device.Area, offset int64) {
	return device.Of(t.root), int64(t.base - uint64(uintptr(t.root.Base())))
}

// BytesInUse returns the memory that the tree has taken.
func (t *Tree) BytesInUse() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.pools {
		if p != nil {
			p.account()
		}
	}
	return t.counted()
}

// counted returns the bytes that the budget knows of.
func (t *Tree) counted() int64 {
	n := t.fixed
	for _, p := range t.pools {
		if p != nil {
			n += p.counted
		}
	}
	for i := range t.nodes {
		if h := t.nodes[i].table; h != nil {
			n += h.counted
		}
	}
	return n
}

// Changes returns the number of changes of the topology of all nodes.
func (t *Tree) Changes() (n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.nodes {
		n += t.nodes[i].version
	}
	return n
}

// Version returns the number of changes of a node's own topology.
func (t *Tree) Version(n *layout.Node) int64 {
	if n.Kind() == layout.Dense {
		return 0
	}
	return t.nodes[n.Number()].version
}

// version returns where the version of a node stands for machines that make lists themselves.
func (t *Tree) version(number int) uint64 {
	return t.base + uint64(t.lay.NodeControl(number)) + layout.ControlVersion
}

// Prepare lets the task that comes take what memory there is.
func (t *Tree) Prepare() {
	for _, p := range t.pools {
		if p != nil {
			p.prepare()
		}
	}
	t.before = t.counted()
	for i := range t.nodes {
		t.change(t.version(i), uint64(t.nodes[i].version))
	}
	if t.remake {
		t.mu.Lock()
		t.epoch++
		t.mu.Unlock()
	}
}

// RemakeLists makes t make its lists anew for each task, also if its topology has not
// changed. It comes before the first task.
func (t *Tree) RemakeLists() { t.remake = true }

// Reuses reports whether lists are reused while the topology does not change.
func (t *Tree) Reuses() bool { return !t.remake }

// Settle brings the tree into order after a task: changes are noted, tables merged. It
// returns [ErrMemory] if the task could not activate all that it wanted.
func (t *Tree) Settle() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	ok := true
	for i := range t.nodes {
		t.nodes[i].version = max(t.nodes[i].version, int64(t.load(t.version(i))))
		if c := t.base + uint64(t.lay.NodeControl(i)) + layout.ControlChanged; t.load(c) != 0 {
			t.store(c, 0)
			t.nodes[i].version++
		}
		if h := t.nodes[i].table; h != nil {
			h.settle()
		}
	}
	for _, p := range t.pools {
		if p != nil {
			ok = p.settle() && ok
		}
	}
	if err := t.err(); err != nil {
		return err
	}
	if !ok {
		t.reclaim()
	}
	if !ok || t.budget.exceeded() && t.counted() > t.before {
		return ErrMemory
	}
	return nil
}
