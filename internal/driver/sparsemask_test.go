package driver_test

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/randtest"
)

// TestMaskRows runs loops over bitmasked cells, with rows that are full, empty and neither,
// of many widths: parts of a word, words, several, and odd ones; with blocks that are full,
// or lack one cell; with bodies that go on to the next cell early, that read neighbours in
// the row, and that activate cells, which the loop must not visit.
func TestMaskRows(t *testing.T) {
	for _, tt := range []struct {
		name       string
		rows, wide int // extents
		nodes      func() []*plotNode
	}{
		{"two", 6, 2, func() []*plotNode { return []*plotNode{seed(layout.Bitmasked, "ij", 6, 2)} }},
		{"eight in blocks", 12, 24, func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 3, 3), seed(layout.Bitmasked, "ij", 4, 8)}
		}},
		{"sixteen, transposed", 32, 12, func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 2, 3), seed(layout.Bitmasked, "ji", 4, 16)}
		}},
		{"a word", 5, 64, func() []*plotNode { return []*plotNode{seed(layout.Bitmasked, "ij", 5, 64)} }},
		{"three words", 7, 192, func() []*plotNode {
			return []*plotNode{seed(layout.Dense, "i", 7), seed(layout.Bitmasked, "j", 192)}
		}},
		{"odd", 9, 10, func() []*plotNode { return []*plotNode{seed(layout.Bitmasked, "ij", 9, 10)} }},
		{"above dense cells", 8, 32, func() []*plotNode {
			return []*plotNode{seed(layout.Bitmasked, "ij", 4, 8), seed(layout.Dense, "ij", 2, 4)}
		}},
		{"bits in bits", 8, 32, func() []*plotNode {
			return []*plotNode{seed(layout.Bitmasked, "ij", 4, 8), seed(layout.Bitmasked, "ij", 2, 4)}
		}},
		{"bits between dense cells", 8, 48, func() []*plotNode {
			return []*plotNode{seed(layout.Dense, "j", 2), seed(layout.Bitmasked, "ij", 4, 6), seed(layout.Dense, "ij", 2, 4)}
		}},
		{"more than an entry", 17, 1024, func() []*plotNode { return []*plotNode{seed(layout.Bitmasked, "ij", 17, 1024)} }},
		{"full blocks of a word", 24, 24, func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 3, 3), seed(layout.Bitmasked, "ij", 8, 8)}
		}},
		{"full blocks of four words", 24, 64, func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 3, 2), seed(layout.Bitmasked, "ji", 32, 8)}
		}},
		{"one bit", 6, 4, func() []*plotNode {
			return []*plotNode{seed(layout.Pointer, "ij", 3, 4), seed(layout.Bitmasked, "ij", 1, 1), seed(layout.Dense, "i", 2)}
		}},
	} {
		for name, body := range map[string]string{
			"cells": `
		if X0[i][j]%%5 == 2 {
			continue
		}
		X1[i][j] += X0[i][j] + j
		r0 += X1[i][j] ^ i`,
			"neighbours": `
		s := X0[i][j]
		if j > 0 {
			s += 3 * X0[i][j-1]
		}
		if j < %[2]d-1 {
			s -= X0[i][j+1]
		}
		if s%%7 == 1 {
			continue
		}
		X1[i][j] = s
		r0 += 1`,
			"growing": `
		r0 += X0[i][j]*7 + i + 1
		if j > 0 {
			activate(X0, i, j-1)
		}
		if i+1 < %[1]d {
			X1[i+1][j] = i + j
		}`,
		} {
			if !randtest.Share("mask" + tt.name + name) {
				continue
			}
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				c := sparseCase{plot: func() *plot { return plant(tt.nodes()...) }, inner: true}
				c.body = fmt.Sprintf(`
	for i, j := range ndrange(%[1]d, %[2]d) {
		if i%%3 == 0 || i%%3 == 1 && (i*5+j*3)%%4 == 1 || i == 5 && (j+n)%%11 == 3 || i/8 == 1 && (i != 9 || j != 20) {
			X0[i][j] = i*17 + j*n
		}
	}
	for i, j := range X0 {`+body+`
	}
	for i, j := range serial(X1) {
		r1 = r1*31 + i*7 + j + X1[i][j]
	}`, tt.rows, tt.wide)
				c.run(t, plotVariant{level: 0, threads: 1}, plotVariant{level: 3, threads: 1, unchecked: true}, plotVariant{level: 3, threads: 3})
			})
		}
	}
}
