package layout

// The control words of a sparse tree lie behind its root block: for the tree, for
// each kind of block but the root, and for each node that is not dense. Compiled
// code reaches them by constant offsets from the base of the tree.

// Words of the tree, from [Tree.Control].
const (
	ControlZero = 0  // address of the zero block, which is as large as the largest block, and cannot be written
	treeControl = 64 // bytes
)

// Words of a kind of block, from [Tree.BlockControl].
const (
	ControlRegion = 0  // address of slot 0
	ControlTop    = 8  // number of slots taken from the region so far; atomic
	ControlLimit  = 16 // number of slots that may be taken from it
	ControlFree   = 24 // address of the stack of free slots, a word each
	ControlCount  = 32 // how many are on it; atomic, may go below 0 while a task runs
	ControlCaches = 40 // address of the caches of the threads
	ControlFailed = 48 // not 0 once an allocation has failed
	ControlDump   = 56 // address of the dump block: what code writes to where it found no memory. One for each kind, since it may have pointers in it
	blockControl  = 64 // bytes
)

// Words of the cache of a thread, CacheBytes apart in the order of the threads.
const (
	CacheNext      = 0  // next slot of a span at the end of the region
	CacheEnd       = 8  // end of that span
	CacheFree      = 16 // next position in the stack of free slots, counted down
	CacheFreeStart = 24 // positions from here up to CacheFree are this thread's
	CacheReserve   = 32 // a slot in reserve, plus 1; 0 for none
	CacheUsed      = 40 // slots of the region below this one may hold anything: whoever takes one from there zeroes it. The same for all threads
	CacheBytes     = 64

	// Of the first thread's only, for tasks in which no thread has a cache.
	CacheGiven = 48 // the list of slots that were given back: the lower half is the first one plus 1, or 0 for none, the upper half counts changes; atomic. Machines of such tasks have regions of fewer than 1<<32 slots
	CacheSlots = 56 // how many words the stack has; as many behind it are for the list: for each slot the one behind it, plus 1
)

// Words of a node, from [Tree.NodeControl].
const (
	ControlChanged = 0  // not 0 once a cell was activated; set by tasks, cleared by who counts the change
	ControlVersion = 8  // changes that were counted: the host's number when a launch begins, and what the device has added where it makes lists itself
	nodeControl    = 64 // bytes: a line of its own, since tasks write it
)

// Words of the header of the table of a hash node, which lies where the node does.
const (
	TableRegion  = 0  // address of the region, which begins with TableLocks bytes of locks
	TableLowest  = 8  // lowest level in use
	TableHighest = 16 // highest; atomic
	TableLog     = 24 // log2 of the number of entries of level 0; each level has twice as many as the one before
	TableUsed    = 32 // entries put into all levels since they were last merged; atomic
	TableLevels  = 40 // levels for which the region has room
	TableReach   = 48 // entries from the first one that a search looks at to the last one that the host has put
	TableLocks   = 4096

	// TableProbes is how many entries of a level a search looks at where no thread waits for another one.
	TableProbes = 64
)

// Control returns the offset of the tree's control words from its base.
func (t *Tree) Control() int64 { return t.control }

// BlockControl returns the offset of the words of the kind of block with an ID.
func (t *Tree) BlockControl(id int) int64 { return t.control + treeControl + int64(id-1)*blockControl }

// NodeControl returns the offset of the words of the node with a number.
func (t *Tree) NodeControl(number int) int64 {
	return t.BlockControl(len(t.blocks)) + int64(number)*nodeControl
}

// controlBytes is the size of all control words.
func (t *Tree) controlBytes() int64 {
	return t.NodeControl(len(t.containers)) - t.control
}

// Sparse reports whether some node of a frozen tree is not dense.
func (t *Tree) Sparse() bool { return len(t.containers) > 0 }
