package program

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// TestScarceRegisters has a loop with more vectors in use than processors have registers, so that masks and values of selections lie in memory.
func TestScarceRegisters(t *testing.T) {
	const rows, cols = 16, 8
	src := `package p

var (
	X, L, H field[i32]
	C       field[i64]
)

type imat7 = [7][7]i32

func Run(p i32, q f32) (r u32) {
	for i, j := range ndrange(16, 8) {
		v := X[i*8+j]
		w := L[i*8+j]
		var t [2]u8
		var u [3]f32
		x := ifelse((v > 2) == (p > 2), q, f32(C[i*8+j]))
		for k := 0; k < 1 && q != x; k++ {
			if x != dot(vec2(q), vec2(q)) {
				if k > 2 {
					v = floorDiv(w%100, j) % 3
				} else {
					w = (k ^ ifelse(i > 2, p, j)) << 3
					t[j&1] -= u8(j)
				}
				u[2] += q
				x *= x
			}
			r ^= u32(ifelse((v > 2) != (p > 2), pow(k, w), v))
			for l := range 7 {
				_ = l
				w = trace(pow(p, 2) * (imat7(p) * imat7(p)))
			}
		}
		H[i*8+j] = i32(t[p&1])
	}
	return
}
`
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	var variants []runtest.Variant
	for _, v := range []runtest.Variant{{Label: "wasm", Arch: ti.Wasm}, {Label: "llvm", Arch: ti.LLVM}} {
		v.Threads, v.Unrolled = 1, 4
		variants = append(variants, v)
	}
	runtest.RunIn(t, rts, variants, func(r *runtest.Run) {
		var h struct {
			X, L, H ti.Field[int32]
			C       ti.Field[int64]
			Run     func(p int32, q float32) (uint32, error)
		}
		r.Place(ti.Shape{rows * cols}, &h.X, &h.L, &h.H, &h.C)
		r.Load(src, &h)
		for p := range int32(2) {
			for n := range rows * cols {
				h.X.Set(int32(n*7%11-3), n)
				h.C.Set(int64(n%5-2), n)
				h.L.Set(int32(n%9-4), n)
			}
			_, err := h.Run(p, 0)
			runtest.OK(r, err)
			for n := range rows * cols {
				j, want := n%cols, int32(0)
				if high := n*7%11-3 > 2; high && n%5 != 2 && int32(j&1) == p {
					want = int32(uint8(-j))
				}
				runtest.Eq(r, fmt.Sprintf("H[%d] with p = %d", n, p), h.H.At(n), want)
			}
		}
	})
}
