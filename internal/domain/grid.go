package domain

import (
	"errors"
	"fmt"
	"sort"
)

// What goes wrong; package dist has the same errors for its users.
var (
	ErrSplit    = errors.New("dist: grid cannot be divided so")
	ErrReach    = errors.New("dist: element lies beyond this rank's halo")
	ErrDiverged = errors.New("dist: ranks made different calls")
)

// A Grid is a division of rows 0 ≤ row < Rows among ranks: rank r owns rows Cuts[r] ≤ row < Cuts[r+1], which are whole tiles.
type Grid struct {
	Rows, Tile int64
	Cuts       []int64
	me         int
}

// mostTiles is how many tiles a default tile gives at most: sums have a partial result for each.
const mostTiles = 256

// DefaultTile is the tile of a grid with so many axes and rows. A row of one axis is one element, of which code runs up to 64 at a time.
func DefaultTile(axes int, rows int64) int64 {
	tile := [...]int64{64, 8, 4}[min(max(axes, 1), 3)-1]
	for tile*mostTiles < rows {
		tile *= 2
	}
	return tile
}

// NewGrid divides rows into whole tiles, as evenly as may be. It fails if there are more ranks than tiles.
func NewGrid(rows, tile int64, ranks, me int) (*Grid, error) {
	if rows < 1 || tile < 1 {
		return nil, fmt.Errorf("%w: %d rows in tiles of %d; both are at least 1", ErrSplit, rows, tile)
	}
	tiles := (rows-1)/tile + 1
	if int64(ranks) > tiles {
		return nil, fmt.Errorf("%w: %d rows are %d tiles of %d, and there are %d ranks; take smaller tiles, or fewer ranks", ErrSplit, rows, tiles, tile, ranks)
	}
	g := &Grid{Rows: rows, Tile: tile, me: me}
	for r := range int64(ranks) + 1 {
		g.Cuts = append(g.Cuts, min(rows, tiles*r/int64(ranks)*tile))
	}
	return g, nil
}

// Own returns the rows of a rank.
func (g *Grid) Own(rank int) rows { return rows{g.Cuts[rank], g.Cuts[rank+1]} }

// RankOf returns the rank that has a row.
func (g *Grid) RankOf(row int64) int {
	return sort.Search(len(g.Cuts)-2, func(r int) bool { return g.Cuts[r+1] > row })
}

// rows are lo ≤ row < hi.
type rows struct{ lo, hi int64 }

func (a rows) empty() bool { return a.lo >= a.hi }

func (a rows) and(b rows) rows { return rows{max(a.lo, b.lo), min(a.hi, b.hi)} }

// without returns the rows of a that are not in b.
func (a rows) without(b rows) (left []rows) {
	if c := a.and(b); c.empty() {
		return []rows{a}
	}
	for _, p := range []rows{{a.lo, min(a.hi, b.lo)}, {max(a.lo, b.hi), a.hi}} {
		if !p.empty() {
			left = append(left, p)
		}
	}
	return left
}

// subtract returns the rows of all that are in none of some others.
func subtract(all, others []rows) []rows {
	for _, b := range others {
		var left []rows
		for _, a := range all {
			left = append(left, a.without(b)...)
		}
		all = left
	}
	return all
}

// around returns rows from lo below the first to hi above the last one: cut to 0 ≤ row < n, or on a ring of n.
func (a rows) around(lo, hi, n int64, ring bool) []rows {
	a = rows{a.lo - lo, a.hi + hi}
	switch {
	case a.empty():
		return nil
	case !ring:
		return nonEmpty(a.and(rows{0, n}))
	case a.hi-a.lo >= n:
		return []rows{{0, n}}
	}
	turns := floorDiv(a.lo, n) * n
	a = rows{a.lo - turns, a.hi - turns}
	return nonEmpty(rows{0, a.hi - n}, rows{a.lo, min(a.hi, n)})
}

func nonEmpty(all ...rows) (some []rows) {
	for _, a := range all {
		if !a.empty() {
			some = append(some, a)
		}
	}
	return some
}
