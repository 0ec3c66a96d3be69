package store

import (
	"bytes"
	"iter"
	"slices"
	"unsafe"
)

// A Copy is what the memory of a dense tree was. Whoever uses it holds the launch lock.
type Copy struct {
	tree  *Tree
	bytes []byte
}

// NewCopy returns a copy of what the tree, which has its memory, holds now.
func (t *Tree) NewCopy() (*Copy, error) {
	k := &Copy{tree: t}
	return k, k.Update()
}

// Tree is the tree that k is a copy of.
func (k *Copy) Tree() *Tree { return k.tree }

// Update makes k a copy of what the tree holds now.
func (k *Copy) Update() error {
	return k.tree.whileMapped(false, func(memory []byte) error {
		k.bytes = append(k.bytes[:0], memory...)
		return nil
	})
}

// IsChanged reports whether the tree holds something else now. Of a closed one nobody asks that.
func (k *Copy) IsChanged() (is bool, err error) {
	if k.tree.closed.Load() {
		return false, nil
	}
	err = k.tree.whileMapped(false, func(memory []byte) error {
		is = !bytes.Equal(k.bytes, memory)
		return nil
	})
	return is, err
}

// Changes iterates over the components of c that lie in the tree and hold something else in another copy of it.
func (k *Copy) Changes(c *Field, to *Copy) iter.Seq2[int, Index] {
	return func(yield func(int, Index) bool) {
		now := to.bytes
		for idx := range c.RowMajor() {
			for n := range c.comps {
				p := &c.comps[n]
				if p.access.Tree == k.tree.plan.ID() && !p.same(k.bytes, now, idx[:c.Rank]) && !yield(n, idx) {
					return
				}
			}
		}
	}
}

// Bits are those of component n of an element, in the copy. They are false if it lies in another tree.
func (k *Copy) Bits(c *Field, n int, idx []int) (bits uint64, ok bool) {
	p := &c.comps[n]
	if p.access.Tree != k.tree.plan.ID() {
		return 0, false
	}
	p.get(unsafe.Pointer(&bits), unsafe.Pointer(&k.bytes[p.access.Offset(idx)]), idx)
	return bits, true
}

// same reports whether the component has the same bits in two copies of its tree.
func (p *component) same(a, b []byte, idx []int) bool {
	at := int(p.access.Offset(idx))
	if q := p.packed; q != nil {
		code := func(m []byte) uint64 { return q.code(loadWord(unsafe.Pointer(&m[at]), q.Word.Kind), idx) }
		return code(a) == code(b)
	}
	return bytes.Equal(a[at:at+int(p.size)], b[at:at+int(p.size)])
}

// A Cell is a component of an element of a sparse field.
type Cell struct {
	Comp  int
	Index Index
	Bits  uint64
}

// ActiveCells returns the components of all active elements, in the order of memory. The caller holds the launch lock.
func (c *Field) ActiveCells() (cells []Cell, err error) {
	err = c.eachCell(false, func(p *part, block unsafe.Pointer, idx []int) {
		first := slices.IndexFunc(c.comps, func(e component) bool { return e.stream == p.comps[0].stream })
		for i := range p.comps {
			e := &p.comps[i]
			cell := Cell{Comp: first + i}
			copy(cell.Index[:], idx)
			e.get(unsafe.Pointer(&cell.Bits), unsafe.Add(block, e.access.Offset(idx)), idx)
			cells = append(cells, cell)
		}
	})
	return cells, err
}
