package driver_test

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti/internal/layout"
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
			t.Run(fmt.Sprint(tree.name, "/", b.name), func(t *testing.T) {
				c := sparseCase{plot: func() *plot { return plant(tree.nodes()...) }, body: b.body, inner: true}
				c.run(t, plotVariant{level: 0, threads: 1}, plotVariant{level: 3, threads: 1, unchecked: true}, plotVariant{level: 3, threads: 3})
			})
		}
	}
}
