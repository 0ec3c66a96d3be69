package quanttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

const tilesSource = `
package tiles

var (
	A, B, C, D field[i32, D2]
	P          field[i32, D2]
	V          field[i32, D3]
	Count      field[i32, D0]
)

func Whole(a i32) {
	for p := range A {
		A[p] = p.x*a + p.y
	}
}

func Part(a, lo, hi i32) {
	n := 0
	for i, j := range ndrange(span(5, 27), span(lo, hi)) {
		if (i+j)%5 == 0 {
			continue
		}
		A[i-2][j+3] += i*a - j
		n += A[i-2][j+3]
	}
	Count = n
}

func Both(a i32) {
	for i, j := range ndrange(24, 20) {
		A[i][j] = i + a
		B[i][j] = j - a
	}
}

func Turned(a i32) {
	for i, j := range ndrange(20, 24) {
		A[j][i] = i*a + j
	}
}

func Layers(a i32) {
	for p := range ndrange(span(1, 4), span(1, 31), 30) {
		k, i, j := p
		V[k][i][j] = k*a - i + j
	}
}

func Apart(a i32) { // tiles of A and B do not begin together
	for i, j := range ndrange(16, 16) {
		A[i][j] = i + a
		B[i+1][j] = j
	}
}

func Others(a i32) { // tiles of C are as wide as those of A are high
	for i, j := range ndrange(16, 16) {
		A[i][j] = i*a + j
		C[i][j] = i + j*a
	}
}

func Twice(a i32) {
	for i, j := range ndrange(16, 15) {
		A[i][j] = i + a
		A[i][j+5] += 1 // of the next tile
	}
}

func Diagonal(a i32) {
	for i := range 30 {
		A[i][i] = a + i
	}
}

func Columns(a i32) { // iterations share columns
	for p := range ndrange(16, 16, 4) {
		i, j, k := p
		A[i][j] += k
	}
}

func Picked(a i32) {
	for j := range 16 {
		A[P[j][j]][j] = a
	}
}

func Sparse(a i32) {
	for p := range D {
		D[p] = p.x*a + p.y
	}
}

func Chosen(a i32) {
	for i, j := range ndrange(16, 16) {
		A[P[i][j]][j] = a
	}
}
`

// tilesHost is the host of tilesSource.
type tilesHost struct {
	A, B, C, D, P, V                                                                             ti.Field[int32]
	Count                                                                                        ti.Field[int32]
	Whole, Both, Turned, Layers, Apart, Others, Twice, Diagonal, Columns, Picked, Sparse, Chosen func(a int32) error
	Part                                                                                         func(a, lo, hi int32) error
}

func placeTiles(rt *ti.Runtime) *tilesHost {
	s := new(tilesHost)
	rt.NewTree().Pointer(ti.IJ, 2, 2).Dense(ti.IJ, 4, 4).BitArray(64, ti.IJ, 4, 5).Place(&s.D, ti.QuantInt(3))
	for _, f := range []*ti.Field[int32]{&s.A, &s.B} {
		rt.NewTree().Dense(ti.IJ, 8, 8).BitArray(64, ti.IJ, 4, 5).Place(f, ti.QuantInt(3))
	}
	rt.NewTree().Dense(ti.IJ, 8, 8).BitArray(64, ti.IJ, 5, 4).Place(&s.C, ti.QuantInt(3))
	rt.NewTree().Dense(ti.IJK, 5, 8, 8).BitArray(32, ti.J+ti.K, 4, 4).Place(&s.V, ti.QuantInt(2))
	rt.Place(ti.Shape{32, 40}, &s.P)
	rt.Place(nil, &s.Count)
	return s
}

// TestTiles stores to bit arrays whose words have elements along two axes, on the oracle and on several threads.
func TestTiles(t *testing.T) {
	run := func(arch ti.Arch) (out []string) {
		rt := newRuntime(t, ti.Config{Arch: arch, Threads: 3})
		s := placeTiles(rt)
		if err := rt.Load(tilesSource, s); err != nil {
			t.Fatal(err)
		}
		for i := range 16 {
			for j := range 16 {
				s.P.Set(int32(i), i, j)
			}
		}
		for i, f := range []func() error{
			func() error { return s.Whole(5) }, func() error { return s.Part(3, -2, 33) }, func() error { return s.Part(2, 1, 1) }, func() error { return s.Part(2, 9, 3) },
			func() error { return s.Both(1) }, func() error { return s.Turned(7) }, func() error { return s.Layers(3) }, func() error { return s.Apart(2) },
			func() error { return s.Others(3) }, func() error { return s.Diagonal(1) }, func() error { return s.Columns(1) }, func() error { return s.Chosen(2) },
			func() error { return s.Picked(2) }, func() error { s.D.Set(1, 3, 3); s.D.Set(1, 31, 30); return s.Sparse(3) },
		} {
			err := f()
			text := fmt.Sprintln(i, err, s.Count.At())
			for _, x := range []*ti.Field[int32]{&s.A, &s.B, &s.C, &s.D, &s.V} {
				n := 1
				for _, e := range x.Shape() {
					n *= e
				}
				v := make([]int32, n)
				if err := x.CopyTo(v); err != nil {
					t.Fatal(err)
				}
				text += fmt.Sprintln(v)
			}
			out = append(out, text)
		}
		return out
	}
	want, got := run(ti.Oracle), run(ti.CPU)
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("launch %d:\n%s\nand the oracle has\n%s", i, got[i], want[i])
		}
	}
}

// TestTilesAreCut checks which loops go tile by tile, so that no store to a word is atomic, and that others stay as they are: where two
// iterations may store to one word.
func TestTilesAreCut(t *testing.T) {
	rt := newRuntime(t, ti.Config{})
	s := placeTiles(rt)
	p, err := rt.Compile(ti.Text("p.ti", tilesSource), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kernel string
		cut    bool
		atomic int // stores that take a compare-and-swap
	}{
		{"Whole", true, 0}, {"Part", true, 0}, {"Both", true, 0}, {"Turned", true, 0}, {"Layers", true, 0}, {"Apart", true, 1},
		{"Others", true, 1}, {"Twice", false, 2}, {"Diagonal", false, 1}, {"Columns", false, 1}, {"Chosen", false, 1},
		{"Picked", false, 1}, {"Sparse", false, 1},
	} {
		var b strings.Builder
		if err := p.Kernel(c.kernel).Explain(&b); err != nil {
			t.Fatal(err)
		}
		if cut := strings.Contains(b.String(), "split at the borders of words:"); cut != c.cut {
			t.Errorf("%s: cut: %v\n%s", c.kernel, cut, b.String())
		}
		if n := strings.Count(b.String(), "which is updated by compare-and-swap"); n != c.atomic {
			t.Errorf("%s: %d stores are atomic, not %d\n%s", c.kernel, n, c.atomic, b.String())
		}
	}
}
