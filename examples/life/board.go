package main

import (
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/gotaichi/ti"
)

// Life is the host of life.ti.
type Life struct {
	Image            ti.Field[float32]
	Scale            int32
	Step, StepActive step
	Scatter, Paint   func(now *ti.Field[uint8]) error
}

// A step makes the next generation and returns how many of its cells live.
type step func(now, next *ti.Field[uint8]) (int64, error)

// A board has a generation of cells and room for the next one. A cell takes one bit of each: 32 neighbours in a row are a word.
type board struct {
	now, next *ti.Field[uint8]
	bits      *ti.BitArray // of now
}

const (
	lanes = 32  // cells of a word
	block = 512 // edge of the blocks of a sparse board
)

// newBoard places a board of so many rows, and at least so many columns.
func newBoard(rt *ti.Runtime, rows, cols int) *board {
	b := &board{now: new(ti.Field[uint8]), next: new(ti.Field[uint8])}
	for _, f := range []*ti.Field[uint8]{b.next, b.now} {
		b.bits = rt.NewTree().Dense(ti.IJ, rows, (cols+lanes-1)/lanes).BitArray(lanes, ti.J, lanes).Place(f, ti.QuantInt(1).Unsigned())
	}
	return b
}

// newSparseBoard places a board of so many blocks along each axis, of which none is active yet.
func newSparseBoard(rt *ti.Runtime, blocks int) *board {
	b := &board{now: new(ti.Field[uint8]), next: new(ti.Field[uint8])}
	for _, f := range []*ti.Field[uint8]{b.next, b.now} {
		cells := rt.NewTree().Pointer(ti.IJ, blocks, blocks).Dense(ti.IJ, block, block/lanes)
		cells.BitArray(lanes, ti.J, lanes).Place(f, ti.QuantInt(1).Unsigned())
	}
	return b
}

// activate activates n×n blocks of a sparse board, the first of which is at [row, col]. Outside of them all cells stay dead.
func (b *board) activate(row, col, n int) {
	for _, f := range []*ti.Field[uint8]{b.next, b.now} {
		for i := range n * n {
			f.Set(0, (row+i/n)*block, (col+i%n)*block)
		}
	}
}

// advance makes the next generation by a kernel and returns how many cells live in it.
func (b *board) advance(s step) (int64, error) {
	live, err := s(b.now, b.next)
	b.now, b.next = b.next, b.now
	return live, err
}

// stamp makes the cells of a pattern live, whose first row and column come to a place.
func (b *board) stamp(p pattern, top, left int) {
	for _, c := range p {
		b.now.Set(1, top+c[0], left+c[1])
	}
}

// randomise lets half of the cells live, at random, but those of the words at the border.
func (b *board) randomise(seed uint64) error {
	words, err := ti.ArrayWords[uint32](b.bits)
	if err != nil {
		return err
	}
	rows := b.now.Shape()[0]
	width := len(words) / rows
	var group sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		group.Go(func() {
			for i := 1 + part; i < rows-1; i += parts {
				random := rand.NewPCG(seed, uint64(i))
				for k := i*width + 1; k < (i+1)*width-1; k++ {
					words[k] = uint32(random.Uint64())
				}
			}
		})
	}
	group.Wait()
	return nil
}
