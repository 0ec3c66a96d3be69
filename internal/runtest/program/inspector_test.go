package program

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

const inspectedSource = `package p

var (
	B, C        field[i32]
	Wide        field[i64]
	X, Y        field[i32]
	Grid, Count field[i32, D2]
)

// The stencil of a place that is data.
func Gather() {
	for p := range B {
		b, s := B[p], i32(0)
		for o := range static(5) {
			s += (o + 1) * X[b+o-2]
		}
		Y[p] = s
	}
}

// The same from its end, added to; each iteration changes what its place was computed from.
func Scatter() {
	for p := range B {
		b := B[p]
		for o := range static(5) {
			X[b+2-o] += p + o
		}
		B[p] = -b
	}
}

// Two indices, of one field and of two others.
func Both() {
	for p := range B {
		i, j := B[p]/4, C[p]
		s := i32(0)
		for a, b := range static(ndrange(2, 3)) {
			s += Grid[i+a][j+b]
			Count[i+a][j+b] += 1
		}
		Y[p] = s
	}
}

// An index of 64 bits, one that is not the place itself, and a place that is used twice.
func Other() {
	for p := range Wide {
		w, c := Wide[p], C[p]
		Y[p] = X[w] + 2*X[w+1] + 3*X[w+7] + 4*X[3*c] + 5*X[3*c+1] + 6*X[c]
	}
}

// Neighbours in a nest, where a branch has more.
func Nest() {
	for i, j := range Grid {
		c := C[(i*7+j)%C.shape[0]]
		if c != 5 {
			Count[i][j] = X[c] + X[c+1] - X[c+2] + X[c+3]
		}
		if c > 3 {
			Count[i][j] += X[c+4]
		}
	}
}
`

type inspectedHost struct {
	B, C, X, Y                         ti.Field[int32]
	Wide                               ti.Field[int64]
	Grid, Count                        ti.Field[int32]
	Gather, Scatter, Both, Other, Nest func() error
}

const inspectedOf = 300 // iterations, elements of X

// inspectedWorld is what the kernels see, in Go, where an index out of range reads 0, stores nothing and
// is counted.
type inspectedWorld struct {
	b, c, x, y  [inspectedOf]int32
	wide        [inspectedOf]int64
	grid, count [16][20]int32
	fails       int
}

func (w *inspectedWorld) at(i int64) *int32 {
	if i < 0 || i >= inspectedOf {
		w.fails++
		return new(int32)
	}
	return &w.x[i]
}

func (w *inspectedWorld) cell(g *[16][20]int32, i, j int32) *int32 {
	if i < 0 || i >= 16 || j < 0 || j >= 20 {
		w.fails++
		return new(int32)
	}
	return &g[i][j]
}

func (w *inspectedWorld) run(kernel string) {
	for p := range int32(inspectedOf) {
		switch b, c := w.b[p], w.c[p]; kernel {
		case "Gather":
			w.y[p] = 0
			for o := range int32(5) {
				w.y[p] += (o + 1) * *w.at(int64(b + o - 2))
			}
		case "Scatter":
			for o := range int32(5) {
				*w.at(int64(b + 2 - o)) += p + o
			}
			w.b[p] = -b
		case "Both":
			w.y[p] = 0
			for k := range int32(6) {
				i, j := b/4+k/3, c+k%3
				w.y[p] += *w.cell(&w.grid, i, j)
				*w.cell(&w.count, i, j) += 1
			}
		case "Other":
			v := w.wide[p]
			w.y[p] = *w.at(v) + 2**w.at(v + 1) + 3**w.at(v + 7) + 4**w.at(int64(3 * c)) + 5**w.at(int64(3*c + 1)) + 6**w.at(int64(c))
		}
	}
	if kernel != "Nest" {
		return
	}
	for i := range int32(16) {
		for j := range int32(20) {
			c := w.c[(i*7+j)%inspectedOf]
			if c != 5 {
				w.count[i][j] = *w.at(int64(c)) + *w.at(int64(c + 1)) - *w.at(int64(c + 2)) + *w.at(int64(c + 3))
			}
			if c > 3 {
				w.count[i][j] += *w.at(int64(c + 4))
			}
		}
	}
}

// TestInspector runs loops over places that are data, all of them inside, or one or all of them
// outside, by little or as far as numbers reach: a launch fails where an index does, and nowhere
// else, and computes what it is to compute then, too.
func TestInspector(t *testing.T) {
	var rts runtest.Runtimes
	defer rts.Close(t)
	variants := append([]runtest.Variant{
		{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1},
		{Label: "O3 on two threads, with other vectors", Arch: ti.LLVM, Opt: "3", Threads: 2, Without: "strided,promote"},
		{Label: "O3 without the question", Arch: ti.LLVM, Opt: "3", Threads: 1, Without: "inspector"},
	}, runtest.TakeTurns(runtest.Variants(), randtest.Turn(t.Name()))...)
	runtest.RunIn(t, &rts, variants, func(r *runtest.Run) {
		var h inspectedHost
		r.Place(ti.Shape{inspectedOf}, &h.B, &h.C, &h.X, &h.Y)
		r.Place(ti.Shape{inspectedOf}, &h.Wide)
		r.Place(ti.Shape{16, 20}, &h.Grid, &h.Count)
		r.Load(inspectedSource, &h)
		kernels := map[string]func() error{"Gather": h.Gather, "Scatter": h.Scatter, "Both": h.Both, "Other": h.Other, "Nest": h.Nest}
		for _, name := range []string{"Gather", "Scatter", "Both", "Other", "Nest"} {
			for n, far := range []int64{0, 2, 1, -1, -3, 14, 17, 18, 55, 62, 99, inspectedOf - 3, inspectedOf - 2, inspectedOf, math.MaxInt32, math.MaxInt32 - 2, math.MinInt32, math.MinInt32 + 1, math.MaxInt64, math.MinInt64} {
				for _, at := range []int{0, 63, 64, 130, inspectedOf - 1, -1} {
					if far == 0 && at != 0 || n%3 != 0 && (at == 63 || at == 130) {
						continue
					}
					cornered(r, &h, name, kernels[name], n, far, at)
				}
			}
		}
	})
}

// cornered runs a kernel with the place of iteration at, or of all for -1, far away.
func cornered(r *runtest.Run, h *inspectedHost, name string, kernel func() error, n int, far int64, at int) {
	w := new(inspectedWorld)
	for i := range inspectedOf {
		w.b[i], w.c[i], w.x[i] = int32(2+(i*7+n)%56), int32((i*5+n)%17), int32(i*i%1009)
		w.wide[i] = int64((i*3 + n) % 290)
		if far != 0 && (i == at || at < 0) {
			w.b[i], w.c[i], w.wide[i] = int32(far), int32(far), far
		}
	}
	for i := range 16 {
		for j := range 20 {
			w.grid[i][j] = int32(31*i + j)
		}
	}
	w.set(h)
	w.run(name)
	if r.Unchecked && w.fails > 0 {
		return // what happens is not defined
	}
	err := kernel()
	what := fmt.Sprintf("%s, %d at %d", name, far, at)
	if failed := errors.Is(err, ti.ErrRange); failed != (w.fails > 0) && !(r.Debug && err != nil) {
		r.Errorf("%s: %v; fails: %d", what, err, w.fails)
	}
	if r.Debug {
		return
	}
	for i := range inspectedOf {
		if x, y, b := h.X.At(i), h.Y.At(i), h.B.At(i); x != w.x[i] || y != w.y[i] || b != w.b[i] {
			r.Errorf("%s: X, Y, B at %d are %d, %d, %d, want %d, %d, %d", what, i, x, y, b, w.x[i], w.y[i], w.b[i])
			return
		}
	}
	for i := range 16 {
		for j := range 20 {
			if c := h.Count.At(i, j); c != w.count[i][j] {
				r.Errorf("%s: Count at %d, %d is %d, want %d", what, i, j, c, w.count[i][j])
				return
			}
		}
	}
}

// set gives the fields of h what w has.
func (w *inspectedWorld) set(h *inspectedHost) {
	for i := range inspectedOf {
		h.B.Set(w.b[i], i)
		h.C.Set(w.c[i], i)
		h.X.Set(w.x[i], i)
		h.Y.Set(w.y[i], i)
		h.Wide.Set(w.wide[i], i)
	}
	for i := range 16 {
		for j := range 20 {
			h.Grid.Set(w.grid[i][j], i, j)
			h.Count.Set(w.count[i][j], i, j)
		}
	}
}
