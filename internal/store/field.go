package store

import (
	"fmt"
	"go/token"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
)

// Field is the part of a field that does not depend on its type. A field is
// declared, then placed, then (at its first use) ready; base is set while it is
// ready and its elements lie at fixed strides.
type Field struct {
	// The fast path of At and Set. base is the element of the lowest indices.
	Base atomic.Pointer[byte]
	Rank int
	Axes [layout.MaxRank]struct {
		Origin int
		Extent uint
		Stride int
	}

	typ    reflect.Type
	err    *diag.Error // a wrong element type or member; pos is filled in by who reports it
	lay    *layout.Field
	lo, hi int    // components of lay: all of them, but for a member
	parent *Field // of a member, else nil
	path   string // of a member: "[0]"

	node       *Node                  // where it was placed itself; see home
	pos        token.Position         // where it was placed
	name       atomic.Pointer[string] // in the first source that it was bound to
	once       sync.Once              // of init, for a Field[T], whose zero value is ready to use
	inUse      atomic.Bool
	misplaced  atomic.Pointer[diag.Error]   // the first mistake made in placing it or a part of it; of a root
	companions [2]atomic.Pointer[companion] // by Role; nil without one
	of         *Field                       // what this is a companion of
	role       Role
	keys       *Field // see [Field.Keys]; nil without one; guarded by the store's mu
	comps      []component
	mixed      bool    // some word has numbers of other fields, too
	flat       bool    // its elements lie at fixed strides
	apart      bool    // some tree is memory that the machine does not share with the host
	parts      []part  // of comps, if one of them is in a sparse tree or the elements may be inactive, else nil
	lead       *part   // of a member that lies apart from the first component of its element; else nil
	followed   bool    // its components that lie apart are zeroed with its elements; of a root
	uses       []*Tree // that hold a part of it, or say which of its elements are active
	copier     atomic.Pointer[Copier]
	writes     atomic.Pointer[Writer]
	handed     atomic.Bool // the host has got its memory, or that of a member, for good; of a root
}

// A component is one in use: where its addresses begin, and what is there.
type component struct {
	base   unsafe.Pointer // of the tree
	access *layout.Access
	offset uintptr // in the Go value
	stream uintptr // in the bytes of an element in a stream
	size   uintptr
	packed *packing // nil for one that is stored as Go does
}

// at is the address of the component in the element at idx.
func (p *component) at(idx []int) unsafe.Pointer { return unsafe.Add(p.base, p.access.Offset(idx)) }

// init makes the layout of a field of type t.
func (c *Field) init(t reflect.Type) {
	c.typ = t
	elem, err := layout.ElemOf(t)
	if err != nil {
		c.err = &diag.Error{Code: diag.ElementType, Msg: err.Error(), Cause: diag.ErrLayout}
		return
	}
	c.lay = layout.NewField(elem)
	c.hi = len(elem.Comps)
}

// NilField stands for a nil *Field[T]: its methods say what is wrong.
func NilField(t reflect.Type) *Field {
	c := &Field{typ: t}
	c.err = &diag.Error{Code: diag.NotPlaced, Msg: fmt.Sprintf("a nil *ti.Field[%v]", t), Help: "make it by ti.NewField", Cause: diag.ErrPlace}
	return c
}

// Call names the field unless it has a name, and reports whether it did.
func (c *Field) Call(name string) (called bool) { return c.name.CompareAndSwap(nil, &name) }

// NameAfter names a field, unless it has a name, after the var that it is bound to, in descriptions of its tree too.
// It need not be placed.
func (st *Store) NameAfter(c *Field, path string) {
	if c.Call(path) && c.parent == nil && c.lay != nil {
		st.mu.Lock()
		defer st.mu.Unlock()
		c.lay.Name = path
	}
}

// Root is the field that c is a member of, or c.
func (c *Field) Root() *Field {
	for c.parent != nil {
		c = c.parent
	}
	return c
}

// Node is the node that the field was placed in: its own, or that of the field it
// is a member of; nil if in none.
func (c *Field) Node() *Node {
	if c.node == nil && c.parent != nil {
		return c.parent.Node()
	}
	return c.node
}

// Name is the field's name for messages.
func (c *Field) Name() string {
	name := c.name.Load()
	switch {
	case name != nil:
		return *name
	case c.parent != nil:
		return c.parent.Name() + c.path
	case c.of != nil:
		return c.of.Name() + c.role.Suffix()
	case c.pos.Line > 0:
		return c.pos.Filename + ":" + strconv.Itoa(c.pos.Line)
	case c.typ != nil:
		return fmt.Sprintf("a field of %v", c.typ)
	}
	return "a field"
}

// trees returns the trees that c lies in, and the one by whose cells its elements are active, once each.
func (c *Field) trees() []*Tree {
	var out []*Tree
	add := func(k int) {
		if t := c.Node().tree.st.trees[c.lay.Tree(k).ID()]; !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for k := c.lo; k < c.hi; k++ {
		add(k)
	}
	add(c.lay.Lead(c.lo))
	return out
}

// Ready makes the field usable: it fixes its trees and gives them memory.
func (c *Field) Ready() error {
	if c.inUse.Load() {
		if err := c.mistaken(); err != nil {
			return err
		}
		return c.Alive()
	}
	if c.err != nil {
		return c.mistake()
	}
	n := c.Node()
	if n == nil {
		return diag.Errorf(diag.ErrPlace, "%s; call rt.Place(ti.Shape{…}, &field) before using it", c.Name())
	}
	st := n.tree.st
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := n.tree.errs.Err(); err != nil {
		return err
	}
	if e := c.Root().misplaced.Load(); e != nil {
		return e
	}
	if !c.lay.Placed() {
		return diag.Errorf(diag.ErrPlace, "some members of %s; place the others too", c.Root().Name())
	}
	if st.closed.Load() {
		return diag.Errorf(diag.ErrClosed, "the runtime of %s", c.Name())
	}
	return c.prepare()
}

// mistaken reports a mistake that was made in a field's layout after its first use.
func (c *Field) mistaken() error {
	if e := c.Root().misplaced.Load(); e != nil {
		return e
	}
	for _, t := range c.uses {
		if t.faulty.Load() {
			return t.Err()
		}
	}
	return nil
}

// mistake returns c.err with the position where the field was placed or, if it was not,
// where the host uses it.
func (c *Field) mistake() error {
	pos := c.pos
	if pos.Line == 0 {
		pos = diag.User()
	}
	return c.err.At(pos)
}

// prepare does the work of ready for a field that is placed completely.
func (c *Field) prepare() error {
	trees := c.trees()
	for _, t := range trees {
		if err := t.ready(); err != nil {
			if e, ok := err.(*diag.Error); ok {
				err = e.At(c.pos)
			}
			return err
		}
	}
	if err := c.lay.Ready(); err != nil {
		return layoutError(err, c.pos)
	}
	c.Rank = c.lay.Rank()
	c.comps = nil
	elem, stream := c.lay.Elem, uintptr(0)
	for k := c.lo; k < c.hi; k++ {
		a := c.lay.Access(k)
		c.comps = append(c.comps, component{
			stream: stream,
			base:   c.Node().tree.st.trees[a.Tree].address(), access: a,
			offset: uintptr(elem.Comps[k].Offset - elem.Comps[c.lo].Offset), size: uintptr(elem.Comps[k].Kind.Size()),
		})
		stream += c.comps[k-c.lo].size
	}
	c.packings()
	if err := c.goAlong(); err != nil {
		return err
	}
	c.divide()
	strides, flat := c.comps[0].access.Flat()
	c.setAxes(strides[:])
	c.uses = trees
	for _, t := range trees {
		t.fields = append(t.fields, c)
	}
	c.apart = slices.ContainsFunc(trees, (*Tree).apart)
	c.flat = flat && !c.Sparse() && c.whole()
	c.inUse.Store(true)
	if idle := c.Node().tree.st.cfg.Idle; idle == nil || idle() { // else launches of the tree may be queued
		c.open()
	}
	return nil
}

// setAxes notes the extents, and the strides of elements that have any.
func (c *Field) setAxes(strides []int64) {
	lowest, shape := c.domain(c.lay.Origin())
	for k := range c.Rank {
		c.Axes[k].Origin = lowest[k]
		c.Axes[k].Extent = uint(shape[k])
		c.Axes[k].Stride = int(strides[k])
	}
}

// Alive reports the end of a field in use.
func (c *Field) Alive() error {
	if c.Over() {
		return diag.Errorf(diag.ErrClosed, "the tree of %s has been closed", c.Name())
	}
	return nil
}

// Over reports whether a tree that the field lies in has been closed.
func (c *Field) Over() bool {
	for _, t := range c.uses {
		if t.closed.Load() {
			return true
		}
	}
	return false
}

// mustReady is Ready for methods without an error.
func (c *Field) mustReady() {
	if err := c.Ready(); err != nil {
		panic(err)
	}
}

// whole reports whether each element lies in one piece.
func (c *Field) whole() bool {
	first := c.comps[0]
	for _, p := range c.comps {
		if p.packed != nil || !sameTerms(p.access, first.access) || uintptr(p.access.Const-first.access.Const) != p.offset {
			return false
		}
	}
	return true
}

func sameTerms(a, b *layout.Access) bool {
	if a.Tree != b.Tree || len(a.Terms) != len(b.Terms) {
		return false
	}
	for i := range a.Terms {
		if a.Terms[i] != b.Terms[i] {
			return false
		}
	}
	return true
}

// Contiguous reports whether the elements follow each other in row-major order.
func (c *Field) Contiguous() bool {
	if !c.flat {
		return false
	}
	want := int(c.typ.Size())
	for k := c.Rank - 1; k >= 0; k-- {
		if c.Axes[k].Extent != 1 && c.Axes[k].Stride != want {
			return false
		}
		want *= int(c.Axes[k].Extent)
	}
	return true
}

// Start is the address of the first component at the lowest indices, where the host has it.
func (c *Field) Start() unsafe.Pointer {
	return unsafe.Add(c.comps[0].base, c.comps[0].access.Const)
}

// need makes the field ready and panics on a bad index, which has n numbers.
func (c *Field) need(idx Index, n int) {
	// A mistake made later in the tree does not concern elements that a program may have the addresses of.
	if !c.inUse.Load() || !c.flat || c.Root().misplaced.Load() != nil {
		c.mustReady()
	}
	c.check(idx, n, c.Rank)
}

// read copies the element at idx to v. For a sparse field it needs the launch lock,
// as does write.
func (c *Field) read(v unsafe.Pointer, idx []int) {
	if c.Sparse() {
		c.readSparse(v, idx)
		return
	}
	for i := range c.comps {
		p := &c.comps[i]
		p.get(unsafe.Add(v, p.offset), p.at(idx), idx)
	}
}

// fetch is read with the memory mapped, and under the launch lock if the field is sparse and so needs it. It fails, and v
// means nothing, if the field's tree has been closed.
func (c *Field) fetch(v unsafe.Pointer, idx []int) error {
	if c.Sparse() {
		launches := c.Node().tree.st.cfg.Launches
		launches.Lock()
		defer launches.Unlock()
		if err := c.Alive(); err != nil {
			return err
		}
	}
	if err := c.mapMemory(false); err != nil {
		return err
	}
	c.read(v, idx)
	if err := c.unmapMemory(); err != nil {
		return err
	}
	return c.Alive()
}

// write copies v to the element at idx, which becomes active. The memory is mapped, as it is for read.
func (c *Field) write(v unsafe.Pointer, idx []int) error {
	if c.Sparse() {
		return c.writeSparse(v, idx, true)
	}
	defer c.exchanging()()
	put(c.comps, where{}, goValue{at: v}, idx)
	return nil
}

// Bounded makes the field ready and reports one whose elements cannot be enumerated.
func (c *Field) Bounded() error {
	if err := c.Ready(); err != nil {
		return err
	}
	if c.Unbounded() {
		return diag.Errorf(diag.ErrLayout, "the elements of %s cannot be copied as a whole, since a hash node without sizes gives it no bounds; use All, or give the node sizes", c.Name())
	}
	return nil
}

// fits makes the field ready and checks the length of a slice that takes or gives
// all elements.
func (c *Field) fits(n int) error {
	if err := c.Bounded(); err != nil {
		return err
	}
	if int64(n) != c.lay.Len() {
		return diag.Errorf(diag.ErrArgs, "a slice of %d elements for %s, which has %d", n, c.Name(), c.lay.Len())
	}
	return nil
}

// RowMajor iterates over all indices, the last the fastest.
func (c *Field) RowMajor() iter.Seq[Index] {
	return c.inOrder(func() []layout.NestDim {
		var dims []layout.NestDim
		for k := range c.Rank {
			dims = append(dims, layout.NestDim{Axis: k, Extent: int64(c.Axes[k].Extent), Mul: 1})
		}
		return dims
	}())
}

// inMemoryOrder iterates over all indices as the elements of a dense field lie in
// memory.
func (c *Field) inMemoryOrder() iter.Seq[Index] { return c.inOrder(c.lay.Nest(c.lo)) }

// inOrder runs a loop nest. It ends early once a tree of the field is closed; alive then
// returns the error.
func (c *Field) inOrder(dims []layout.NestDim) iter.Seq[Index] {
	return func(yield func(Index) bool) {
		n := 0
		var idx Index
		for k := range c.Rank {
			idx[k] = c.Axes[k].Origin
		}
		count := make([]int64, len(dims))
		for {
			if n++; n%lookEvery == 0 && c.Over() {
				return
			}
			if !yield(idx) {
				return
			}
			k := len(dims) - 1
			for ; k >= 0; k-- {
				d := dims[k]
				count[k]++
				idx[d.Axis] += int(d.Mul)
				if count[k] < d.Extent {
					break
				}
				idx[d.Axis] -= int(d.Mul * d.Extent)
				count[k] = 0
			}
			if k < 0 {
				return
			}
		}
	}
}
