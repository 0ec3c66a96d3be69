package store

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/sparse"
)

// A Store has the trees of a runtime.
type Store struct {
	cfg Config

	mu       sync.Mutex     // guards what follows, and trees while they are built; taken last of all
	trees    []*Tree        // by number; gone for those that have been closed
	gone     *Tree          // a closed tree of nothing
	mistakes diag.ErrorList // in placing what no field knows of
	adjoints []*Field       // in use

	handed  atomic.Uint64 // how often the host has got memory of a field or tree for good
	closed  atomic.Bool   // no tree gets memory any more; set under mu
	retired atomic.Bool   // a dense tree has been closed
}

// Config is what a store needs of its owner. All funcs may be called by several goroutines.
type Config struct {
	Launches Launches       // taken by code that reads what kernels change; then no kernel runs
	Budget   *sparse.Budget // of all trees
	Limit    int64          // bytes of trees that the program allows, 0 for what the machine has
	Threads  int            // that run kernels, and copy elements

	// Settle waits until no launch is queued, before elements of a field are touched, or any if it is nil. It returns an error that the program
	// has to learn of. The holder of Launches may call it. Idle reports whether none is queued. Both are nil if launches are never queued.
	Settle func(*Field) error
	Idle   func() bool

	// Memory is where trees have their elements.
	Memory device.Memory
	// RemakeLists has sparse trees make the lists for loops anew each time.
	RemakeLists bool

	// Closed is told of each tree that has been closed, under the lock of launches.
	Closed func(*Tree)
	// Overwritten is told of each field all of whose elements get new values from the program.
	Overwritten func(*Field)
	// Writer makes what stores to a field behind launches that are queued. It may be nil.
	Writer func(*Field) Writer
	// Copier makes what copies the elements of a field. It may be nil.
	Copier func(*Field) Copier
}

// Launches is a lock that can be tried.
type Launches interface {
	sync.Locker
	TryLock() bool
}

// A Copier copies all elements of a large field faster than the loops of this package can. Both give the same bits.
type Copier interface {
	// Copy copies between the field and the Go values at an address. It reports false if it cannot do so now.
	Copy(w Way, at unsafe.Pointer) bool
	// Free is called, under the lock of launches, when the field's tree has been closed.
	Free()
}

// A Way is a direction in which elements are copied.
type Way uint8

// The ways: from a field to Go values, and back.
const (
	OutOf Way = iota
	Into
)

// New returns an empty store.
func New(cfg Config) *Store {
	st := &Store{cfg: cfg}
	st.gone = &Tree{TreeState: TreeState{st: st, plan: layout.NewTree(-1)}}
	st.gone.closed.Store(true)
	return st
}

// Shut has no tree get memory from now on. It comes before Close, which waits for launches.
func (st *Store) Shut() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.closed.Store(true)
}

// Close closes all trees. Errors are one for each tree.
func (st *Store) Close() (errs []error) {
	st.mu.Lock()
	trees := slices.Clone(st.trees)
	st.mu.Unlock()
	for _, t := range trees {
		errs = append(errs, t.Close())
	}
	return errs
}

// Mistakes are those made in placing what no field knows of: nobody else tells of them.
func (st *Store) Mistakes() diag.ErrorList {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.Clone(st.mistakes)
}

// Lasting are the open trees whose contents matter from one launch to the next.
func (st *Store) Lasting() (trees []*Tree) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, t := range st.trees {
		if !t.scratch && !t.closed.Load() {
			trees = append(trees, t)
		}
	}
	return trees
}

// Memory is the area of the tree of a number, and where the tree begins there; nil if it has no memory.
func (st *Store) Memory(tree int) (a device.Area, offset int64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.trees[tree].memoryNow()
}

// memoryNow is the area of a tree, and where it begins there; nil if it has no memory. It needs st.mu.
func (t *Tree) memoryNow() (a device.Area, offset int64) {
	switch {
	case t.closed.Load():
	case t.sparse != nil:
		return t.sparse.Root()
	case t.area != nil:
		return t.area, t.start()
	}
	return nil, 0
}

// Room says how much memory there is for trees.
func (st *Store) Room() string {
	if st.cfg.Limit == 0 {
		return fmt.Sprintf("this machine has %d", memory.PhysicalMemory())
	}
	return fmt.Sprintf("Config.MemoryLimit is %d", st.cfg.Limit)
}
