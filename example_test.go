package ti_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"testing/fstest"
	"time"

	ti "github.com/gotaichi/ti"
)

// mustNew starts a runtime for an example.
func mustNew(cfg ti.Config) *ti.Runtime {
	rt, err := ti.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	return rt
}

// mustShare starts a runtime whose fields are in the program's memory, also where tests run on a device that has its own.
func mustShare() *ti.Runtime {
	const redirects = "TI_INSTEAD"
	if instead := os.Getenv(redirects); instead == "apart" || instead == "vulkan" {
		os.Unsetenv(redirects)
		defer os.Setenv(redirects, instead)
	}
	return mustNew(ti.Config{Arch: ti.LLVM})
}

func ExampleRuntime_Load() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	var s struct {
		X      ti.Field[ti.Vec2]
		Speed  float32 // a compile-time constant, read at each launch
		Turn   func()
		Length func() (float32, error)
	}
	rt.Place(ti.Shape{100}, &s.X)
	err := rt.Load(`
package turn

var (
	X     field[vec2]
	Speed f32
)

func Turn() {
	for i := range X {
		X[i] += Speed * vec2(-X[i].y, X[i].x)
	}
}

func Length() (sum f32) {
	for i := range X {
		sum += length(X[i])
	}
	return
}
`, &s)
	if err != nil {
		log.Fatal(err)
	}
	s.X.Fill(ti.Vec2{3, 4})
	s.Turn() // with a speed of 0, nothing moves
	sum, err := s.Length()
	fmt.Println(sum, err)
	s.Speed = 1
	s.Turn()
	fmt.Println(s.X.At(0))
	// Output:
	// 500 <nil>
	// [-1 7]
}

func ExampleField() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	var temperature ti.Field[float32]
	rt.Place(ti.Shape{2, 3}, &temperature)
	temperature.Fill(20)
	temperature.Set(35.5, 1, 2)
	fmt.Println(temperature.At(1, 2), temperature.Shape())
	for idx, v := range temperature.All() {
		if v > 30 {
			fmt.Println("hot at", idx[:2])
		}
	}
	// Output:
	// 35.5 [2 3]
	// hot at [1 2]
}

func ExampleField_Slice() {
	rt := mustShare()
	defer rt.Close()
	x := ti.NewField[int32](rt, 2, 4)
	s, err := x.Slice()
	if err != nil {
		log.Fatal(err)
	}
	for i := range s {
		s[i] = int32(i * i) // the field's own memory
	}
	fmt.Println(x.At(1, 3))
	// Output: 49
}

func ExampleTree() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	var density ti.Field[float32]
	var speed ti.Field[ti.Vec3]
	t := rt.NewTree().Origin(ti.IJ, -32)
	blocks := t.Dense(ti.IJ, 4)                     // 4×4 blocks
	blocks.Dense(ti.IJ, 16).Place(&density, &speed) // of 16×16 (density, speed) pairs
	if err := t.Err(); err != nil {
		log.Fatal(err)
	}
	speed.Set(ti.Vec3{1, 2, 3}, -32, 31)
	fmt.Println(density.Shape(), density.Origin(), t.Bytes())
	// Output: [64 64] [-32 -32] 65536
}

func ExampleNode_Shape() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	n := rt.NewTree().Dense(ti.JI, 8, 4).Dense(ti.I, 2)
	fmt.Println(n.Shape()) // in the order of the axes' names
	// Output: [8 8]
}

func ExampleMembers() {
	rt := mustShare()
	defer rt.Close()
	var v ti.Field[ti.Vec3] // three arrays of floats: x, y and z
	rt.Place(ti.Shape{1000}, ti.Members(&v)...)
	v.Set(ti.Vec3{1, 2, 3}, 10)
	y := ti.Member[float32](&v, "[1]")
	ys, err := y.Slice()
	fmt.Println(ys[10], len(ys), err)
	// Output: 2 1000 <nil>
}

func ExampleRuntime_Compile() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	files := fstest.MapFS{
		"wave.ti": {Data: []byte("package wave\n\nvar H field[f32]\n\nfunc Bump(i i32, height f32) f32 {\n\tH[i] += height\n\treturn double(H[i])\n}\n")},
		"util.ti": {Data: []byte("package wave\n\nfunc double(x f32) f32 { return 2 * x }\n")},
	}
	p, err := rt.Compile(ti.Files(files, "*.ti"), ti.Bindings{"H": ti.NewField[float32](rt, 16)})
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range p.Kernels() {
		fmt.Println(k)
	}
	results, err := p.Kernel("Bump").Launch(context.Background(), int32(3), float32(1.5))
	fmt.Println(results[0], err)
	// Output:
	// func Bump(i i32, height f32) f32
	// 3 <nil>
}

func ExampleKernel_Launch() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	p, err := rt.Compile(ti.Text("scale.ti", `
package scale

func Scale(x []f32, by f32) {
	for i := range x {
		x[i] *= by
	}
}`), nil)
	if err != nil {
		log.Fatal(err)
	}
	x := []float32{1, 2, 3} // worked on in place
	if _, err := p.Kernel("Scale").Launch(context.Background(), x, float32(10)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	_, err = p.Kernel("Scale").Launch(context.Background(), x, "ten")
	fmt.Println(errors.Is(err, ti.ErrArgs))
	// Output:
	// [10 20 30]
	// true
}

func ExampleRuntimeError() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	var s struct {
		X     ti.Field[float32]
		Shift func() error
	}
	rt.Place(ti.Shape{100}, &s.X)
	_, err := rt.Compile(ti.Text("shift.ti", `package shift
var X field[f32]
func Shift() {
	X[len(X)] = 1
}`), &s)
	if err != nil {
		log.Fatal(err)
	}
	err = s.Shift()
	var e *ti.RuntimeError
	if errors.As(err, &e) && errors.Is(err, ti.ErrRange) {
		fmt.Println(e.Field, e.Index, e.Shape, e.Pos)
	}
	// Output: X [100] [100] shift.ti:4:2
}

func ExampleSourceErrors() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	_, err := rt.Compile(ti.Text("bad.ti", `package bad
func F(n i32) f32 {
	return n
}`), nil)
	var list ti.SourceErrors
	if errors.As(err, &list) {
		fmt.Println(len(list), list[0].Pos, list[0].Code)
	}
	// Output: 1 bad.ti:3:9 TI0302
}

func ExampleArch() {
	var arch ti.Arch
	flags := flag.NewFlagSet("program", flag.ContinueOnError)
	flags.TextVar(&arch, "arch", ti.CPU, "where kernels run")
	if err := flags.Parse([]string{"-arch", "oracle"}); err != nil {
		log.Fatal(err)
	}
	rt := mustNew(ti.Config{Arch: arch})
	defer rt.Close()
	fmt.Println(rt.Device().Arch)
	// Output: oracle
}

func ExampleDevices() {
	for _, d := range ti.Devices() {
		if d.Arch == ti.Oracle {
			fmt.Println(d.Name)
		}
	}
	// Output: reference interpreter
}

func ExampleConfig_progress() {
	rt := mustNew(ti.Config{
		Threads: 2,
		Progress: func(p ti.Progress) { // called while something takes long
			if p.Total > 0 {
				fmt.Printf("\r%s: %d %%", p.Kernel, 100*p.Done/p.Total)
			}
		},
	})
	defer rt.Close()
	fmt.Println(rt.Device().Threads)
	// Output: 2
}

func ExampleRuntime_Stats() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	var s struct{ Nothing func() }
	if err := rt.Load("package p\nfunc Nothing() {}", &s); err != nil {
		log.Fatal(err)
	}
	if err := rt.Prepare(context.Background()); err != nil { // compiles now, not at the first launch
		log.Fatal(err)
	}
	s.Nothing()
	s.Nothing()
	st := rt.Stats()
	fmt.Println(st.Launches, st.Compiled, st.CompileTime < time.Minute)
	// Output: 2 1 true
}

func ExampleShape() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	total := ti.NewField[float64](rt) // the empty shape: a single element
	total.Set(2.5)
	fmt.Println(total.At(), len(total.Shape()))
	// Output: 2.5 0
}

func ExampleIndex() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	x := ti.NewField[uint8](rt, 3, 3)
	x.Set(9, 2, 1)
	best := map[ti.Index]uint8{}
	for idx, v := range x.All() {
		if v > 0 {
			best[idx] = v
		}
	}
	fmt.Println(best)
	// Output: map[[2 1 0 0 0 0 0 0]:9]
}
