package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// A crop is what a reference makes of a square of cells, outside of which all are dead.
type crop [192][192]bool

// next makes the next generation, a cell at a time.
func (c *crop) next() (n crop) {
	for i := 1; i < len(c)-1; i++ {
		for j := 1; j < len(c)-1; j++ {
			around := 0
			for di := -1; di <= 1; di++ {
				for dj := -1; dj <= 1; dj++ {
					if (di != 0 || dj != 0) && c[i+di][j+dj] {
						around++
					}
				}
			}
			n[i][j] = around == 3 || around == 2 && c[i][j]
		}
	}
	return n
}

// follow stamps a pattern that grows in all directions, and a glider that leaves it, in the middle of a crop of a board, and compares
// its generations with the reference.
func follow(t *testing.T, b *board, s step, top, left, generations, every int) {
	t.Helper()
	cells := pattern{{96, 97}, {96, 98}, {97, 96}, {97, 97}, {98, 97}} // R-pentomino
	cells = append(cells, pattern{{60, 61}, {61, 60}, {62, 60}, {62, 61}, {62, 62}}.moved(-20, 0)...)
	b.stamp(cells, top, left)
	var want crop
	for _, c := range cells {
		want[c[0]][c[1]] = true
	}
	for g := 1; g <= generations; g++ {
		live, err := b.advance(s)
		demotest.Check(t, err)
		want = want.next()
		alive := 0
		for i := range want {
			for j, lives := range want[i] {
				if lives {
					alive++
				}
				if g%every == 0 && (b.now.At(top+i, left+j) == 1) != lives {
					t.Fatalf("generation %d: the cell at [%d, %d] is not as it should be", g, top+i, left+j)
				}
			}
		}
		if live != int64(alive) || alive < 10 {
			t.Fatalf("generation %d: %d cells live; want %d", g, live, alive)
		}
	}
}

// TestFar lets patterns grow across the borders of words, blocks and rows of blocks, far from the origin of the thesis's world.
func TestFar(t *testing.T) {
	rt := demotest.Runtime(t)
	var life Life
	rt.Place(ti.Shape{1, 1}, &life.Image)
	sparse, dense := newSparseBoard(rt, 1<<18/block), newBoard(rt, 700, 900)
	demotest.Check(t, rt.Load(source, &life))
	const corner = 400 // in blocks
	sparse.activate(corner-1, corner-1, 2)
	follow(t, sparse, life.StepActive, corner*block-95, corner*block-95, 150, 10)
	follow(t, dense, life.Step, 500, 700, 150, 10) // near the end of the rows
}

// TestHuge lets them grow at the far end of a field whose bits have numbers beyond 32 bits. Both generations take a gigabyte.
func TestHuge(t *testing.T) {
	const side = 1<<16 + 64
	rt := demotest.Runtime(t)
	var life Life
	rt.Place(ti.Shape{1, 1}, &life.Image)
	b := newBoard(rt, side, side)
	demotest.Check(t, rt.Load(source, &life))
	follow(t, b, life.Step, side-200, side-200, 40, 8)
}

// TestBytes compares random worlds of bits and of bytes.
func TestBytes(t *testing.T) {
	const size = 1100
	rt := demotest.Runtime(t)
	var life Life
	rt.Place(ti.Shape{1, 1}, &life.Image)
	bits, bytes := newBoard(rt, size, size), newBytes(rt, size, (size+lanes-1)/lanes*lanes)
	demotest.Check(t, rt.Load(source, &life))
	demotest.Check(t, bits.randomise(1))
	demotest.Check(t, bytes.now.CopyFrom(demotest.Elements(t, bits.now)))
	for range 8 {
		a, err := bits.advance(life.Step)
		demotest.Check(t, err)
		b, err := bytes.advance(life.Step)
		demotest.Check(t, err)
		if a != b || a < size {
			t.Fatalf("%d bits live, and %d bytes", a, b)
		}
	}
	if !slices.Equal(demotest.Elements(t, bits.now), demotest.Elements(t, bytes.now)) {
		t.Error("other bits live than bytes")
	}
}

// TestWorld runs a small world of random cells, and one with a pattern.
func TestWorld(t *testing.T) {
	gun := filepath.Join(t.TempDir(), "gun.rle")
	demotest.Check(t, os.WriteFile(gun, []byte("#N block\nx = 2, y = 2\n2o$2o!"), 0o666))
	for _, w := range []large{{side: 1000}, {pattern: gun}, {pattern: gun, side: 500}} {
		w.pictures, w.every = 3, 4
		result, err := w.run(demotest.New(t))
		demotest.Check(t, err)
		demotest.GIF(t, result.File, 3)
	}
	for _, w := range []large{{side: 50}, {pattern: gun, side: 3}, {pattern: "none"}, {meta: gun, pattern: gun}, {meta: "none"}} {
		if _, err := w.run(demotest.New(t)); err == nil {
			t.Errorf("%+v: no error", w)
		}
	}
}

func TestParseMacrocell(t *testing.T) {
	m, err := parseMacrocell("[M2] (golly)\n#R B3/S23\n.*$..*$***$\n$$$$$$$.......*$\n4 1 0 0 2\n5 3 0 0 0\n")
	demotest.Check(t, err)
	want := pattern{{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}, {15, 15}}
	if got := m.pattern(m.whole()); !slices.Equal(got, want) {
		t.Errorf("got %v; want %v", got, want)
	}
	for text, want := range map[string]string{
		"":                       "no square",
		"[M2]\n*$\n4 1 0 0":      "line 3",
		"[M2]\n*$\n4 1 0 0 2":    "square 2",
		"[M2]\n*$\n5 1 0 0 0":    "half as large",
		"[M2]\n*$\n3 1 0 0 0":    "level 3",
		"[M2]\n*$\n4 1 0 0 x":    "not a number",
		"[M2]\n*x":               "'x'",
		"[M2]\n.........*$":      "8×8",
		"[M2]\n$$$$$$$$.*$":      "8×8",
		"[M2]\n*$\n4 1 -1 0 0\n": "square -1",
	} {
		if _, err := parseMacrocell(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}

// TestMetapixels makes a board of metapixels that have one live cell each, at a place that identifies the metapixel.
func TestMetapixels(t *testing.T) {
	const n = 5
	file := filepath.Join(t.TempDir(), "board.mc")
	demotest.Check(t, os.WriteFile(file, []byte(metaBoard(n)), 0o666))
	p, err := readMetapixels(file)
	demotest.Check(t, err)
	rt := demotest.Runtime(t)
	b := newBoard(rt, 4*metaSize, 4*metaSize)
	p.stamp(b, pattern{{1, 2}}, 4, 0, 0)
	for i := range 4 {
		for j := range 4 {
			want := 3*min(i, 1) + 3*max(i-2, 0) + min(j, 1) + max(j-2, 0) // as metaBoard numbers them
			if i == 1 && j == 2 {
				want = 9
			}
			for k := range 10 {
				if live := b.now.At(i*metaSize+k/8, j*metaSize+k%8) == 1; live != (k == want) {
					t.Errorf("[%d, %d] has cell %d live: %v; want number %d", i, j, k, live, want)
				}
			}
		}
	}
}

// metaBoard is a macrocell of n×n squares as large as metapixels. The one at the border or inside, for rows and columns, has live cell
// number 0 to 8 of its first corner, counted in rows of eight, and one inside, which is to be on, number 9.
func metaBoard(n int) string {
	lines := []string{}
	add := func(format string, args ...any) int {
		lines = append(lines, fmt.Sprintf(format, args...))
		return len(lines)
	}
	var kinds [10]int
	for k := range kinds {
		kinds[k] = add("%s%s*$", strings.Repeat("$", k/8), strings.Repeat(".", k%8))
		for level := leafLevel + 1; level <= metaLevel; level++ {
			kinds[k] = add("%d %d 0 0 0", level, kinds[k])
		}
	}
	part := func(i int) int { return min(i, 1) + max(i-(n-2), 0) }
	var square func(level, row, col int) int
	square = func(level, row, col int) int {
		switch {
		case row >= n || col >= n:
			return 0
		case level == metaLevel && row == 3 && col == 3:
			return kinds[9]
		case level == metaLevel:
			return kinds[3*part(row)+part(col)]
		}
		half := 1 << (level - 1 - metaLevel)
		return add("%d %d %d %d %d", level, square(level-1, row, col), square(level-1, row, col+half),
			square(level-1, row+half, col), square(level-1, row+half, col+half))
	}
	square(metaLevel+3, 0, 0)
	return "[M2]\n" + strings.Join(lines, "\n") + "\n"
}
