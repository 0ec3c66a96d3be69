package ti_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/titest"
)

// TestHostMistakes makes each mistake that a host program can make in binding a
// source or building a layout, and looks at code, place and remedy.
func TestHostMistakes(t *testing.T) {
	const source = "package p\nvar Pos field[vec2]\nvar N i32\nfunc Step(dt f32) f32 { return Pos[0].x + f32(N)*dt }"
	type good struct {
		Pos  ti.Field[ti.Vec2]
		N    int
		Step func(dt float32) float32
	}
	placed := func(rt *ti.Runtime) *good {
		g := new(good)
		rt.Place(ti.Shape{4}, &g.Pos)
		return g
	}
	tests := []struct {
		name string
		host func(t *testing.T, rt *ti.Runtime) any
		code string
		want string // in the error's text
		is   error
	}{
		{"no host", func(*testing.T, *ti.Runtime) any { return nil }, "TI0701", "Pos", nil},
		{"struct by value", func(*testing.T, *ti.Runtime) any { return struct{ N int }{} }, "TI0710", "&", ti.ErrArgs},
		{"number", func(*testing.T, *ti.Runtime) any { return 7 }, "TI0710", "pointer to a struct", ti.ErrArgs},
		{"nil pointer", func(*testing.T, *ti.Runtime) any { return (*good)(nil) }, "TI0710", "pointer to a struct", ti.ErrArgs},
		{"not placed", func(*testing.T, *ti.Runtime) any { return new(good) }, "TI0714", "rt.Place", ti.ErrPlace},
		{"other runtime", func(t *testing.T, _ *ti.Runtime) any { return placed(titest.New(t, ti.Config{})) }, "TI0715", "errors_test.go:", ti.ErrPlace},
		{"unexported", func(_ *testing.T, rt *ti.Runtime) any {
			g := placed(rt)
			return &struct {
				Pos *ti.Field[ti.Vec2]
				n   int
				N   int
				s   func() `ti:"Step"`
			}{Pos: &g.Pos}
		}, "TI0711", "unexported", nil},
		{"unexported name", func(_ *testing.T, rt *ti.Runtime) any {
			g := placed(rt)
			return &struct {
				Pos *ti.Field[ti.Vec2]
				n   int
			}{Pos: &g.Pos}
		}, "TI0711", "write it as N", nil},
		{"nil field", func(_ *testing.T, rt *ti.Runtime) any {
			return &struct {
				Pos *ti.Field[ti.Vec2]
				N   int
			}{}
		}, "TI0710", "Pos", ti.ErrArgs},
		{"misspelt", func(_ *testing.T, rt *ti.Runtime) any {
			return &struct {
				*good
				Stepp func()
			}{good: placed(rt)}
		}, "TI0712", "did you mean Step?", nil},
		{"misspelt binding", func(_ *testing.T, rt *ti.Runtime) any {
			return ti.Bindings{"Pos": &placed(rt).Pos, "N": 3, "M": 4}
		}, "TI0712", "did you mean N?", nil},
		{"parameter type", func(_ *testing.T, rt *ti.Runtime) any {
			return &struct {
				*good
				Step func(dt float64) float32
			}{good: placed(rt)}
		}, "TI0713", "Step func(dt float32) (float32, error)", ti.ErrArgs},
		{"result count", func(_ *testing.T, rt *ti.Runtime) any {
			return &struct {
				*good
				Step func(dt float32)
			}{good: placed(rt)}
		}, "TI0713", "does not fit func Step(dt f32) f32", ti.ErrArgs},
		{"not a func", func(_ *testing.T, rt *ti.Runtime) any {
			return &struct {
				*good
				Step int
			}{good: placed(rt)}
		}, "TI0713", "make it a func", ti.ErrArgs},
		{"wrong constant", func(_ *testing.T, rt *ti.Runtime) any {
			return ti.Bindings{"Pos": &placed(rt).Pos, "N": "three"}
		}, "TI0710", "string", ti.ErrArgs},
		{"constant too large", func(_ *testing.T, rt *ti.Runtime) any {
			return ti.Bindings{"Pos": &placed(rt).Pos, "N": 1 << 40}
		}, "TI0704", "N", nil},
		{"element type", func(_ *testing.T, rt *ti.Runtime) any {
			return ti.Bindings{"Pos": ti.NewField[ti.Vec3](rt, 4), "N": 1}
		}, "TI0703", "Pos", nil},
		{"rank", func(_ *testing.T, rt *ti.Runtime) any {
			return ti.Bindings{"Pos": ti.NewField[ti.Vec2](rt, 4, 4), "N": 1}
		}, "TI0", "Pos", nil},
		{"no element type", func(_ *testing.T, rt *ti.Runtime) any {
			return ti.Bindings{"Pos": ti.NewField[int](rt, 4), "N": 1}
		}, "TI0807", "use int32", ti.ErrLayout},
		{"size", func(_ *testing.T, rt *ti.Runtime) any {
			return ti.Bindings{"Pos": ti.NewField[ti.Vec2](rt, 0), "N": 1}
		}, "TI0801", "size 0 along axis i", ti.ErrLayout},
		{"negative size", func(_ *testing.T, rt *ti.Runtime) any {
			return ti.Bindings{"Pos": ti.NewField[ti.Vec2](rt, -4), "N": 1}
		}, "TI0801", "size -4", ti.ErrLayout},
		{"axes", func(_ *testing.T, rt *ti.Runtime) any {
			g := new(good)
			rt.NewTree().Dense("xy", 4).Place(&g.Pos)
			return g
		}, "TI0802", "'x' is not an axis", ti.ErrLayout},
		{"nine axes", func(_ *testing.T, rt *ti.Runtime) any {
			return ti.Bindings{"Pos": ti.NewField[ti.Vec2](rt, 1, 1, 1, 1, 1, 1, 1, 1, 1), "N": 1}
		}, "TI0802", "8", ti.ErrLayout},
		{"too large", func(_ *testing.T, rt *ti.Runtime) any {
			return ti.Bindings{"Pos": ti.NewField[ti.Vec2](rt, 1<<40), "N": 1}
		}, "TI0803", "1099511627776", ti.ErrLayout},
		{"out of memory", func(_ *testing.T, rt *ti.Runtime) any {
			return ti.Bindings{"Pos": ti.NewField[ti.Vec2](rt, 1<<20, 1<<20), "N": 1}
		}, "TI0809", "8796093022208 bytes", ti.ErrMemory},
		{"placed twice", func(_ *testing.T, rt *ti.Runtime) any {
			g := placed(rt)
			rt.NewTree().Dense(ti.I, 4).Place(&g.Pos)
			rt.Place(ti.Shape{4}, &g.Pos)
			return g
		}, "TI0804", "placed already", ti.ErrLayout},
		{"placed twice in a tree", func(_ *testing.T, rt *ti.Runtime) any {
			g := new(good)
			rt.NewTree().Dense(ti.I, 4).Place(&g.Pos, &g.Pos)
			return g
		}, "TI0804", "placed already", ti.ErrLayout},
		{"parts", func(_ *testing.T, rt *ti.Runtime) any {
			g := new(good)
			rt.NewTree().Dense(ti.I, 4).Place(ti.Member[float32](&g.Pos, "[0]"))
			rt.NewTree().Dense(ti.I, 5).Place(&g.Pos)
			return g
		}, "TI0805", "parts of it are placed with shape [4]", ti.ErrLayout},
		{"part missing", func(_ *testing.T, rt *ti.Runtime) any {
			g := new(good)
			rt.NewTree().Dense(ti.I, 4).Place(ti.Member[float32](&g.Pos, "[0]"))
			return g
		}, "TI0714", "place the others", ti.ErrPlace},
		{"no member", func(_ *testing.T, rt *ti.Runtime) any {
			g := new(good)
			rt.NewTree().Dense(ti.I, 4).Place(ti.Member[float32](&g.Pos, "[2]"), &g.Pos)
			return g
		}, "TI0808", `has no member "[2]"`, ti.ErrLayout},
		{"member type", func(_ *testing.T, rt *ti.Runtime) any {
			g := new(good)
			rt.NewTree().Dense(ti.I, 4).Place(ti.Member[float64](&g.Pos, "[1]"), &g.Pos)
			return g
		}, "TI0808", "is a float32, not a float64", ti.ErrLayout},
		{"nil placed", func(_ *testing.T, rt *ti.Runtime) any {
			g := new(good)
			rt.NewTree().Dense(ti.I, 4).Place(&g.Pos, nil)
			return g
		}, "TI0805", "nil field", ti.ErrLayout},
		{"closed", func(_ *testing.T, rt *ti.Runtime) any {
			g := placed(rt)
			g.Pos.Fill(ti.Vec2{})
			_ = g.Pos.Tree().Close()
			return g
		}, "TI0716", "Pos", ti.ErrClosed},
	}
	rt := titest.New(t, ti.Config{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := rt.Compile(ti.Text("p.ti", source), tt.host(t, rt))
			if tt.code == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var list ti.SourceErrors
			if !errors.As(err, &list) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Fatalf("error %v", err)
			}
			text := err.Error()
			if !strings.Contains(text, tt.code) || !strings.Contains(text, tt.want) {
				t.Errorf("%s", text)
			}
			if tt.is != nil && !strings.Contains(text, "errors_test.go:") {
				t.Errorf("no place in the host: %s", text)
			}
		})
	}
}

func TestTreeErr(t *testing.T) {
	rt := titest.New(t, ti.Config{MemoryLimit: 1 << 20})
	var x, y ti.Field[float32]
	tree := rt.NewTree()
	tree.Dense(ti.I, 0).Dense(ti.I, 0).Place(&x)
	tree.Origin("q", 1)
	var list ti.SourceErrors
	if err := tree.Err(); !errors.As(err, &list) || len(list) != 2 || !strings.HasPrefix(list[0].Pos.String(), "errors_test.go:") {
		t.Errorf("%v", tree.Err())
	}
	rt.Place(ti.Shape{1 << 20}, &y)
	if err := y.CopyTo(nil); !errors.Is(err, ti.ErrMemory) {
		t.Error(err)
	}
	var z ti.Field[float32]
	ok := rt.NewTree()
	n := ok.Dense(ti.I, 4)
	n.Place(&z)
	z.Fill(1)
	n.Place(new(ti.Field[float32]))
	ok.Dense(ti.I, 3)
	if err := ok.Err(); !errors.As(err, &list) || len(list) != 2 || !strings.Contains(err.Error(), "before the first Load") {
		t.Error(err)
	}
	if got := n.Shape(); len(got) != 1 || got[0] != 4 || z.At(3) != 1 {
		t.Error(got)
	}
}

func TestSourceErrorsHavePlaces(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	err := rt.Load(`
package p

func F() f32 {
	return wrong
}`, nil)
	var list ti.SourceErrors
	if !errors.As(err, &list) || list[0].Pos.Filename != "errors_test.go" || !strings.Contains(list[0].Line, "return wrong") {
		t.Fatalf("%+v", err)
	}
	data, readErr := os.ReadFile("errors_test.go")
	if readErr != nil {
		t.Fatal(readErr)
	}
	if line := strings.Split(string(data), "\n")[list[0].Pos.Line-1]; line != "\treturn wrong" {
		t.Errorf("position %v is of line %q", list[0].Pos, line)
	}
	var one *ti.SourceError
	if !errors.As(err, &one) || one.Code.String() == "" {
		t.Error(one)
	}
	if err := rt.Load("package p\nfunc F() f32 { return wrong }", nil); !strings.Contains(err.Error(), "source:2:") {
		t.Error(err)
	}
	for _, s := range []ti.Source{
		ti.Files(fstest.MapFS{}, "*.ti"), ti.Files(os.DirFS(filepath.Join(t.TempDir(), "none")), "["), ti.Files(fstest.MapFS{}),
	} {
		if _, err := rt.Compile(s, nil); !errors.As(err, &list) || !strings.Contains(err.Error(), "TI0718") {
			t.Errorf("%v", err)
		}
	}
}

// TestConfigProcessor names a processor that libLLVM does not know.
func TestConfigProcessor(t *testing.T) {
	llvmtest.Needs(t)
	for name, value := range map[string]string{"TI_ARCH": "", "TI_INSTEAD": "", "TI_PROCESSOR": "z80"} {
		t.Setenv(name, value)
	}
	rt, err := ti.New(ti.Config{})
	if err == nil || !strings.Contains(err.Error(), `TI_PROCESSOR="z80": there is no such processor for`) {
		t.Error(err)
	}
	if rt != nil {
		_ = rt.Close()
	}
}

func TestConfigErrors(t *testing.T) {
	tests := []struct {
		cfg  ti.Config
		env  string
		want string
	}{
		{ti.Config{Threads: -1}, "", "Threads is -1"},
		{ti.Config{Int: 16}, "", "Int is 16"},
		{ti.Config{Float: 80}, "", "Float is 80"},
		{ti.Config{MemoryLimit: -5}, "", "MemoryLimit is -5"},
		{ti.Config{Arch: 99}, "", "arch(99)"},
		{ti.Config{Device: -1}, "", "Device is -1; devices are counted from 0"},
		{ti.Config{Arch: ti.LLVM, Device: 1}, "", "the architecture llvm has one device, number 0"},
		{ti.Config{Arch: ti.Oracle, Device: 2}, "", "the architecture oracle has one device, number 0"},
		{ti.Config{}, "TI_DEVICE=llvmpipe", `TI_DEVICE="llvmpipe" is not a number`},
		{ti.Config{}, "TI_ARCH=gpu", `unknown architecture "gpu"`},
		{ti.Config{}, "TI_THREADS=many", `TI_THREADS="many"`},
		{ti.Config{}, "TI_UNCHECKED=perhaps", `TI_UNCHECKED="perhaps"`},
		{ti.Config{}, "TI_LIBLLVM=/nonexistent/libLLVM.so", "/nonexistent/libLLVM.so"},
	}
	t.Setenv("TI_ARCH", "")
	t.Setenv("TI_INSTEAD", "")
	for _, tt := range tests {
		name, value, _ := strings.Cut(tt.env, "=")
		if name != "" {
			t.Setenv(name, value)
		}
		rt, err := ti.New(tt.cfg)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v, %s: %v", tt.cfg, tt.env, err)
		}
		if rt != nil {
			_ = rt.Close()
		}
		if name == "TI_LIBLLVM" && (!errors.Is(err, ti.ErrArch) || !strings.Contains(err.Error(), "install")) {
			t.Error(err)
		}
		if name != "" {
			t.Setenv(name, "")
		}
	}
	t.Setenv("TI_ARCH", "Oracle")
	rt := titest.New(t, ti.Config{})
	if rt.Device().Arch != ti.Oracle {
		t.Error(rt.Device())
	}
	for _, d := range ti.Devices() {
		var a ti.Arch
		text, err := d.Arch.MarshalText()
		if err != nil || a.UnmarshalText(text) != nil || a != d.Arch || d.Name == "" || d.Target == "" || d.Memory <= 0 || d.Threads < 1 && d.Warp == 0 {
			t.Errorf("%+v", d)
		}
	}
}

// TestBoundTwice binds one field under two names, and a member beside its whole.
func TestBoundTwice(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	v := ti.NewField[ti.Vec2](rt, 4)
	const source = "package p\nvar A field[vec2]\nvar B field[vec2]\nvar C field[f32]\nfunc F() { A[0] = B[0] * C[0] }"
	_, err := rt.Compile(ti.Text("p.ti", source), ti.Bindings{"A": v, "B": v, "C": ti.Member[float32](v, "[1]")})
	if err == nil || strings.Count(err.Error(), "TI0717") != 3 || !strings.Contains(err.Error(), "vars A and C") {
		t.Error(err)
	}
	w := ti.NewField[ti.Vec2](rt, 4)
	p, err := rt.Compile(ti.Text("p.ti", source), ti.Bindings{"A": v, "B": w, "C": ti.Member[float32](ti.NewField[ti.Mat2](rt, 4), "[1][0]")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Kernel("F").Launch(context.Background()); err != nil {
		t.Error(err)
	}
}

// A bundle with fields in it is passed by its address, and the help says so.
func TestBundleParameter(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	type set struct{ X ti.Field[float32] }
	const source = "package p\n\ntype Set struct {\n\tX field[f32]\n}\n\nfunc S(a Set) { a.X[0] += 1 }\n"
	err := rt.Load(source, &struct{ S func(a set) error }{})
	if err == nil || !strings.Contains(err.Error(), "write it as S func(a *Set) error") {
		t.Errorf("the error is %v", err)
	}
	var h struct {
		Bound set
		Use   func() error
	}
	rt.Place(ti.Shape{4}, &h.Bound.X)
	if err := rt.Load(source+"\nvar Bound Set\n\nfunc Use() { S(Bound) }\n", &h); err != nil {
		t.Fatal(err)
	}
	if err := h.Use(); err != nil || h.Bound.X.At(0) != 1 {
		t.Errorf("%v, %v", err, h.Bound.X.At(0))
	}
}

// What parses of a source is checked beside what does not.
func TestErrorsBesideSyntax(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	err := rt.Load("package p\n\nfunc F(a f32) f32 {\n\tb := a @ 2\n\tc := missing\n\treturn b + c\n}\n\nfunc G() { wrong() }\n", &struct{}{})
	var list ti.SourceErrors
	if !errors.As(err, &list) || len(list) != 3 {
		t.Fatalf("the errors are\n%v", err)
	}
	for i, want := range []string{"TI0107", "TI0201", "TI0201"} {
		if got := list[i].Code.String(); got != want {
			t.Errorf("error %d is %v, want %s", i, list[i], want)
		}
	}
}
