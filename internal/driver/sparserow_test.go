package driver_test

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/randtest"
)

// TestRareBlocks runs loops over domains that make blocks where a condition holds: nowhere, in
// a part of a row, in whole rows, everywhere; over whole blocks and parts of them; with conditions
// below the first, and with blocks that differ from one iteration of a row to the next.
func TestRareBlocks(t *testing.T) {
	trees := []struct {
		name  string
		nodes func() []*plotNode // 32 by 64 cells
	}{
		{"dense cells", func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 4, 4), seed(layout.Dense, "ij", 8, 16)}
		}},
		{"two levels", func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 2, 2), seed(layout.Pointer, "ij", 4, 2), seed(layout.Dense, "ij", 4, 16)}
		}},
		{"columns", func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ji", 4, 4), seed(layout.Dense, "ji", 16, 8)}
		}},
		{"hashed", func() []*plotNode { return []*plotNode{seed(layout.Hash, "ij", 4, 4), seed(layout.Dense, "ij", 8, 16)} }},
		{"bits", func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 4, 4), seed(layout.Bitmasked, "ij", 8, 16)}
		}},
	}
	bodies := []struct{ name, body string }{
		{"a ring", `
	for i, j := range ndrange(32, 64) {
		r := (i-16)*(i-16) + (j-20)*(j-20)
		if r < 180 && r > 40-n {
			X0[i][j] = r + n
			X1[i][j] = i
		}
	}`},
		{"rows", `
	for i, j := range ndrange(32, 64) {
		if i%3 == 1 {
			X0[i][j] = i*100 + j + n
		}
	}
	for i, j := range ndrange(32, 64) {
		if j < 0 {
			X1[i][j] = 1
		}
	}`},
		{"parts of blocks", `
	for i, j := range ndrange(span(3, 29), span(2, 63)) {
		if i*j%7 < 3 {
			X0[i][j] = i - j
		}
	}
	for i, j := range ndrange(span(8, 24), span(16, 60)) {
		if i+j < 50+n {
			X1[i][j] = i + j
		}
	}`},
		{"conditions below", `
	for i, j := range ndrange(32, 64) {
		if (i^j)&5 == 1 {
			if j > 40 {
				X0[i][j] = n
			}
			X1[i][j] = X0[31-i][63] - 1
		}
	}
	for i, j := range ndrange(32, 64) {
		if i > 20 {
			if j%4 == i%4 {
				continue
			}
			X1[i][j] = i
		}
	}`},
		{"other places", `
	for i, j := range ndrange(32, 64) {
		if i+2*j > 100 {
			X0[31-i][63-j] = j
			X1[j/2][2*i+j%2] = i
		}
	}`},
		{"appearances of what was there", `
	for i, j := range ndrange(16, 32) {
		if i == j {
			X0[i][j] += n
			r0 += i
		}
	}
	for i, j := range ndrange(32, 64) {
		if i*i > 30*j {
			X1[i][j] = X0[i][j] + 1
		}
	}`},
	}
	for _, tree := range trees {
		for _, b := range bodies {
			if !randtest.Share("rare" + tree.name + b.name) {
				continue
			}
			t.Run(fmt.Sprint(tree.name, "/", b.name), func(t *testing.T) {
				c := sparseCase{plot: func() *plot { return plant(tree.nodes()...) }, body: b.body, inner: true}
				c.run(t, plotVariant{level: 0, threads: 1}, plotVariant{level: 3, threads: 1, unchecked: true}, plotVariant{level: 3, threads: 3})
			})
		}
	}
}

// TestBlendedRows runs loops over bitmasked cells that do nothing but to change their own cell, in
// rows with many ones and with few, and looks whether what is inactive has stayed zero.
func TestBlendedRows(t *testing.T) {
	trees := []struct {
		name  string
		nodes func() []*plotNode // 24 by 64 cells
	}{
		{"eight", func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 3, 8), seed(layout.Bitmasked, "ij", 8, 8)}
		}},
		{"sixteen", func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 6, 4), seed(layout.Bitmasked, "ij", 4, 16)}
		}},
		{"a word", func() []*plotNode { return []*plotNode{seed(layout.Hash, "i", 8), seed(layout.Bitmasked, "ij", 3, 64)} }},
		{"a word of columns", func() []*plotNode {
			return []*plotNode{seed(layout.Dense, "i", 24), seed(layout.Bitmasked, "j", 64)}
		}},
		{"bits in bits", func() []*plotNode {
			return []*plotNode{seed(layout.Bitmasked, "ij", 3, 2), seed(layout.Bitmasked, "ij", 8, 32)}
		}},
		{"four", func() []*plotNode {
			return []*plotNode{seed(layout.Bitmasked, "ij", 24, 16), seed(layout.Bitmasked, "j", 4)}
		}},
	}
	bodies := []struct{ name, body string }{
		{"one field", `
		X0[i][j] += n`},
		{"two fields", `
		v := X0[i][j]*3 + i - 2*j
		X1[i][j] = v ^ X1[i][j]
		X0[i][j] = max(v, n)`},
		{"no loads", `
		X1[i][j] = 100*i + j`},
		{"quotients, which are no vectors", `
		X1[i][j] = 1000/(X0[i][j]+n) + 7`},
		{"a neighbour", `
		X1[i][j] = X0[i][(j+1)%64] + 1`},
		{"a sum", `
		X1[i][j] = X0[i][j] + 1
		r0 += X1[i][j]`},
	}
	for _, tree := range trees {
		for _, b := range bodies {
			if !randtest.Share("blend" + tree.name + b.name) {
				continue
			}
			t.Run(fmt.Sprint(tree.name, "/", b.name), func(t *testing.T) {
				c := sparseCase{plot: func() *plot { return plant(tree.nodes()...) }, inner: true}
				c.body = `
	for i, j := range ndrange(24, 64) {
		if i%4 == 0 && j%9 == 2 || i%4 == 1 && (i+j)%2 == 0 || i%4 == 2 || i > 20 && j%16 != n&15 {
			X0[i][j] = i*17 + j*n
		}
	}
	for i, j := range X0 {` + b.body + `
	}
	for i, j := range serial(X1) {
		r1 = r1*31 + i*7 + j + X1[i][j]
	}
	for i, j := range ndrange(24, 64) {
		activate(X0, i, j)
	}
	for i, j := range serial(ndrange(24, 64)) {
		r1 = r1*31 + i*7 + j + X1[i][j] - 3*X0[i][j]
	}
	for i, j := range X0 {
		if i%3 != j%5 {
			deactivate(X0, i, j)
		}
	}`
				c.run(t, plotVariant{level: 0, threads: 1}, plotVariant{level: 3, threads: 1, unchecked: true}, plotVariant{level: 3, threads: 3})
			})
		}
	}
}
