package quanttest

import (
	"errors"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
)

// TestGather counts samples in bins of few bits, which each thread does for itself.
func TestGather(t *testing.T) {
	const source = `package h

var (
	Bins field[i32, D2]
	N i32
)

func Count() {
	for i := range N {
		h := u32(i) * 2654435761
		Bins[i32(h>>9) % 4][i32(h>>20) % 32] += i % 3
		if i%5 == 0 {
			Bins[i % 4][7] -= 1
		}
	}
}

func Outside() {
	for i := range N {
		Bins[i % 4][i % 32 + 32 * (i / (N - 1))] += 1
	}
}
`
	var want []int32
	for _, c := range []struct {
		arch    ti.Arch
		threads int
		without string
	}{{ti.Oracle, 1, ""}, {ti.LLVM, 1, ""}, {ti.LLVM, 4, ""}, {ti.LLVM, 4, "private"}, {ti.LLVM, 4, "preaccess,postaccess"}} {
		t.Setenv("TI_WITHOUT", c.without)
		rt := newRuntime(t, ti.Config{Arch: c.arch, Threads: c.threads})
		var s struct {
			Bins           ti.Field[int32]
			N              int32
			Count, Outside func() error
		}
		s.N = 5000
		tree := rt.NewTree()
		tree.Dense(ti.IJ, 4, 4).BitArray(64, ti.J, 8).Place(&s.Bins, ti.QuantInt(5).Wrap())
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		s.Bins.Fill(3)
		for range 2 {
			if err := s.Count(); err != nil {
				t.Fatal(err)
			}
		}
		got := make([]int32, 128)
		if err := s.Bins.CopyTo(got); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%v: bin %d has %d, not %d", c, i, got[i], want[i])
			}
		}
		var e *ti.RuntimeError
		if err := s.Outside(); !errors.As(err, &e) || !errors.Is(err, ti.ErrRange) || e.Count != 1 || !slices.Equal(e.Index, []int{3, 39}) || e.Field != "Bins" {
			t.Errorf("%v: the error is %v", c, err)
		}
	}
}
