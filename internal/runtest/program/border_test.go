package program

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// borders are programs with conditions on how near to a border an iteration is, in rows of a whole number of vectors or not.
var borders = []program{
	{"neighbours beyond a border are zero, others are added, in one kernel with rows of each length", borderSource, func(r *runtest.Run, src string) {
		for _, size := range [][2]int{{70, 33}, {5, 47}, {66, 110}, {64, 128}} {
			borderCase(r, src, size[0], size[1])
		}
	}},
}

const borderSource = `
var X, Y field[f32, D2]
var U, V, W field[f64, D2]
var N, K field[i32, D2]
func at(i, j int) f32 {
	if i < 0 || j < 0 || i >= X.shape[0] || j >= X.shape[1] {
		return 0
	}
	return X[i][j]
}
func Cross() {
	for i, j := range X {
		Y[i][j] = at(i-1, j) + at(i+1, j) + at(i, j-1) + at(i, j+1) - 4*at(i, j)
	}
}
func Wide() {
	for i, j := range U {
		left := f64(3)
		if j > 1 {
			left = U[i][j-2]
		}
		V[i][j] = left*2
		if j < U.shape[1]-3 && i > 0 {
			W[i][j] = U[i-1][j+3] + left
		}
	}
}
func Edge() {
	for i, j := range N {
		if j == 0 {
			K[i][j] = 7
		} else if j != N.shape[1]-1 {
			K[i][j] = N[i][j+1] - N[i][j-1]
			if N[i][j]%2 == 0 {
				K[i][j] += j*1000
			}
		}
	}
}
func Around() {
	for i, j := range X {
		Y[i][j] = X[(i+1)%X.shape[0]][j] + X[i][(j+X.shape[1]-1)%X.shape[1]]*2
	}
}
func Add() {
	for i, j := range X {
		Y[i][j] += ifelse(j < 2, X[i][j], 0)
		if j > 0 {
			Y[i][j] -= X[i][j-1]
		}
	}
}`

// borderCase compares a kernel's every element with what Go computes. Numbers are small integers, so that all sums are exact.
func borderCase(r *runtest.Run, src string, rows, cols int) {
	var h struct {
		X, Y                           ti.Field[float32]
		U, V, W                        ti.Field[float64]
		N, K                           ti.Field[int32]
		Cross, Wide, Edge, Around, Add func() error
	}
	r.Place(ti.Shape{rows, cols}, &h.X, &h.Y)
	r.Place(ti.Shape{rows, cols}, &h.U, &h.V, &h.W)
	r.Place(ti.Shape{rows, cols}, &h.N, &h.K)
	r.Load(src, &h)
	num := func(i, j int) int { return (i*31+j*7)%53 - 20 }
	for i := range rows {
		for j := range cols {
			h.X.Set(float32(num(i, j)), i, j)
			h.U.Set(float64(num(i, j)), i, j)
			h.N.Set(int32(num(i, j)), i, j)
		}
	}
	at := func(i, j int) int {
		if i < 0 || j < 0 || i >= rows || j >= cols {
			return 0
		}
		return num(i, j)
	}
	check := func(name string, run func() error, got func(i, j int) float64, want func(i, j int) int) {
		runtest.OK(r, run())
		for i := range rows {
			for j := range cols {
				if w := float64(want(i, j)); got(i, j) != w {
					r.Errorf("%s of %d×%d: element %d %d is %v and not %v", name, rows, cols, i, j, got(i, j), w)
					return
				}
			}
		}
	}
	y := func(i, j int) float64 { return float64(h.Y.At(i, j)) }
	check("Cross", h.Cross, y, func(i, j int) int { return at(i-1, j) + at(i+1, j) + at(i, j-1) + at(i, j+1) - 4*at(i, j) })
	left := func(i, j int) int {
		if j > 1 {
			return num(i, j-2)
		}
		return 3
	}
	check("Wide", h.Wide, func(i, j int) float64 { return h.V.At(i, j) }, func(i, j int) int { return 2 * left(i, j) })
	check("Wide again", h.Wide, func(i, j int) float64 { return h.W.At(i, j) }, func(i, j int) int {
		if j < cols-3 && i > 0 {
			return num(i-1, j+3) + left(i, j)
		}
		return 0
	})
	check("Edge", h.Edge, func(i, j int) float64 { return float64(h.K.At(i, j)) }, func(i, j int) int {
		switch {
		case j == 0:
			return 7
		case j == cols-1:
			return 0
		case num(i, j)%2 == 0:
			return num(i, j+1) - num(i, j-1) + j*1000
		}
		return num(i, j+1) - num(i, j-1)
	})
	around := func(i, j int) int { return num((i+1)%rows, j) + 2*num(i, (j+cols-1)%cols) }
	check("Around", h.Around, y, around)
	check("Add", h.Add, y, func(i, j int) int {
		s := around(i, j)
		if j < 2 {
			s += num(i, j)
		}
		if j > 0 {
			s -= num(i, j-1)
		}
		return s
	})
}
