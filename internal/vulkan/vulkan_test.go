package vulkan_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// open starts a runtime on a device with a Vulkan driver, and ends the test where there is none.
func open(t *testing.T, cfg ti.Config) *ti.Runtime {
	t.Helper()
	if *lanes > 0 {
		return simulated(t, cfg, simulatedOptions(simulatorSeed))
	}
	return runtime(t, titest.Vulkan(t, cfg))
}

func runtime(t *testing.T, cfg ti.Config) *ti.Runtime {
	t.Helper()
	rt, err := ti.New(cfg)
	must(t, err)
	t.Cleanup(func() { must(t, rt.Close()) })
	return rt
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A program has fields of numbers, which its kernel Run changes.
type program struct {
	name, body    string // the body of Run, with the functions before it
	funcs         string
	deterministic bool
}

const fields = `
package p

var (
	A, B, C field[f32]
	I, J, K field[i32]
	U       field[u32]
	L       field[i64]
	Z       field[u64]
	D, X    field[f64]
	E, P    field[f16]
	H       field[i16]
	T       field[u8]
	F       field[bool]
	V       field[vec3]
	M       field[mat2]
	G       field[i32, D2]
	S       field[i32, D0]
	R       field[f32, D0]
)
`

// host has the fields. Each has 64 elements, and two axes of 8.
type host struct {
	A, B, C ti.Field[float32]
	I, J, K ti.Field[int32]
	U       ti.Field[uint32]
	L       ti.Field[int64]
	Z       ti.Field[uint64]
	D, X    ti.Field[float64]
	E, P    ti.Field[ti.Float16]
	H       ti.Field[int16]
	T       ti.Field[uint8]
	F       ti.Field[bool]
	V       ti.Field[ti.Vec3]
	M       ti.Field[ti.Mat2]
	G       ti.Field[int32]
	S       ti.Field[int32]
	R       ti.Field[float32]
	Run     func(n int32, x float32) error
}

// numbers are those that arithmetic is likely to get wrong, and others.
var numbers = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, 3e38, -3e38, 1 << 31, -(1 << 31), 1 << 33, 127.6, -128.9, 0.1, 7, -7}

func (h *host) fill() {
	for i := range 64 {
		x := numbers[i%len(numbers)]
		h.A.Set(float32(x), i)
		h.B.Set(float32(numbers[(i*7+3)%len(numbers)]), i)
		h.C.Set(float32(i)/8-4, i)
		h.I.Set(int32(uint32(i*i*i)*2654435761), i)
		h.J.Set([]int32{0, 1, -1, math.MinInt32, math.MaxInt32, 7, -7, 31, 32, 33}[i%10], i)
		h.K.Set(int32(i-32), i)
		h.U.Set(uint32(i)*2654435761, i)
		h.L.Set(int64(i-20)<<(i%50), i)
		h.Z.Set(uint64(i)*0x9e3779b97f4a7c15, i)
		h.D.Set(x*1.0000001, i)
		h.X.Set(numbers[(i*5+2)%len(numbers)]*0.9999999, i)
		h.E.Set(ti.ToFloat16(float32(x)), i)
		h.P.Set(ti.ToFloat16(float32(i%16)*0.37-2), i)
		h.H.Set(int16(i*1021), i)
		h.T.Set(uint8(i*37), i)
		h.F.Set(i%3 == 0, i)
		h.V.Set(ti.Vec3{float32(i), float32(i) / 3, -1}, i)
		h.M.Set(ti.Mat2{{float32(i), 1}, {2, float32(i) / 7}}, i)
		h.G.Set(int32(i), i/8, i%8)
	}
	h.S.Set(5)
	h.R.Set(0.5)
}

// load places the fields, and compiles the program.
func (p program) load(t *testing.T, rt *ti.Runtime, h *host, blocks bool) *ti.Program {
	t.Helper()
	list := []ti.AnyField{&h.A, &h.B, &h.C, &h.I, &h.J, &h.K, &h.U, &h.L, &h.Z, &h.D, &h.X, &h.E, &h.P, &h.H, &h.T, &h.F, &h.V, &h.M}
	if blocks {
		rt.NewTree().Dense(ti.I, 8).Dense(ti.I, 8).Place(list...)
	} else {
		rt.Place(ti.Shape{64}, list...)
	}
	rt.Place(ti.Shape{8, 8}, &h.G)
	rt.Place(nil, &h.S, &h.R)
	c, err := rt.Compile(ti.Text("source", fields+p.funcs+"\nfunc Run(n i32, x f32) {\n"+p.body+"\n}\n"), h)
	must(t, err)
	return c
}

// run runs a program, and returns what is in the fields then, and the error.
func run(t *testing.T, rt *ti.Runtime, p program, blocks bool) (all []string, failed error) {
	t.Helper()
	h := new(host)
	p.load(t, rt, h, blocks)
	h.fill()
	failed = h.Run(6, 1.25)
	number := func(f string, v any) { all = append(all, fmt.Sprintf("%s %v", f, v)) }
	bits := func(v float32) string {
		if v != v {
			return "NaN"
		}
		return fmt.Sprintf("%x", math.Float32bits(v))
	}
	for i := range 64 {
		for _, f := range []*ti.Field[float32]{&h.A, &h.B, &h.C} {
			number("float", bits(f.At(i)))
		}
		for _, f := range []*ti.Field[int32]{&h.I, &h.J, &h.K} {
			number("int", f.At(i))
		}
		number("U", h.U.At(i))
		number("L", h.L.At(i))
		number("Z", h.Z.At(i))
		number("D", fmt.Sprintf("%x %x", h.D.At(i), h.X.At(i)))
		number("E", fmt.Sprintf("%x %x", h.E.At(i).Float32(), h.P.At(i).Float32()))
		number("H", h.H.At(i))
		number("T", h.T.At(i))
		number("F", h.F.At(i))
		v, m := h.V.At(i), h.M.At(i)
		number("V", bits(v[0])+bits(v[1])+bits(v[2]))
		number("M", bits(m[0][0])+bits(m[0][1])+bits(m[1][0])+bits(m[1][1]))
		number("G", h.G.At(i/8, i%8))
	}
	number("S", h.S.At())
	number("R", bits(h.R.At()))
	return all, failed
}

// TestPrograms compares programs with the oracle, bit for bit.
func TestPrograms(t *testing.T) {
	for _, blocks := range []bool{false, true} {
		for _, p := range slices.Concat(programs, numberPrograms) {
			t.Run(fmt.Sprintf("%s/%t", p.name, blocks), func(t *testing.T) {
				cfg := ti.Config{StrictMath: true, Deterministic: p.deterministic, Seed: 3, Cache: ti.Cache{Policy: ti.CacheOff}}
				rt := open(t, cfg)
				got, failed := run(t, rt, p, blocks)
				cfg.Arch = ti.Oracle
				want, wanted := run(t, runtime(t, cfg), p, blocks)
				if (failed == nil) != (wanted == nil) || failed != nil && !sameFailure(failed, wanted) {
					t.Fatalf("the error is %v, and %v is expected", failed, wanted)
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("number %d is %s, and %s is expected", i, got[i], want[i])
					}
				}
			})
		}
	}
}

// sameFailure compares the first lines: which of several failures is described may differ.
func sameFailure(a, b error) bool {
	return errors.Is(a, ti.ErrRange) == errors.Is(b, ti.ErrRange)
}

// TestManyRounds: llvmpipe ends loops after 65,535 rounds. Other drivers do not.
func TestManyRounds(t *testing.T) {
	for _, rounds := range []int32{60_000, 100_000} {
		rt := open(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
		var h struct {
			S   ti.Field[int32]
			Run func(n int32) error
		}
		rt.Place(ti.Shape{4}, &h.S)
		must(t, rt.Load("package p\n\nvar S field[i32]\n\nfunc Run(n i32) {\n\tfor i := range S {\n\t\tfor j := range n {\n\t\t\tS[i] = S[i]*3 + j\n\t\t}\n\t}\n}\n", &h))
		want := int32(0)
		for j := range rounds {
			want = want*3 + j
		}
		switch err := h.Run(rounds); {
		case err == nil && h.S.At(2) != want:
			t.Errorf("%d rounds give %d without an error, not %d", rounds, h.S.At(2), want)
		case err != nil && (rounds < 65_000 || !strings.Contains(err.Error(), "more rounds than the driver")):
			t.Error(err)
		}
	}
}

// TestEnds ends a launch by its context, and one by closing the runtime.
func TestEnds(t *testing.T) {
	rt := open(t, ti.Config{})
	var h struct {
		S   ti.Field[int32]
		Run func(ctx context.Context, n int32) error
	}
	rt.Place(ti.Shape{4}, &h.S)
	must(t, rt.Load("package p\n\nvar S field[i32]\n\nfunc Run(n i32) {\n\tfor i := range S {\n\t\tS[i] = n\n\t}\n}\n", &h))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	must(t, h.Run(ctx, 3))
	cancel()
	if err := h.Run(ctx, 4); !errors.Is(err, context.Canceled) || h.S.At(1) != 3 {
		t.Errorf("a cancelled launch leaves %d and the error %v", h.S.At(1), err)
	}
}

// TestTape differentiates.
func TestTape(t *testing.T) {
	rt := open(t, ti.Config{})
	var h struct {
		X, Loss ti.Field[float32]
		Energy  func() error
	}
	rt.Place(ti.Shape{100}, ti.WithGrad(&h.X)...)
	rt.Place(nil, ti.WithGrad(&h.Loss)...)
	must(t, rt.Load("package p\n\nvar X field[f32]\nvar Loss field[f32, D0]\n\nfunc Energy() {\n\tfor i := range X {\n\t\tLoss += X[i] * X[i]\n\t}\n}\n", &h))
	h.X.Fill(5)
	must(t, rt.Tape(&h.Loss, h.Energy))
	if h.X.Grad().At(99) != 10 || h.Loss.At() != 2500 {
		t.Errorf("the derivative is %v, of a loss of %v", h.X.Grad().At(99), h.Loss.At())
	}
}

// TestSaved writes fields and reads them again.
func TestSaved(t *testing.T) {
	rt := open(t, ti.Config{})
	x := ti.NewField[float32](rt, 1000)
	all := make([]float32, 1000)
	for i := range all {
		all[i] = float32(i)
	}
	must(t, x.CopyFrom(all))
	var saved bytes.Buffer
	_, err := x.WriteTo(&saved)
	must(t, err)
	x.Fill(0)
	_, err = x.ReadFrom(&saved)
	must(t, err)
	got := make([]float32, 1000)
	must(t, x.CopyTo(got))
	if !slices.Equal(got, all) {
		t.Errorf("%v", got[:10])
	}
}

// TestTooMany: what stands before a loop with too many iterations takes effect, and the next launch works.
func TestTooMany(t *testing.T) {
	rt := open(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
	var h struct {
		X   ti.Field[int32]
		Run func(n int32) error
	}
	rt.Place(ti.Shape{4}, &h.X)
	must(t, rt.Load("package p\n\nvar X field[i32]\n\nfunc Run(n i32) {\n\tfor i := range X {\n\t\tX[i] += 1\n\t}\n\tfor p := range ndrange(n, n, n) {\n\t\tX[p.x%4] += 2\n\t}\n}\n", &h))
	if err := h.Run(1 << 30); !errors.Is(err, ti.ErrRange) && (err == nil || !strings.Contains(err.Error(), "iterations")) {
		t.Errorf("the error is %v", err)
	}
	if got := h.X.At(1); got != 1 {
		t.Errorf("the first loop leaves %d", got)
	}
	must(t, h.Run(2))
	if got := h.X.At(0); got != 10 {
		t.Errorf("the next launch leaves %d", got)
	}
}
