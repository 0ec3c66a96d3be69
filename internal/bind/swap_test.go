package bind_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const smoothSource = `package smooth

var A, B field[f32]

func Step() {
	for i := range span(1, A.shape[0]-1) {
		B[i] = (A[i-1] + A[i] + A[i+1]) / 4
	}
}

func First() f32 { return A[1] }

func Of(x field[f32]) f32 { return x[1] + A[1] }`

type smooth struct {
	A, B  *ti.Field[float32]
	Step  func() error
	First func() (float32, error)
	Of    func(x *ti.Field[float32]) (float32, error)
}

// TestDoubleBuffer lets two fields trade places before each launch, in several layouts.
func TestDoubleBuffer(t *testing.T) {
	const n = 32
	for name, place := range map[string]func(rt *ti.Runtime, a, b *ti.Field[float32]){
		"apart":        func(rt *ti.Runtime, a, b *ti.Field[float32]) { rt.Place(ti.Shape{n}, a, b) },
		"side by side": func(rt *ti.Runtime, a, b *ti.Field[float32]) { rt.NewTree().Dense(ti.I, n).Place(a, b) },
		"in one tree": func(rt *ti.Runtime, a, b *ti.Field[float32]) {
			t := rt.NewTree()
			t.Dense(ti.I, n).Place(a)
			t.Dense(ti.I, n).Place(b)
		},
		"sparse": func(rt *ti.Runtime, a, b *ti.Field[float32]) {
			for _, f := range []*ti.Field[float32]{a, b} {
				rt.NewTree().Pointer(ti.I, 4).Dense(ti.I, n/4).Place(f)
			}
		},
	} {
		titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
			s := &smooth{A: new(ti.Field[float32]), B: new(ti.Field[float32])}
			place(rt, s.A, s.B)
			if err := rt.Load(smoothSource, s); err != nil {
				t.Fatal(err)
			}
			now, next := make([]float32, n), make([]float32, n)
			for i := range now {
				now[i] = float32(i * i % 17)
			}
			if err := s.A.CopyFrom(now); err != nil {
				t.Fatal(err)
			}
			compiled := int64(0)
			for step := range 7 {
				if err := s.Step(); err != nil {
					t.Fatal(err)
				}
				for i := 1; i < n-1; i++ {
					next[i] = (now[i-1] + now[i] + now[i+1]) / 4
				}
				now, next = next, now
				s.A, s.B = s.B, s.A
				got := make([]float32, n)
				if err := s.A.CopyTo(got); err != nil || !slices.Equal(got, now) {
					t.Fatalf("%s, step %d: %v, want %v, %v", name, step, got, now, err)
				}
				if v, err := s.First(); v != now[1] || err != nil {
					t.Errorf("%s, step %d: the first is %v, want %v, %v", name, step, v, now[1], err)
				}
				if v, err := s.Of(s.B); v != now[1]+next[1] || err != nil {
					t.Errorf("%s, step %d: of the other: %v, want %v, %v", name, step, v, now[1]+next[1], err)
				}
				switch now := rt.Stats().Compiled; {
				case step == 0:
					compiled = now
				case now > compiled && step == 1 && rt.Device().Arch != ti.Oracle && (name == "apart" || name == "sparse"), now > compiled && step > 1:
					t.Errorf("%s: %d kernels compiled after %d steps, %d before", name, now, step+1, compiled)
				default:
					compiled = now
				}
			}
		})
	}
}

// TestSwapMistakes stores what cannot stand in a place, and then what can.
func TestSwapMistakes(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		other := titest.New(t, ti.Config{Arch: ti.Oracle})
		s := &smooth{A: ti.NewField[float32](rt, 8), B: ti.NewField[float32](rt, 8)}
		if err := rt.Load(smoothSource, s); err != nil {
			t.Fatal(err)
		}
		a, b := s.A, s.B
		blocked, shifted, closed, sparse := new(ti.Field[float32]), new(ti.Field[float32]), ti.NewField[float32](rt, 8), new(ti.Field[float32])
		rt.NewTree().Dense(ti.I, 2).Dense(ti.I, 4).Place(blocked)
		rt.NewTree().Origin(ti.I, -1).Dense(ti.I, 8).Place(shifted)
		rt.NewTree().Bitmasked(ti.I, 8).Place(sparse)
		closed.Set(1, 0)
		if err := closed.Tree().Close(); err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			f    *ti.Field[float32]
			is   error
			says string
		}{
			"nil":                {nil, ti.ErrArgs, "is nil"},
			"another shape":      {ti.NewField[float32](rt, 9), ti.ErrArgs, "has the shape [9], unlike"},
			"another rank":       {ti.NewField[float32](rt, 2, 4), ti.ErrArgs, "has the shape [2 4], unlike"},
			"blocks":             {blocked, ti.ErrArgs, "lies in another way"},
			"another origin":     {shifted, ti.ErrArgs, "lowest index [-1]"},
			"sparse":             {sparse, ti.ErrArgs, "lies in another way"},
			"the same twice":     {b, ti.ErrArgs, "share memory"},
			"of another runtime": {ti.NewField[float32](other, 8), ti.ErrPlace, "another runtime"},
			"not placed":         {new(ti.Field[float32]), ti.ErrPlace, "placed"},
			"closed":             {closed, ti.ErrClosed, "closed"},
		} {
			s.A = c.f
			if err := titest.Safely(s.Step); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v; want %v with %q", name, err, c.is, c.says)
			}
			s.A = a
			if err := s.Step(); err != nil {
				t.Errorf("%s, and back: %v", name, err)
			}
		}
		c := ti.NewField[float32](rt, 8)
		s.A = c // takes the place of one that is closed then
		if err := errors.Join(a.Tree().Close(), s.Step()); err != nil {
			t.Error(err)
		}
		s.A = a
		if err := s.Step(); !errors.Is(err, ti.ErrClosed) {
			t.Errorf("the first one, closed: %v", err)
		}
	})
}

// TestSwapBundles stores other pointers in arrays and structs, in interfaces, and for
// nodes.
func TestSwapBundles(t *testing.T) {
	type level struct {
		X *ti.Field[int32]
		N int32
	}
	const source = `package p

type Level struct {
	X field[i32]
	N i32
}

var (
	R [2]field[i32]
	L Level
	Y field[i32]
	Z node
)

func Get() ivec4 { return ivec4(R[0][0], R[1][0], L.X[0]*10+L.N, Y[0]) }

func Cells() i32 {
	n := 0
	for range Z {
		n += 1
	}
	return n
}`
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		field := func(v int32) *ti.Field[int32] {
			f := ti.NewField[int32](rt, 4)
			f.Fill(v)
			return f
		}
		mask := func(cells int) *ti.Node {
			var f ti.Field[int32]
			n := rt.NewTree().Bitmasked(ti.I, 8)
			n.Place(&f)
			for i := range cells {
				f.Set(1, i)
			}
			return n
		}
		var s struct {
			R     [2]*ti.Field[int32]
			L     *level
			Y     ti.AnyField
			Z     *ti.Node
			Get   func() [4]int32
			Cells func() int32
		}
		s.R, s.L, s.Y, s.Z = [2]*ti.Field[int32]{field(1), field(2)}, &level{field(3), 7}, field(4), mask(3)
		p, err := rt.Compile(ti.Text("p.ti", source), &s)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, want [4]int32, cells int32) {
			t.Helper()
			out, err := p.Kernel("Get").Launch(context.Background())
			if got := s.Get(); got != want || err != nil || out[0] != any(want) {
				t.Errorf("%s: %v and %v, want %v, %v", what, got, out, want, err)
			}
			if n := s.Cells(); n != cells {
				t.Errorf("%s: %d cells, want %d", what, n, cells)
			}
		}
		check("at first", [4]int32{1, 2, 37, 4}, 3)
		s.R[0], s.R[1] = s.R[1], s.R[0]
		check("an array", [4]int32{2, 1, 37, 4}, 3)
		old := s.L
		s.L = &level{field(5), 8}
		check("a struct", [4]int32{2, 1, 58, 4}, 3)
		s.L.N = 9
		check("its constant", [4]int32{2, 1, 59, 4}, 3)
		old.N = 1
		s.L.X, old.X = old.X, s.L.X
		check("its field", [4]int32{2, 1, 39, 4}, 3)
		s.L = old
		check("the struct of before", [4]int32{2, 1, 51, 4}, 3)
		s.Y = field(6)
		check("an interface", [4]int32{2, 1, 51, 6}, 3)
		s.Z = mask(5)
		check("a node", [4]int32{2, 1, 51, 6}, 5)
	})
}

func BenchmarkSwap(b *testing.B) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	s := &smooth{A: ti.NewField[float32](rt, 8), B: ti.NewField[float32](rt, 8)}
	if err := rt.Load(smoothSource, s); err != nil {
		b.Fatal(err)
	}
	for _, swap := range []bool{false, true} {
		b.Run(map[bool]string{false: "still", true: "swapped"}[swap], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if swap {
					s.A, s.B = s.B, s.A
				}
				_ = s.Step()
			}
		})
	}
}
