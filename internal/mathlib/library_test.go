package mathlib

import (
	"math"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// libraries returns one of each kind.
func libraries() []*Library {
	fused := target.Traits{Has: target.FMA}
	return []*Library{{Target: fused}, {Target: fused, Quick: true}, {}}
}

// TestWellFormed checks every function with the verifier of the IR, and that
// lanes compute what scalars do.
func TestWellFormed(t *testing.T) {
	for _, l := range libraries() {
		for _, code := range ir.Codes() {
			for _, kind := range []ir.Kind{ir.F16, ir.F32, ir.F64} {
				if !Has(code, ir.Scalar(kind)) {
					continue
				}
				f := l.Func(code, ir.Vec(kind, 4))
				if f.Scalar != l.Func(code, ir.Scalar(kind)) {
					t.Errorf("%s has not the scalar function in Scalar", f.Name)
				}
				if kind != ir.F16 {
					lanes(t, f)
				}
			}
		}
		k := &ir.Kernel{Name: "K", Int: ir.I32, Funcs: l.Funcs(), Body: &ir.Block{}, DoneSlot: -1}
		ir.NewBuilder(k.Body).Return()
		if err := ir.Verify(k); err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
	if Func(ir.OpAdd, ir.Scalar(ir.F32)) != nil || Func(ir.OpSin, ir.Scalar(ir.I32)) != nil {
		t.Error("there are functions for ops that are none of the library's")
	}
}

// lanes runs f and its scalar function on the same numbers. Some are huge, so
// that the rare path runs for some lanes only.
func lanes(t *testing.T, f *ir.Func) {
	t.Helper()
	kind := f.Params[0].Kind
	wide, one := newMachine(f), newMachine(f.Scalar)
	args := make([][]uint64, len(f.Params))
	for i := range args {
		for _, v := range []float64{0.75, 1e30, -2, math.Inf(1)} {
			args[i] = append(args[i], ir.FloatBits(kind, v+float64(i)))
		}
	}
	for l, got := range wide.call(args...) {
		a := make([][]uint64, len(args))
		for i := range a {
			a[i] = args[i][l : l+1]
		}
		want := one.call(a...)[0]
		if !same(ir.FloatValue(kind, got), ir.FloatValue(kind, want)) {
			t.Errorf("%s, lane %d: got %#x, want %#x", f.Name, l, got, want)
		}
	}
}

// TestExpand expands a kernel with every function, some of them in a region.
func TestExpand(t *testing.T) {
	k := &ir.Kernel{Name: "K", Int: ir.I32, Results: []ir.Kind{ir.F32}, DoneSlot: -1, Body: &ir.Block{}}
	k.Params = []*ir.Param{{Name: "x", Kind: ir.F32, Comps: 1}}
	b := ir.NewBuilder(k.Body)
	x := b.OpOf(ir.OpParam, ir.Scalar(ir.F32))
	for _, code := range ir.Codes() {
		if !code.Is(ir.Math) {
			continue
		}
		f := func(v *ir.Value) *ir.Value {
			if code.Info().Min == 2 {
				return b.Op(code, v, x)
			}
			return b.Op(code, v)
		}
		x = f(f(x))
		c := b.Op(ir.OpLt, x, b.Float(x.Type, 1))
		x = b.If(c, []ir.Type{x.Type}, func() { b.Yield(f(x)) }, func() { b.Yield(x) })[0]
	}
	b.Return(x)
	if err := ir.Verify(k); err != nil {
		t.Fatal(err)
	}
	Expand(k, target.Traits{VectorBits: 256, Has: target.FMA}, false)
	if err := ir.Verify(k); err != nil {
		t.Fatal(err)
	}
	for _, b := range k.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Code.Is(ir.Math) {
				t.Errorf("%v is still there", o.Code)
			}
			return true
		})
	}
	var names []string
	for _, f := range k.Funcs {
		names = append(names, f.Name)
	}
	want := []string{"ti.reduce.f32", "ti.sin.f32", "ti.cos.f32", "ti.tan.f32",
		"ti.log.f32", "ti.log.f32.quick", "ti.log2.f32", "ti.log2.f32.quick", "ti.pow.f32", "ti.pow.f32.quick"}
	if !slices.Equal(names, want) {
		t.Errorf("the functions are %v, want %v", names, want)
	}
}

// TestFusedOps looks for fused multiply-adds: there are some where the target has them,
// and none where it has not.
func TestFusedOps(t *testing.T) {
	for _, has := range []target.Features{0, target.FMA} {
		l := &Library{Target: target.Traits{Has: has}}
		l.Func(ir.OpExp, ir.Scalar(ir.F32))
		l.Func(ir.OpSin, ir.Scalar(ir.F64))
		found := false
		for _, f := range l.Funcs() {
			ir.Visit(f.Body, func(o *ir.Op) bool {
				found = found || o.Code == ir.OpFma
				return true
			})
		}
		if found != (has == target.FMA) {
			t.Errorf("with the features %b there are fused operations: %v", has, found)
		}
	}
}

// TestVariants requests variants of a function beside wider numbers in memory, which are
// loaded or stored in a region: for as many lanes as fit beside them, too.
func TestVariants(t *testing.T) {
	for _, test := range []struct {
		name string
		want []string
		use  func(b *ir.Builder, p *ir.Value)
	}{
		{"nothing", []string{"ti.sin.f32x8"}, func(b *ir.Builder, p *ir.Value) {}},
		{"a load", []string{"ti.sin.f32x8", "ti.sin.f32x4"}, func(b *ir.Builder, p *ir.Value) { b.Load(ir.Scalar(ir.F64), p) }},
		{"a store", []string{"ti.sin.f32x8", "ti.sin.f32x4"}, func(b *ir.Builder, p *ir.Value) {
			b.Store(p, b.Float(ir.Scalar(ir.F64), 1))
		}},
		{"an atomic", []string{"ti.sin.f32x8", "ti.sin.f32x4"}, func(b *ir.Builder, p *ir.Value) {
			b.Atomic(ir.AtomicAdd, p, b.Float(ir.Scalar(ir.F64), 1))
		}},
		{"narrow numbers", []string{"ti.sin.f32x8"}, func(b *ir.Builder, p *ir.Value) { b.Load(ir.Scalar(ir.U8), p) }},
	} {
		k := &ir.Kernel{Name: "K", Int: ir.I32, Results: []ir.Kind{ir.F32}, DoneSlot: -1, Body: &ir.Block{}}
		k.Params = []*ir.Param{{Name: "x", Kind: ir.F32, Comps: 1}}
		b := ir.NewBuilder(k.Body)
		x := b.OpOf(ir.OpParam, ir.Scalar(ir.F32))
		p := b.Alloc(ir.F64, 1, "p")
		b.If(b.Op(ir.OpLt, x, b.Float(x.Type, 1)), nil, func() { test.use(b, p); b.Yield() }, func() { b.Yield() })
		b.Return(b.Op(ir.OpSin, x))
		task := &ir.Task{Name: "K.0", Body: k.Body}
		k.Body, k.Tasks = nil, []*ir.Task{task}
		Expand(k, target.Traits{VectorBits: 256, Has: target.FMA}, false)
		var got []string
		for _, f := range task.Variants {
			got = append(got, f.Name)
			if !slices.Contains(k.Funcs, f) {
				t.Errorf("%s: the kernel has no function %s", test.name, f.Name)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: the variants are %v, want %v", test.name, got, test.want)
		}
	}
}

// TestShortVariants requests variants of a short function that are half as long as vectors of 16 lanes.
func TestShortVariants(t *testing.T) {
	for _, test := range []struct {
		code ir.Code
		bits int
		want []string
	}{
		{ir.OpMod, 512, []string{"ti.mod.f32x16", "ti.mod.f32x8"}},
		{ir.OpMod, 256, []string{"ti.mod.f32x8"}},
		{ir.OpSin, 512, []string{"ti.sin.f32x16"}},
	} {
		k := loopKernel(test.code, ir.F32)
		Expand(k, target.Traits{VectorBits: test.bits, Has: target.FMA}, false)
		var got []string
		for _, f := range k.Tasks[0].Variants {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v in vectors of %d bits: the variants are %v, want %v", test.code, test.bits, got, test.want)
		}
	}
}
