package llvm

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/loader"
	"github.com/gotaichi/ti/internal/target"
)

// variantText maps a function with a lane variant over a field. The function is
// x/8+1/32, times x, plus 1/32, and one over that where x > 1024.
const variantText = `kernel Curve() {
	int i32
	field @X [f32] [1000] 
	field @Y [f32] [1000]
	bases [0 1]
	frame 0 done -1
	func @curve.f32(%100: f32) f32 {
		%101 = const 0x1p-3 : f32
		%103 = const 0x1p-5 : f32
		%102 = fma.strict %100, %101, %103 : f32
		%104 = fma.strict %100, %102, %103 : f32
		%105 = abs %100 : f32
		%106 = const 0x1p10 : f32
		%107 = gt %105, %106 : bool
		%108 = if %107 : f32 { 
			%109 = const 0x1p0 : f32
			%110 = div.strict %109, %104 : f32
			yield %110
		} else {
			yield %104
		}
		return %108
	}
	func @curve.f32x16(%200: f32x16) f32x16 scalar @curve.f32 {
		%201 = const 0x1p-3 : f32x16
		%203 = const 0x1p-5 : f32x16
		%202 = fma.strict %200, %201, %203 : f32x16
		%204 = fma.strict %200, %202, %203 : f32x16
		%205 = abs %200 : f32x16
		%206 = const 0x1p10 : f32x16
		%207 = gt %205, %206 : boolx16
		%208 = any %207 : bool
		%211 = if %208 : f32x16 { 
			%209 = const 0x1p0 : f32x16
			%210 = div.strict %209, %204 : f32x16
			%212 = select %207, %210, %204 : f32x16
			yield %212
		} else {
			yield %204
		}
		return %211
	}
	task 0 "for i := range X" loop 1 i32 [0, 1000) {
		variants @curve.f32x16
		prologue {
			%0 = base 0 : ptr
			%1 = base 1 : ptr
			yield
		}
		body(%3: i32) {
			%4 = convert %3 : i64
			%5 = const 4 : i64
			%6 = mul.nowrap %4, %5 : i64
			%7 = offset %0, %6 : ptr
			%8 = load %7 : f32 alias 1
			%9 = offset %1, %6 : ptr
			%11 = call @curve.f32 %8 : f32
			store %9, %11 alias 2
			continue
		}
		epilogue {
			yield
		}
	}
}
`

// TestLaneVariants checks that the vectoriser takes the variant and that nothing
// is left of the calls.
func TestLaneVariants(t *testing.T) {
	for _, l := range libraries(t) {
		text := sources(t, parse(t, variantText), Options{Traits: target.Traits{Version: l.Version().Major, VectorBits: 512}})
		o := Pipeline(3)
		o.Triple, o.CPU = "x86_64-unknown-linux-gnu", "skylake-avx512"
		code, err := l.Assembly(o, text...)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(code, "call") || strings.Contains(code, "curve") {
			t.Errorf("%s: the function is not inlined", l.Version())
		}
		for _, want := range []string{"vdivps\t%zmm", "vfmadd"} {
			if !strings.Contains(code, want) {
				t.Errorf("%s: no %q in\n%s", l.Version(), want, code)
			}
		}
	}
}

// constantArgument is variantText with a second parameter, the same constant in all calls, and a
// branch that is seldom taken.
func constantArgument() string {
	return strings.NewReplacer(
		"(%100: f32) f32", "(%100: f32, %99: f32) f32", "(%200: f32x16) f32x16", "(%200: f32x16, %199: f32x16) f32x16",
		"fma.strict %100, %101, %103", "fma.strict %100, %99, %103", "fma.strict %200, %201, %203", "fma.strict %200, %199, %203",
		"if %107", "if.seldom %107", "if %208", "if.seldom %208",
		"%11 = call @curve.f32 %8 :", "%98 = const 0x1p-3 : f32\n%11 = call @curve.f32 %8, %98 :").Replace(variantText)
}

// TestConstantArgument checks that the vectoriser takes the variant of a function that is always
// called with the same constant, and one vector at a time, as the function branches.
func TestConstantArgument(t *testing.T) {
	for _, l := range libraries(t) {
		text := sources(t, parse(t, constantArgument()), Options{Traits: target.Traits{Version: l.Version().Major, VectorBits: 512}})
		o := Pipeline(3)
		o.Triple, o.CPU = "x86_64-unknown-linux-gnu", "skylake-avx512"
		code, err := l.Assembly(o, text...)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(code, "vdivps\t"); n != 1 {
			t.Errorf("%s: %d divisions of vectors, want one in\n%s", l.Version(), n, code)
		}
	}
}

// TestStackAlign looks for the flag by which spilled vectors lie in one line of the cache each,
// which is right only where the machine aligns the stack.
func TestStackAlign(t *testing.T) {
	for _, align := range []int{0, 64} {
		text := sources(t, parse(t, variantText), Options{Traits: target.Traits{StackAlign: align}})[0].Text
		if got := strings.Contains(text, `!"override-stack-alignment", i32 64}`); got != (align == 64) {
			t.Errorf("aligned to %d: the module says so: %v", align, got)
		}
	}
}

func TestLaneVariantResults(t *testing.T) {
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, parse(t, variantText), level, false)
		x, y := memory[float32](1000), memory[float32](1000)
		for i := range x {
			x[i] = float32(i * 2)
		}
		m.bases[0], m.bases[1] = addr(x), addr(y)
		m.run(0, 0, 1000)
		for i, v := range x {
			c := float64(float32(float64(v)*0.125 + 1.0/32))
			want := float32(float64(v)*c + 1.0/32)
			if v > 1024 {
				want = 1 / want
			}
			if y[i] != want {
				t.Fatalf("curve(%g) = %g, want %g", v, y[i], want)
			}
		}
	})
}

// TestTargets compiles for every system and architecture, up to the point where
// the loader says whose code it is.
func TestTargets(t *testing.T) {
	k := parse(t, saxpy)
	mapTask(k, 8, []ir.Kind{ir.F32, ir.F32}, func(b *ir.Builder, v []*ir.Value) *ir.Value {
		o := ir.NewOp(ir.OpBase, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
		p := b.Emit(o)
		b.Atomic(ir.AtomicAdd, p, v[0])
		b.Atomic(ir.AtomicMin, p, v[1])
		array := b.Alloc(ir.F32, 4000, "a")
		b.Store(array, v[0])
		return b.Op(ir.OpAdd, b.Convert(b.Op(ir.OpRem, v...), ir.U8), b.Convert(b.Load(v[0].Type, array), ir.U8))
	})
	for _, l := range libraries(t) {
		for _, test := range []struct{ arch, triple, cpu string }{
			{"amd64", "x86_64-unknown-linux-gnu", "x86-64-v2"},
			{"arm64", "aarch64-unknown-linux-gnu", "generic"},
		} {
			for _, windows := range []bool{false, true} {
				if !l.Makes(test.arch) {
					continue
				}
				text := generate(t, k, Options{Traits: target.Traits{Version: l.Version().Major, Arch: test.arch, Windows: windows}})
				if windows && strings.Contains(text, "win64cc") != (test.arch == "amd64") {
					t.Errorf("%s: the wrong calling convention", test.arch)
				}
				o := Pipeline(3)
				o.Triple, o.CPU = test.triple, test.cpu
				if test.arch == "arm64" {
					o.Features = "+reserve-x18"
				}
				object, err := l.Compile(o, sources(t, k, Options{Traits: target.Traits{Version: l.Version().Major, Arch: test.arch, Windows: windows}})...)
				if err != nil {
					t.Errorf("%s windows=%v: %v", test.arch, windows, err)
					continue
				}
				code, err := loader.Load(object)
				if err == nil {
					code.Close()
				} else if !strings.Contains(err.Error(), "the object is for "+test.arch) {
					t.Errorf("%s windows=%v: %v", test.arch, windows, err)
				}
			}
		}
	}
}
