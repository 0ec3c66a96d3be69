package domain

import (
	"fmt"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/store"
)

// A divided tree is one whose rows are divided as a grid says.
type divided struct {
	grid   *Grid
	tree   *store.Tree
	strips map[int64]*strip // by offset
}

// A strip is the array of an outermost node, in which rows follow each other: the unit in which they travel, and are valid.
type strip struct {
	of     *divided
	offset int64 // in the tree
	stride int64 // bytes of a group of rows
	group  int64 // rows in a cell of the outermost node
	low    int64 // first index of row 0

	// Rows that are valid beyond a rank's own, on each rank: so many below and above, as far as there are some, and on a ring.
	valid, ring margin

	handed bool // the host may change own rows at any time
}

// A margin is numbers of rows below and above those of a rank.
type margin struct{ lo, hi int64 }

func (m margin) join(n margin) margin { return margin{max(m.lo, n.lo), max(m.hi, n.hi)} }

// holds reports whether m has all rows of n.
func (m margin) holds(n margin) bool { return m.lo >= n.lo && m.hi >= n.hi }

// strip returns the strip that a component lies in.
func (d *divided) strip(f *layout.Field, comp int) (*strip, error) {
	fail := func(format string, args ...any) (*strip, error) {
		return nil, fmt.Errorf("%w: %s %s", ErrSplit, f.NameOf(comp), fmt.Sprintf(format, args...))
	}
	a := f.Access(comp)
	switch {
	case len(a.Steps) > 0:
		return fail("lies in a sparse tree; divide trees of dense nodes, and leave sparse ones to each rank")
	case a.Packed != nil:
		return fail("is packed in words; divide trees of plain numbers")
	case len(a.Shape) == 0:
		return fail("has no axes; place it in a tree that is not divided")
	case a.Shape[0] != d.grid.Rows:
		return fail("has %d rows along its first axis, and the grid has %d", a.Shape[0], d.grid.Rows)
	}
	o, ok := f.Outer(comp)
	if !ok {
		return fail("lies along a Z-order curve; rows that are divided lie one after the other")
	}
	if s := d.strips[o.Offset]; s != nil {
		return s, nil
	}
	s := &strip{of: d, offset: o.Offset, low: a.Origin[0]}
	for _, t := range a.Terms {
		if t.Axis == 0 && t.Stride > s.stride {
			s.stride, s.group = t.Stride, t.Div
		}
	}
	if a.Shape[0] == 1 {
		s.stride, s.group = o.Bytes, 1
	}
	if groups := (d.grid.Rows-1)/max(1, s.group) + 1; s.stride*groups != o.Bytes {
		return fail("does not have its first axis outermost in memory; place it with that axis first, such as Dense(ti.IJ, …)")
	}
	if d.grid.Tile%s.group != 0 {
		return fail("lies in blocks of %d rows, and tiles have %d; take tiles of whole blocks", s.group, d.grid.Tile)
	}
	n := d.grid.Rows
	s.valid, s.ring = margin{n, n}, margin{n, n} // all is zero
	if d.strips == nil {
		d.strips = map[int64]*strip{}
	}
	d.strips[o.Offset] = s
	return s, nil
}

// own returns the rows of a rank.
func (s *strip) own(rank int) rows { return s.of.grid.Own(rank) }

// groups returns rows with the others in their groups.
func (s *strip) groups(r rows) rows {
	return rows{r.lo / s.group * s.group, min(s.of.grid.Rows, ((r.hi-1)/s.group+1)*s.group)}
}

// memory returns the bytes of rows, and of the others in their groups.
func (s *strip) memory(r rows) []byte {
	area, start := s.of.tree.Memory()
	lo, hi := r.lo/s.group*s.stride, ((r.hi-1)/s.group+1)*s.stride
	return area.Host()[start+s.offset+lo : start+s.offset+hi]
}

// has returns the rows that are valid on a rank.
func (s *strip) has(rank int) []rows {
	n, own := s.of.grid.Rows, s.own(rank)
	return append(own.around(s.valid.lo, s.valid.hi, n, false), own.around(s.ring.lo, s.ring.hi, n, true)...)
}

// wrote notes that all rows may have changed, each on the rank that owns it.
func (s *strip) wrote() { s.valid, s.ring = margin{}, margin{} }

// everywhere notes that all rows are valid on all ranks.
func (s *strip) everywhere() {
	if s.handed {
		return
	}
	n := s.of.grid.Rows
	s.valid, s.ring = margin{n, n}, margin{n, n}
}
