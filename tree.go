package ti

import (
	"errors"
	"fmt"
	"go/token"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/syntax"
)

// A Tree describes how one or more fields lie in memory: a hierarchy of nodes, fixed
// once it is used, whose leaves are fields. The Tree is its own root node, with one
// cell:
//
//	t := rt.NewTree()
//	block := t.Pointer(ti.IJ, 64)                      // 64×64 pointers, null at first,
//	block.Dense(ti.IJ, 16).Place(&s.Density, &s.Speed) // to blocks of 16×16 (density, speed) pairs
//	block.Dynamic(ti.K, 1024).Place(&s.Bucket)         // and a list of up to 1024 elements
//
// The extent of a field along an axis is the product of the sizes that the nodes
// above it give that axis: Density is 1024×1024.
type Tree struct {
	Node

	rt     *Runtime
	lay    *layout.Tree
	errs   SourceErrors
	fields []*fieldCore // those in use

	// Guarded by rt.mu until the tree is ready; Close takes the launch lock, too.
	region *memory.Region // of a dense tree
	bytes  int64          // of the region
	sparse *sparse.Tree   // of a tree with nodes that are not dense
	closed atomic.Bool
}

// NewTree returns an empty tree. Add nodes and fields to it before the first Load
// or element access that concerns it; later additions are mistakes.
func (rt *Runtime) NewTree() *Tree {
	rt.mustBeMade("NewTree")
	rt.mu.Lock()
	defer rt.mu.Unlock()
	t := &Tree{rt: rt, lay: layout.NewTree(len(rt.trees))}
	t.Node.tree, t.Node.lay = t, t.lay.Root()
	rt.trees = append(rt.trees, t)
	return t
}

// Origin sets the lowest index along each of the axes, 0 by default and possibly
// negative, for all fields and nodes of the tree. It returns t.
//
// An Origin counts the finest cells below the outermost node of an axis. A larger cell, one
// that spans s of these, has their index divided by s and rounded down. The Origin has to
// be a multiple of s then, if the larger cells, or a field in them, are used:
//
//	t := rt.NewTree().Origin(ti.IJ, -64)
//	block := t.Pointer(ti.IJ, 8)                  // indices from -4 to 3
//	block.Dense(ti.IJ, 16).Place(&s.Density)      // from -64 to 63
//	block.Dynamic(ti.K, 1024).Place(&s.Particles) // from -4 to 3, as the blocks
func (t *Tree) Origin(axes Axes, lowest ...int) *Tree {
	if err := t.usable(); err != nil {
		panic(err)
	}
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	t.note(t.lay.Origin(string(axes), lowest...))
	return t
}

// Err returns the mistakes made so far in building the tree, as [SourceErrors]
// with the positions of the calls, or nil. Of a nil Tree, which a field that is not
// placed has, it returns an error for which errors.Is finds [ErrPlace].
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
		return errorOf(ErrPlace, "a nil Tree, such as that of a field that is not placed; call rt.Place(ti.Shape{…}, &field) first, or make a tree by NewTree")
	case t.rt == nil:
		return errorOf(ErrArgs, "a Tree of no runtime; use what NewTree returns")
	}
	return nil
}

// Bytes returns the memory that the tree has in use: 0 before its first use and after
// Close. A dense tree has all of its memory from then on, though a page of it is
// resident from its first access only; a sparse one has what its active cells take, and
// what they have left and not given back yet.
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

// Close waits for launches and frees the tree's memory. Kernels bound to its
// fields fail with [ErrClosed] from then on; other trees are not affected.
// Closing again does nothing.
func (t *Tree) Close() error {
	if err := t.usable(); err != nil {
		return err
	}
	rt := t.rt
	rt.eng.Lock()
	defer rt.eng.Unlock()
	programs, err := t.end()
	for _, p := range programs {
		p.forget(t)
	}
	return err
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
	rt.trees[t.lay.ID()] = rt.gone // so that nothing of it stays but what the program holds
	for _, f := range t.fields {
		f.base.Store(nil)
	}
	rt.budget.Add(-t.bytes)
	t.bytes = 0
	if t.sparse != nil {
		return rt.programs, t.sparse.Close()
	}
	return rt.programs, t.retire()
}

// Axes is a sequence of axis letters out of "ijklmnop". Their order is the order
// in memory, outermost first: Dense(JI, …) is column-major. Any sequence of
// distinct letters may be written as a string constant.
type Axes string

const (
	I    Axes = "i"
	J    Axes = "j"
	K    Axes = "k"
	L    Axes = "l"
	IJ   Axes = "ij"
	JI   Axes = "ji"
	IJK  Axes = "ijk"
	KJI  Axes = "kji"
	IJKL Axes = "ijkl"
)

// Place gives each field a tree of its own: dense, row-major, of the given shape,
// zero. To place fields side by side in one tree, use [Runtime.NewTree].
func (rt *Runtime) Place(shape Shape, fields ...AnyField) {
	rt.mustBeMade("Place")
	for _, f := range fields {
		rt.placeAlone(shape, f, caller(1))
	}
}

// allAxes are the axes of a plain field, as many as it has.
const allAxes = "ijklmnop"

func (rt *Runtime) placeAlone(shape Shape, f AnyField, pos token.Position) {
	t := rt.NewTree()
	rt.mu.Lock()
	defer rt.mu.Unlock()
	n := &Node{tree: t, lay: t.lay.Root()}
	switch {
	case len(shape) > len(allAxes):
		t.noteAt(&layout.Error{Kind: layout.BadAxes, Msg: "a shape has more than 8 extents"}, pos)
		n.lay = nil
	case len(shape) > 0:
		lay, err := n.lay.Dense(allAxes[:len(shape)], shape...)
		t.noteAt(err, pos)
		n.lay = lay
	}
	t.noteAt(n.place(f, pos), pos)
}

// note keeps a mistake made in the call of this package that the user wrote. It needs
// rt.mu, as everything that builds trees.
func (t *Tree) note(err error) {
	if err != nil {
		t.noteAt(err, caller(2))
	}
}

func (t *Tree) noteAt(err error, pos token.Position) {
	if err != nil {
		t.errs = append(t.errs, layoutError(err, pos))
	}
}

var layoutCodes = [...]Code{
	layout.BadSize: syntax.LayoutSize, layout.BadAxes: syntax.LayoutAxes, layout.TooLarge: syntax.LayoutTooLarge,
	layout.Placed: syntax.LayoutTwice, layout.Mismatch: syntax.LayoutParts, layout.Frozen: syntax.LayoutFrozen,
}

// layoutError gives a mistake its position and code.
func layoutError(err error, pos token.Position) *SourceError {
	if e, ok := errors.AsType[*SourceError](err); ok {
		return atPlace(e, pos)
	}
	e := &SourceError{Pos: pos, Msg: err.Error(), Code: syntax.LayoutMemory, Cause: ErrMemory}
	if l, ok := errors.AsType[*layout.Error](err); ok {
		e.Code, e.Msg, e.Help, e.Cause = layoutCodes[l.Kind], l.Msg, l.Help, ErrLayout
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

// caller is the position of the call skip levels above the caller of caller.
func caller(skip int) token.Position {
	_, file, line, ok := runtime.Caller(skip + 1)
	if !ok {
		return token.Position{}
	}
	return token.Position{Filename: shortPath(file), Line: line}
}

// user returns the position of the innermost call from outside of this package. It goes by
// the file of a call, not by its function: a closure that is inlined is named after the
// function that it is inlined into.
func user() token.Position {
	_, own, _, _ := runtime.Caller(0)
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if path.Dir(f.File) != path.Dir(own) || strings.HasSuffix(f.File, "_test.go") {
			return token.Position{Filename: shortPath(f.File), Line: f.Line}
		}
		if !more {
			return token.Position{}
		}
	}
}

// ready gives the tree its memory. It is called with rt.mu held.
func (t *Tree) ready() error {
	switch {
	case len(t.errs) > 0:
		return t.errs
	case t.closed.Load():
		return errorOf(ErrClosed, "the tree has been closed")
	case t.rt.closed.Load():
		return errorOf(ErrClosed, "the runtime of the tree has been closed")
	case t.region != nil || t.sparse != nil:
		return nil
	}
	if err := t.lay.Freeze(); err != nil {
		return layoutError(err, token.Position{})
	}
	need := t.lay.Bytes()
	if need > t.rt.budget.Left() {
		what, remedy := "a tree needs %d bytes", "use smaller extents or element types"
		if t.lay.Sparse() {
			what, remedy = "a tree needs %d bytes before anything in it is active", "put larger pointer cells above its outermost nodes, or use a hash node"
		}
		return errorOf(ErrMemory, what+", other trees have %d, and %s; %s", need, t.rt.budget.Used(), t.rt.opt.limit(), remedy)
	}
	if t.lay.Sparse() {
		tree, err := sparse.New(t.lay, t.rt.opt.Threads, t.rt.budget)
		if err != nil {
			return errorOf(ErrMemory, "%w", err)
		}
		if t.rt.opt.compile.Without.Has(option.Lists) {
			tree.RemakeLists()
		}
		t.sparse = tree
		return nil
	}
	region, err := t.rt.mapMemory(need + stagger)
	if err != nil {
		return errorOf(ErrMemory, "%w", err)
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
	return unsafe.Add(t.region.Base(), t.lay.ID()*7%16*(stagger/16))
}

// memory is all of a dense tree.
func (t *Tree) memory() []byte { return unsafe.Slice((*byte)(t.address()), t.bytes) }
