package vulkan_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
)

// combined has loops of one, two and three axes that reduce into numbers of all kinds, as fields, elements of fields and variables. Sums of floats are exact.
const combined = `
package p

var (
	X      field[i32]
	N      field[i32]
	I      field[i32]
	U      field[u32]
	L      field[i64]
	Z      field[u64]
	H      field[i16]
	T      field[u8]
	A      field[f32]
	D      field[f64]
	E      field[f16]
	F      field[bool]
	M      field[mat3]
)

func Run(n i32) {
	for i := range n {
		x := X[i]
		I[0] += x
		I[1] -= x
		I[2] = min(I[2], x)
		I[3] = max(I[3], x)
		U[0] |= u32(1) << u32(x&31)
		U[1] &= ^(u32(1) << u32(x&15))
		U[2] ^= u32(x)
		U[3] = max(U[3], u32(x))
		L[0] += i64(x)
		L[1] = min(L[1], i64(x)<<8)
		Z[0] ^= u64(x)
		Z[1] = max(Z[1], u64(x))
	}
	for i, j := range ndrange(n/7, 7) {
		x := X[i*7+j]
		H[0] += i16(x)
		H[1] = min(H[1], i16(x))
		T[0] ^= u8(x)
		T[1] = max(T[1], u8(x))
		A[0] += f32(x) * 0.5
		A[1] = min(A[1], f32(x))
		A[2] = max(A[2], 0.0/f32(i+1))
		D[0] += f64(x) * 0.25
		D[1] = max(D[1], f64(x))
		E[1] = max(E[1], f16(f32(x&7)))
		F[0] = F[0] || x == 77
		F[1] = F[1] && x < 1<<20
	}
	for p := range ndrange(n/20, 4, 5) {
		m := mat3(1)
		m[1][2] = f32(p.x % 3)
		m[2][0] = f32(p.y)
		M[0] += m
	}
	s, most := i64(0), i32(-5)
	for i := range n {
		s += i64(X[i]) * 3
		most = max(most, X[i]%1000)
	}
	N[0] = i32(s)
	N[1] = most
}
`

type combinedHost struct {
	X, N, I ti.Field[int32]
	U       ti.Field[uint32]
	L       ti.Field[int64]
	Z       ti.Field[uint64]
	H       ti.Field[int16]
	T       ti.Field[uint8]
	A       ti.Field[float32]
	D       ti.Field[float64]
	E       ti.Field[ti.Float16]
	F       ti.Field[bool]
	M       ti.Field[ti.Mat3]
	Run     func(n int32) error
}

// loadCombined loads the program, and returns its kernel and what runs it for n iterations.
func loadCombined(t *testing.T, rt *ti.Runtime) (*ti.Kernel, func(n int32) string) {
	t.Helper()
	h := new(combinedHost)
	rt.Place(ti.Shape{1000}, &h.X)
	rt.Place(ti.Shape{4}, &h.N, &h.I, &h.U, &h.L, &h.Z, &h.H, &h.T, &h.A, &h.D, &h.E, &h.F, &h.M)
	p, err := rt.Compile(ti.Text("p.ti", combined), h)
	must(t, err)
	return p.Kernel("Run"), func(n int32) string {
		t.Helper()
		for i := range 1000 {
			h.X.Set(int32(uint32(i*i)*40503>>3%3000)-1000, i)
		}
		h.N.Fill(1)
		h.I.Fill(7)
		h.U.Fill(math.MaxUint32)
		h.U.Set(0, 0)
		h.L.Fill(1 << 40)
		h.Z.Fill(3)
		h.H.Fill(5)
		h.T.Fill(9)
		h.A.Fill(1.5)
		h.A.Set(float32(math.Inf(-1)), 2)
		h.D.Fill(-2.5)
		h.E.Fill(ti.ToFloat16(0.5))
		h.F.Set(false, 0)
		h.F.Set(true, 1)
		h.M.Fill(ti.Mat3{})
		must(t, h.Run(n))
		var w strings.Builder
		for i := range 4 {
			fmt.Fprintln(&w, h.N.At(i), h.I.At(i), h.U.At(i), h.L.At(i), h.Z.At(i), h.H.At(i), h.T.At(i), h.A.At(i), h.D.At(i), h.E.At(i), h.F.At(i), h.M.At(i))
		}
		return w.String()
	}
}

// TestCombined: what the threads of a block put together is what the oracle computes, whatever the shape of the block, and however many of its threads have
// an iteration.
func TestCombined(t *testing.T) {
	sizes := []int32{0, 20, 999}
	for _, deterministic := range []bool{false, true} {
		cfg := ti.Config{Arch: ti.Oracle, Deterministic: deterministic, Cache: ti.Cache{Policy: ti.CacheOff}}
		var want []string
		_, reference := loadCombined(t, runtime(t, cfg))
		for _, n := range sizes {
			want = append(want, reference(n))
		}
		cfg.Arch = 0
		k, run := loadCombined(t, open(t, cfg))
		blocks := [][3]int{{}, {1, 1, 1}, {7, 1, 1}, {32, 1, 1}, {100, 1, 1}, {16, 16, 1}, {1, 17, 3}, {31, 33, 1}}
		if deterministic { // chunks of iterations are threads of a block of their own
			blocks = blocks[:2]
		}
		for _, size := range blocks {
			if size[0] > 0 {
				k.SetBlock(ti.Block{Size: size, Policy: ti.BlockExact})
			}
			for i, n := range sizes {
				if got := run(n); got != want[i] {
					t.Errorf("%d iterations in blocks of %v, deterministic %t:\n%s, and expected\n%s", n, size, deterministic, got, want[i])
				}
			}
		}
	}
}

// TestCombinedFailing: threads meet though some iterations fail, or do not end.
func TestCombinedFailing(t *testing.T) {
	rt := open(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
	var h struct {
		X, S   ti.Field[int32]
		Beyond func(at int32) (int32, error)
		Long   func(ctx context.Context, rounds int32) (int32, error)
	}
	rt.Place(ti.Shape{1000}, &h.X)
	rt.Place(nil, &h.S)
	must(t, rt.Load(`package p

var X field[i32]
var S field[i32, D0]

func Beyond(at i32) i32 {
	s := 0
	for i := range X {
		s += X[i/at*2000] + 1
	}
	return s
}

func Long(rounds i32) i32 {
	s := 0
	for i := range X {
		k := X[i]
		if i%300 == 7 {
			for j := range rounds {
				k = k*3 + j
			}
		}
		s += k&1 + 1
		S = max(S, k)
	}
	return s
}
`, &h))
	if s, err := h.Beyond(1000); err != nil || s != 1000 {
		t.Errorf("without a failure, the sum is %d, and the error %v", s, err)
	}
	if _, err := h.Beyond(900); !errors.Is(err, ti.ErrRange) {
		t.Errorf("an index out of range gives %v", err)
	}
	if s, err := h.Long(t.Context(), 10); err != nil || s < 1000 {
		t.Errorf("without many rounds, the sum is %d, and the error %v", s, err)
	}
	if _, err := h.Long(t.Context(), 100_000); err != nil && !strings.Contains(err.Error(), "more rounds than the driver") {
		t.Errorf("many rounds give %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for err := error(nil); err == nil; _, err = h.Long(ctx, 60_000) {
	}
	if s, err := h.Long(t.Context(), 10); err != nil || s < 1000 {
		t.Errorf("after that, the sum is %d, and the error %v", s, err)
	}
}

// TestCombinedOnce: a loop that reduces has a barrier, and a loop that does not has none. Neither needs f64 or atomics of 64 bits for numbers of 32.
func TestCombinedOnce(t *testing.T) {
	rt := open(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
	var h struct{ X ti.Field[float32] }
	rt.Place(ti.Shape{100}, &h.X)
	p, err := rt.Compile(ti.Text("p.ti", "package p\n\nvar X field[f32]\n\nfunc Sum() f32 {\n\ts := f32(0)\n\tfor i := range X {\n\t\ts += X[i]\n\t}\n\treturn s\n}\n\nfunc Fill() {\n\tfor i := range X {\n\t\tX[i] = 1\n\t}\n}\n"), &h)
	must(t, err)
	var with []string
	for _, name := range []string{"Sum", "Fill"} {
		var text strings.Builder
		must(t, p.Kernel(name).Dump(&text, "spirv"))
		if strings.Contains(text.String(), "OpCapability Float64") || strings.Contains(text.String(), "OpCapability Int64Atomics") {
			t.Errorf("%s needs what not all devices have:\n%s", name, text.String())
		}
		if strings.Contains(text.String(), "OpControlBarrier") {
			with = append(with, name)
		}
	}
	if !slices.Equal(with, []string{"Sum"}) {
		t.Errorf("there are barriers in %v", with)
	}
}
