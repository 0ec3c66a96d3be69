package vulkan_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestSlices reads and writes memory of the caller: slices, parts of one array that overlap, arrays with gaps between rows, structs.
func TestSlices(t *testing.T) {
	rt := open(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
	type body struct {
		At   [3]float32
		Name int64
	}
	var h struct {
		X     ti.Field[float32]
		Scale func(v []float32, by float32) error
		Shift func(to, from []int32) error
		Rows  func(m ti.Array[int32]) (int32, error)
		Move  func(bs []body) error
	}
	rt.Place(ti.Shape{4}, &h.X)
	must(t, rt.Load(`package p

type Body struct { At vec3; Name i64 }

var X field[f32]

func Scale(v []f32, by f32) {
	for i := range v {
		v[i] *= by
	}
	for i := range X {
		X[i] = v[i]
	}
}

func Shift(to, from []i32) {
	for i := range to {
		to[i] = from[i] * 2
	}
}

func Rows(m array[i32, D2]) i32 {
	s := 0
	for i := range m {
		s += m[i]
		m[i] = i.x*10 + i.y
	}
	return s
}

func Move(bs []Body) {
	for i := range bs {
		bs[i].At.y += f32(bs[i].Name)
	}
}
`, &h))
	v := []float32{1, 2, 3, 4, 5}
	must(t, h.Scale(v, 2))
	if !slices.Equal(v, []float32{2, 4, 6, 8, 10}) || h.X.At(3) != 8 {
		t.Errorf("scaled: %v, and X[3] is %v", v, h.X.At(3))
	}
	must(t, h.Scale(make([]float32, 100_000), 2)) // more room
	all := []int32{1, 2, 3, 4, 5, 6, 7}
	must(t, h.Shift(all[4:7], all[:3]))
	must(t, h.Shift(all[:2:2], all[:2:2]))
	if want := []int32{2, 4, 3, 4, 2, 4, 6}; !slices.Equal(all, want) {
		t.Errorf("parts of one array: %v, want %v", all, want)
	}
	must(t, h.Shift(nil, nil))
	data := make([]int32, 12)
	for i := range data {
		data[i] = int32(i)
	}
	sum, err := h.Rows(ti.Strided(data, ti.Shape{3, 2}, 4))
	must(t, err)
	if want := []int32{0, 1, 2, 3, 10, 11, 6, 7, 20, 21, 10, 11}; sum != 0+1+4+5+8+9 || !slices.Equal(data, want) {
		t.Errorf("rows with gaps: the sum is %d, and the elements are %v, want %v", sum, data, want)
	}
	bodies := make([]body, 70)
	for i := range bodies {
		bodies[i] = body{[3]float32{1, 2, 3}, int64(i)}
	}
	must(t, h.Move(bodies))
	if got := bodies[69]; got.At != [3]float32{1, 71, 3} || got.Name != 69 {
		t.Errorf("a struct is %v", got)
	}
}

const printing = `package p

var X field[i32]

func Run(n i32) {
	print("begin", n)
	for i := range X {
		if X[i]%3 == 0 {
			print("at", i, X[i], f32(i)/3, i > 7, f64(i)/7)
		}
		for j := range X[i]%4 {
			print(i, j, u8(200), i64(i)<<40, vec2(0.5, f32(j)))
		}
	}
	for i := range n {
		if i == 2 {
			print("last", i)
		}
	}
}
`

// TestPrints prints what the oracle prints, in its order.
func TestPrints(t *testing.T) {
	for _, n := range []int{1, 10, 5000} {
		text := func(arch func(cfg ti.Config) *ti.Runtime) string {
			var out bytes.Buffer
			rt := arch(ti.Config{Stdout: &out, StrictMath: true, Cache: ti.Cache{Policy: ti.CacheOff}})
			var h struct {
				X   ti.Field[int32]
				Run func(n int32) error
			}
			rt.Place(ti.Shape{n}, &h.X)
			must(t, rt.Load(printing, &h))
			for i := range n {
				h.X.Set(int32(i*i%11), i)
			}
			for range 2 {
				must(t, h.Run(3))
			}
			return out.String()
		}
		got := text(func(cfg ti.Config) *ti.Runtime { return open(t, cfg) })
		want := text(func(cfg ti.Config) *ti.Runtime {
			cfg.Arch = ti.Oracle
			return runtime(t, cfg)
		})
		if got != want {
			t.Errorf("%d elements: %d lines are printed and %d expected; the first that differ: %s", n, strings.Count(got, "\n"), strings.Count(want, "\n"), differing(got, want))
		}
	}
}

func differing(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("%q and %q", x[i], y[i])
		}
	}
	return "none"
}

// TestManyPrints prints more than there is room for: the first lines are whole, and a note says how many there are not.
func TestManyPrints(t *testing.T) {
	var out bytes.Buffer
	rt := open(t, ti.Config{Stdout: &out, Cache: ti.Cache{Policy: ti.CacheOff}})
	var h struct {
		Run func(n int32) error
	}
	must(t, rt.Load("package p\n\nfunc Run(n i32) {\n\tfor i := range n {\n\t\tprint(i, 2*i)\n\t}\n}\n", &h))
	const n = 3_000_000
	must(t, h.Run(n))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for i, l := range lines[:len(lines)-1] {
		if want := fmt.Sprint(i, 2*i); l != want {
			t.Fatalf("line %d is %q, and %q is expected", i, l, want)
		}
	}
	if last := lines[len(lines)-1]; len(lines) < n && !strings.Contains(last, "lines") {
		t.Errorf("of %d lines %d are there, and the last is %q", n, len(lines), last)
	}
}

// TestOrderedSums: with Deterministic sums of floats are the same each time, and near those of the oracle.
func TestOrderedSums(t *testing.T) {
	const source = `package p

var X field[f32]
var S field[f32, D0]
var T field[vec2, D0]
var N field[f32]

func Run() {
	for i := range X {
		S += X[i]
		T += vec2(X[i]*X[i], 1)
	}
	for i := range X {
		N[i%4] += X[i]
	}
}
`
	type sums [7]float32
	for _, n := range []int{1, 63, 1000, 1 << 20} {
		run := func(cfg ti.Config) (all []sums) {
			cfg.Deterministic, cfg.Cache = true, ti.Cache{Policy: ti.CacheOff}
			rt := runtime(t, cfg)
			var h struct {
				X, S, N ti.Field[float32]
				T       ti.Field[ti.Vec2]
				Run     func() error
			}
			rt.Place(ti.Shape{n}, &h.X)
			rt.Place(ti.Shape{4}, &h.N)
			rt.Place(nil, &h.S, &h.T)
			must(t, rt.Load(source, &h))
			for i := range n {
				h.X.Set(1/float32(1+i), i)
			}
			for range 3 {
				h.S.Set(0)
				h.T.Set(ti.Vec2{})
				h.N.Fill(0)
				must(t, h.Run())
				v := h.T.At()
				all = append(all, sums{h.S.At(), v[0], v[1], h.N.At(0), h.N.At(1), h.N.At(2), h.N.At(3)})
			}
			return all
		}
		if n > 1000 && testing.Short() {
			continue
		}
		got, want := run(titest.Vulkan(t, ti.Config{})), run(ti.Config{Arch: ti.LLVM})
		for i, s := range got {
			if s != got[0] {
				t.Errorf("%d elements: launch %d gives %v, the first %v", n, i, s, got[0])
			}
			for k := range s {
				if math.Abs(float64(s[k]-want[0][k])) > 2e-3*float64(want[0][k]) {
					t.Errorf("%d elements: sum %d is %v, and %v is expected", n, k, s[k], want[0][k])
				}
			}
		}
	}
}

// TestLargeLocals: threads with large local arrays, whose elements are numbers of all sizes; a loop of several axes, one that keeps its order, and one whose
// derivative keeps the states of its rounds.
func TestLargeLocals(t *testing.T) {
	const source = `package p

var X, Y field[f32, D2]
var N field[i32]
var Loss field[f32, D0]
var C field[i32, D0]

func Run(n i32) {
	for i, j := range X {
		var a [5000]f32
		var b [20000]i8
		var c [3000]f64
		for k := range n {
			a[(k*7+i)%5000] += f32(k)
			b[(k*3+j)%20000] = i8(k)
			c[k%3000] = f64(k) / 3
		}
		s := 0.0
		for k := range n {
			s += a[(k*7+i)%5000] + f32(b[(k*3+j)%20000]) + f32(c[k%3000])
		}
		X[i][j] = s
	}
	for i := range N {
		var d [9000]i32
		d[i*1000] = i
		N[i] = d[i*1000] + atomicAdd(&C, 1)*0 + d[1]
	}
}

func Roll(n i32) {
	for i, j := range Y {
		x := X[i][j]
		for range n {
			if x < 2 {
				x = x*x*0.9 + 0.1
			}
		}
		Loss += x
	}
}
`
	run := func(rt *ti.Runtime) (all []float32) {
		var h struct {
			X, Y, Loss ti.Field[float32]
			N, C       ti.Field[int32]
			Run, Roll  func(n int32) error
		}
		rt.Place(ti.Shape{7, 9}, ti.WithGrad(&h.X)...)
		rt.Place(ti.Shape{7, 9}, &h.Y)
		rt.Place(ti.Shape{8}, &h.N)
		rt.Place(nil, &h.C)
		rt.Place(nil, ti.WithGrad(&h.Loss)...)
		must(t, rt.Load(source, &h))
		must(t, h.Run(40))
		all = append(all, h.X.Values()...)
		for _, v := range h.N.Values() {
			all = append(all, float32(v))
		}
		h.X.Fill(0.9)
		must(t, rt.Tape(&h.Loss, func() error { return h.Roll(30) }))
		return append(all, h.X.Grad().Values()...)
	}
	got := run(open(t, ti.Config{StrictMath: true, Cache: ti.Cache{Policy: ti.CacheOff}}))
	want := run(runtime(t, ti.Config{StrictMath: true, Arch: ti.Oracle}))
	if !slices.Equal(got, want) {
		t.Errorf("the numbers are\n%v\nand not\n%v", got, want)
	}
}

// TestPrintsBesideSums: a loop of deterministic mode that prints and sums runs chunk by chunk, and prints what the oracle does.
func TestPrintsBesideSums(t *testing.T) {
	const source = `package p

var X field[f32]
var S field[f32, D0]

func Run() {
	for i := range X {
		S += X[i]
		if i%100 == 7 {
			print("in the sum", i, X[i])
		}
	}
	for i := range 3 {
		print("behind it", i)
	}
}
`
	run := func(start func(*testing.T, ti.Config) *ti.Runtime, cfg ti.Config) (string, float32) {
		var out bytes.Buffer
		cfg.Stdout, cfg.Deterministic, cfg.StrictMath, cfg.Cache = &out, true, true, ti.Cache{Policy: ti.CacheOff}
		rt := start(t, cfg)
		var h struct {
			X, S ti.Field[float32]
			Run  func() error
		}
		rt.Place(ti.Shape{20_000}, &h.X)
		rt.Place(nil, &h.S)
		must(t, rt.Load(source, &h))
		h.X.Fill(0.5)
		must(t, h.Run())
		return out.String(), h.S.At()
	}
	got, sum := run(open, ti.Config{})
	want, all := run(runtime, ti.Config{Arch: ti.Oracle})
	if got != want || sum != all {
		t.Errorf("the sum is %v, want %v; %d lines and %d expected; the first that differ: %s", sum, all, strings.Count(got, "\n"), strings.Count(want, "\n"), differing(got, want))
	}
}
