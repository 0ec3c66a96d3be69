package store

import (
	"errors"
	"slices"
	"unsafe"
)

// What the host reads and writes of dense trees lies behind a door: see package device. Every method that touches elements opens
// it, for all trees of the field at once, and closes it when it has done so. No caller's code runs in between, since that may
// launch a kernel, which waits for the door; and whoever takes the launch lock does so before. Where host and machine have the same
// memory nothing is to be opened, and a field knows that. Memory of sparse trees is always of both.

// open lets the host read, or write too, what the field has in trees.
func (c *Field) open(write bool) error {
	if !c.apart {
		return nil
	}
	for i, t := range c.uses {
		if err := t.open(write); err != nil {
			for _, t := range c.uses[:i] {
				err = errors.Join(err, t.shut())
			}
			return err
		}
	}
	return nil
}

// shut ends what open began.
func (c *Field) shut() (err error) {
	if c.apart {
		for _, t := range c.uses {
			err = errors.Join(err, t.shut())
		}
	}
	return err
}

// opened calls f between open and shut.
func (c *Field) opened(write bool, f func() error) (err error) {
	if !c.apart {
		return f()
	}
	if err := c.open(write); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.shut()) }()
	return f()
}

// open lets the host read, or write too, what the tree holds.
func (t *Tree) open(write bool) error {
	if t.area == nil {
		return nil
	}
	return t.area.Open(write)
}

func (t *Tree) shut() error {
	if t.area == nil {
		return nil
	}
	return t.area.Close()
}

// opened calls f between open and shut with all that the tree holds.
func (t *Tree) opened(write bool, f func(memory []byte) error) (err error) {
	if err := t.open(write); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.shut()) }()
	return f(t.memory())
}

// Words calls f behind the door with all elements of a field whose elements are int64 and follow each other.
func (c *Field) Words(write bool, f func(all []int64) error) error {
	return c.opened(write, func() error { return f(unsafe.Slice((*int64)(c.Start()), c.Len())) })
}

// contents is what a dense tree holds: its memory, or a copy where that lies behind a door. No door is open while the program's
// writer runs.
func (t *Tree) contents() (memory []byte, err error) {
	err = t.opened(false, func(m []byte) error {
		if memory = m; !t.area.Shared() {
			memory = slices.Clone(m)
		}
		return nil
	})
	return memory, err
}
