package ontree_test

import (
	"errors"
	"fmt"
	"go/token"
	"math"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/oracle/ontree"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// The published vectors of Threefry2x32 with 13 rounds, and the first numbers of SplitMix64 from the seed 0.
func TestRandomWords(t *testing.T) {
	ones := [2]uint32{0xffffffff, 0xffffffff}
	for _, c := range []struct{ counter, key, want [2]uint32 }{
		{want: [2]uint32{0x9d1c5ec6, 0x8bd50731}},
		{ones, ones, [2]uint32{0xfd36d048, 0x2d17272c}},
		{[2]uint32{0x243f6a88, 0x85a308d3}, [2]uint32{0x13198a2e, 0x03707344}, [2]uint32{0xba3e4725, 0xf27d669e}},
	} {
		if got := ontree.Threefry13(c.counter, c.key); got != c.want {
			t.Errorf("threefry(%x, %x) is %x, want %x", c.counter, c.key, got, c.want)
		}
	}
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4} {
		if got := ontree.Mix(0x9e3779b97f4a7c15 * uint64(i+1)); got != want {
			t.Errorf("number %d is %#x, want %#x", i, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	f32 := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	for _, c := range []struct {
		what      string
		got, want uint64
	}{
		{"-128/-1 of i8", ontree.Binary(typed.Div, typed.I8, 0x80, 0xff), 0x80},
		{"7%0", ontree.Binary(typed.Rem, typed.I32, 7, 0), 0},
		{"-1<1 of i16", ontree.Binary(typed.Lt, typed.I16, 0xffff, 1), 1},
		{"-1<1 of u16", ontree.Binary(typed.Lt, typed.U16, 0xffff, 1), 0},
		{"2048+1 of f16", ontree.Binary(typed.Add, typed.F16, 0x6800, 0x3c00), 0x6800},
		{"min(nan, 1)", ontree.Binary(typed.Eq, typed.F32, ontree.Binary(typed.Min, typed.F32, f32(float32(math.NaN())), f32(1)), f32(1)), 0},
		{"i8(300.5)", ontree.Convert(typed.F32, typed.I8, f32(300.5)), 127},
		{"i8(-300.5)", ontree.Convert(typed.F32, typed.I8, f32(-300.5)), 0x80},
		{"u8(-1.0)", ontree.Convert(typed.F32, typed.U8, f32(-1)), 0},
		{"u64(1e30)", ontree.Convert(typed.F32, typed.U64, f32(1e30)), math.MaxUint64},
		{"i32(nan)", ontree.Convert(typed.F32, typed.I32, f32(float32(math.NaN()))), 0},
		{"i64 of i8 -1", ontree.Convert(typed.I8, typed.I64, 0xff), math.MaxUint64},
		{"f32(2⁶⁴-1)", ontree.Convert(typed.U64, typed.F32, math.MaxUint64), f32(1 << 64)},
		{"mod(-1, 3)", ontree.FloorMod(typed.F32, -1, 3), f32(2)},
		{"mod(-1e-20, 3), which is less than 3", ontree.FloorMod(typed.F32, -1e-20, 3), f32(3) - 1},
		{"floorDiv(-7, 2)", ontree.FloorDiv(typed.F32, -7, 2), f32(-4)},
	} {
		if c.got != c.want {
			t.Errorf("%s is %#x, want %#x", c.what, c.got, c.want)
		}
	}
}

// program checks a source without fields.
func program(t *testing.T, src string) *check.Program {
	t.Helper()
	file, errs := syntax.Parse("p.ti", src, token.Position{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	pkg, errs := check.Declare([]*syntax.File{file})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p, errs := pkg.Check(&check.Host{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return p
}

// TestKernel has what the order of evaluation and of loops decides, and failures.
func TestKernel(t *testing.T) {
	p := program(t, `package p
func bump(p *i32) i32 {
	*p += 1
	return *p
}
func F(n i32, s []f32) (order, sum, last i32, m [2]i32) {
	k := 0
	var t [4]i32
	t[bump(&k)], t[bump(&k)] = bump(&k), k*10
	order = t[0]*1000 + t[1]*100 + t[2]
outer:
	for i := range serial(4) {
		for j := range 4 {
			if j == 3 { continue outer }
			if i == 2 { break outer }
			last = i*10 + j
		}
	}
	for i := range n {
		s[i] *= 2
		sum += i
		print("at", i)
	}
	m.yx = [2]i32{order, n}
	assert(n < 3, "n is %d", n)
	return
}`)
	data := make([]byte, 8)
	r, err := ontree.Run(t.Context(), &p.Program, p.Kernel("F"), &ontree.Env{Args: []ontree.Arg{{Bits: []uint64{3}}, {Data: data, Len: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint64{330, 3, 12, 3, 330}; !slices.Equal(r.Values, want) {
		t.Errorf("the results are %d, want %d", r.Values, want)
	}
	if f := r.First; r.Failures < 2 || f.Kind != ontree.BadIndex || f.What != "s" || fmt.Sprint(f.Index, f.Shape, f.Loop, f.Pos.Line) != "[2] [2] [2] 20" {
		t.Errorf("of %d failures the first is %+v", r.Failures, f)
	}
	if n := len(r.Outputs); n != 3 || r.Outputs[2].Number != 2 || !slices.Equal(r.Outputs[2].Values, []uint64{2}) {
		t.Errorf("it prints %+v", r.Outputs)
	}
}

// A run ends with an error at a limit, and where the environment lacks a field.
func TestEnds(t *testing.T) {
	p := program(t, "package p\nfunc F() {\n\tfor { }\n}")
	if _, err := ontree.Run(t.Context(), &p.Program, p.Kernel("F"), &ontree.Env{MaxSteps: 100}); !errors.Is(err, ontree.ErrSteps) {
		t.Error(err)
	}
	k := &typed.Func{Name: "F", Body: &typed.Block{List: []typed.Stmt{&typed.ExprStmt{X: &typed.Element{Field: &typed.Field{Name: "X"}}}}}}
	_, err := ontree.Run(t.Context(), &p.Program, k, &ontree.Env{})
	if not, is := errors.AsType[ontree.NotCovered](err); !is || not.What == "" {
		t.Error(err)
	}
}
