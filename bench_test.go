package ti_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

type empties struct {
	X      ti.Field[float32]
	M      ti.Field[ti.Vec3]
	N      int32
	Empty  func()
	Err    func() error
	One    func(a float32)
	Two    func(n int, v []float32) error
	Number func() float32
	Many   func(a, b, c float32, v ti.Vec3) float32
}

const emptySource = `
package empties

var (
	X field[f32]
	M field[vec3]
	N i32
)

func Empty() {}
func Err() { X[0] = f32(N) }
func One(a f32) { X[0] = a }
func Two(n int, v []f32) { X[0] = f32(n) + v[0] }
func Number() f32 { return X[0] }
func Many(a, b, c f32, v vec3) f32 { return a + b + c + v.x + M[0].x }
`

func loadEmpties(tb testing.TB) (*ti.Runtime, *empties, *ti.Program) {
	tb.Helper()
	rt, err := ti.New(titest.OnProcessors(tb, ti.Config{Arch: ti.LLVM})) // whatever TI_ARCH says: other devices cost more
	if err != nil {
		tb.Fatal(err)
	}
	e := &empties{N: 7}
	rt.Place(ti.Shape{8}, &e.X)
	rt.NewTree().Dense(ti.I, 4).Dense(ti.I, 2).Place(&e.M)
	p, err := rt.Compile(ti.Text("empties.ti", emptySource), e)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = rt.Close() })
	return rt, e, p
}

func BenchmarkLaunch(b *testing.B) {
	_, e, p := loadEmpties(b)
	v := make([]float32, 1)
	ctx := context.Background()
	bench := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	bench("empty", e.Empty)
	bench("error", func() { _ = e.Err() })
	bench("one", func() { e.One(2) })
	bench("two", func() { _ = e.Two(3, v) })
	bench("number", func() { e.Number() })
	bench("reflected", func() { e.Many(1, 2, 3, ti.Vec3{}) })
	k := p.Kernel("Empty")
	bench("Launch", func() { _, _ = k.Launch(ctx) })
	many := p.Kernel("Many")
	args := []any{float32(1), float32(2), float32(3), ti.Vec3{}}
	bench("LaunchMany", func() { _, _ = many.Launch(ctx, args...) })
}

func BenchmarkAtSet(b *testing.B) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	f := ti.NewField[float32](rt, 64, 64)
	f.Set(1, 3, 4)
	b.ReportAllocs()
	var s float32
	for i := range b.N {
		f.Set(s, i&63, 5)
		s += f.At(i&63, 7)
	}
}

// BenchmarkCompileEqualLoops compiles a kernel of 100 equal loops, which have one text.
func BenchmarkCompileEqualLoops(b *testing.B) {
	source := "package k\n\nvar X field[f32]\n\nfunc Many() {\n" + strings.Repeat("\tfor i := range X {\n\t\tX[i] *= 2\n\t}\n", 100) + "}\n"
	for b.Loop() {
		rt, err := ti.New(ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
		if err != nil {
			b.Fatal(err)
		}
		var h struct {
			X    ti.Field[float32]
			Many func() error
		}
		rt.Place(ti.Shape{16}, &h.X)
		if err := errors.Join(rt.Load(source, &h), h.Many(), rt.Close()); err != nil {
			b.Fatal(err)
		}
	}
}
