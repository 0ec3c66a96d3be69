package store

import (
	"errors"
	"go/token"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/sparse"
)

// A Tree describes how one or more fields lie in memory: a hierarchy of nodes, fixed once it
// is used, whose leaves are fields.
type Tree struct {
	Node
	TreeState
}

// TreeState is what a Tree has besides its root node.
type TreeState struct {
	st     *Store
	plan   *layout.Tree
	errs   diag.ErrorList
	faulty atomic.Bool // there are some
	fields []*Field    // those in use
	words  []*Word

	following atomic.Int64 // changes of which components elsewhere become zero with elements in the tree

	// Guarded by st.mu until the tree is ready; Close takes the launch lock, too.
	area   device.Area  // of a dense tree
	bytes  int64        // of them, what the tree needs
	sparse *sparse.Tree // of a tree with nodes that are not dense
	closed atomic.Bool

	cellSums map[*layout.Node]cellSum // guarded by the launch lock

	open   atomic.Bool // Base of some field may not be nil
	handed atomic.Bool // the host has got memory of it for good

	division Division // nil if the tree is not divided

	scratch bool // what it holds matters during a launch only

	// Held for reading while the host exchanges a word with numbers of several fields for another, and for writing
	// while a kernel of the host's stores to such words.
	stores sync.RWMutex
}

// NewTree returns an empty tree.
func (st *Store) NewTree() *Tree {
	st.mu.Lock()
	defer st.mu.Unlock()
	t := &Tree{TreeState: TreeState{st: st, plan: layout.NewTree(len(st.trees))}}
	t.Node.tree, t.Node.lay = t, t.plan.Root()
	st.trees = append(st.trees, t)
	return t
}

// NewScratch returns an empty tree for what matters during a launch only.
func (st *Store) NewScratch() *Tree {
	t := st.NewTree()
	t.scratch = true
	return t
}

// Origin sets the lowest index along each of the axes, 0 by default and possibly negative, for
// all fields and nodes of the tree.
func (t *Tree) Origin(axes string, lowest ...int) *Tree {
	if err := t.usable(); err != nil {
		panic(err)
	}
	t.st.mu.Lock()
	defer t.st.mu.Unlock()
	t.note(t.plan.Origin(axes, lowest...))
	return t
}

// Err returns the mistakes made so far in building the tree, as [diag.ErrorList] with the
// positions of the calls, or nil.
func (t *Tree) Err() error {
	if err := t.usable(); err != nil {
		return err
	}
	t.st.mu.Lock()
	defer t.st.mu.Unlock()
	return slices.Clone(t.errs).Err()
}

// Store is what has the tree.
func (t *Tree) Store() *Store { return t.st }

// Closed reports whether the tree has been closed.
func (t *Tree) Closed() bool { return t.closed.Load() }

// Sparse is the memory of a tree with nodes that are not dense, nil for others and before the first use.
func (t *Tree) Sparse() *sparse.Tree { return t.sparse }

// usable returns an error for a tree that NewTree has not made.
func (t *Tree) usable() error {
	switch {
	case t == nil:
		return diag.Errorf(diag.ErrPlace, "a nil Tree, such as that of a field that is not placed; call rt.Place(ti.Shape{…}, &field) first, or make a tree by NewTree")
	case t.st == nil:
		return diag.Errorf(diag.ErrArgs, "a Tree of no runtime; use what NewTree returns")
	}
	return nil
}

// Bytes returns the memory that the tree has in use: 0 before its first use and after Close.
func (t *Tree) Bytes() int64 {
	if t.usable() != nil {
		return 0 // nothing is in use
	}
	t.st.mu.Lock()
	bytes, grows := t.bytes, t.sparse != nil
	t.st.mu.Unlock()
	if !grows {
		return bytes
	}
	t.st.cfg.Launches.Lock()
	defer t.st.cfg.Launches.Unlock()
	if t.closed.Load() {
		return 0
	}
	return t.sparse.BytesInUse()
}

// Close waits for launches and frees the tree's memory.
func (t *Tree) Close() error {
	if err := t.usable(); err != nil {
		return err
	}
	st := t.st
	st.cfg.Launches.Lock()
	defer st.cfg.Launches.Unlock()
	all := []*Tree{t}
	st.mu.Lock()
	for _, f := range t.fields {
		if f.keys != nil {
			all = append(all, f.keys.node.tree)
		}
	}
	st.mu.Unlock()
	var errs []error
	for _, t := range all {
		was, err := t.end()
		if !was {
			t.ended()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// ended tells whoever knows the tree that it has been closed. The caller holds the launch lock.
func (t *Tree) ended() {
	for _, f := range t.fields { // a closed tree gets no more
		if c := f.copier.Load(); c != nil {
			(*c).Free()
		}
		if w := f.writes.Load(); w != nil {
			(*w).Free()
		}
	}
	t.st.cfg.Closed(t)
}

// end frees the memory, unless the tree was closed before.
func (t *Tree) end() (was bool, err error) {
	st := t.st
	st.mu.Lock()
	defer st.mu.Unlock()
	if t.closed.Swap(true) {
		return true, nil
	}
	st.trees[t.plan.ID()] = st.gone // so that nothing of it stays but what others hold
	for _, f := range t.fields {
		if f.followed {
			f.parts[0].home.following.Add(1)
		}
		f.Base.Store(nil)
	}
	st.cfg.Budget.Add(-t.bytes)
	t.bytes = 0
	if t.sparse != nil {
		return false, t.sparse.Close()
	}
	return false, t.retire()
}

// Place gives each field a tree of its own: dense, row-major, of the given shape, zero.
func (st *Store) Place(shape Shape, fields ...*Field) {
	for _, f := range fields {
		st.placeAlone(shape, f, diag.User())
	}
}

// allAxes are the axes of a plain field, as many as it has.
const allAxes = "ijklmnop"

func (st *Store) placeAlone(shape Shape, f *Field, pos token.Position) {
	t := st.NewTree()
	st.mu.Lock()
	defer st.mu.Unlock()
	n := &Node{tree: t, lay: t.plan.Root()}
	switch {
	case len(shape) > len(allAxes):
		t.noteAt(&layout.Error{Kind: layout.BadAxes, Msg: "a shape has more than 8 extents"}, pos)
		n.lay = nil
	case len(shape) > 0:
		lay, err := n.lay.Dense(allAxes[:len(shape)], shape...)
		t.noteAt(err, pos)
		n.lay = lay
	}
	t.misplaced(f, n.place(f, pos), pos)
	if f == nil { // the program never sees this tree
		st.mistakes = append(st.mistakes, t.errs...)
	}
}

// note keeps a mistake made in the call of this package that the user wrote. It needs
// st.mu, as everything that builds trees.
func (t *Tree) note(err error) {
	if err != nil {
		t.noteAt(err, diag.User())
	}
}

func (t *Tree) noteAt(err error, pos token.Position) {
	if err != nil {
		t.errs = append(t.errs, layoutError(err, pos))
		t.faulty.Store(true)
	}
}

// misplaced notes a mistake made in placing a field. The field has it too: the tree may be one that the program
// never looks at, since the field lies in another.
func (t *Tree) misplaced(c *Field, err error, pos token.Position) {
	if err == nil {
		return
	}
	t.noteAt(err, pos)
	if c != nil {
		c.misplace(layoutError(err, pos))
	}
}

// misplace has all uses of the field fail with a mistake that was made in placing it, or a part of it. It needs st.mu.
func (c *Field) misplace(e *diag.Error) {
	root := c.Root()
	root.misplaced.CompareAndSwap(nil, e)
	for _, t := range root.uses {
		for _, f := range t.fields {
			if f.Root() == root {
				f.Base.Store(nil)
			}
		}
	}
}

var layoutCodes = [...]diag.Code{
	layout.BadSize: diag.LayoutSize, layout.BadAxes: diag.LayoutAxes, layout.TooLarge: diag.LayoutTooLarge,
	layout.Placed: diag.LayoutTwice, layout.Mismatch: diag.LayoutParts, layout.Frozen: diag.LayoutFrozen,
	layout.BadWord: diag.LayoutWord, layout.BadFormat: diag.LayoutFormat,
}

// layoutError gives a mistake its position and code.
func layoutError(err error, pos token.Position) *diag.Error {
	if e, ok := errors.AsType[*diag.Error](err); ok {
		return e.At(pos)
	}
	e := &diag.Error{Pos: pos, Msg: err.Error(), Code: diag.LayoutMemory, Cause: diag.ErrMemory}
	if l, ok := errors.AsType[*layout.Error](err); ok {
		e.Code, e.Msg, e.Help, e.Cause = layoutCodes[l.Kind], l.Msg, l.Help, diag.ErrLayout
	}
	return e
}

// ready gives the tree its memory. It is called with st.mu held.
func (t *Tree) ready() error {
	t.emptyWords()
	switch {
	case len(t.errs) > 0:
		return t.errs
	case t.closed.Load():
		return diag.Errorf(diag.ErrClosed, "the tree has been closed")
	case t.st.closed.Load():
		return diag.Errorf(diag.ErrClosed, "the runtime of the tree has been closed")
	case t.area != nil || t.sparse != nil:
		return nil
	}
	if err := t.plan.Freeze(); err != nil {
		return layoutError(err, token.Position{})
	}
	need := t.plan.Bytes()
	if need > t.st.cfg.Budget.Left() {
		what, remedy := "a tree needs %d bytes", "use smaller extents or element types"
		if t.plan.Sparse() {
			what, remedy = "a tree needs %d bytes before anything in it is active", "put larger pointer cells above its outermost nodes, or use a hash node"
		}
		return diag.Errorf(diag.ErrMemory, what+", other trees have %d, and %s; %s", need, t.st.cfg.Budget.Used(), t.st.Room(), remedy)
	}
	if t.plan.Sparse() {
		tree, err := sparse.New(t.plan, t.st.cfg.Threads, t.st.cfg.Budget, t.st.cfg.Memory.Space())
		if err != nil {
			return diag.Errorf(diag.ErrMemory, "%w", err)
		}
		if t.st.cfg.RemakeLists {
			tree.RemakeLists()
		}
		t.sparse = tree
		return nil
	}
	area, err := t.st.allocate(need + stagger)
	if err != nil {
		return diag.Errorf(diag.ErrMemory, "%w", err)
	}
	t.area, t.bytes = area, need
	t.st.cfg.Budget.Add(need)
	return nil
}

// stagger is how far apart trees begin in their pages. If all began at the same
// place, elements of equal index would have equal low address bits, which
// processors mistake for equal addresses when they order loads after stores.
const stagger = 4096

// apart reports whether machine and host have memory of their own for the tree.
func (t *Tree) apart() bool {
	return t.area != nil && !t.area.Shared() || t.sparse != nil && !t.sparse.Shared()
}

// start is where a dense tree begins in its area.
func (t *Tree) start() int64 { return int64(t.plan.ID() * 7 % 16 * (stagger / 16)) }

// address is the tree's first byte.
func (t *Tree) address() unsafe.Pointer {
	if t.sparse != nil {
		return t.sparse.Base()
	}
	return unsafe.Pointer(&t.area.Host()[t.start()])
}

// memory is what the host has of a dense tree, which is mapped.
func (t *Tree) memory() []byte { return unsafe.Slice((*byte)(t.address()), t.bytes) }
