package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const resizeSource = `
package lists

type item struct {
	A i8
	B u8
	C i8
}

var (
	L    field[i32, D2]
	Tiny field[item, D2]
	Out  field[i32, D1]
)

func Fill() {
	for i := range 6 {
		for k := range 50 {
			append(L[i], 100*i + k)
			append(Tiny[i], item{i8(k), u8(i), 7})
		}
	}
}

func Resize(i, n i32) {
	resize(L[i], n)
}

func ResizeAll(n i64) {
	for i := range 6 {
		resize(L[i], n)
		resize(Tiny[i], 50 - n)
	}
}

// Halves makes lists shorter while other iterations write what is kept.
func Halves() {
	for i, k := range ndrange(6, 51) {
		if k == 50 {
			resize(Tiny[i], 25)
		} else if k < 25 {
			Tiny[i][k].C = 9
		}
	}
}

func Sum() (s i32, n i32, tiny i32) {
	for i, k := range L {
		s += L[i][k]
		n++
	}
	for i, k := range Tiny {
		x := Tiny[i][k]
		tiny += i32(x.A)*100 + i32(x.C)
	}
	return
}
`

type itemGo struct {
	A int8
	B uint8
	C int8
}

// TestResize makes lists shorter, as far as they go and farther.
func TestResize(t *testing.T) {
	for _, cfg := range []ti.Config{{}, {Debug: true}, {Threads: 1, Deterministic: true}, {Arch: ti.Oracle}, {Arch: ti.LLVM, Unchecked: true}} {
		t.Run(fmt.Sprintf("%+v", cfg), func(t *testing.T) {
			rt := titest.New(t, cfg)
			var s struct {
				L         ti.Field[int32]
				Tiny      ti.Field[itemGo]
				Out       ti.Field[int32]
				Fill      func() error
				Halves    func() error
				Resize    func(i, n int32) error
				ResizeAll func(n int64) error
				Sum       func() (int32, int32, int32)
			}
			cells := rt.NewTree().Pointer(ti.I, 6)
			lists := cells.Dynamic(ti.J, 50).Chunk(8)
			lists.Place(&s.L)
			cells.Dynamic(ti.J, 50).Chunk(16).Place(&s.Tiny)
			rt.Place(ti.Shape{6}, &s.Out)
			titest.Must(t, rt.Load(resizeSource, &s))
			titest.Must(t, s.Fill())
			titest.Must(t, s.Resize(3, 50))
			titest.Must(t, s.Resize(2, 20))
			if n := lists.Len(2); n != 20 {
				t.Errorf("the list has %d elements", n)
			}
			if got := []int32{s.L.At(2, 19), s.L.At(2, 20), s.L.At(3, 20)}; got[0] != 219 || got[1] != 0 || got[2] != 320 {
				t.Errorf("elements around the new end, and of another list, are %v", got)
			}
			for _, wrong := range [][2]int32{{2, 21}, {2, -1}, {2, 1 << 30}, {6, 0}, {6, 1}, {-1, 5}} {
				if cfg.Unchecked && wrong[0] != 2 {
					continue // undefined
				}
				err := s.Resize(wrong[0], wrong[1])
				if cfg.Unchecked {
					titest.Must(t, err)
					if lists.Len(2) != 20 {
						t.Errorf("unchecked: the list has %d elements after resize(%d)", lists.Len(2), wrong[1])
					}
					continue
				}
				e, ok := errors.AsType[*ti.RuntimeError](err)
				if !ok || !errors.Is(err, ti.ErrRange) || e.Count != 1 {
					t.Errorf("resize(L[%d], %d): %v", wrong[0], wrong[1], err)
					continue
				}
				want := fmt.Sprintf("a list of L has 20 elements, and is asked to have %d", wrong[1])
				if wrong[0] != 2 {
					want = fmt.Sprintf("index [%d] of L is out of range", wrong[0])
				}
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v lacks %q", err, want)
				}
				if lists.Len(2) != 20 || s.L.At(2, 19) != 219 {
					t.Errorf("after %v the list has %d elements", err, lists.Len(2))
				}
			}
			titest.Must(t, s.ResizeAll(13))
			sum, n, tiny := s.Sum()
			if sum != 13*100*15+6*78 || n != 6*13 || tiny != 6*(100*37*36/2+37*7) {
				t.Errorf("sums are %d, %d and %d", sum, n, tiny)
			}
			titest.Must(t, s.Halves())
			if _, _, tiny = s.Sum(); tiny != 6*(100*25*24/2+25*9) {
				t.Errorf("the sum is %d after halves were kept", tiny)
			}
			titest.Must(t, s.Resize(2, 0))
			if lists.Len(2) != 0 || s.L.At(2, 0) != 0 {
				t.Errorf("an empty list has %d elements", lists.Len(2))
			}
		})
	}
}
