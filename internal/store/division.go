package store

import (
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/diag"
)

// A Division says which elements of a tree this process has, where several run a program together (package domain).
// Its methods are called with the lock of launches held.
type Division interface {
	// Gather has all elements of a field valid here. All processes call it.
	Gather(f *Field) error
	// Set notes that all elements of a field have got new values, on all processes.
	Set(f *Field) error
	// Held returns an error if an element with that first index may not be valid here.
	Held(f *Field, index int) error
	// SetOwn notes that each process gives its own elements of a field new values.
	SetOwn(f *Field) error
	// Hand notes that the host has got the memory of its own elements of a field for good, on all processes.
	Hand(f *Field) error
	// Own returns the first indices of the elements that belong to this process: from lo to one before hi.
	Own(f *Field) (lo, hi int, err error)
}

// Divide has a division of the tree, which is not in use yet.
func (t *Tree) Divide(d Division) { t.division = d }

// ID is the number of the tree, as layouts have it.
func (t *Tree) ID() int { return t.plan.ID() }

// Memory is the area of the tree, and where it begins there; nil if it has no memory.
func (t *Tree) Memory() (a device.Area, offset int64) {
	t.st.mu.Lock()
	defer t.st.mu.Unlock()
	return t.memoryNow()
}

// Alone reports whether one field lies in the tree.
func (t *Tree) Alone() bool { return len(t.plan.Fields()) == 1 }

// Division returns the division of the trees that the field lies in; nil if none is divided.
func (c *Field) Division() Division {
	for _, t := range c.uses {
		if t.division != nil {
			return t.division
		}
	}
	return nil
}

// SetOwn notes that each process gives its own elements of a divided field new values.
func (c *Field) SetOwn() error {
	return c.divided(func(d Division) error { return d.SetOwn(c) })
}

// HandOwn notes that the host has got the memory of its own elements of a divided field for good.
func (c *Field) HandOwn() error {
	return c.divided(func(d Division) error { return d.Hand(c) })
}

// gather has all elements of a divided field valid here, before the host reads them as a whole.
func (c *Field) gather() error {
	return c.divided(func(d Division) error { return d.Gather(c) })
}

// given notes that the host has given all elements of a divided field new values.
func (c *Field) given() error {
	return c.divided(func(d Division) error { return d.Set(c) })
}

// held returns an error if a divided field's element at idx may not be valid here.
func (c *Field) held(idx []int) error {
	return c.divided(func(d Division) error { return d.Held(c, idx[0]) })
}

func (c *Field) divided(f func(Division) error) error {
	d := c.Division()
	if d == nil {
		return nil
	}
	launches := c.uses[0].st.cfg.Launches
	launches.Lock()
	defer launches.Unlock()
	return f(d)
}

// ownIndices returns the first indices of a divided field's elements that belong to this process. It is not ok if the field is not divided.
func (c *Field) ownIndices() (lo, hi int, ok bool) {
	must(c.divided(func(d Division) (err error) {
		lo, hi, err = d.Own(c)
		ok = true
		return err
	}))
	return lo, hi, ok
}

// FieldAt returns the field in use that lies at an address, or in so many bytes behind it; nil if there is none.
func (t *Tree) FieldAt(at unsafe.Pointer, bytes uintptr) *Field {
	t.st.mu.Lock()
	defer t.st.mu.Unlock()
	for _, f := range t.fields {
		if p := uintptr(unsafe.Pointer(f)); p >= uintptr(at) && p < uintptr(at)+bytes {
			return f
		}
	}
	return nil
}

// Misplace has all uses of the tree fail with a mistake in how it is divided.
func (t *Tree) Misplace(err error) {
	t.st.mu.Lock()
	defer t.st.mu.Unlock()
	t.note(&diag.Error{Code: diag.LayoutSize, Msg: err.Error(), Cause: err})
}

// RowBytes is how many bytes the elements of one first index have in a stream.
func (c *Field) RowBytes() int64 {
	n := int64(c.streamed())
	for k := 1; k < c.Rank; k++ {
		n *= int64(c.Axes[k].Extent)
	}
	return n
}

// PackRows writes the elements of first indices lo ≤ i < hi as a stream has them, UnpackRows sets them.
func (c *Field) PackRows(to []byte, lo, hi int) error {
	return c.eachIn(lo, hi, func(idx []int) error {
		b := to[:c.streamed()]
		to = to[len(b):]
		return c.pack(b, idx)
	})
}

// UnpackRows sets the elements of first indices lo ≤ i < hi to what a stream has.
func (c *Field) UnpackRows(from []byte, lo, hi int) error {
	return c.eachIn(lo, hi, func(idx []int) error {
		b := from[:c.streamed()]
		from = from[len(b):]
		return c.unpack(idx, b)
	})
}

// eachIn calls f with the indices of first indices lo ≤ i < hi, the last the fastest.
func (c *Field) eachIn(lo, hi int, f func(idx []int) error) error {
	idx := make([]int, c.Rank)
	for k := range idx {
		idx[k] = c.Axes[k].Origin
	}
	if len(idx) == 0 {
		return f(idx)
	}
	for idx[0] = lo; idx[0] < hi; {
		if err := f(idx); err != nil {
			return err
		}
		k := len(idx) - 1
		for ; k >= 0; k-- {
			if idx[k]++; k == 0 || idx[k] < c.Axes[k].Origin+int(c.Axes[k].Extent) {
				break
			}
			idx[k] = c.Axes[k].Origin
		}
	}
	return nil
}
