package hostabi_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// A number is a type that kernel functions take and return without reflection, with a
// value for each position among the arguments: exchanged arguments give another sum.
type number struct {
	name string
	at   func(position int) any
}

// numbers are grouped by the way in which Go passes them.
var numbers = [][]number{
	{
		{"bool", func(n int) any { return n != 1 }},
		{"i8", func(n int) any { return int8(-100 + n) }},
		{"u8", func(n int) any { return uint8(200 + n) }},
	},
	{
		{"i16", func(n int) any { return int16(-30000 + n) }},
		{"u16", func(n int) any { return uint16(60000 + n) }},
		{"f16", func(n int) any { return ti.ToFloat16(1.5 + float32(n)) }},
	},
	{
		{"i32", func(n int) any { return int32(-1<<31 + n) }},
		{"u32", func(n int) any { return uint32(1<<32 - 5 + n) }},
	},
	{
		{"i64", func(n int) any { return int64(-1<<40 + n) }},
		{"u64", func(n int) any { return uint64(1<<41 + n) }},
		{"int", func(n int) any { return -70 + n }},
	},
	{{"f32", func(n int) any { return 0.75 + float32(n) }}},
	{{"f64", func(n int) any { return 1<<36 + 0.125 + float64(n) }}},
}

// asFloat is what the kernel language's f64(v) gives.
func asFloat(v any) float64 {
	if h, ok := v.(ti.Float16); ok {
		return float64(h.Float32())
	}
	r := reflect.ValueOf(v)
	switch {
	case r.Kind() == reflect.Bool && r.Bool():
		return 1
	case r.Kind() == reflect.Bool:
		return 0
	}
	return r.Convert(reflect.TypeFor[float64]()).Float()
}

// A sumKernel adds up its arguments, each with its own weight, into Last and its result.
type sumKernel struct {
	name   string
	in     []number
	out    []number // one, or none
	source string
}

func newSumKernel(name string, in, out []number) sumKernel {
	var params []string
	sum := "f64(1)"
	for i, p := range in {
		params = append(params, fmt.Sprintf("x%d %s", i, p.name))
		sum += fmt.Sprintf(" + f64(x%d)*%d", i, 2*i+3)
	}
	result, give := "", ""
	if len(out) > 0 {
		result, give = out[0].name, "return "+out[0].name+"(s)"
	}
	return sumKernel{name, in, out, fmt.Sprintf("func %s(%s) %s {\n\ts := %s\n\tLast[0] = s\n\t%s\n}\n",
		name, strings.Join(params, ", "), result, sum, give)}
}

// sumKernels are for all ways of passing up to three arguments, each with a result in an
// integer register and with one in a float register or none. The types that are passed
// alike take turns.
func sumKernels() (all []sumKernel) {
	turn := 0
	next := func(way int) number {
		turn++
		return numbers[way][turn%len(numbers[way])]
	}
	results := 0
	add := func(ways ...int) {
		for _, out := range [][]int{{results % 4}, [][]int{{4}, {5}, {}}[results%3]} {
			var in, o []number
			for _, w := range ways {
				in = append(in, next(w))
			}
			for _, w := range out {
				o = append(o, next(w))
			}
			all = append(all, newSumKernel(fmt.Sprintf("K%d", len(all)), in, o))
		}
		results++
	}
	add()
	for a := range numbers {
		add(a)
		for b := range numbers {
			add(a, b)
			for d := range numbers {
				add(a, b, d)
			}
		}
	}
	return all
}

// funcType is a type of the kernel function, with a context or an error or without.
func (k sumKernel) funcType(ctx, err bool) reflect.Type {
	var in, out []reflect.Type
	if ctx {
		in = append(in, reflect.TypeFor[context.Context]())
	}
	for i, p := range k.in {
		in = append(in, reflect.TypeOf(p.at(i)))
	}
	for _, r := range k.out {
		out = append(out, reflect.TypeOf(r.at(0)))
	}
	if err {
		out = append(out, reflect.TypeFor[error]())
	}
	return reflect.FuncOf(in, out, false)
}

// args are the arguments, and the sum that the kernel makes of them.
func (k sumKernel) args(ctx context.Context) (in []reflect.Value, sum float64) {
	if ctx != nil {
		in = append(in, reflect.ValueOf(ctx))
	}
	sum = 1
	for i, p := range k.in {
		v := p.at(i)
		in = append(in, reflect.ValueOf(v))
		sum += asFloat(v) * float64(2*i+3)
	}
	return in, sum
}

// sums loads kernels with the field that they write to.
func sums(t *testing.T, rt *ti.Runtime, kernels []sumKernel) (p *ti.Program, last *ti.Field[float64]) {
	t.Helper()
	h := new(struct{ Last ti.Field[float64] })
	rt.Place(ti.Shape{1}, &h.Last)
	source := "package sums\n\nvar Last field[f64]\n\n"
	for _, k := range kernels {
		source += k.source
	}
	p, err := rt.Compile(ti.Text("", source), h)
	if err != nil {
		t.Fatal(err)
	}
	return p, &h.Last
}

// TestFastTable calls functions of all forms that have closures, and compares with what
// reflection gives. The closures are the same for machine code, which takes long to
// compile, so that has every ninth kernel.
func TestFastTable(t *testing.T) {
	all := sumKernels()
	for _, cfg := range titest.Archs() {
		step := 9
		if cfg.Arch == ti.Oracle {
			step = 1
		}
		t.Run(fmt.Sprintf("%v%d", cfg.Arch, cfg.Threads), func(t *testing.T) {
			var kernels []sumKernel
			for i := 0; i < len(all); i += step {
				kernels = append(kernels, all[i])
			}
			p, last := sums(t, titest.New(t, cfg), kernels)
			for _, k := range kernels {
				for _, ctx := range []context.Context{nil, t.Context()} {
					k.compare(t, p, last, ctx, false)
					k.compare(t, p, last, ctx, true)
				}
			}
		})
	}
}

// compare calls one form of the kernel function with and without reflection.
func (k sumKernel) compare(t *testing.T, p *ti.Program, last *ti.Field[float64], ctx context.Context, err bool) {
	t.Helper()
	typ := k.funcType(ctx != nil, err)
	fast, reflected := titest.MakeFuncs(p.Kernel(k.name), typ)
	if !fast.IsValid() {
		if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
			t.Errorf("%v goes through reflection", typ)
		}
		return
	}
	in, sum := k.args(ctx)
	last.Set(0, 0)
	got := fast.Call(in)
	if v := last.At(0); v != sum {
		t.Errorf("%v: the arguments add up to %v, want %v", typ, v, sum)
	}
	want := reflected.Call(in)
	for i := range want {
		if g, w := got[i].Interface(), want[i].Interface(); g != w {
			t.Errorf("%v: result %d is %v, want %v", typ, i, g, w)
		}
	}
}

// TestFastContext: functions with a context fail as they do with reflection, and leave
// the lock free.
func TestFastContext(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var h struct {
			None  func(ctx context.Context) error
			Float func(ctx context.Context, a int8, b float32) (float32, error)
			Int   func(ctx context.Context, a float64, b bool, d uint16) (int32, error)
			Sum   func(ctx context.Context, x []float32) (float32, error)
			Must  func(ctx context.Context, a int) int
		}
		if err := rt.Load(`package p
			func None() {}
			func Float(a i8, b f32) f32 { return f32(a) + b }
			func Int(a f64, b bool, d u16) i32 { return i32(a) + i32(b) + i32(d) }
			func Sum(x []f32) f32 { s := f32(0); for i := range x { s += x[i] }; return s }
			func Must(a int) int { return a + 1 }`, &h); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name string
			ctx  context.Context
			want error
		}{{"live", t.Context(), nil}, {"done", done, context.Canceled}, {"nil", nil, ti.ErrArgs}, {"live again", t.Context(), nil}} {
			x, errFloat := h.Float(c.ctx, -3, 0.5)
			n, errInt := h.Int(c.ctx, 2.5, true, 65535)
			s, errSum := h.Sum(c.ctx, []float32{1, 2.5})
			var v int
			errMust := mustPanic(func() { v = h.Must(c.ctx, -8) })
			got, want := []any{x, n, s, v}, []any{float32(-2.5), int32(65538), float32(3.5), -7}
			if c.want != nil {
				want = []any{float32(0), int32(0), float32(0), 0}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %v, want %v", c.name, got, want)
			}
			for i, err := range []error{h.None(c.ctx), errFloat, errInt, errSum, errMust} {
				if !errors.Is(err, c.want) {
					t.Errorf("%s: error %d is %v, want %v", c.name, i, err, c.want)
				}
			}
		}
		if err := mustPanic(func() { h.Must(t.Context(), 1<<40) }); !errors.Is(err, ti.ErrArgs) || !strings.Contains(err.Error(), "argument 1") {
			t.Errorf("a large int: %v", err)
		}
	})
}
