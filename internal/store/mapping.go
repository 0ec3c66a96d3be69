package store

import (
	"errors"
	"slices"
	"unsafe"
)

// Before the host reads or writes elements of dense trees it maps their memory: see package device. Every method that touches elements
// maps all trees of the field, and unmaps them when it has done so. No code of the program runs in between, since that may
// launch a kernel, and a launch waits until nothing is mapped. For the same reason the launch lock is taken before. Fields whose memory
// the machine shares with the host skip all this. Sparse trees see to it themselves that the host has what it looks at ([sparse.Tree.Reach]); whether
// they could, unmapMemory says.

// mapMemory lets the host read, or write too, the trees of the field.
func (c *Field) mapMemory(write bool) error {
	if err := c.settle(); err != nil || !c.apart {
		return err
	}
	for i, t := range c.uses {
		if err := t.mapMemory(write); err != nil {
			for _, t := range c.uses[:i] {
				err = errors.Join(err, t.unmapMemory())
			}
			return err
		}
	}
	return nil
}

// unmapMemory ends what mapMemory began.
func (c *Field) unmapMemory() (err error) {
	if c.apart {
		for _, t := range c.uses {
			err = errors.Join(err, t.unmapMemory())
		}
	}
	return err
}

// whileMapped calls f with the memory mapped.
func (c *Field) whileMapped(write bool, f func() error) (err error) {
	if err := c.mapMemory(write); err != nil {
		return err
	}
	if !c.apart {
		return f()
	}
	defer func() { err = errors.Join(err, c.unmapMemory()) }()
	return f()
}

// mapMemory lets the host read, or write too, the tree.
func (t *Tree) mapMemory(write bool) error {
	if t.area == nil {
		return nil
	}
	return t.area.Map(write)
}

// unmapMemory ends what mapMemory began. The elements of a sparse tree come when they are needed, so it is here that the host learns if they have not.
func (t *Tree) unmapMemory() error {
	if t.area == nil {
		return t.unmapSparse()
	}
	return t.area.Unmap()
}

// unmapSparse is unmapMemory for trees of any kind, of which dense ones are not mapped.
func (t *Tree) unmapSparse() error {
	if t.sparse == nil || t.closed.Load() {
		return nil
	}
	return t.sparse.Err()
}

// whileMapped calls f with the memory of the tree, mapped.
func (t *Tree) whileMapped(write bool, f func(memory []byte) error) (err error) {
	if err := t.mapMemory(write); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.unmapMemory()) }()
	return f(t.memory())
}

// Words calls f, with the memory mapped, with all elements of a field whose elements are int64 and follow each other.
func (c *Field) Words(write bool, f func(all []int64) error) error {
	return c.whileMapped(write, func() error { return f(unsafe.Slice((*int64)(c.Start()), c.Len())) })
}

// contents is what a dense tree holds: its memory, or a copy if that is not shared. Nothing is mapped while the program's
// writer runs.
func (t *Tree) contents() (memory []byte, err error) {
	err = t.whileMapped(false, func(m []byte) error {
		if memory = m; !t.area.Shared() {
			memory = slices.Clone(m)
		}
		return nil
	})
	return memory, err
}
