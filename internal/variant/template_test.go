package variant_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const copySource = `
package copy

var (
	X field[f32]
	K f32
)

func Copy(dst, src template) {
	for i := range dst {
		dst[i] = src[i]
	}
}

// Axpy takes fields, a run-time number, and a constant.
func Axpy(y field[f32], a f32, x field[f32], n template) {
	for i := range y {
		for range static(n) {
			y[i] += a * x[i] * K
		}
	}
}

func Sum[T any](x field[T], scale T) T {
	s := T(0)
	for i := range x {
		s += x[i] * scale
	}
	return s
}

func FromX(dst template) {
	for i := range dst {
		dst[i] = X[i] + K
	}
}

func Count(b node) i32 {
	n := 0
	for p := range b {
		n += i32(p.x >= 0)
	}
	return n
}

func First(v field[vec2], x field[f32]) {
	for i := range v {
		v[i].x = x[i]
	}
}

func Plain() {
	for i := range X {
		X[i] += 1
	}
}
`

type copyHost struct {
	X ti.Field[float32]
	K float32

	Copy  func(dst, src ti.AnyField) error
	Axpy  func(y *ti.Field[float32], a float32, x ti.AnyField, n int) error
	Sum   func(ctx context.Context, x *ti.Field[float32], scale float32) (float32, error)
	FromX func(dst ti.AnyField) error
	Count func(b *ti.Node) int
	Plain func()
}

func newCopy(t *testing.T, rt *ti.Runtime) *copyHost {
	t.Helper()
	s := &copyHost{K: 1}
	rt.Place(ti.Shape{8}, &s.X)
	if err := rt.Load(copySource, s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTemplates(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		s := newCopy(t, rt)
		for i := range 8 {
			s.X.Set(float32(i), i)
		}

		// From a bound field to another, whose type and rank nobody declared.
		a := ti.NewField[float32](rt, 8)
		if err := s.Copy(a, &s.X); err != nil || a.At(5) != 5 {
			t.Errorf("Copy: %v, %v", a.At(5), err)
		}
		v, w := ti.NewField[ti.IVec2](rt, 3, 2), ti.NewField[ti.IVec2](rt, 3, 2)
		v.Set(ti.IVec2{4, 5}, 2, 1)
		if err := s.Copy(w, v); err != nil || w.At(2, 1) != (ti.IVec2{4, 5}) {
			t.Errorf("Copy of vectors: %v, %v", w.At(2, 1), err)
		}
		if err := s.Copy(ti.Member[int32](w, "[0]"), ti.Member[int32](v, "[1]")); err != nil || w.At(2, 1) != (ti.IVec2{5, 5}) {
			t.Errorf("Copy of components: %v, %v", w.At(2, 1), err)
		}

		if err := s.Axpy(a, 2, &s.X, 3); err != nil || a.At(5) != 5+2*5*3 {
			t.Errorf("Axpy: %v, %v", a.At(5), err)
		}
		s.K = 2 // a constant of the source, read at each launch
		if err := s.Axpy(a, 1, &s.X, 1); err != nil || a.At(5) != 35+10 {
			t.Errorf("Axpy with another constant: %v, %v", a.At(5), err)
		}
		if err := s.FromX(a); err != nil || a.At(5) != 7 {
			t.Errorf("FromX: %v, %v", a.At(5), err)
		}
		if sum, err := s.Sum(context.Background(), &s.X, 2); err != nil || sum != 56 {
			t.Errorf("Sum: %v, %v", sum, err)
		}
		// A field given twice is one field.
		b := ti.NewField[float32](rt, 8)
		b.Fill(1)
		if err := s.Axpy(b, 1, b, 1); err != nil || b.At(7) != 3 {
			t.Errorf("Axpy of a field to itself: %v, %v", b.At(7), err)
		}
		n := rt.NewTree().Dense(ti.IJ, 3, 5)
		if c := s.Count(n); c != 15 {
			t.Errorf("%d cells", c)
		}
	})
}

// TestTemplateInstances: an instance is compiled for each distinct combination.
func TestTemplateInstances(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	s := newCopy(t, rt)
	if err := rt.Prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	base := rt.Stats().Compiled
	if base != 1 {
		t.Errorf("%d kernels compiled, though only Plain has no compile-time parameters", base)
	}
	f, g := ti.NewField[float32](rt, 8), ti.NewField[float64](rt, 8)
	h := ti.NewField[float64](rt, 8)
	launch := func(want int64, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		if n := rt.Stats().Compiled - base; n != want {
			t.Errorf("%d kernels compiled, want %d", n, want)
		}
	}
	launch(1, s.Copy(f, &s.X))
	launch(1, s.Copy(f, &s.X))
	launch(2, s.Copy(g, h))
	launch(2, s.Copy(f, &s.X))
	launch(3, s.Axpy(f, 1, &s.X, 2))
	launch(3, s.Axpy(f, 7, &s.X, 2))
	launch(4, s.Axpy(f, 7, &s.X, 3))
	s.K = 5
	launch(5, s.Axpy(f, 7, &s.X, 3))
	s.K = 1
	launch(5, s.Axpy(f, 7, &s.X, 3))
}

func TestTemplateLaunch(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		x := ti.NewField[float32](rt, 8)
		p, err := rt.Compile(ti.Text("copy.ti", copySource), ti.Bindings{"X": x, "K": float32(1)})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		y := ti.NewField[float64](rt, 4)
		y.Fill(0.25)
		got, err := p.Kernel("Sum").Launch(ctx, y, 2.0)
		if err != nil || len(got) != 1 || got[0] != 2.0 {
			t.Errorf("Sum: %v, %v", got, err)
		}
		z := ti.NewField[int32](rt, 4)
		z.Fill(3)
		if got, err = p.Kernel("Sum").Launch(ctx, z, 2); err != nil || got[0] != int32(24) {
			t.Errorf("Sum of integers: %v, %v", got, err)
		}
		if k := p.Kernel("Copy").String(); k != "func Copy(dst, src template)" {
			t.Error(k)
		}
		var text strings.Builder
		if err := p.Kernel("Copy").Dump(&text, "lower"); err == nil || !strings.Contains(err.Error(), "before it is launched") {
			t.Errorf("Dump: %v", err)
		}
		if err := p.Kernel("Sum").Dump(&text, "lower"); err != nil || !strings.Contains(text.String(), "Sum") {
			t.Errorf("Dump: %v", err)
		}
	})
}

func TestTemplateErrors(t *testing.T) {
	rt, other := titest.New(t, ti.Config{}), titest.New(t, ti.Config{})
	x := ti.NewField[float32](rt, 8)
	p, err := rt.Compile(ti.Text("copy.ti", copySource), ti.Bindings{"X": x, "K": float32(1)})
	if err != nil {
		t.Fatal(err)
	}
	f, v := ti.NewField[float32](rt, 8), ti.NewField[ti.Vec2](rt, 8)
	closed := ti.NewField[float32](rt, 8)
	closed.Fill(1)
	late := ti.NewField[float32](rt, 8)
	if _, err := p.Kernel("Copy").Launch(context.Background(), f, late); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*ti.Field[float32]{closed, late} {
		if err := c.Tree().Close(); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		kernel string
		args   []any
		is     error
		want   string
	}{
		{"Copy", []any{f}, ti.ErrArgs, "1 arguments for func Copy(dst, src template)"},
		{"Copy", []any{f, nil}, ti.ErrArgs, "argument 2 of func Copy(dst, src template) is nil"},
		{"Copy", []any{f, (*ti.Field[float32])(nil)}, ti.ErrArgs, "is nil"},
		{"Copy", []any{f, "X"}, ti.ErrArgs, "argument 2 is a string where func Copy(dst, src template) takes a field"},
		{"Copy", []any{f, new(ti.Field[float32])}, ti.ErrPlace, "before using it"},
		{"Copy", []any{f, ti.NewField[float32](other, 8)}, ti.ErrPlace, "another runtime"},
		{"Copy", []any{f, closed}, ti.ErrClosed, "closed"},
		{"Copy", []any{f, late}, ti.ErrClosed, "closed"},
		{"First", []any{v, ti.Member[float32](v, "[1]")}, ti.ErrArgs, "v and x of func First(v field[vec2], x field[f32]) share memory"},
		{"Axpy", []any{f, "2", x, 1}, ti.ErrArgs, "argument 2 is a string where"},
		{"Axpy", []any{v, float32(2), x, 1}, ti.ErrArgs, "argument 1 is a *ti.Field[[2]float32] where"},
		{"Count", []any{f}, ti.ErrArgs, "takes a *ti.Node"},
		{"Count", []any{(*ti.Node)(nil)}, ti.ErrArgs, "is nil"},
		{"Count", []any{new(ti.Node)}, ti.ErrArgs, "a node of no tree"},
		{"Count", []any{other.NewTree().Dense(ti.I, 4)}, ti.ErrPlace, "another runtime"},
	}
	for _, tt := range tests {
		_, err := p.Kernel(tt.kernel).Launch(context.Background(), tt.args...)
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s(%v): %v, want %q", tt.kernel, tt.args, err, tt.want)
		}
	}
	// What only the body shows comes with the place in the source.
	_, err = p.Kernel("Copy").Launch(context.Background(), f, v)
	var list ti.SourceErrors
	if !errors.As(err, &list) || list[0].Pos.Line != 11 || !strings.Contains(list[0].Msg, "vec2") {
		t.Errorf("Copy of vectors to numbers: %v", err)
	}
}

func TestTemplateFuncTypes(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	tests := []struct {
		host any
		want string
	}{
		{&struct{ Copy func(dst ti.AnyField) }{}, "Copy func(dst ti.AnyField, src ti.AnyField) error"},
		{&struct{ Copy func(dst, src string) }{}, "does not fit func Copy(dst, src template)"},
		{&struct {
			Count func(b *ti.Field[float32]) int32
		}{}, "write it as Count func(b *ti.Node) (int32, error)"},
		{&struct {
			Axpy func(y *ti.Field[float64], a float32, x ti.AnyField, n int)
		}{}, "Axpy func(y *ti.Field[float32], a float32, x *ti.Field[float32], n ti.AnyField) error"},
	}
	for _, tt := range tests {
		err := rt.Load(copySource, tt.host)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%T: %v", tt.host, err)
		}
	}
	// Types that depend on the arguments are looked at when it is launched.
	s := struct {
		X   ti.Field[float32]
		K   float32
		Sum func(x ti.AnyField, scale float32) (float32, error)
	}{}
	rt.Place(ti.Shape{4}, &s.X)
	if err := rt.Load(copySource, &s); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sum(ti.NewField[float64](rt, 4), 1); !errors.Is(err, ti.ErrArgs) || !strings.Contains(err.Error(), "argument 2 is a float32, and with these fields and constants func Sum[T any](x field[T], scale T) T takes a float64 there") {
		t.Errorf("%v", err)
	}
}

func TestTemplatesAtOnce(t *testing.T) {
	rt := titest.New(t, ti.Config{Threads: 2})
	s := newCopy(t, rt)
	s.X.Fill(3)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			a, b := ti.NewField[float32](rt, 8), ti.NewField[float32](rt, 8)
			if err := errors.Join(s.Copy(a, &s.X), s.Copy(b, a), s.Axpy(b, 1, a, 1)); err != nil || b.At(7) != 6 {
				t.Errorf("%v, %v", b.At(7), err)
			}
		})
	}
	wg.Wait()
}

// TestTemplateOfClosedTree launches a template with fields of trees that come and go:
// nothing is kept of those that were closed.
func TestTemplateOfClosedTree(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var h struct {
		Fill func(x *ti.Field[float32], v float32) error
	}
	var kept ti.Field[float32]
	rt.Place(ti.Shape{4}, &kept)
	p, err := rt.Compile(ti.Text("t.ti", "package p\n\nfunc Fill(x field[f32], v f32) {\n\tfor i := range x {\n\t\tx[i] = v\n\t}\n}"), &h)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Fill(&kept, 1); err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		var x ti.Field[float32]
		tree := rt.NewTree()
		tree.Pointer(ti.I, 3+n).Dense(ti.I, 2).Place(&x)
		x.Set(1, 1)
		if err := h.Fill(&x, float32(n)); err != nil || x.At(0) != float32(n) {
			t.Fatalf("%v, element %v", err, x.At(0))
		}
		if err := tree.Close(); err != nil {
			t.Fatal(err)
		}
		if err := h.Fill(&x, 5); !errors.Is(err, ti.ErrClosed) {
			t.Errorf("of a closed tree: %v", err)
		}
		if _, err := p.Kernel("Fill").Launch(context.Background(), &x, float32(5)); !errors.Is(err, ti.ErrClosed) {
			t.Errorf("of a closed tree: %v", err)
		}
	}
	if n := titest.Instances(p.Kernel("Fill")); n != 1 {
		t.Errorf("%d instances are kept, want that of the tree that is open", n)
	}
	if err := h.Fill(&kept, 2); err != nil || kept.At(3) != 2 {
		t.Errorf("%v, element %v", err, kept.At(3))
	}
}
