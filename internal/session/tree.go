package session

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/option"
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
	rt     *Runtime
	plan   *layout.Tree
	errs   SourceErrors
	faulty atomic.Bool // there are some
	fields []*Field    // those in use
	words  []*Word

	following atomic.Int64 // changes of which components elsewhere become zero with elements in the tree

	// Guarded by rt.mu until the tree is ready; Close takes the launch lock, too.
	region *memory.Region // of a dense tree
	bytes  int64          // of the region
	sparse *sparse.Tree   // of a tree with nodes that are not dense
	closed atomic.Bool

	cellSums map[*layout.Node]cellSum // of nodes that checkpoints compare; guarded by the launch lock

	scratch bool // what it holds matters during a launch only

	// Held for reading while the host exchanges a word with numbers of several fields for another, and for writing while
	// a kernel of the host's stores to such words.
	stores sync.RWMutex
}

// NewTree returns an empty tree.
func (rt *Runtime) NewTree() *Tree {
	rt.MustBeMade("NewTree")
	rt.mu.Lock()
	defer rt.mu.Unlock()
	t := &Tree{TreeState: TreeState{rt: rt, plan: layout.NewTree(len(rt.trees))}}
	t.Node.tree, t.Node.lay = t, t.plan.Root()
	rt.trees = append(rt.trees, t)
	return t
}

// Origin sets the lowest index along each of the axes, 0 by default and possibly negative, for
// all fields and nodes of the tree.
func (t *Tree) Origin(axes string, lowest ...int) *Tree {
	if err := t.usable(); err != nil {
		panic(err)
	}
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	t.note(t.plan.Origin(axes, lowest...))
	return t
}

// Err returns the mistakes made so far in building the tree, as [SourceErrors] with the
// positions of the calls, or nil.
func (t *Tree) Err() error {
	if err := t.usable(); err != nil {
		return err
	}
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	return slices.Clone(t.errs).Err()
}

// usable returns an error for a tree that NewTree has not made.
func (t *Tree) usable() error {
	switch {
	case t == nil:
		return diag.Errorf(diag.ErrPlace, "a nil Tree, such as that of a field that is not placed; call rt.Place(ti.Shape{…}, &field) first, or make a tree by NewTree")
	case t.rt == nil:
		return diag.Errorf(diag.ErrArgs, "a Tree of no runtime; use what NewTree returns")
	}
	return nil
}

// Bytes returns the memory that the tree has in use: 0 before its first use and after Close.
func (t *Tree) Bytes() int64 {
	if t.usable() != nil {
		return 0 // nothing is in use
	}
	t.rt.mu.Lock()
	bytes, grows := t.bytes, t.sparse != nil
	t.rt.mu.Unlock()
	if !grows {
		return bytes
	}
	t.rt.eng.Lock()
	defer t.rt.eng.Unlock()
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
	rt := t.rt
	rt.eng.Lock()
	defer rt.eng.Unlock()
	all := []*Tree{t}
	rt.mu.Lock()
	for _, f := range t.fields {
		if f.keys != nil {
			all = append(all, f.keys.node.tree)
		}
	}
	rt.mu.Unlock()
	var errs []error
	for _, t := range all {
		programs, err := t.end()
		for _, p := range programs {
			p.forget(t)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// end frees the memory, and returns the programs that may know the tree: none if it was
// closed before.
func (t *Tree) end() ([]*Program, error) {
	rt := t.rt
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if t.closed.Swap(true) {
		return nil, nil
	}
	rt.trees[t.plan.ID()] = rt.gone // so that nothing of it stays but what the program holds
	for _, f := range t.fields {
		if f.followed {
			f.parts[0].home.following.Add(1)
		}
		f.Base.Store(nil)
		f.copier.Load().free()
	}
	rt.budget.Add(-t.bytes)
	t.bytes = 0
	if t.sparse != nil {
		return rt.programs, t.sparse.Close()
	}
	return rt.programs, t.retire()
}

// Place gives each field a tree of its own: dense, row-major, of the given shape, zero.
func (rt *Runtime) Place(shape Shape, fields ...*Field) {
	rt.MustBeMade("Place")
	for _, f := range fields {
		rt.placeAlone(shape, f, diag.User())
	}
}

// allAxes are the axes of a plain field, as many as it has.
const allAxes = "ijklmnop"

func (rt *Runtime) placeAlone(shape Shape, f *Field, pos token.Position) {
	t := rt.NewTree()
	rt.mu.Lock()
	defer rt.mu.Unlock()
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
		rt.mistakes = append(rt.mistakes, t.errs...)
	}
}

// note keeps a mistake made in the call of this package that the user wrote. It needs
// rt.mu, as everything that builds trees.
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

// misplace has all uses of the field fail with a mistake that was made in placing it, or a part of it. It needs rt.mu.
func (c *Field) misplace(e *SourceError) {
	root := c.root()
	root.misplaced.CompareAndSwap(nil, e)
	for _, t := range root.uses {
		for _, f := range t.fields {
			if f.root() == root {
				f.Base.Store(nil)
			}
		}
	}
}

var layoutCodes = [...]Code{
	layout.BadSize: diag.LayoutSize, layout.BadAxes: diag.LayoutAxes, layout.TooLarge: diag.LayoutTooLarge,
	layout.Placed: diag.LayoutTwice, layout.Mismatch: diag.LayoutParts, layout.Frozen: diag.LayoutFrozen,
	layout.BadWord: diag.LayoutWord, layout.BadFormat: diag.LayoutFormat,
}

// layoutError gives a mistake its position and code.
func layoutError(err error, pos token.Position) *SourceError {
	if e, ok := errors.AsType[*SourceError](err); ok {
		return atPlace(e, pos)
	}
	e := &SourceError{Pos: pos, Msg: err.Error(), Code: diag.LayoutMemory, Cause: diag.ErrMemory}
	if l, ok := errors.AsType[*layout.Error](err); ok {
		e.Code, e.Msg, e.Help, e.Cause = layoutCodes[l.Kind], l.Msg, l.Help, diag.ErrLayout
	}
	return e
}

// atPlace gives e a position if it has none.
func atPlace(e *SourceError, pos token.Position) *SourceError {
	if e.Pos.Line > 0 {
		return e
	}
	at := *e
	at.Pos = pos
	return &at
}

// ready gives the tree its memory. It is called with rt.mu held.
func (t *Tree) ready() error {
	t.emptyWords()
	switch {
	case len(t.errs) > 0:
		return t.errs
	case t.closed.Load():
		return diag.Errorf(diag.ErrClosed, "the tree has been closed")
	case t.rt.closed.Load():
		return diag.Errorf(diag.ErrClosed, "the runtime of the tree has been closed")
	case t.region != nil || t.sparse != nil:
		return nil
	}
	if err := t.plan.Freeze(); err != nil {
		return layoutError(err, token.Position{})
	}
	need := t.plan.Bytes()
	if need > t.rt.budget.Left() {
		what, remedy := "a tree needs %d bytes", "use smaller extents or element types"
		if t.plan.Sparse() {
			what, remedy = "a tree needs %d bytes before anything in it is active", "put larger pointer cells above its outermost nodes, or use a hash node"
		}
		return diag.Errorf(diag.ErrMemory, what+", other trees have %d, and %s; %s", need, t.rt.budget.Used(), t.rt.opt.limit(), remedy)
	}
	if t.plan.Sparse() {
		tree, err := sparse.New(t.plan, t.rt.opt.Threads, t.rt.budget)
		if err != nil {
			return diag.Errorf(diag.ErrMemory, "%w", err)
		}
		if t.rt.opt.compile.Without.Has(option.Lists) {
			tree.RemakeLists()
		}
		t.sparse = tree
		return nil
	}
	region, err := t.rt.mapMemory(need + stagger)
	if err != nil {
		return diag.Errorf(diag.ErrMemory, "%w", err)
	}
	t.region, t.bytes = region, need
	t.rt.budget.Add(need)
	return nil
}

// limit says how much memory there is for trees.
func (o *options) limit() string {
	if o.MemoryLimit == 0 {
		return fmt.Sprintf("this machine has %d", memory.PhysicalMemory())
	}
	return fmt.Sprintf("Config.MemoryLimit is %d", o.MemoryLimit)
}

// recordRoom returns how many bytes a launch may use for its records.
func (rt *Runtime) recordRoom() int64 { return max(leastRecordRoom, rt.budget.Left()/2) }

// leastRecordRoom is the room for records in bytes whatever the memory limit, so that
// messages of a program with little memory are printed.
const leastRecordRoom = 16 << 20

// stagger is how far apart trees begin in their pages. If all began at the same
// place, elements of equal index would have equal low address bits, which
// processors mistake for equal addresses when they order loads after stores.
const stagger = 4096

// address is the tree's first byte.
func (t *Tree) address() unsafe.Pointer {
	if t.sparse != nil {
		return t.sparse.Base()
	}
	return unsafe.Add(t.region.Base(), t.plan.ID()*7%16*(stagger/16))
}

// memory is all of a dense tree.
func (t *Tree) memory() []byte { return unsafe.Slice((*byte)(t.address()), t.bytes) }
