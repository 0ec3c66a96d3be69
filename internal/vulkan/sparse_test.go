package vulkan_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
)

// TestSparse activates, visits, deactivates and appends on trees of all kinds of nodes, twice, and compares with the oracle.
func TestSparse(t *testing.T) {
	const source = `package p

var X, Y field[i32, D2]
var H field[f32, D2]
var L field[i32, D2]
var N field[i32, D0]

func Fill(n i32) {
	for i, j := range ndrange(n, n) {
		if (i*7+j*3)%11 == 0 {
			X[i][j] = i*100 + j
			H[i*5+400][j*3+300] += f32(i)
		}
		append(L[i%4], i+j)
	}
}

func Visit() {
	for i, j := range X {
		Y[i][j] += X[i][j] + 1
	}
	for i := range H {
		H[i] *= 2
		N += 1
	}
}

func Drop() {
	for i, j := range X {
		if i%2 == 0 {
			deactivate(X, i, j)
		}
	}
	for i, j := range H {
		if H[i][j] > 40 {
			deactivate(H, i, j)
		}
	}
}

// One thread grows.
func Alone(n i32) {
	if n > 0 {
		for i := range n {
			X[(i*i)%60][i] = i
			N = N + X[0][0] + 1
		}
	}
}

// The first round of the inner loop finds nothing, and makes the block.
func Ask() {
	n := 0
	for i := range 2 {
		for k := range 40 {
			if isActive(Y, 12*i+40, 4+k%4) {
				n++
			}
			Y[12*i+40][4+k%4] += 1
		}
	}
	N += n
}
`
	type host struct {
		X, Y, L, N  ti.Field[int32]
		H           ti.Field[float32]
		Fill, Alone func(n int32) error
		Visit, Drop func() error
		Ask         func() error
	}
	run := func(rt *ti.Runtime) (all []string) {
		var h host
		rt.NewTree().Pointer(ti.IJ, 8).Bitmasked(ti.IJ, 8).Place(&h.X)
		rt.NewTree().Pointer(ti.IJ, 4).Pointer(ti.IJ, 4).Dense(ti.IJ, 4).Place(&h.Y)
		rt.NewTree().Hash(ti.IJ, 1<<20).Bitmasked(ti.IJ, 2).Place(&h.H)
		rt.NewTree().Dense(ti.I, 4).Dynamic(ti.J, 1<<12).Place(&h.L)
		rt.Place(nil, &h.N)
		must(t, rt.Load(source, &h))
		note := func(what string) {
			s := what
			for i, v := range h.X.All() {
				s += fmt.Sprint(i, v, " ")
			}
			s += "| "
			for i, v := range h.Y.All() {
				s += fmt.Sprint(i, v, " ")
			}
			s += "| "
			for i, v := range h.H.All() {
				s += fmt.Sprint(i, v, " ")
			}
			lists := map[int][]int32{}
			for i, v := range h.L.All() {
				lists[i[0]] = append(lists[i[0]], v)
			}
			for i := range 4 {
				slices.Sort(lists[i])
				s += fmt.Sprint("| ", lists[i])
			}
			all = append(all, s+fmt.Sprint(" N ", h.N.At()))
		}
		for _, n := range []int32{5, 60, 20} {
			must(t, h.Fill(n))
			note("fill")
			must(t, h.Visit())
			note("visit")
			must(t, h.Drop())
			note("drop")
			must(t, h.Alone(n))
			note("alone")
			must(t, h.Ask())
			note("ask")
		}
		return all
	}
	got := run(open(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}}))
	want := run(runtime(t, ti.Config{Arch: ti.Oracle}))
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("step %d: the elements are\n%.300s\nand not\n%.300s", i, got[i], want[i])
		}
	}
}

// TestSumBesideGrowth adds up in a loop that activates cells: flags of the trees are atomic there too, though what a thread does with its iterations is a function of its own.
func TestSumBesideGrowth(t *testing.T) {
	rt := open(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
	var h struct {
		X    ti.Field[int32]
		Fill func(n int32) (int32, error)
	}
	rt.NewTree().Pointer(ti.I, 8).Bitmasked(ti.I, 64).Place(&h.X)
	must(t, rt.Load(`package p

var X field[i32]

func Fill(n i32) (s i32) {
	for i := range n {
		X[(i*7)%512] += 1
		s += i
	}
	return
}
`, &h))
	for _, n := range []int32{100, 500} {
		s, err := h.Fill(n)
		must(t, err)
		if s != n*(n-1)/2 {
			t.Errorf("the sum is %d, want %d", s, n*(n-1)/2)
		}
	}
	if v := h.X.At(7); v != 2 {
		t.Errorf("X[7] is %d, want 2", v)
	}
}
