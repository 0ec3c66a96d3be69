package store

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/sparse"
)

// WriteTo writes topology and data of the tree: which cells are active and what they
// hold. What is written has a version and a checksum.
func (t *Tree) WriteTo(w io.Writer) (int64, error) {
	if w == nil {
		return 0, diag.Errorf(diag.ErrArgs, "WriteTo of a tree with a nil writer")
	}
	var n int64
	err := t.inUse(func() (err error) {
		if t.sparse != nil {
			n, err = t.sparse.WriteTo(w)
			return err
		}
		memory, err := t.contents()
		if err == nil {
			n, err = sparse.SaveDense(t.plan, memory, w)
		}
		return err
	})
	return n, err
}

// ReadFrom replaces topology and data by what WriteTo wrote from a tree with the same nodes
// and fields.
func (t *Tree) ReadFrom(r io.Reader) (int64, error) {
	if r == nil {
		return 0, diag.Errorf(diag.ErrArgs, "ReadFrom of a tree with a nil reader")
	}
	var n int64
	err := t.inUse(func() (err error) {
		if t.sparse != nil {
			n, err = t.sparse.ReadFrom(r)
			return err
		}
		return t.whileMapped(true, func(memory []byte) error {
			n, err = sparse.LoadDense(t.plan, memory, r)
			return err
		})
	})
	switch {
	case errors.Is(err, sparse.ErrSaved):
		return n, diag.Errorf(diag.ErrLayout, "reading a tree: %w", err)
	case errors.Is(err, sparse.ErrMemory):
		return n, diag.Errorf(diag.ErrMemory, "reading a tree: %w", err)
	}
	return n, err
}

// inUse calls f, under the launch lock, for a tree that has its memory.
func (t *Tree) inUse(f func() error) error {
	if err := t.usable(); err != nil {
		return err
	}
	t.st.mu.Lock()
	err := t.ready()
	if err == nil {
		err = t.complete()
	}
	t.st.mu.Unlock()
	if err != nil {
		return err
	}
	t.st.cfg.Launches.Lock()
	defer t.st.cfg.Launches.Unlock()
	if t.closed.Load() {
		return diag.Errorf(diag.ErrClosed, "the tree has been closed")
	}
	if err := f(); err != nil {
		return err
	}
	return t.unmapSparse()
}

// complete reports a field of the tree that is not placed altogether.
func (t *Tree) complete() error {
	for _, f := range t.plan.Fields() {
		if !f.Placed() {
			return diag.Errorf(diag.ErrPlace, "some members of %s; place the others too", f.Name)
		}
		if err := f.Ready(); err != nil {
			return err
		}
	}
	return nil
}

// Describe writes the tree for people: nodes with their axes and sizes, the bytes of a
// cell, how many cells are active, and the memory in use; below each node what lies in
// its cells.
func (t *Tree) Describe(w io.Writer) error {
	if w == nil {
		return diag.Errorf(diag.ErrArgs, "Describe of a tree with a nil writer")
	}
	var text strings.Builder
	err := t.inUse(func() error {
		bytes := t.bytes
		if t.sparse != nil {
			bytes = t.sparse.BytesInUse()
		}
		fmt.Fprintf(&text, "tree: %d bytes in use\n", bytes)
		t.st.mu.Lock() // for the names of fields
		defer t.st.mu.Unlock()
		return t.describe(&text, t.plan.Root(), "")
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text.String())
	return err
}

// describe writes what lies in the cells of a node.
func (t *Tree) describe(w *strings.Builder, n *layout.Node, indent string) error {
	indent += "  "
	for _, f := range t.plan.Fields() {
		comps := 0
		for c := range f.Elem.Comps {
			if f.NodeOf(c) == n {
				comps++
			}
		}
		switch {
		case comps == len(f.Elem.Comps):
			fmt.Fprintf(w, "%s%s %v\n", indent, f.Name, f.Elem.Type)
		case comps > 0:
			fmt.Fprintf(w, "%s%d of %d components of %s %v\n", indent, comps, len(f.Elem.Comps), f.Name, f.Elem.Type)
		}
	}
	for _, c := range n.Children() {
		fmt.Fprintf(w, "%s%v", indent, c.Kind())
		for k, a := range c.Axes() {
			if c.Unbounded(a) && len(c.Parent().PathAxes()) == 0 && c.Sizes()[k] > 1<<31 {
				fmt.Fprintf(w, " %c", allAxes[a])
			} else {
				fmt.Fprintf(w, " %c:%d", allAxes[a], c.Sizes()[k])
			}
		}
		if c.IsMorton() {
			w.WriteString(", Morton order")
		}
		fmt.Fprintf(w, ", %d bytes a cell", c.CellBytes())
		if c.Sparse() {
			count, err := t.sparse.Count(c)
			if err != nil {
				return diag.Errorf(diag.ErrMemory, "%w", err)
			}
			fmt.Fprintf(w, ", %d active", count)
			if c.Kind().Allocates() {
				fmt.Fprintf(w, ", %d bytes", t.sparse.Bytes(c))
			}
		}
		w.WriteString("\n")
		if err := t.describe(w, c, indent); err != nil {
			return err
		}
	}
	return nil
}
