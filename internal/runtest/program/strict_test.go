package program

import (
	"fmt"
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// strictSource has loops that add to elements of which each belongs to one iteration,
// which cannot be known without the contents of At; a loop that adds to elements of
// several iterations, of which one counts; and sums of zeros, whose sign the order decides.
const strictSource = `
package p

var X, Zero field[f32, D1]
var H field[f16, D1]
var V field[vec2, D1]
var At field[i32, D1]

func Reverse(k i32) {
	for i := range X {
		for range k {
			X[N-1-i] += 3
		}
	}
}

func ReverseShape(k i32) {
	n := X.shape[0]
	for i := range X {
		for range k {
			X[n-1-i] -= 3
		}
	}
}

func Permuted(k i32) {
	for i := range At {
		for range k {
			X[At[i]] += 3
		}
	}
}

func Components(k i32) {
	for i := range At {
		for range k {
			V[At[i]] += vec2(3, -3)
		}
	}
}

func Halves(k i32) {
	for i := range At {
		for range k {
			H[At[i]] += 1
		}
	}
}

func Alternate() {
	for i := range At {
		X[At[i]] += 3
		X[At[i]] -= 1e8
		X[At[i]] += 1
	}
}

func Zeros() {
	for i := range At {
		Zero[At[i]] += (f32(At[i]&1) - 1) * 0
	}
}

const N = 2048
`

// TestStrictOrder asks that under strict maths an element that one iteration updates
// is what the source's order gives, whoever proves that it belongs to the iteration.
func TestStrictOrder(t *testing.T) {
	vs := append([]runtest.Variant{runtest.OracleVariant}, runtest.KernelVariants...)
	for _, deterministic := range []bool{false, true} {
		v := runtest.KernelVariants[1]
		v.Label, v.Deterministic, v.Unchecked = v.Label+"/deterministic", deterministic, true
		vs = append(vs, v)
	}
	for _, v := range vs {
		t.Run(v.Label, func(t *testing.T) {
			r := &runtest.Run{TB: t, Variant: v}
			r.RT, r.Out = v.StrictRuntime(t)
			defer r.RT.Close()
			strictOrder(r)
		})
	}
}

func strictOrder(r *runtest.Run) {
	const n, k = 2048, 100
	var h struct {
		X, Zero                                             ti.Field[float32]
		H                                                   ti.Field[ti.Float16]
		V                                                   ti.Field[ti.Vec2]
		At                                                  ti.Field[int32]
		Reverse, ReverseShape, Permuted, Components, Halves func(k int32) error
		Alternate, Zeros                                    func() error
	}
	for _, f := range []ti.AnyField{&h.X, &h.Zero, &h.H, &h.V, &h.At} {
		r.Place(ti.Shape{n}, f) // each in a tree of its own: threads might have copies of it
	}
	r.Load(strictSource, &h)
	for i := range n {
		h.At.Set(int32(i*1000%n+i/256), i)
	}
	all := func(what string, f func() error, from, want float32) {
		r.Helper()
		h.X.Fill(from)
		runtest.OK(r, f())
		for i := range n {
			if got := h.X.At(i); got != want {
				r.Errorf("%s: X[%d] is %v, want %v", what, i, got, want)
				return
			}
		}
	}
	all("Reverse", func() error { return h.Reverse(k) }, 1e8, 1e8)
	all("ReverseShape", func() error { return h.ReverseShape(k) }, 1e8, 1e8)
	all("Permuted", func() error { return h.Permuted(k) }, 1e8, 1e8)
	all("Alternate", h.Alternate, 1e8, 1)

	h.V.Fill(ti.Vec2{1e8, -1e8})
	runtest.OK(r, h.Components(k))
	h.H.Fill(ti.ToFloat16(2048))
	runtest.OK(r, h.Halves(k))
	h.Zero.Fill(float32(math.Copysign(0, -1)))
	runtest.OK(r, h.Zeros())
	for i := range n {
		runtest.Eq(r, fmt.Sprint("V", i), h.V.At(i), ti.Vec2{1e8, -1e8})
		runtest.Eq(r, fmt.Sprint("H", i), h.H.At(i).Float32(), 2048)
		if got := h.Zero.At(i); math.Signbit(float64(got)) != (i&1 == 0) {
			r.Errorf("Zero[%d] is %v", i, got)
		}
	}
}
