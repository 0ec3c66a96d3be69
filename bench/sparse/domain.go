package main

import (
	"fmt"
	"slices"
)

// leaf is the number of cells along an edge of a block.
const leaf = 8

// activities are the parts of the domain that are active, in thousandths.
var activities = []int{1, 10, 100, 500, 1000}

// A domain is a cube in which something is active. All cases have the same but for the tests', which are smaller.
type domain struct {
	n        int // cells along an edge; those of the outer blocks stay inactive
	permille int // of the others that are active, nearly
}

// String names the activity as the cases do.
func (d domain) String() string { return fmt.Sprint(d.permille) }

// blocks returns the number of blocks along an edge.
func (d domain) blocks() int { return d.n / leaf }

// distance returns the square of a block's distance from the centre, in halves of a block.
func (d domain) distance(i, j, k int) int {
	s := 0
	for _, c := range [3]int{i, j, k} {
		c = 2*c + 1 - d.blocks()
		s += c * c
	}
	return s
}

// ball returns the least square of a radius within which are as many of the inner blocks as the activity says.
func (d domain) ball() int {
	var all []int
	for i := 1; i < d.blocks()-1; i++ {
		for j := 1; j < d.blocks()-1; j++ {
			for k := 1; k < d.blocks()-1; k++ {
				all = append(all, d.distance(i, j, k))
			}
		}
	}
	slices.Sort(all)
	return all[max(1, len(all)*d.permille/1000)-1]
}

// inBall reports whether a block is one of those.
func (d domain) inBall(i, j, k, r2 int) bool {
	for _, c := range [3]int{i, j, k} {
		if c <= 0 || c >= d.blocks()-1 {
			return false
		}
	}
	return d.distance(i, j, k) <= r2
}

// band returns the bounds of the shell: squares of distances from the centre, in halves of a cell.
func (d domain) band() (low, high int) {
	bounds := map[int][2]int{1: {29, 37}, 10: {100, 108}, 100: {198, 218}, 500: {84, 239}}
	b, ok := bounds[d.permille]
	if !ok {
		return 0, 1 << 30
	}
	return b[0] * b[0] * d.n / 256 * d.n / 256, b[1] * b[1] * d.n / 256 * d.n / 256
}

// inBand reports whether a cell is in the shell.
func (d domain) inBand(i, j, k, low, high int) bool {
	d2 := 0
	for _, c := range [3]int{i, j, k} {
		if c < leaf || c >= d.n-leaf {
			return false
		}
		c = 2*c + 1 - d.n
		d2 += c * c
	}
	return low <= d2 && d2 <= high
}

// value is what a cell holds at first.
func value(i, j, k int) float32 { return 0.01 * float32((i*31+j*17+k*7)%101) }

// hashed scatters numbers.
func hashed(n int) uint32 {
	h := uint32(n) * 2654435761
	h = (h ^ h>>15) * 2246822519
	return h ^ h>>13
}
