package hostabi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const memoryArgSource = `
package memory

type Particle struct {
	Pos vec2
	Age i32
}

func Copy(dst template, by f32, src template) {
	for p := range dst {
		dst[p] = by * src[p]
	}
}

func Sum(x template) f64 {
	s := f64(0)
	for p := range x {
		s += f64(x[p])
	}
	return s
}

func Older(ps template) i32 {
	n := 0
	for i := range ps {
		ps[i].Age += 1
		n += ps[i].Age
	}
	return n
}
`

type memoryParticle struct {
	Pos ti.Vec2
	Age int32
}

// TestMemoryArguments passes slices and arrays of the caller for parameters that take
// anything, in every place where a field is taken.
func TestMemoryArguments(t *testing.T) {
	type grid = ti.Array[float32]
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var h struct {
			Copy  func(dst any, by float32, src ti.Array[float32]) error
			Sum   func(x any) (float64, error)
			Older func(ps []memoryParticle) (int32, error)
		}
		p, err := rt.Compile(ti.Text("memory.ti", memoryArgSource), &h)
		if err != nil {
			t.Fatal(err)
		}
		src := grid{Data: []float32{1, 2, 3, 4, 5, 6}, Shape: ti.Shape{2, 3}}
		field := ti.NewField[float32](rt, 2, 3)
		if err := h.Copy(field, 2, src); err != nil || field.At(1, 1) != 10 {
			t.Errorf("to a field: %v, %v", field.At(1, 1), err)
		}
		dst := grid{Data: make([]float32, 6), Shape: ti.Shape{2, 3}}
		if err := h.Copy(dst, 3, src); err != nil || dst.Data[5] != 18 {
			t.Errorf("to an array: %v, %v", dst.Data, err)
		}
		if _, err := p.Kernel("Copy").Launch(context.Background(), dst, float32(4), field); err != nil || dst.Data[5] != 48 {
			t.Errorf("from a field: %v, %v", dst.Data, err)
		}
		for _, x := range []any{src, ti.Array[int16]{Data: []int16{7, 7, 7}, Shape: ti.Shape{3}}, []uint8{7, 7, 7}, []float64{10.5, 10.5}, grid{Shape: ti.Shape{0, 1, 2}}} {
			want := 21.0
			if g, ok := x.(grid); ok && g.Data == nil {
				want = 0
			}
			if s, err := h.Sum(x); err != nil || s != want {
				t.Errorf("Sum of %T: %v, %v", x, s, err)
			}
		}
		ps := []memoryParticle{{Age: 3}, {Age: 4}}
		if n, err := h.Older(ps); err != nil || n != 9 || ps[0].Age != 4 {
			t.Errorf("Older: %v, %v, %v", n, ps, err)
		}
		before := rt.Stats().Compiled
		other := grid{Data: make([]float32, 20), Shape: ti.Shape{4, 5}}
		if err := h.Copy(other, 1, grid{Data: make([]float32, 20), Shape: ti.Shape{4, 5}}); err != nil || rt.Stats().Compiled != before {
			t.Errorf("%d more instances for another size, %v", rt.Stats().Compiled-before, err)
		}
	})
}

func TestMemoryArgumentErrors(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	p, err := rt.Compile(ti.Text("memory.ti", memoryArgSource), ti.Bindings{})
	if err != nil {
		t.Fatal(err)
	}
	good := ti.Array[float32]{Data: make([]float32, 6), Shape: ti.Shape{2, 3}}
	tests := []struct {
		kernel string
		args   []any
		is     error
		want   string
	}{
		{"Sum", []any{ti.Array[float32]{Data: good.Data}}, ti.ErrArgs, "argument 1 of func Sum(x template) f64, a ti.Array[float32], has a Shape of 0 axes; give it a Shape of 1 to 8"},
		{"Sum", []any{ti.Array[float32]{Data: good.Data, Shape: ti.Shape{7}}}, ti.ErrArgs, "argument 1 of func Sum(x template) f64 has the shape [7] of 7 elements, and 6 in Data"},
		{"Sum", []any{[]string{"a"}}, ti.ErrArgs, "argument 1 is a []string where func Sum(x template) f64 takes a field, a *ti.Node, a number, a bool, an array of numbers, or memory: a slice or a ti.Array"},
		{"Sum", []any{[]int{1}}, ti.ErrArgs, "argument 1 is a []int where"},
		{"Sum", []any{[]ti.Vec2{{1, 2}}}, nil, "memory.ti:18:8"},
		{"Sum", []any{(*ti.Array[float32])(nil)}, ti.ErrArgs, "is nil"},
		{"Sum", []any{&good}, ti.ErrArgs, "argument 1 is a *ti.Array[float32] where"},
		{"Copy", []any{good, "1", good}, ti.ErrArgs, "argument 2 is a string where"},
		{"Copy", []any{good, float32(1), ti.Array[float32]{Data: good.Data, Shape: ti.Shape{3, 3}}}, ti.ErrArgs, "argument 3 of func Copy(dst template, by f32, src template) has the shape [3 3] of 9 elements"},
		{"Copy", []any{good, float32(1), good.Data}, nil, "src"},
	}
	for _, tt := range tests {
		_, err := p.Kernel(tt.kernel).Launch(context.Background(), tt.args...)
		if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s(%v): %v, want %q", tt.kernel, tt.args, err, tt.want)
		}
	}
}
