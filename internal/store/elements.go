package store

import (
	"errors"
	"iter"
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
)

// Get copies the element at idx, which has n numbers, to v. It panics on a bad index, and if
// the tree has been closed.
func (c *Field) Get(v unsafe.Pointer, idx Index, n int) {
	c.need(idx, n)
	if n > 0 {
		must(c.held(idx[:n]))
	}
	must(c.fetch(v, idx[:n]))
	c.reopen()
}

// Set copies v to the element at idx, which has n numbers and becomes active. It panics as Get
// does.
func (c *Field) Set(v unsafe.Pointer, idx Index, n int) {
	c.need(idx, n)
	if w := c.writer(); w != nil && w.Set(c.cloned(v), idx) {
		return
	}
	must(c.TrySet(v, idx))
	c.reopen()
}

// TryGet is Get for an index that is right, and returns the error if the tree has been closed.
func (c *Field) TryGet(v unsafe.Pointer, idx Index) error {
	return c.fetch(v, idx[:c.Rank])
}

// TrySet is Set for an index that is right, and returns the error if there is no memory for the element, or its tree
// has been closed.
func (c *Field) TrySet(v unsafe.Pointer, idx Index) error {
	if c.Sparse() {
		launches := c.Node().tree.st.cfg.Launches
		launches.Lock()
		defer launches.Unlock()
		if err := c.Alive(); err != nil {
			return err
		}
	}
	if err := c.mapMemory(true); err != nil {
		return err
	}
	err := c.write(v, idx[:c.Rank])
	if err := errors.Join(err, c.unmapMemory()); err != nil {
		return err
	}
	return c.Alive()
}

// Strided returns the element of the lowest indices if all elements lie at fixed strides in memory that the host shares, else
// nil. It panics if the field cannot be used.
func (c *Field) Strided() *byte {
	c.mustReady()
	must(c.settle())
	c.reopen()
	return c.Base.Load()
}

// Each iterates over the active elements in the order of memory, and copies each to v.
func (c *Field) Each(v unsafe.Pointer) iter.Seq[Index] {
	return func(yield func(Index) bool) {
		c.mustReady()
		lo, hi, some := c.ownIndices()
		for idx := range c.active() {
			if some && (idx[0] < lo || idx[0] >= hi) {
				continue
			}
			if c.fetch(v, idx[:c.Rank]) != nil || !yield(idx) {
				return
			}
		}
	}
}

// Fill sets all active elements to the one at v.
func (c *Field) Fill(v unsafe.Pointer) {
	c.mustReady()
	must(c.given())
	c.Tree().st.cfg.Overwritten(c)
	if w := c.writer(); w != nil && w.Fill(c.cloned(v)) {
		return
	}
	if c.Contiguous() && !c.Over() {
		must(c.fillMemory(unsafe.Slice((*byte)(v), c.typ.Size())))
		return
	}
	must(c.locked(true, func() error {
		if c.Sparse() {
			return c.fillSparse(v)
		}
		if b := c.newBulk(false); b != nil {
			b.fill(v)
			return nil
		}
		for idx := range c.inMemoryOrder() {
			_ = c.write(v, idx[:c.Rank]) // of dense fields nothing can fail
		}
		return nil
	}))
}

// fillMemory clears memory, or fills a first piece by doubling what is filled, and the others from it.
func (c *Field) fillMemory(elem []byte) error {
	size := len(elem)
	if size == 0 {
		return c.Alive()
	}
	all := unsafe.Slice((*byte)(c.Start()), int(c.lay.Len())*size)
	if !slices.ContainsFunc(elem, func(b byte) bool { return b != 0 }) {
		return c.atOnce(true, func(lo, hi int) { clear(all[lo*size : hi*size]) })
	}
	n, piece := c.pieces()
	first := all[:min(n, piece)*size]
	return c.whileMapped(true, func() error {
		for done := copy(first, elem); done < len(first); {
			done += copy(first[done:], first[:done])
		}
		return c.atOnce(true, func(lo, hi int) {
			if lo > 0 {
				copy(all[lo*size:hi*size], first)
			}
		})
	})
}

// CopyFrom sets the elements from the n at src, in row-major order.
func (c *Field) CopyFrom(src unsafe.Pointer, n int) error {
	if err := c.fits(n); err != nil {
		return err
	}
	if err := c.given(); err != nil {
		return err
	}
	c.Tree().st.cfg.Overwritten(c)
	size := c.typ.Size()
	if c.Contiguous() {
		return c.atOnce(true, func(lo, hi int) {
			copyBytes(unsafe.Add(c.Start(), uintptr(lo)*size), unsafe.Add(src, uintptr(lo)*size), uintptr(hi-lo)*size)
		})
	}
	if !c.Sparse() && c.copiedFast(Into, src) { // before memory is mapped, since it launches
		return c.Alive()
	}
	return c.locked(true, func() error {
		if b := c.newBulk(false); b != nil {
			b.copyFrom(src)
			return nil
		}
		at := uintptr(0)
		for idx := range c.RowMajor() {
			if v := unsafe.Add(src, at); !c.Sparse() || !c.zero(v) {
				if err := c.write(v, idx[:c.Rank]); err != nil {
					return err
				}
			}
			at += size
		}
		if c.Sparse() { // what is active, and zero in src
			return c.spreadSparse(src)
		}
		return nil
	})
}

// CopyTo stores the elements in the n at dst in row-major order, inactive ones as zero.
func (c *Field) CopyTo(dst unsafe.Pointer, n int) error {
	if err := c.fits(n); err != nil {
		return err
	}
	if err := c.gather(); err != nil {
		return err
	}
	size := c.typ.Size()
	if c.Contiguous() {
		return c.atOnce(false, func(lo, hi int) {
			copyBytes(unsafe.Add(dst, uintptr(lo)*size), unsafe.Add(c.Start(), uintptr(lo)*size), uintptr(hi-lo)*size)
		})
	}
	if !c.Sparse() && c.copiedFast(OutOf, dst) {
		return c.Alive()
	}
	return c.locked(false, func() error {
		if c.Sparse() {
			clear(unsafe.Slice((*byte)(dst), uintptr(n)*size))
			return c.gatherSparse(dst)
		}
		if b := c.newBulk(false); b != nil {
			b.copyTo(dst)
			return nil
		}
		if base := c.Base.Load(); base != nil && c.Rank > 0 {
			c.copyStrided(dst, base)
			return nil
		}
		at := uintptr(0)
		for idx := range c.RowMajor() {
			c.read(unsafe.Add(dst, at), idx[:c.Rank])
			at += size
		}
		return nil
	})
}

// copyStrided is CopyTo for elements at fixed strides from base, such as a member of structs.
func (c *Field) copyStrided(dst unsafe.Pointer, base *byte) {
	size, at := c.typ.Size(), uintptr(0)
	var nest func(axis, off int)
	nest = func(axis, off int) {
		a := &c.Axes[axis]
		for range a.Extent {
			switch {
			case axis < c.Rank-1:
				nest(axis+1, off)
			case size == 12: // a vec3, the most common one
				*(*[3]uint32)(unsafe.Add(dst, at)) = *(*[3]uint32)(unsafe.Add(unsafe.Pointer(base), off))
				at += size
			default:
				copyBytes(unsafe.Add(dst, at), unsafe.Add(unsafe.Pointer(base), off), size)
				at += size
			}
			off += a.Stride
		}
	}
	nest(0, 0)
}

func copyBytes(to, from unsafe.Pointer, n uintptr) {
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
}

// Slice returns the address of the elements and their number. It fails unless they are
// contiguous.
func (c *Field) Slice() (unsafe.Pointer, int, error) {
	if err := c.Ready(); err != nil {
		return nil, 0, err
	}
	switch contiguous := c.Contiguous(); {
	case c.Over(): // meanwhile
		return nil, 0, c.Alive()
	case c.isPacked():
		return nil, 0, diag.Errorf(diag.ErrLayout, "the elements of %s are packed in words; use CopyTo and CopyFrom, or ti.Words and ti.ArrayWords for the words themselves", c.Name())
	case c.Division() != nil:
		return nil, 0, diag.Errorf(diag.ErrLayout, "the elements of %s are divided among ranks; use CopyTo and CopyFrom, or dist.Window for this rank's own", c.Name())
	case contiguous && c.apart:
		return nil, 0, diag.Errorf(diag.ErrLayout, "the elements of %s are in memory of the device alone; use CopyTo and CopyFrom", c.Name())
	case !contiguous:
		return nil, 0, diag.Errorf(diag.ErrLayout, "the elements of %s do not follow each other in row-major order without a gap; use CopyTo and CopyFrom, or place it by rt.Place", c.Name())
	}
	if err := c.settle(); err != nil {
		return nil, 0, err
	}
	c.hand()
	return c.Start(), int(c.lay.Len()), nil
}

// copiedFast has a [Copier] copy all elements. It reports false where there is none, or none that can do so now.
func (c *Field) copiedFast(w Way, at unsafe.Pointer) bool {
	if c.Division() != nil || c.settle() != nil { // the caller meets the error where it maps the memory
		return false
	}
	if c.copier.Load() == nil {
		make := c.uses[0].st.cfg.Copier
		if make == nil {
			return false
		}
		made := make(c)
		if made == nil {
			return false
		}
		c.copier.CompareAndSwap(nil, &made)
	}
	return (*c.copier.Load()).Copy(w, at)
}

// must panics with an error, in methods without one.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
