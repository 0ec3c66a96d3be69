package ti_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// every passes values of all parameter and result types through kernels.
type every struct {
	Bool   func(a bool) bool
	I8     func(a int8) int8
	I16    func(a int16) int16
	I32    func(a int32) int32
	I64    func(a int64) (int64, error)
	U8     func(a uint8) uint8
	U16    func(a uint16) uint16
	U32    func(a uint32) uint32
	U64    func(ctx context.Context, a uint64) uint64
	F32    func(a float32) float32
	F64    func(a float64) float64
	Int    func(a int) int
	V3     func(a ti.Vec3) ti.Vec3
	M2     func(a ti.DMat2) ti.DMat2
	Two    func(a int8, b float64) (float64, int8)
	Fill   func(x []float32, v float32)
	Len    func(x []ti.Vec3, y []uint8) int
	Answer func() (int32, error)
	Half   func() float64
}

const everySource = `
package every

func Bool(a bool) bool { return !a }
func I8(a i8) i8 { return a + 1 }
func I16(a i16) i16 { return a + 1 }
func I32(a i32) i32 { return a + 1 }
func I64(a i64) i64 { return a + 1 }
func U8(a u8) u8 { return a + 1 }
func U16(a u16) u16 { return a + 1 }
func U32(a u32) u32 { return a + 1 }
func U64(a u64) u64 { return a + 1 }
func F32(a f32) f32 { return a / 2 }
func F64(a f64) f64 { return a / 2 }
func Int(a int) int { return -a }
func V3(a vec3) vec3 { return a.zyx }
func M2(a dmat2) dmat2 { return transpose(a) }
func Two(a i8, b f64) (f64, i8) { return b + 1, a * 2 }
func Fill(x []f32, v f32) {
	for i := range x {
		x[i] = v * f32(i)
	}
}
func Len(x []vec3, y []u8) int { return len(x)*1000 + len(y) }
func Answer() i32 { return 42 }
func Half() f64 { return 0.5 }
`

func TestEveryType(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var e every
		if err := rt.Load(everySource, &e); err != nil {
			t.Fatal(err)
		}
		i64, err64 := e.I64(math.MaxInt64)
		answer, errAnswer := e.Answer()
		f, i := e.Two(-64, 1.5)
		x := make([]float32, 1000)
		e.Fill(x, 0.5)
		e.Fill(nil, 1)
		got := []any{
			e.Bool(true), e.I8(127), e.I16(-5), e.I32(-1), i64, err64, e.U8(255), e.U16(9), e.U32(1 << 31),
			e.U64(context.Background(), math.MaxUint64), e.F32(3), e.F64(1e300), e.Int(7),
			e.V3(ti.Vec3{1, 2, 3}), e.M2(ti.DMat2{{1, 2}, {3, 4}}), f, i, x[999],
			e.Len(make([]ti.Vec3, 3), make([]uint8, 5)), e.Len(nil, nil), answer, errAnswer, e.Half(),
		}
		want := []any{
			false, int8(-128), int16(-4), int32(0), int64(math.MinInt64), nil, uint8(0), uint16(10), uint32(1<<31 + 1),
			uint64(0), float32(1.5), 5e299, -7,
			ti.Vec3{3, 2, 1}, ti.DMat2{{1, 3}, {2, 4}}, 2.5, int8(-128), float32(499.5),
			3005, 0, int32(42), nil, 0.5,
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("value %d: got %v (%T), want %v (%T)", i, got[i], got[i], want[i], want[i])
			}
		}
	})
}

func TestIntThatDoesNotFit(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var s struct {
		Int  func(a int) (int, error)
		Fast func(a int) error
	}
	err := rt.Load("package p\nfunc Int(a int) int { return a }\nfunc Fast(a int) {}", &s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Int(1 << 40); !errors.Is(err, ti.ErrArgs) {
		t.Error(err)
	}
	if err := s.Fast(1 << 40); !errors.Is(err, ti.ErrArgs) {
		t.Error(err)
	}
	wide := titest.New(t, ti.Config{Int: 64, Float: 64})
	if err := wide.Load("package p\nfunc Int(a int) int { return a }\nfunc Fast(a int) {}", &s); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Int(1 << 40); got != 1<<40 || err != nil {
		t.Error(got, err)
	}
}

func TestLaunchByName(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		p, err := rt.Compile(ti.Text("every.ti", everySource), nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		out, err := p.Kernel("Two").Launch(ctx, int8(3), 0.5)
		if err != nil || !reflect.DeepEqual(out, []any{1.5, int8(6)}) {
			t.Errorf("%v, %v", out, err)
		}
		type scale float32
		x := []float32{1, 2}
		if out, err := p.Kernel("Fill").Launch(ctx, x, scale(3)); err != nil || out != nil || x[1] != 3 {
			t.Errorf("%v, %v, %v", out, err, x)
		}
		if out, err := p.Kernel("Int").Launch(ctx, 5); err != nil || out[0] != int32(-5) {
			t.Errorf("%v, %v", out, err)
		}
		for _, args := range [][]any{{}, {1.5}, {nil, 1.5}, {int8(1), 1.5, 2}} {
			if _, err := p.Kernel("Two").Launch(ctx, args...); !errors.Is(err, ti.ErrArgs) {
				t.Errorf("%v: %v", args, err)
			}
		}
		if _, err := p.Kernel("None").Launch(ctx); !errors.Is(err, ti.ErrArgs) {
			t.Error(err)
		}
		if got := p.Kernel("Fill").String(); got != "func Fill(x []f32, v f32)" || len(p.Kernels()) != 19 {
			t.Errorf("%q, %d kernels", got, len(p.Kernels()))
		}
	})
}

// TestConstantsAreReadAtLaunch changes host constants between launches.
func TestConstantsAreReadAtLaunch(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			N     int
			Gain  float32
			Table [2][2]int8
			Off   bool `ti:"Disabled"`
			F     func() (float32, error)
			Other func() int32
		}
		s.N, s.Gain = 3, 0.5
		const source = `package p
var (
	N i32
	Gain f32
	Table [2][2]i8
	Disabled bool
)
func F() f32 {
	if Disabled {
		return -1
	}
	return f32(N)*Gain + f32(Table[1][0])
}
func Other() i32 { return N }`
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		check := func(want float32) {
			t.Helper()
			for range 2 {
				if got, err := s.F(); got != want || err != nil {
					t.Errorf("got %v, %v, want %v", got, err, want)
				}
			}
		}
		check(1.5)
		s.Gain = 2
		check(6)
		s.Table[1][0] = -7
		check(-1)
		s.Off = true
		check(-1)
		s.Gain, s.Table[1][0], s.Off = 0.5, 0, false
		check(1.5)
		if s.Other() != 3 {
			t.Error("Other", s.Other())
		}
		compiled := rt.Stats().Compiled
		s.Gain = 0.75
		check(2.25)
		s.Other()
		if got := rt.Stats().Compiled - compiled; got != 1 {
			t.Errorf("%d kernels compiled for a constant that one of them uses", got)
		}
		s.N = 1 << 40
		if _, err := s.F(); !errors.As(err, new(ti.SourceErrors)) {
			t.Errorf("a constant that does not fit: %v", err)
		}
	})
}

func TestRangeError(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X     ti.Field[float32]
			Write func(d int32) error
			Slice func(x []int32, i int32) (int32, error)
			Panic func()
		}
		rt.NewTree().Origin(ti.J, -2).Dense(ti.IJ, 4, 5).Place(&s.X)
		const source = `package p
var X field[f32]
func Write(d i32) {
	for i, j := range X {
		X[i+d][j] = 1
	}
}
func Slice(x []i32, i i32) i32 { return x[i] + 1 }
func Panic() { X[100][0] = 1 }`
		if _, err := rt.Compile(ti.Text("range.ti", source), &s); err != nil {
			t.Fatal(err)
		}
		if err := s.Write(0); err != nil {
			t.Fatal(err)
		}
		s.X.Fill(0)
		err := s.Write(2)
		var e *ti.RuntimeError
		if !errors.As(err, &e) || !errors.Is(err, ti.ErrRange) {
			t.Fatal(err)
		}
		if e.Kernel != "Write" || e.Pos.Filename != "range.ti" || e.Pos.Line != 5 || e.Field != "X" || e.Count < 1 ||
			len(e.Index) != 2 || e.Index[0] < 4 || e.Index[0] != e.Loop[0]+2 || !reflect.DeepEqual(e.Shape, ti.Shape{4, 5}) {
			t.Errorf("%+v", e)
		}
		if !strings.Contains(err.Error(), "range.ti:5:") || !strings.Contains(err.Error(), "out of range") {
			t.Error(err)
		}
		sum := float32(0)
		for _, v := range s.X.All() {
			sum += v
		}
		if sum != 10 || s.X.At(0, -2) != 0 || s.X.At(3, 2) != 1 {
			t.Errorf("%v elements written", sum)
		}
		if v, err := s.Slice([]int32{1, 2, 3}, 3); v != 0 || !errors.As(err, &e) || e.Field != "x" || e.Index[0] != 3 || e.Shape[0] != 3 || len(e.Loop) != 0 {
			t.Errorf("%v, %+v", v, e)
		}
		defer func() {
			if err, ok := recover().(error); !ok || !errors.Is(err, ti.ErrRange) {
				t.Errorf("recovered %v", err)
			}
		}()
		s.Panic()
	})
}

func TestContext(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			Long func(ctx context.Context, n int32) (int32, error)
		}
		rounds := "100000"
		if titest.InSoftware(rt) {
			rounds = "10000" // a driver in software does not do more in an iteration
		}
		const source = `package p
func Long(n i32) (r i32) {
	for i := range n {
		x := i
		for k := range ROUNDS {
			x = x*1664525 + k
		}
		r ^= x
	}
	return
}`
		if err := rt.Load(strings.ReplaceAll(source, "ROUNDS", rounds), &s); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		start := time.Now()
		if _, err := s.Long(ctx, math.MaxInt32); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("stopped after %v", d)
		}
		if _, err := s.Long(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if _, err := s.Long(context.Background(), 2); err != nil {
			t.Error(err)
		}
	})
}

// TestManyGoroutines launches one kernel from many goroutines, and two runtimes
// side by side.
func TestManyGoroutines(t *testing.T) {
	type counter struct {
		N   ti.Field[int32]
		Add func(n int32) error
	}
	const source = "package p\nvar N field[i32, D0]\nfunc Add(n i32) {\n\tfor range n {\n\t\tN += 1\n\t}\n}"
	var cs [2]counter
	for i := range cs {
		rt := titest.New(t, ti.Config{Threads: 2})
		rt.Place(nil, &cs[i].N)
		if err := rt.Load(source, &cs[i]); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 50 {
				if err := cs[g%2].Add(100); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i := range cs {
		if got := cs[i].N.At(); got != 4*50*100 {
			t.Errorf("counted %d", got)
		}
	}
}

func TestProgressPrepareStatsDump(t *testing.T) {
	var mu sync.Mutex
	var seen []ti.Progress
	rt := titest.New(t, titest.OnProcessors(t, ti.Config{Progress: func(p ti.Progress) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, p)
	}}))
	var s struct {
		Slow func(n int32) int32
	}
	p, err := rt.Compile(ti.Files(fstest.MapFS{
		"a.ti": {Data: []byte("package p\nfunc Slow(n i32) (r i32) {\n\tfor i := range n {\n\t\tr += work(i)\n\t}\n\treturn\n}")},
		"b.ti": {Data: []byte("package p\nfunc work(i i32) i32 {\n\tx := i\n\tfor k := range 10000 {\n\t\tx = x*1664525 + k\n\t}\n\treturn x & 1\n}")},
	}, "*.ti"), &s)
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for n := int32(1000); time.Since(start) < 700*time.Millisecond; n *= 2 {
		s.Slow(n)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) == 0 || seen[len(seen)-1].Kernel != "Slow" || seen[len(seen)-1].Total == 0 {
		t.Errorf("progress %+v", seen)
	}
	if st := rt.Stats(); st.Compiled != 1 || st.Launches == 0 || st.Tasks < st.Launches || st.CompileTime == 0 {
		t.Errorf("%+v", st)
	}
	stages := []string{"lower", "split", "ir"}
	if rt.Device().Arch == ti.LLVM {
		stages = append(stages, "llvm", "opt", "asm")
	}
	for _, stage := range stages {
		var b strings.Builder
		if err := p.Kernel("Slow").Dump(&b, stage); err != nil || b.Len() == 0 {
			t.Errorf("%s: %v", stage, err)
		}
	}
	if err := p.Kernel("Slow").Dump(nil, "nothing"); err == nil || !strings.Contains(err.Error(), "the stages are lower, ") {
		t.Error(err)
	}
}
