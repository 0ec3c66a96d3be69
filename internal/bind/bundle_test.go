package bind_test

import (
	"errors"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const bundleSource = `
package levels

type Level struct {
	U, R field[f32, D2]
	N    i32
	H    f32
	W    [2]field[i32]
}

var (
	Levels [3]Level
	Parts  [2]field[vec2]
	Scale  [3]f32
	Cells  node
)

func Init() {
	for l := range static(len(Levels)) {
		for i, j := range Levels[l].U {
			Levels[l].U[i][j] = Levels[l].H * f32(i*Levels[l].N+j)
			Levels[l].R[i][j] = Scale[l]
		}
		for i := range Levels[l].W[1] {
			Levels[l].W[1][i] = l
		}
	}
	for i := range Parts[1] {
		Parts[1][i] = vec2(1, i)
	}
}

func restrict(coarse, fine template) {
	for i, j := range coarse {
		coarse[i][j] = fine[2*i][2*j] + fine[2*i+1][2*j+1]
	}
}

// Down is exported, and called from the outermost scope, so its loops are parallel.
func Down() {
	for l := range static(len(Levels) - 1) {
		for i, j := range Levels[l+1].U {
			Levels[l+1].U[i][j] = Levels[l].U[2*i][2*j] + Levels[l].U[2*i+1][2*j+1]
		}
	}
}

func Count() i32 {
	n := 0
	for p := range Cells {
		n += 1 + 0*p.x
	}
	return n
}

func Restrict(coarse, fine field[f32, D2]) {
	for i, j := range coarse {
		coarse[i][j] = fine[2*i][2*j] + fine[2*i+1][2*j+1]
	}
}
`

// level is a bundle as a program has it: with more in it than the source names.
type level struct {
	U, R ti.Field[float32]
	N    int
	H    float32
	W    [2]*ti.Field[int32]
	Name string
	Run  func()
}

type levelsHost struct {
	Levels [3]level
	Parts  [2]ti.Field[ti.Vec2]
	Scale  [3]float32
	Cells  *ti.Node

	Init, Down func()
	Count      func() int32
	Restrict   func(coarse, fine *ti.Field[float32]) error
}

func newLevels(rt *ti.Runtime) *levelsHost {
	s := &levelsHost{Scale: [3]float32{1, 2, 3}}
	n := 8
	for l := range s.Levels {
		v := &s.Levels[l]
		v.N, v.H = n, 1/float32(n)
		rt.Place(ti.Shape{n, n}, &v.U, &v.R)
		for k := range v.W {
			v.W[k] = ti.NewField[int32](rt, 3)
		}
		n /= 2
	}
	rt.Place(ti.Shape{4}, &s.Parts[0], &s.Parts[1])
	s.Cells = rt.NewTree().Dense(ti.IJ, 3, 4)
	s.Cells.Dense(ti.I, 2).Place(new(ti.Field[float32]))
	return s
}

func TestBundles(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		s := newLevels(rt)
		if err := rt.Load(bundleSource, s); err != nil {
			t.Fatal(err)
		}
		s.Init()
		for l := range s.Levels {
			v := &s.Levels[l]
			i := v.N - 1
			if got, want := v.U.At(i, 1), v.H*float32(i*v.N+1); got != want {
				t.Errorf("U of level %d is %v, want %v", l, got, want)
			}
			if v.R.At(i, i) != float32(l+1) || v.W[1].At(2) != int32(l) || v.W[0].At(2) != 0 {
				t.Errorf("level %d: %v %v %v", l, v.R.At(i, i), v.W[1].At(2), v.W[0].At(2))
			}
		}
		if got := s.Parts[1].At(3); got != (ti.Vec2{1, 3}) || s.Parts[0].At(3) != (ti.Vec2{}) {
			t.Errorf("Parts: %v", got)
		}
		if n := s.Count(); n != 12 {
			t.Errorf("%d cells", n)
		}

		// Constants of a bundle are read at each launch.
		s.Levels[1].H = 2
		s.Scale[2] = 7
		s.Init()
		if a, b := s.Levels[1].U.At(0, 1), s.Levels[2].R.At(1, 1); a != 2 || b != 7 {
			t.Errorf("with other constants: %v, %v", a, b)
		}
		s.Down()
		want := s.Levels[0].U.At(2, 4) + s.Levels[0].U.At(3, 5)
		if got := s.Levels[1].U.At(1, 2); got != want {
			t.Errorf("Down: %v, want %v", got, want)
		}
		// Parts of a bundle are fields like others.
		s.Levels[1].U.Fill(0)
		if err := s.Restrict(&s.Levels[1].U, &s.Levels[0].U); err != nil || s.Levels[1].U.At(1, 2) != want {
			t.Errorf("Restrict: %v, %v", s.Levels[1].U.At(1, 2), err)
		}
	})
}

// TestOneSourceManyHosts loads one source for several structs.
func TestOneSourceManyHosts(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	a, b := newLevels(rt), newLevels(rt)
	for _, s := range []*levelsHost{a, b} {
		if err := rt.Load(bundleSource, s); err != nil {
			t.Fatal(err)
		}
		s.Init()
	}
	a.Levels[0].R.Fill(9)
	if b.Levels[0].R.At(0, 0) != 1 {
		t.Error("the hosts share a field")
	}
}

func TestBundleErrors(t *testing.T) {
	const source = "package p\n\ntype Level struct {\n\tU field[f32]\n\tN i32\n}\n\nvar (\n\tL [2]Level\n\tF [2]field[f32]\n\tC f32\n\tB node\n)\n\nfunc K() {\n\tfor i := range L[0].U {\n\t\tL[0].U[i] = L[1].N * C * F[0][i]\n\t}\n\tfor b := range B {\n\t\tF[1][b] = 1\n\t}\n}\n"
	type one struct {
		U *ti.Field[float32]
		N int
	}
	type without struct{ U *ti.Field[float32] }
	type other struct {
		U float32
		N int
	}
	type hidden struct {
		U *ti.Field[float32]
		n int
	}
	rt, second := titest.New(t, ti.Config{}), titest.New(t, ti.Config{})
	f := func() *ti.Field[float32] { return ti.NewField[float32](rt, 4) }
	fs := func() [2]*ti.Field[float32] { return [2]*ti.Field[float32]{f(), f()} }
	node := rt.NewTree().Dense(ti.I, 4)
	good := func() ti.Bindings {
		return ti.Bindings{"L": [2]one{{f(), 1}, {f(), 2}}, "F": fs(), "C": float32(1), "B": node}
	}
	if _, err := rt.Compile(ti.Text("k.ti", source), good()); err != nil {
		t.Fatal(err)
	}
	shared := f()
	tests := []struct {
		name  string
		value any
		code  string
		want  string
	}{
		{"L", [3]one{}, "TI0710", "binding L has 3 elements, and L of the source has 2"},
		{"L", [2]without{{f()}, {f()}}, "TI0710", "element 0 of binding L has nothing to bind L[0].N of the source to"},
		{"L", [2]other{}, "TI0710", "field U of bind_test.other is a float32, and L[0].U of the source is a field"},
		{"L", [2]hidden{{f(), 1}, {f(), 2}}, "TI0711", "field n of bind_test.hidden cannot be bound to L[0].N: it is unexported"},
		{"L", [2]*one{{f(), 1}, nil}, "TI0710", "element 1 of binding L is nil"},
		{"L", [2]one{{f(), 1}, {nil, 2}}, "TI0710", "field U of bind_test.one is nil"},
		{"L", [2]one{{f(), 1}, {new(ti.Field[float32]), 2}}, "TI0714", "var L[1].U: field not placed"},
		{"L", [2]one{{f(), 1}, {ti.NewField[float32](second, 4), 2}}, "TI0715", "another runtime"},
		{"L", [2]one{{shared, 1}, {shared, 2}}, "TI0717", "vars L[0].U and L[1].U of the source are bound to the same memory"},
		{"L", f(), "TI0710", "is a *ti.Field[float32], and L of the source is a [2]Level"},
		{"F", [2]float32{1, 2}, "TI0710", "element 0 of binding F is a float32, and F[0] of the source is a field"},
		{"F", [2]*ti.Field[float64]{ti.NewField[float64](rt, 4), ti.NewField[float64](rt, 4)}, "TI0703", "F[0] is declared with elements of type f32, and the host binds a field of f64"},
		{"C", f(), "TI0710", "binding C is a *ti.Field[float32], and C of the source is a constant of type f32"},
		{"B", f(), "TI0710", "and B of the source is a node"},
		{"B", (*ti.Node)(nil), "TI0710", "binding B is nil"},
		{"B", new(ti.Node), "TI0710", "binding B is a node of no tree"},
		{"B", second.NewTree().Dense(ti.I, 4), "TI0715", "a node of another runtime"},
		{"B", rt.NewTree().Origin(ti.I, -3).Dense(ti.I, 4).Dense(ti.I, 2).Place(new(ti.Field[bool])), "", ""},
	}
	for _, tt := range tests {
		b := good()
		b[tt.name] = tt.value
		_, err := rt.Compile(ti.Text("k.ti", source), b)
		if tt.code == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if list, ok := errors.AsType[ti.SourceErrors](err); !ok || len(list) != 1 && tt.code != "TI0703" {
			t.Errorf("%q: not one error, but %v", tt.want, err)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.code) {
			t.Errorf("want %s %q, got %v", tt.code, tt.want, err)
		}
	}
	b := good()
	uneven := rt.NewTree().Origin(ti.I, -3)
	outer := uneven.Dense(ti.I, 4)
	outer.Dense(ti.I, 2).Place(new(ti.Field[bool]))
	b["B"] = outer
	if _, err := rt.Compile(ti.Text("k.ti", source), b); err == nil || !strings.Contains(err.Error(), "var B: the dense node has no lowest index along axis i: each of its cells spans 2 cells of ") {
		t.Errorf("an origin that is no multiple: %v", err)
	}
}
