package ti_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/titest"
)

// pairs is a program whose fields are laid out in many ways.
type pairs struct {
	V     ti.Field[ti.Vec2]
	M     ti.Field[int64]
	Paint func()
	Sum   func() (float32, int64)
}

const pairsSource = `package pairs
var (
	V field[vec2]
	M field[i64]
)
func Paint() {
	for i, j := range V {
		V[i][j] = vec2(i, j)
		M[i][j] = i64(i)*100 + i64(j)
	}
}
func Sum() (s f32, n i64) {
	for i, j := range ndrange(V.shape.x, V.shape.y) {
		v := V[i-2][j]
		s += v.x + v.y*10
		n += M[i-2][j]
	}
	return
}`

// layouts places two fields of shape 6×4 with lowest index (-2, 0).
var layouts = []struct {
	name  string
	place func(rt *ti.Runtime, s *pairs)
	slice bool // V is contiguous
}{
	{"apart", func(rt *ti.Runtime, s *pairs) {
		rt.NewTree().Origin(ti.I, -2).Dense(ti.IJ, 6, 4).Place(&s.V)
		rt.NewTree().Origin(ti.I, -2).Dense(ti.IJ, 6, 4).Place(&s.M)
	}, true},
	{"together", func(rt *ti.Runtime, s *pairs) {
		rt.NewTree().Origin(ti.I, -2).Dense(ti.IJ, 6, 4).Place(&s.V, &s.M)
	}, false},
	{"one tree", func(rt *ti.Runtime, s *pairs) {
		t := rt.NewTree().Origin(ti.I, -2)
		t.Dense(ti.IJ, 6, 4).Place(&s.V)
		t.Dense(ti.IJ, 6, 4).Place(&s.M)
	}, true},
	{"blocked", func(rt *ti.Runtime, s *pairs) {
		b := rt.NewTree().Origin(ti.I, -2).Dense(ti.IJ, 2)
		b.Dense(ti.IJ, 3, 2).Place(&s.V, &s.M)
	}, false},
	{"blocks apart", func(rt *ti.Runtime, s *pairs) {
		b := rt.NewTree().Origin(ti.I, -2).Dense(ti.IJ, 3, 2)
		b.Dense(ti.IJ, 2).Place(&s.V)
		b.Dense(ti.JI, 2).Place(&s.M)
	}, false},
	{"columns", func(rt *ti.Runtime, s *pairs) {
		rt.NewTree().Origin(ti.I, -2).Dense(ti.JI, 4, 6).Place(&s.V)
		rt.NewTree().Origin(ti.I, -2).Dense(ti.J, 4).Dense(ti.I, 6).Place(&s.M)
	}, false},
	{"members", func(rt *ti.Runtime, s *pairs) {
		t := rt.NewTree().Origin(ti.I, -2)
		for _, m := range ti.Members(&s.V) {
			t.Dense(ti.IJ, 6, 4).Place(m)
		}
		t.Dense(ti.IJ, 6, 4).Place(&s.M)
	}, false},
	{"a member apart", func(rt *ti.Runtime, s *pairs) {
		rt.NewTree().Origin(ti.I, -2).Dense(ti.IJ, 6, 4).Place(ti.Member[float32](&s.V, "[1]"))
		rt.NewTree().Origin(ti.I, -2).Dense(ti.IJ, 3, 2).Dense(ti.JI, 2).Place(&s.V, &s.M)
	}, false},
}

// TestLayouts checks that neither kernels nor the host see where things lie.
func TestLayouts(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
				var s pairs
				l.place(rt, &s)
				if err := rt.Load(pairsSource, &s); err != nil {
					t.Fatal(err)
				}
				checkHost(t, &s)
				s.Paint()
				for i := -2; i < 4; i++ {
					for j := range 4 {
						if s.V.At(i, j) != (ti.Vec2{float32(i), float32(j)}) || s.M.At(i, j) != int64(i*100+j) {
							t.Fatalf("at %d, %d: %v, %v", i, j, s.V.At(i, j), s.M.At(i, j))
						}
					}
				}
				// Σi = 3·4, Σj = 6·6, 24 elements
				if a, b := s.Sum(); a != 12+360 || b != 1200+36 {
					t.Errorf("sums %v, %v", a, b)
				}
				if _, err := s.V.Slice(); (err == nil) != (l.slice && titest.Shares(rt)) || err != nil && !errors.Is(err, ti.ErrLayout) {
					t.Error(err)
				}
			})
		})
	}
}

// checkHost goes through all ways to the elements.
func checkHost(t *testing.T, s *pairs) {
	t.Helper()
	src := make([]ti.Vec2, 24)
	for i := range src {
		src[i] = ti.Vec2{float32(i), -float32(i)}
	}
	dst := make([]ti.Vec2, 24)
	if err := errors.Join(s.V.CopyFrom(src), s.V.CopyTo(dst)); err != nil || !slices.Equal(src, dst) {
		t.Errorf("%v, %v", err, dst)
	}
	if s.V.At(-2, 1) != src[1] || s.V.At(3, 3) != src[23] {
		t.Errorf("row-major: %v, %v", s.V.At(-2, 1), s.V.At(3, 3))
	}
	if err := s.V.CopyTo(dst[:3]); !errors.Is(err, ti.ErrArgs) {
		t.Error(err)
	}
	seen := map[ti.Index]bool{}
	for idx, v := range s.V.All() {
		seen[idx] = true
		if v != s.V.At(idx[:2]...) {
			t.Errorf("%v: %v", idx, v)
		}
	}
	for range s.V.All() {
		break
	}
	if len(seen) != 24 {
		t.Errorf("%d elements seen", len(seen))
	}
	var b bytes.Buffer
	if n, err := s.V.WriteTo(&b); n != 24*8 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	s.V.Fill(ti.Vec2{7, 8})
	if s.V.At(0, 0) != (ti.Vec2{7, 8}) || s.V.At(-2, 3) != (ti.Vec2{7, 8}) {
		t.Error("Fill")
	}
	if n, err := s.V.ReadFrom(bytes.NewReader(b.Bytes()[:100])); !errors.Is(err, io.ErrUnexpectedEOF) || n != 100 {
		t.Errorf("%d, %v", n, err)
	}
	b.WriteString("rest")
	if n, err := s.V.ReadFrom(&b); n != 24*8 || err != nil || s.V.At(3, 3) != src[23] || b.String() != "rest" {
		t.Errorf("%d, %v, %v, %q", n, err, s.V.At(3, 3), b.String())
	}
	if got := s.M.Origin(); !reflect.DeepEqual(s.M.Shape(), ti.Shape{6, 4}) || !reflect.DeepEqual(got, ti.Shape{-2, 0}) {
		t.Error(s.M.Shape(), got)
	}
	if s.V.Name() != "V" || s.V.Elem() != reflect.TypeFor[ti.Vec2]() || s.V.Tree() == nil {
		t.Error(s.V.Name(), s.V.Elem())
	}
}

func TestBadIndexPanics(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	flat := ti.NewField[float32](rt, 4, 4)
	var blocked, unplaced ti.Field[float32]
	rt.NewTree().Dense(ti.I, 2).Dense(ti.I, 2).Place(&blocked)
	tests := []struct {
		name string
		do   func()
		want string
	}{
		{"range", func() { flat.At(0, 4) }, "index [0 4] out of range"},
		{"negative", func() { flat.Set(1, -1, 0) }, "axis 0 runs from 0 to 3"},
		{"huge", func() { flat.At(math.MinInt, 0) }, "out of range"},
		{"rank", func() { flat.At(1) }, "1 indices [1] for"},
		{"blocked", func() { blocked.At(4) }, "out of range"},
		{"not placed", func() { unplaced.Set(1) }, "not placed"},
		{"fill", func() { unplaced.Fill(1) }, "not placed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				var got string
				switch r := recover().(type) {
				case error:
					got = r.Error()
				case string:
					got = r
				}
				if !strings.Contains(got, tt.want) {
					t.Errorf("panic %q", got)
				}
			}()
			tt.do()
		})
	}
}

func TestAccessDoesNotAllocate(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	f := ti.NewField[ti.Vec3](rt, 8, 8)
	f.Fill(ti.Vec3{1, 2, 3})
	i := 5
	if n := titest.Allocations(100, func() { f.Set(f.At(i, 2), 2, i) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLaunchDoesNotAllocate(t *testing.T) {
	rt, e, p := loadEmpties(t)
	own := 0.0
	if rt.Device().Arch == ti.Arch(config.Apart) {
		own = 3 // a device for tests, whose launches have a goroutine each
	}
	v := []float32{1}
	for name, f := range map[string]func(){
		"Empty": e.Empty, "Err": func() { _ = e.Err() }, "One": func() { e.One(1) },
		"Two": func() { _ = e.Two(1, v) }, "Number": func() { e.Number() },
		"Launch": func() { _, _ = p.Kernel("One").Launch(t.Context(), float32(1)) },
	} {
		f()
		if n := titest.Allocations(200, f); n > own && name != "Launch" || n > own+1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestLifetimes(t *testing.T) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		t.Fatal(err)
	}
	type holder struct {
		X   ti.Field[float32]
		Set func() error
		Get func() float32
	}
	var a, b holder
	const source = "package p\nvar X field[f32]\nfunc Set() { X[0] = 1 }\nfunc Get() f32 { return X[0] }"
	for _, h := range []*holder{&a, &b} {
		rt.Place(ti.Shape{1000}, &h.X)
		if err := errors.Join(rt.Load(source, h), h.Set()); err != nil {
			t.Fatal(err)
		}
	}
	if rt.Stats().Bytes < 8000 || a.X.Tree().Bytes() < 4000 {
		t.Errorf("%d bytes, %d of them of a tree", rt.Stats().Bytes, a.X.Tree().Bytes())
	}
	if err := errors.Join(a.X.Tree().Close(), a.X.Tree().Close()); err != nil {
		t.Error(err)
	}
	closed := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ti.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	recovered := func(f func()) (err error) {
		defer func() { err, _ = recover().(error) }()
		f()
		return nil
	}
	closed("launch", a.Set())
	closed("launch that panics", recovered(func() { a.Get() }))
	closed("At", recovered(func() { a.X.At(0) }))
	closed("CopyTo", a.X.CopyTo(make([]float32, 1000)))
	closed("Load", rt.Load(source, &a))
	if b.Get() != 1 || b.X.At(0) != 1 || a.X.Tree().Bytes() != 0 {
		t.Error("the other tree is affected")
	}
	if err := errors.Join(rt.Close(), rt.Close()); err != nil {
		t.Error(err)
	}
	closed("launch after Close", b.Set())
	closed("Load after Close", rt.Load(source, &b))
	closed("Sync after Close", rt.Sync())
	closed("Set after Close", recovered(func() { b.X.Set(1, 0) }))
	late := ti.NewField[float32](rt, 4)
	closed("a new field", late.CopyFrom(make([]float32, 4)))
}

// Values has what At gives, for each layout, and CopyFrom takes it back; the derivatives of a field are the values of its adjoint.
func TestValues(t *testing.T) {
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var plain, blocks, sparse, below ti.Field[int32]
	var one ti.Field[float64]
	rt.Place(ti.Shape{4, 6}, &plain)
	rt.NewTree().Dense(ti.IJ, 2, 3).Dense(ti.IJ, 2, 2).Place(&blocks)
	rt.NewTree().Pointer(ti.IJ, 2, 3).Dense(ti.IJ, 2, 2).Place(&sparse)
	rt.NewTree().Origin(ti.IJ, -1, -2).Dense(ti.IJ, 4, 6).Place(&below)
	rt.Place(nil, ti.WithGrad(&one)...)
	for _, f := range []*ti.Field[int32]{&plain, &blocks, &sparse, &below} {
		origin := f.Origin()
		f.Set(7, origin[0]+1, origin[1]+2)
		v := f.Values()
		if f.Len() != 24 || len(v) != 24 || v[8] != 7 {
			t.Errorf("%v has %d elements; the values are %v", f, f.Len(), v)
		}
		v[23] = 9
		if f.At(origin[0]+3, origin[1]+5) != 0 {
			t.Errorf("%v changes with its values", f)
		}
		if err := f.CopyFrom(v); err != nil || f.At(origin[0]+3, origin[1]+5) != 9 {
			t.Errorf("%v: error %v, %d", f, err, f.At(origin[0]+3, origin[1]+5))
		}
	}
	one.Grad().Set(0.5)
	if v := one.Grad().Values(); one.Len() != 1 || len(v) != 1 || v[0] != 0.5 {
		t.Errorf("the adjoint of %d element is %v", one.Len(), v)
	}
	var unplaced ti.Field[int32]
	if unplaced.Len() != 0 || ti.FieldOf("x", reflect.TypeFor[int32]()).Len() != 0 {
		t.Error("a field that is not placed has elements")
	}
}

// Values of what no slice holds is an error that says so.
func TestNoValues(t *testing.T) {
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var unplaced, huge, endless ti.Field[int32]
	rt.NewTree().Pointer(ti.IJ, 1<<10, 1<<10).Pointer(ti.IJ, 1<<10, 1<<10).Pointer(ti.IJ, 1<<4, 1<<4).Place(&huge)
	rt.NewTree().Hash(ti.IJ).Dense(ti.IJ, 4, 4).Place(&endless)
	for _, c := range []struct {
		f  *ti.Field[int32]
		is error
	}{{&unplaced, ti.ErrPlace}, {&huge, ti.ErrMemory}, {&endless, ti.ErrLayout}} {
		func() {
			defer func() {
				if err, _ := recover().(error); !errors.Is(err, c.is) {
					t.Errorf("%v: %v, want %v", c.f, err, c.is)
				}
			}()
			c.f.Values()
		}()
	}
}
