package domain

import (
	"fmt"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/mpi"
	"github.com/gotaichi/ti/internal/store"
)

// A World is what a rank knows of the trees that are divided among it and the others. But for making it, its methods need the launch lock of the runtime.
type World struct {
	comm  *mpi.Comm
	store *store.Store
	trees map[int]*divided // by number of the tree
	calls uint64           // a hash of the calls that all ranks have made
	name  string           // of the last one
	stats Stats

	// Spoil, if it is not nil, overwrites memory before each task: rows that are not valid on this rank. Tests set it, so that a read of such
	// a row shows.
	Spoil func(rows []byte)
}

// Stats counts halo exchanges.
type Stats struct {
	Exchanges int64 // made
	Needless  int64 // found needless: what a task reads was still valid
}

// NewWorld returns a world without divided trees.
func NewWorld(c *mpi.Comm, st *store.Store) *World {
	return &World{comm: c, store: st, trees: map[int]*divided{}}
}

// Stats returns the counts so far.
func (w *World) Stats() Stats { return w.stats }

// Divide has the rows of a tree divided as g says. The tree is not in use yet.
func (w *World) Divide(t *store.Tree, g *Grid) { w.trees[t.ID()] = &divided{grid: g, tree: t} }

// memory returns the area of the tree of a number, and where the tree begins there.
func (w *World) memory(tree int) ([]byte, int64) {
	area, start := w.store.Memory(tree)
	return area.Host(), start
}

// stripOf returns the strip of a component; nil if its tree is not divided.
func (w *World) stripOf(f *layout.Field, comp int) (*strip, error) {
	d := w.trees[f.Tree(comp).ID()]
	if d == nil {
		return nil, nil
	}
	return d.strip(f, comp)
}

// stripsOf returns the strips of components lo to hi of a field, once each.
func (w *World) stripsOf(f *layout.Field, lo, hi int) (all []*strip, err error) {
	known := map[*strip]bool{}
	for c := lo; c < hi; c++ {
		s, err := w.stripOf(f, c)
		if err != nil {
			return nil, err
		}
		if s != nil && !known[s] {
			known[s] = true
			all = append(all, s)
		}
	}
	return all, nil
}

// Gather has all rows of a field valid on all ranks.
func (w *World) Gather(f *store.Field) error {
	strips, err := w.stripsOf(f.Layout(), f.Lo(), f.Hi())
	if err != nil || len(strips) == 0 {
		return err
	}
	w.called("a method that reads all elements of " + f.Name())
	var needs []need
	for _, s := range strips {
		needs = append(needs, need{s, func(int) []rows { return []rows{{0, s.of.grid.Rows}} }})
	}
	if err := w.bring(needs); err != nil {
		return err
	}
	for _, s := range strips {
		s.everywhere()
	}
	return nil
}

// Set notes that the host has given all elements of a field new values, on all ranks.
func (w *World) Set(f *store.Field) error {
	strips, err := w.stripsOf(f.Layout(), f.Lo(), f.Hi())
	if err != nil || len(strips) == 0 {
		return err
	}
	w.called("a method that sets all elements of " + f.Name())
	for _, s := range strips {
		if s.of.tree.Alone() { // else other fields have rows in the strip
			s.everywhere()
		}
	}
	return nil
}

// SetOwn notes that each rank gives its own rows of a field new values.
func (w *World) SetOwn(f *store.Field) error {
	strips, err := w.stripsOf(f.Layout(), f.Lo(), f.Hi())
	if err != nil || len(strips) == 0 {
		return err
	}
	w.called("a method that sets own rows of " + f.Name())
	for _, s := range strips {
		s.wrote()
	}
	return nil
}

// Hand notes that the host has got the memory of its own rows of a field for good, on all ranks.
func (w *World) Hand(f *store.Field) error {
	strips, err := w.stripsOf(f.Layout(), f.Lo(), f.Hi())
	if err != nil || len(strips) == 0 {
		return err
	}
	w.called("Window of " + f.Name())
	for _, s := range strips {
		s.handed = true
		s.wrote()
	}
	return nil
}

// Held returns an error if the row of an index is not valid on this rank.
func (w *World) Held(f *store.Field, index int) error {
	strips, err := w.stripsOf(f.Layout(), f.Lo(), f.Hi())
	for _, s := range strips {
		row := int64(index) - s.low
		if of := s.of.grid.RankOf(row); err == nil && of != w.comm.Rank() {
			err = fmt.Errorf("%w: row %d of %s belongs to rank %d, and this is rank %d; read own rows, or all by CopyTo", ErrReach, index, f.Name(), of, w.comm.Rank())
		}
	}
	return err
}

// Own returns the first indices of this rank's elements of a field: from lo to one before hi.
func (w *World) Own(f *store.Field) (lo, hi int, err error) {
	strips, err := w.stripsOf(f.Layout(), f.Lo(), f.Hi())
	if err != nil || len(strips) == 0 {
		return 0, 0, err
	}
	own := strips[0].own(w.comm.Rank())
	return int(own.lo + strips[0].low), int(own.hi + strips[0].low), nil
}
