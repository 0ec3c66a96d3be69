package quanttest

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

const rangesSource = `
package r

var (
	X, Y, Z field[f32]
	V       field[vec3]
	A       field[i32]
	B, H    field[i32]
	W       field[f64]
	Sum     field[f32]
)

func Work(n int) {
	for i := range X {
		x := 16*random() - 8
		X[i] = x * x * 0.3
		X[i] *= 0.999
		Y[i] = x * 1e-3
		Y[i] += 1e-5
		Z[i] += x * 0.01
		V[i] = vec3{x, x * x, 1e-7 * x}
		V[i].y = 3
		A[i] = i32(i) - 100
		A[i] -= 3
		W[i] = f64(x) / 3
		Sum[0] = max(Sum[0], x)
		atomicAdd(&H[i%8], 1) // the sums in between are the same in any order
		if i%5 == 0 {
			atomicXchg(&A[i], 77)
			atomicCAS(&B[i], 0, 1)
		}
		B[i] = i32(x) & 3
	}
}

func Fade() {
	for i := range X {
		Y[i] *= 0.99
	}
}

func Serial() {
	for i := range serial(10) {
		X[i] = f32(i)
		Z[3] += 0.25
	}
}
`

type rangesHost struct {
	X, Y, Z ti.Field[float32]
	V       ti.Field[ti.Vec3]
	A, B, H ti.Field[int32]
	W       ti.Field[float64]
	Sum     ti.Field[float32]

	Work   func(n int32)
	Fade   func()
	Serial func()
}

func (h *rangesHost) fields() []ti.AnyField {
	return []ti.AnyField{&h.X, &h.Y, &h.Z, &h.V, &h.A, &h.B, &h.H, &h.W, &h.Sum}
}

func (h *rangesHost) run() error {
	h.Work(0)
	for range 3 {
		h.Fade()
	}
	h.Serial()
	return nil
}

// newRanges loads the program with packed fields.
func newRanges(tb testing.TB, cfg ti.Config, n int) (*ti.Runtime, *rangesHost) {
	rt := newRuntime(tb, cfg)
	h := &rangesHost{}
	rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(&h.X, ti.QuantFixed(10, 8)).Place(&h.Y, ti.QuantFloat(3, 7).Stochastic()).Place(&h.A, ti.QuantInt(8))
	rt.NewTree().Dense(ti.I, n).BitStruct(64).PlaceShared(ti.QuantFloat(5, 9), &h.V)
	rt.NewTree().Dense(ti.I, n).BitStruct(64).Place(&h.Z, ti.QuantFixed(12, 0.1).Stochastic()).Place(&h.W, ti.QuantFixed(30, 2))
	rt.NewTree().Dense(ti.I, n/16).BitArray(32, ti.I, 16).Place(&h.B, ti.QuantInt(2).Unsigned())
	rt.NewTree().Dense(ti.I, 8).BitStruct(16).Place(&h.H, ti.QuantInt(9))
	rt.Place(ti.Shape{1}, &h.Sum)
	if err := rt.Load(rangesSource, h); err != nil {
		tb.Fatal(err)
	}
	return rt, h
}

// TestRangesAgree compares what compiled kernels count with what the oracle counts.
func TestRangesAgree(t *testing.T) {
	const n = 512
	var want []ti.RangeReport
	for _, cfg := range []ti.Config{{Arch: ti.Oracle}, {Threads: 2}, {Threads: 2, Deterministic: true, StrictMath: true}} {
		cfg.Seed = 5
		rt, h := newRanges(t, cfg, n)
		got, err := rt.Ranges(h.run, ti.RangeOptions{}, h.fields()...)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
			continue
		}
		for i := range want {
			sameReport(t, cfg, &got[i], &want[i])
		}
	}
}

// sameReport compares reports, the sums of errors but for their order.
func sameReport(t *testing.T, cfg ti.Config, got, want *ti.RangeReport) {
	t.Helper()
	if got.Field == "Sum" { // the maximum is gathered in another order
		return
	}
	if got.Least != want.Least || got.Largest != want.Largest || got.SmallestMagnitude != want.SmallestMagnitude || !maps.Equal(got.Exponents, want.Exponents) || len(got.Stores) != len(want.Stores) {
		t.Errorf("%+v, %s:\n%v\nnot\n%v", cfg, got.Field, got, want)
		return
	}
	for i, s := range got.Stores {
		w := want.Stores[i]
		if math.Abs(s.MeanError-w.MeanError) <= 1e-9*w.LargestError {
			s.MeanError = w.MeanError
		}
		if !reflect.DeepEqual(s, w) {
			t.Errorf("%+v, %s:\n%+v\nnot\n%+v", cfg, got.Field, s, w)
		}
	}
}

const fadeSource = `
package fade

var (
	D, Flat field[f32]
	N       field[i32]
	Ring    field[vec2]
)

func Fill() {
	for i := range D {
		D[i] = 0.5
		Flat[i] = 0.25 * f32(i)
		N[i] = i - 3
		Ring[i] = vec2{1, -3}
	}
}

func Fade() {
	for i := range D {
		D[i] *= 0.9999
	}
}
`

type fadeHost struct {
	D, Flat    ti.Field[float32]
	N          ti.Field[int32]
	Ring       ti.Field[ti.Vec2]
	Fill, Fade func()

	Loss ti.Field[float32] `ti:"-"`
}

// TestRanges reports on a program whose numbers are known.
func TestRanges(t *testing.T) {
	rt := newRuntime(t, ti.Config{})
	var s fadeHost
	rt.NewTree().Dense(ti.I, 16).BitStruct(16).Place(&s.D, ti.QuantFixed(10, 1)).Place(&s.N, ti.QuantInt(4))
	rt.Place(ti.Shape{16}, &s.Flat, &s.Ring)
	if err := rt.Load(fadeSource, &s); err != nil {
		t.Fatal(err)
	}
	s.Fade() // what was launched before is not counted
	run := func() error {
		s.Fill()
		s.Fade()
		s.Fade()
		return nil
	}
	rs, err := rt.Ranges(run, ti.RangeOptions{Tolerance: 0.01}, &s.D, &s.Flat, &s.N, &s.Ring)
	if err != nil {
		t.Fatal(err)
	}
	d, flat, n, ring := rs[0], rs[1], rs[2], rs[3]
	if d.Field != "D" || d.Least != 0 || d.Largest != 0.5 || d.SmallestMagnitude != 0.49995 && math.Abs(d.SmallestMagnitude-0.49995) > 1e-6 || d.Exponents[-1] != 16 || d.Exponents[-2] != 32 {
		t.Errorf("D: %+v", d)
	}
	if len(d.Stores) != 2 || d.Stores[0].Total != 16 || d.Stores[0].Absorbed != 0 || d.Stores[1].Total != 32 || d.Stores[1].Absorbed != 32 || math.Abs(d.Stores[1].MeanError-5e-5) > 1e-7 || d.Stores[1].Errors[-15] != 32 {
		t.Errorf("the stores of D: %+v", d.Stores)
	}
	if !strings.Contains(d.Stores[1].Position, "ranges_test.go:") {
		t.Errorf("a store at %s", d.Stores[1].Position)
	}
	if s := d.Suggested; len(s) == 0 || !strings.Contains(s[0].String(), "stochastic") {
		t.Errorf("changes are absorbed, and suggested are %v", s)
	}
	// A random number may choose the farther neighbour.
	if q := d.Suggested[0]; q.Decode(2)-q.Decode(1) > 0.01*d.Largest {
		t.Errorf("%v: neighbours are apart by %v", q, q.Decode(2)-q.Decode(1))
	}
	if flat.Least != 0 || flat.Largest != 3.75 || flat.Exponents[1] != 8 || len(flat.Stores) != 1 || flat.Stores[0].Total != 16 || flat.Stores[0].Clamped != 0 {
		t.Errorf("Flat: %+v", flat)
	}
	if n.Least != -3 || n.Largest != 12 || n.Stores[0].Clamped != 5 || !slices.Contains(n.Suggested, ti.QuantInt(5)) {
		t.Errorf("N: %+v", n)
	}
	if ring.Least != -3 || ring.Largest != 1 || ring.Stores[0].Total != 32 {
		t.Errorf("Ring: %+v", ring)
	}
	if text := d.String() + ring.String(); !says(text, "16 stores", "32 absorbed", "Place(&D, ti.Quant", ".Stochastic())", "Place(&Ring, ti.QuantF", "PlaceShared(ti.QuantFloat(") {
		t.Errorf("%s", text)
	}
	// The forms keep what they promise.
	for _, q := range flat.Suggested {
		for v := range 16 {
			x := 0.25 * float64(v)
			if e := math.Abs(q.Decode(q.Encode(x)) - x); e > 0.01*flat.Largest {
				t.Errorf("%v: %v is off by %v", q, x, e)
			}
		}
	}
	budget, err := rt.Ranges(run, ti.RangeOptions{Bits: 30}, &s.D, &s.Ring)
	if err != nil {
		t.Fatal(err)
	}
	if bits := budget[0].Suggested[0].Bits() + 2*budget[1].Suggested[0].Bits(); bits > 30 || bits < 28 {
		t.Errorf("forms of %d bits for 30", bits)
	}
	s.Fade() // with the kernels as they were
}

func says(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

// TestRangesErrors has what Ranges refuses, and that it can be called again afterwards.
func TestRangesErrors(t *testing.T) {
	rt := newRuntime(t, ti.Config{})
	var s fadeHost
	rt.Place(ti.Shape{16}, &s.D, &s.Flat, &s.N, &s.Ring)
	rt.Place(ti.Shape{}, &s.Loss, s.Loss.Grad())
	if err := rt.Load(fadeSource, &s); err != nil {
		t.Fatal(err)
	}
	other := ti.NewField[float32](newRuntime(t, ti.Config{}), 4)
	fill := func() error { s.Fill(); return nil }
	for _, c := range []struct {
		name string
		f    func() error
		o    ti.RangeOptions
		of   []ti.AnyField
		want error
	}{
		{"nil function", nil, ti.RangeOptions{}, []ti.AnyField{&s.D}, ti.ErrArgs},
		{"no fields", fill, ti.RangeOptions{}, nil, ti.ErrArgs},
		{"nil field", fill, ti.RangeOptions{}, []ti.AnyField{nil}, ti.ErrArgs},
		{"twice", fill, ti.RangeOptions{}, []ti.AnyField{&s.D, &s.D}, ti.ErrArgs},
		{"not placed", fill, ti.RangeOptions{}, []ti.AnyField{new(ti.Field[float32])}, ti.ErrPlace},
		{"another runtime's", fill, ti.RangeOptions{}, []ti.AnyField{other}, ti.ErrArgs},
		{"tolerance", fill, ti.RangeOptions{Tolerance: math.NaN()}, []ti.AnyField{&s.D}, ti.ErrArgs},
		{"bits", fill, ti.RangeOptions{Bits: -1}, []ti.AnyField{&s.D}, ti.ErrArgs},
		{"both", fill, ti.RangeOptions{Tolerance: 0.1, Bits: 9}, []ti.AnyField{&s.D}, ti.ErrArgs},
		{"inside another", func() error {
			_, err := rt.Ranges(fill, ti.RangeOptions{}, &s.D)
			return err
		}, ti.RangeOptions{}, []ti.AnyField{&s.D}, ti.ErrBusy},
		{"a tape", func() error { return rt.Tape(&s.Loss, fill) }, ti.RangeOptions{}, []ti.AnyField{&s.D}, ti.ErrBusy},
	} {
		if _, err := rt.Ranges(c.f, c.o, c.of...); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = rt.Ranges(func() error { s.Fill(); panic("stop") }, ti.RangeOptions{}, &s.D)
	}()
	rs, err := rt.Ranges(fill, ti.RangeOptions{}, &s.D)
	if err != nil || rs[0].Stores[0].Total != 16 || rs[0].Suggested != nil {
		t.Errorf("afterwards: %+v, %v", rs, err)
	}
}

const fluidSource = `
package fluid

var (
	D, E field[f32]
	V    field[vec2]
	X, Y field[f32]
)

func Advect(dt f32) {
	for p := range E {
		q := p - dt*V[p]
		i := clamp(ivec2(floor(q)), 0, D.shape-2)
		f := q - i
		E[p] = mix(mix(D[i], D[i+ivec2{0, 1}], f.y), mix(D[i+ivec2{1, 0}], D[i+1], f.y), f.x)
	}
	for p := range D {
		D[p] = E[p]
	}
}

func Saxpy(a f32) {
	for i := range X {
		Y[i] += a * X[i]
	}
}
`

// BenchmarkRanges has launches that are counted beside those that are not.
func BenchmarkRanges(b *testing.B) {
	for _, packed := range []bool{false, true} {
		rt := newRuntime(b, ti.Config{})
		var s struct {
			D, E, X, Y ti.Field[float32]
			V          ti.Field[ti.Vec2]
			Advect     func(dt float32)
			Saxpy      func(a float32)
		}
		const n, long = 1024, 1 << 24
		if packed {
			rt.NewTree().Dense(ti.IJ, n, n).BitStruct(16).Place(&s.D, ti.QuantFixed(16, 2))
			rt.NewTree().Dense(ti.IJ, n, n).BitStruct(16).Place(&s.E, ti.QuantFixed(16, 2))
			rt.NewTree().Dense(ti.IJ, n, n).BitStruct(32).PlaceShared(ti.QuantFloat(6, 13), &s.V)
			rt.NewTree().Dense(ti.I, long).BitStruct(16).Place(&s.X, ti.QuantFixed(16, 8))
			rt.NewTree().Dense(ti.I, long).BitStruct(16).Place(&s.Y, ti.QuantFixed(16, 8))
		} else {
			rt.Place(ti.Shape{n, n}, &s.D, &s.E, &s.V)
			rt.Place(ti.Shape{long}, &s.X, &s.Y)
		}
		if err := rt.Load(fluidSource, &s); err != nil {
			b.Fatal(err)
		}
		name := map[bool]string{false: "f32", true: "packed"}[packed]
		for k := 0; k < n*n; k++ {
			s.D.Set(float32(k%97)/97, k/n, k%n)
			s.V.Set(ti.Vec2{float32(k%31) / 10, 1}, k/n, k%n)
		}
		xs := make([]float32, long)
		for i := range xs {
			xs[i] = float32(i*7919%10007)/10007*4 - 2
		}
		if err := errors.Join(s.X.CopyFrom(xs), s.Y.CopyFrom(append(xs[1:], 1))); err != nil {
			b.Fatal(err)
		}
		a := float32(0.1)
		for kernel, f := range map[string]func(){"advect": func() { s.Advect(1) }, "saxpy": func() { s.Saxpy(a); a = -a }} {
			f()
			b.Run(name+"/"+kernel, func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
			if _, err := rt.Ranges(func() error {
				f()
				b.Run(name+"/"+kernel+"/counted", func(b *testing.B) {
					for b.Loop() {
						f()
					}
				})
				return nil
			}, ti.RangeOptions{}, &s.D, &s.E, &s.V, &s.X, &s.Y); err != nil {
				b.Fatal(err)
			}
		}
		_ = rt.Close()
	}
}

// TestRangesChangeNothing compares what kernels that are counted compute with what they compute otherwise, bit
// by bit, random numbers included.
func TestRangesChangeNothing(t *testing.T) {
	var want []byte
	for _, counted := range []bool{false, true} {
		rt, h := newRanges(t, ti.Config{Threads: 2, Seed: 3}, 512)
		var err error
		if counted {
			_, err = rt.Ranges(h.run, ti.RangeOptions{}, h.fields()...)
		} else {
			err = h.run()
		}
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		for _, f := range h.fields() {
			if _, err := f.WriteTo(&got); err != nil {
				t.Fatal(err)
			}
		}
		if !counted {
			want = got.Bytes()
		} else if !bytes.Equal(got.Bytes(), want) {
			t.Error("kernels that are counted compute something else")
		}
	}
}

const sparseRanges = `
package sparse

type pair struct {
	A f32
	B [2]i32
}

var (
	P, Q field[pair]
	L    field[f32, D2]
)

func Work() {
	for i := range 64 {
		if i%3 == 0 {
			P[i] = pair{0.15 * f32(i), [2]i32{i, -i}}
		}
	}
	for p := range P {
		k := i32(P[p].A) % 2
		P[p].B[k] += 5
		P[p].A *= 1.01
		append(L[p%4], P[p].A)
	}
	for i, j := range L {
		L[i][j] -= 0.001
	}
	for i := range Q {
		Q[i].A = P[i].A
	}
}
`

// TestRangesSparse compares counts in sparse trees and lists, of fields with members packed and plain, and of one
// member alone.
func TestRangesSparse(t *testing.T) {
	var want []ti.RangeReport
	for _, arch := range []ti.Arch{ti.Oracle, ti.CPU} {
		rt := newRuntime(t, ti.Config{Arch: arch, Threads: 2})
		var s struct {
			P, Q ti.Field[struct {
				A float32
				B [2]int32
			}]
			L    ti.Field[float32]
			Work func()
		}
		cell := rt.NewTree().Pointer(ti.I, 8).Bitmasked(ti.I, 8)
		a, b := ti.Members(&s.P)[0], ti.Members(&s.P)[1]
		cell.BitStruct(32).Place(a, ti.QuantFixed(12, 4)).Place(ti.Members(b)[0], ti.QuantInt(6))
		cell.Place(ti.Members(b)[1])
		rt.Place(ti.Shape{64}, &s.Q)
		rt.NewTree().Dense(ti.I, 4).Dynamic(ti.J, 64).BitStruct(16).Place(&s.L, ti.QuantFixed(10, 4))
		if err := rt.Load(sparseRanges, &s); err != nil {
			t.Fatal(err)
		}
		got, err := rt.Ranges(func() error { s.Work(); s.Work(); return nil }, ti.RangeOptions{}, &s.P, ti.Members(&s.Q)[0], &s.L)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
			if p := got[0]; len(p.Stores) != 3 || p.Stores[0].Total != 2*22*3 || p.Stores[2].Clamped == 0 || got[1].Stores[0].Total != 2*64 || got[2].Stores[0].Total == 0 {
				t.Errorf("%v", got)
			}
			continue
		}
		for i := range want {
			sameReport(t, ti.Config{Arch: arch}, &got[i], &want[i])
		}
	}
}
