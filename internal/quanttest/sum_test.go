package quanttest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

const sumSource = `
package sum

var (
	I, J field[i32]
	U    field[u32]
	F, G field[f32]
	A    field[i32]
	B    field[u32]
	C    field[f32]
)

func Step() {
	for i := range A {
		I[i] += A[i]
		J[i] -= A[i]
		U[i] += B[i]
		F[i] += C[i]
		G[i] -= C[i]
	}
}

func Small() {
	for i := range A {
		I[i] += i32(i8(A[i]))
		U[i] -= u32(u8(B[i]))
		J[i] += 1
		F[i] -= 0.5
	}
}
`

// TestSums adds the largest numbers there are to codes at the ends, in forms up to those whose sums need more than 32 bits.
func TestSums(t *testing.T) {
	a := []int32{0, 1, -1, 7, -8, 100, -100, math.MaxInt32, math.MinInt32, math.MaxInt32 - 1, 1 << 29, -1 << 29, 1<<28 - 1, -1 << 28}
	c := []float32{0, 0.5, -0.5, 1, -1, 0x1p-20, 3e38, -3e38, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1e-30, 0.999, -0.999}
	n := len(a) * len(a)
	for _, bits := range []int{2, 7, 16, 20, 28, 29, 30, 32} {
		for _, wrap := range []bool{false, true} {
			t.Run(fmt.Sprint(bits, " wraps ", wrap), func(t *testing.T) {
				quantised := func(q ti.Quant) ti.Quant {
					if wrap {
						return q.Wrap()
					}
					return q
				}
				var want string
				for _, arch := range []ti.Arch{ti.Oracle, ti.CPU} {
					rt := newRuntime(t, ti.Config{Arch: arch, Threads: 2})
					var s struct {
						I, J, A     ti.Field[int32]
						U, B        ti.Field[uint32]
						F, G, C     ti.Field[float32]
						Step, Small func() error
					}
					rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(&s.I, quantised(ti.QuantInt(bits)))
					rt.NewTree().Dense(ti.I, n).BitStruct(64).Place(&s.J, quantised(ti.QuantInt(bits))).Place(&s.F, ti.QuantFixed(min(bits, 32), 1))
					rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(&s.U, quantised(ti.QuantInt(bits).Unsigned()))
					rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(&s.G, ti.QuantFixed(bits, 1).Unsigned())
					rt.Place(ti.Shape{n}, &s.A, &s.B, &s.C)
					if err := rt.Load(sumSource, &s); err != nil {
						t.Fatal(err)
					}
					for i := range n {
						x, y := i/len(a), i%len(a)
						s.I.Set(a[x], i)
						s.J.Set(a[x], i)
						s.U.Set(uint32(a[x]), i)
						s.F.Set(c[x], i)
						s.G.Set(c[x], i)
						s.A.Set(a[y], i)
						s.B.Set(uint32(a[y]), i)
						s.C.Set(c[y], i)
					}
					var got strings.Builder
					for _, f := range []func() error{s.Step, s.Small, s.Step} {
						if err := f(); err != nil {
							t.Fatal(err)
						}
						for i := range n {
							fmt.Fprintln(&got, i, s.I.At(i), s.J.At(i), s.U.At(i), s.F.At(i), s.G.At(i))
						}
					}
					if want == "" {
						want = got.String()
						continue
					}
					for k, line := range strings.Split(got.String(), "\n") {
						if w := strings.Split(want, "\n")[k]; line != w {
							t.Errorf("%s, not %s", line, w)
							break
						}
					}
				}
			})
		}
	}
}
