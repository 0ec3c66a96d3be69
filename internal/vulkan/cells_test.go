package vulkan_test

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti"
)

// TestCells visits the cells of trees of all kinds of nodes, each an iteration of its own: with neighbours, masks that the loop changes, lists, results of
// blocks of threads, and in the source's order. It compares with the oracle.
func TestCells(t *testing.T) {
	const source = `package p

var X, Y field[i32, D2]
var P field[i32, D2]
var H field[i32, D2]
var L field[i32, D2]
var N field[i32]

func Fill(n i32) {
	for i, j := range ndrange(n, n) {
		if (i*7+j*3)%11 == 0 {
			X[i][j] = i*100 + j
			Y[j][i] = i - j
			P[i*3%60][j] = i + j
			H[i*5+4000][j*3+3] = i
		}
	}
	for i := range 9 {
		for j := range (i*n)%23 {
			append(L[i], j*3)
		}
	}
}

func Visit() {
	for i, j := range X {
		N[0] += 1
		N[1] = max(N[1], X[i][j])
		if i > 0 && j < 59 {
			Y[i][j] += X[i-1][j+1] - X[i][j]
		}
	}
	for i, j := range P {
		N[2] += 1
		if (i+j)%5 == 0 && i < 59 {
			P[i+1][j] += 1
		}
	}
	for i, j := range H {
		N[3] += H[i][j] ^ i
	}
	for i, j := range config(L, blockDim(32)) {
		L[i][j] += i
		N[4] += L[i][j]
	}
	for i, j := range serial(Y) {
		N[5] = N[5]*3 + Y[i][j] + i*j
	}
	for i, j := range X {
		if (i+j)%4 == 0 {
			deactivate(X, i, j)
		}
	}
}
`
	type host struct {
		X, Y, P, H, L, N ti.Field[int32]
		Fill             func(n int32) error
		Visit            func() error
	}
	run := func(rt *ti.Runtime, blocks ...ti.Block) (all []string) {
		var h host
		rt.NewTree().Pointer(ti.IJ, 5).Dense(ti.IJ, 3).Bitmasked(ti.IJ, 4).Place(&h.X)
		rt.NewTree().Bitmasked(ti.IJ, 6).Pointer(ti.IJ, 2).Dense(ti.IJ, 5).Place(&h.Y)
		rt.NewTree().Pointer(ti.I, 4).Pointer(ti.J, 3).Bitmasked(ti.J, 4).Bitmasked(ti.IJ, 15, 5).Place(&h.P)
		rt.NewTree().Hash(ti.IJ, 1<<18).Dense(ti.IJ, 2).Bitmasked(ti.IJ, 2, 4).Place(&h.H)
		rt.NewTree().Pointer(ti.I, 9).Dynamic(ti.J, 1<<10).Place(&h.L)
		rt.Place(ti.Shape{6}, &h.N)
		p, err := rt.Compile(ti.Text("p.ti", source), &h)
		must(t, err)
		for i, n := range []int32{5, 60, 20} {
			if i < len(blocks) {
				p.Kernel("Visit").SetBlock(blocks[i])
			}
			must(t, h.Fill(n))
			must(t, h.Visit())
			s := ""
			for i := range 6 {
				s += fmt.Sprint(h.N.At(i), " ")
			}
			for _, f := range []*ti.Field[int32]{&h.X, &h.Y, &h.P, &h.H, &h.L} {
				s += "|"
				for i, v := range f.All() {
					s += fmt.Sprint(i, v, " ")
				}
			}
			all = append(all, s)
		}
		return all
	}
	for _, deterministic := range []bool{false, true} {
		cfg := ti.Config{Arch: ti.Oracle, Deterministic: deterministic, Cache: ti.Cache{Policy: ti.CacheOff}}
		want := run(runtime(t, cfg))
		cfg.Arch = 0
		got := run(open(t, cfg), ti.Block{}, ti.Block{Size: [3]int{7}, Policy: ti.BlockExact}, ti.Block{Size: [3]int{32, 2}, Policy: ti.BlockExact})
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("step %d, deterministic %t: the elements are\n%.400s\nand not\n%.400s", i, deterministic, got[i], want[i])
			}
		}
	}
}
