package driver_test

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti/internal/layout"
)

// TestSkip runs serial loops over sparse fields inside other loops, on trees in which rows
// of cells have nodes above in common: loops that read, and loops that activate cells
// behind and before the one that they are at, in its span of the row and in others, go
// on early, break and deactivate.
func TestEmptySpace(t *testing.T) {
	for _, tt := range []struct {
		name       string
		rows, wide int // extents
		nodes      func() []*plotNode
	}{
		{"blocks", 12, 24, func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 3, 3), seed(layout.Dense, "ij", 4, 8)}
		}},
		{"two levels", 8, 60, func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 2, 4), seed(layout.Pointer, "ij", 2, 5), seed(layout.Dense, "ij", 2, 3)}
		}},
		{"bits in blocks", 9, 32, func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 3, 4), seed(layout.Bitmasked, "ij", 3, 8)}
		}},
		{"bits above dense cells", 8, 32, func() []*plotNode {
			return []*plotNode{seed(layout.Bitmasked, "ij", 4, 8), seed(layout.Dense, "ij", 2, 4)}
		}},
		{"bits between", 4, 60, func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 1, 5), seed(layout.Bitmasked, "ij", 2, 4), seed(layout.Dense, "ij", 2, 3)}
		}},
		{"a table", 10, 24, func() []*plotNode {
			return []*plotNode{seed(layout.Hash, "ij", 5, 6), seed(layout.Dense, "ij", 2, 4)}
		}},
		{"columns", 16, 6, func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "i", 4), seed(layout.Dense, "ij", 4, 6)}
		}},
		{"transposed", 16, 24, func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ji", 4, 4), seed(layout.Dense, "ji", 6, 4)}
		}},
	} {
		for name, body := range map[string]string{
			"reading": `
	for t := range 5 {
		s := t
		for i, j := range X0 {
			if X0[i][j]%%5 == t {
				continue
			}
			s = s*31 + X0[i][j]*7 + i*%[2]d + j
		}
		r0 += s
	}`,
			"leaving": `
	for t := range 7 {
		s := 0
		for i, j := range X1 {
			if i*%[2]d+j > t*t*9 {
				break
			}
			s += X0[i][j] + j + 1
		}
		r0 += s * (t + 1)
	}`,
			"changing": `
	for t := range serial(2) {
		for i, j := range serial(X0) {
			r1 = r1*31 + i*7 + j + X0[i][j]
			X1[i][j] += t + 1
			if j+5 < %[2]d && X0[i][j]%%3 == 0 {
				X0[i][j+5] += t + 1
			}
			if j+1 < %[2]d && X0[i][j]%%4 == 1 {
				activate(X0, i, j+1)
			}
			if i > 0 && j%%3 == 0 {
				X0[i-1][j] = i
			}
			if i+1 < %[1]d && i%%2 == 0 && j%%11 == 7 {
				X1[i+1][j] = i
			}
			if (i+j)%%6 == 1 {
				deactivate(N0, %[3]s)
			}
		}
	}`,
		} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				c := sparseCase{plot: func() *plot { return plant(tt.nodes()...) }, inner: true}
				cell := "0, 1"
				if len(tt.nodes()[0].axes) == 1 {
					cell = "1"
				}
				c.body = fmt.Sprintf(`
	for i, j := range ndrange(%[1]d, %[2]d) {
		if (i/2*5+j/7*3+n)%%7 == 1 || i == 5 && (j+n)%%11 == 3 {
			X0[i][j] = i*17 + j*n
		}
	}`+body+`
	for i, j := range serial(X1) {
		r1 = r1*31 + i*7 + j + X1[i][j]
	}`, tt.rows, tt.wide, cell)
				c.run(t, plotVariant{level: 0, threads: 1}, plotVariant{level: 3, threads: 1, unchecked: true}, plotVariant{level: 3, threads: 3})
			})
		}
	}
}
