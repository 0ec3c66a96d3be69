package compiled_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
	"github.com/gotaichi/ti/internal/titest"
)

// TestTapeOfExtrema differentiates minima and maxima over iterations: of elements, through any index, of components and
// of variables.
func TestTapeOfExtrema(t *testing.T) {
	const source = `
package pool

var (
	X, Y field[f32]
	V    field[vec3]
	Lo   field[f64, D0]
	Loss field[f32, D0]
)

func Pool() {
	for i := range Y {
		Y[i] = -inf
	}
	V[1] = vec3(9)
	Lo = 3
	for i := range X {
		Y[(i*7)%Y.shape[0]] = max(Y[(i*7)%Y.shape[0]], sin(X[i]*3)*X[i])
		V[1] = min(V[1], vec3(X[i], X[(i+1)%X.shape[0]]*X[i], cos(X[i])))
		Lo = min(Lo, f64(X[i]*X[i])+0.1)
	}
}

func Sum() {
	m := -inf
	for i := range Y {
		m = max(m, Y[i]*2)
	}
	for i := range Y {
		Loss += sqr(Y[i]-m)*0.01
	}
	Loss += dot(V[1], vec3(1, 2, 3)) + f32(Lo)
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y      ti.Field[float32]
			V         ti.Field[ti.Vec3]
			Lo        ti.Field[float64]
			Loss      ti.Field[float32]
			Pool, Sum func() error
		}
		const n = 1000
		rt.Place(ti.Shape{n}, ti.WithGrad(&s.X)...)
		rt.Place(ti.Shape{37}, ti.WithGrad(&s.Y)...)
		rt.NewTree().Origin("i", -1).Dense("i", 4).Place(ti.WithGrad(&s.V)...)
		rt.Place(nil, ti.WithGrad(&s.Lo, &s.Loss)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			s.X.Set(float32(rng.Float64()*4-2), i)
		}
		err := gradcheck.Check(rt, &s.Loss, func() error {
			s.Loss.Fill(0)
			if err := s.Pool(); err != nil {
				return err
			}
			return s.Sum()
		}, &s.X)
		if err != nil {
			t.Error(err)
		}
	})
}

// TestLowestIteration has many iterations attain an extremum: the first one gets the adjoint, at any number of threads.
func TestLowestIteration(t *testing.T) {
	const source = `
package ties

var (
	X    field[f32, D2]
	Y    field[f32]
	Loss field[f32, D0]
)

func Rows() {
	for i := range Y {
		Y[i] = 0
	}
	for i, j := range X {
		Y[i] = max(Y[i], X[i][j])
	}
}

func Columns() {
	for i := range Y {
		Y[i] = 8
		for j := range X.shape[1] {
			Y[i] = min(Y[i], X[i][j]*X[i][j])
		}
	}
}

func Sum() {
	for i := range Y {
		Loss += Y[i]
	}
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Loss         ti.Field[float32]
			Rows, Columns, Sum func() error
		}
		rt.Place(ti.Shape{8, 300}, ti.WithGrad(&s.X)...)
		rt.Place(ti.Shape{8}, ti.WithGrad(&s.Y)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			for j := range 300 {
				s.X.Set(float32((j+3*i)%20), i, j) // 19 at j = 19-3i, 39-3i, …
			}
		}
		for _, c := range []struct {
			f      func() error
			at     func(i int) int
			factor float32
		}{
			{s.Rows, func(i int) int { return (39 - 3*i) % 20 }, 1},
			{s.Columns, func(i int) int { return (40 - 3*i) % 20 }, 0},
		} {
			s.Loss.Fill(0)
			if c.factor == 0 { // so that the derivative of the square is not 0
				for i := range 8 {
					for j := range 300 {
						s.X.Set(s.X.At(i, j)+1, i, j)
					}
				}
				c.factor = 2
			}
			if err := rt.Tape(&s.Loss, func() error { return errors.Join(c.f(), s.Sum()) }); err != nil {
				t.Fatal(err)
			}
			for i := range 8 {
				for j := range 300 {
					want := float32(0)
					if j == c.at(i) {
						want = c.factor
					}
					if got := s.X.Grad().At(i, j); got != want {
						t.Errorf("the adjoint of (%d, %d) is %v and not %v", i, j, got, want)
					}
				}
			}
		}
	})
}

// TestTangentOfExtrema carries the tangent of the value that is the extremum.
func TestTangentOfExtrema(t *testing.T) {
	const source = `
package tangents

var (
	X field[f64]
	Y field[f64, D0]
)

func Most() {
	Y = X[0]
	for i := range X {
		Y = max(Y, sin(X[i]))
	}
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y ti.Field[float64]
			Most func() error
		}
		rt.Place(ti.Shape{100}, ti.WithDual(&s.X)...)
		rt.Place(nil, ti.WithDual(&s.Y)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		best := 0
		for i := range 100 {
			s.X.Set(math.Mod(float64(i)*0.37, 1.5), i)
			s.X.Dual().Set(float64(i), i)
			if s.X.At(i) > s.X.At(best) {
				best = i
			}
		}
		if err := rt.Tangent(s.Most); err != nil {
			t.Fatal(err)
		}
		if got, want := s.Y.Dual().At(), math.Cos(s.X.At(best))*float64(best); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("the tangent is %v and not %v", got, want)
		}
	})
}

// TestFirstLoop has two loops and a value before them attain an extremum of a variable, and of arrays: what came first gets the adjoint.
func TestFirstLoop(t *testing.T) {
	const source = `
package first

var (
	X    field[f32] // all alike
	Y    field[f32]
	Loss field[f32, D0]
)

func Variable(before f32) {
	m := before
	if before == 1 {
		m = X[9]
	}
	for i := range 3 {
		m = max(m, X[i+1])
	}
	for i := range 3 {
		m = max(m, X[i+5])
	}
	Loss += m
}

func Array(before f32) {
	var m [4]f32
	for i := range serial(4) {
		m[i] = before
	}
	m[2] = X[9]
	for i := range 6 {
		m[i%4] = max(m[i%4], X[i])
	}
	for i := range 10 {
		m[i%4] = max(m[i%4], X[9-i])
	}
	for i := range Y {
		Loss += m[i]
	}
}

func Fields() {
	for i := range Y {
		Y[i] = 0
	}
	for i := range 3 {
		Y[0] = max(Y[0], X[i+1])
	}
	for i := range 3 {
		Y[0] = max(Y[0], X[i])
	}
	Loss += Y[0]
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Loss      ti.Field[float32]
			Variable, Array func(before float32) error
			Fields          func() error
		}
		rt.Place(ti.Shape{10}, ti.WithGrad(&s.X)...)
		rt.Place(ti.Shape{4}, ti.WithGrad(&s.Y)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		s.X.Fill(1)
		for _, c := range []struct {
			what string
			run  func() error
			want []int // elements of X with the derivative 1
		}{
			{"a variable", func() error { return s.Variable(0) }, []int{1}},
			{"a variable that begins so", func() error { return s.Variable(1) }, []int{9}},
			{"a variable that is larger", func() error { return s.Variable(2) }, nil},
			{"an array", func() error { return s.Array(0) }, []int{0, 1, 9, 3}},
			{"a field", s.Fields, []int{1}},
		} {
			if err := rt.Tape(&s.Loss, c.run); err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			for i := range 10 {
				want := float32(0)
				if slices.Contains(c.want, i) {
					want = 1
				}
				if got := s.X.Grad().At(i); got != want {
					t.Errorf("%s: the derivative by X[%d] is %v, want %v", c.what, i, got, want)
				}
			}
		}
	})
}

// TestSparseExtrema has minima and maxima in sparse trees, with adjoints there and in dense ones.
func TestSparseExtrema(t *testing.T) {
	const source = `
package cells

var (
	X    field[f64]
	Y, Z field[f64, D2]
	Loss field[f64, D0]
)

func Most() {
	for i, j := range Y {
		Y[i][j] = 0
	}
	for i, j := range Z {
		Z[i][j] = 9
	}
	for i := range X {
		Y[i*3][i%7] = max(Y[i*3][i%7], sin(X[i]))
		Y[24][i%3] = max(Y[24][i%3], X[i]*X[i])
		Z[i%5][40] = min(Z[i%5][40], X[i]*2)
	}
}

func Sum() {
	for i, j := range Y {
		Loss += sqr(Y[i][j])*f64(i+j)
	}
	for i, j := range Z {
		Loss += Z[i][j]*f64(i+2)
	}
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Z, Loss ti.Field[float64]
			Most, Sum     func() error
		}
		rt.Place(ti.Shape{20}, ti.WithGrad(&s.X)...)
		rt.NewTree().Origin("ij", -4, 0).Pointer("ij", 16, 8).Dense("ij", 4, 8).Place(ti.WithGrad(&s.Y)...)
		rt.NewTree().Hash("ij", 4, 16).Bitmasked("ij", 16, 4).Place(ti.WithGrad(&s.Z)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			s.X.Set(math.Mod(float64(i)*0.77+0.3, 1.5), i)
		}
		for i := range 5 {
			s.Z.Grad().Set(0, i, 40)
		}
		for i := range 20 {
			s.Y.Grad().Set(0, i*3, i%7)
			s.Y.Grad().Set(0, 24, i%3)
		}
		run := func() error {
			s.Loss.Fill(0)
			return errors.Join(s.Most(), s.Sum())
		}
		titest.Must(t, run())
		if err := gradcheck.Check(rt, &s.Loss, run, &s.X); err != nil {
			t.Error(err)
		}
	})
}

// TestWideExtrema has a sparse field of more elements than there is memory for keys, or of any number.
func TestWideExtrema(t *testing.T) {
	for _, c := range []struct {
		node  func(t *ti.Tree) *ti.Node
		is    error
		wants string
	}{
		{func(t *ti.Tree) *ti.Node { return t.Hash("ij", 1<<20, 1<<20).Dense("ij", 8, 8) }, ti.ErrMemory, "for each element of Y, 70368744177664 in all"},
		{func(t *ti.Tree) *ti.Node { return t.Hash("ij").Dense("ij", 8, 8) }, ti.ErrGradient, "a hash node without sizes gives it no bounds"},
	} {
		rt := titest.New(t, ti.Config{})
		var s struct {
			X, Loss ti.Field[float32]
			Y       ti.Field[float32]
			Most    func() error
		}
		rt.Place(ti.Shape{20}, ti.WithGrad(&s.X)...)
		c.node(rt.NewTree()).Place(ti.WithGrad(&s.Y)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		titest.Must(t, rt.Load(`
package wide

var (
	X    field[f32]
	Y    field[f32, D2]
	Loss field[f32, D0]
)

func Most() {
	for i := range X {
		Y[5][i%3] = max(Y[5][i%3], X[i])
	}
	Loss += Y[5][1]
}
`, &s))
		titest.Must(t, s.Most())
		if err := rt.Tape(&s.Loss, s.Most); !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.wants) {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestTangentDraws draws in loops whose iterations forward mode puts in order: the numbers are those of the launch alone.
func TestTangentDraws(t *testing.T) {
	const source = `
package draws

var (
	X    field[f64]
	M    field[f64, D2]
	P, Y field[f64, D0]
)

func Draw() {
	P = 1
	Y = X[0]
	for i := range X {
		X[i] += random(f64)
	}
	for p := range M {
		M[p] = random(f64)
		P *= 1 + 0.1*M[p]*random(f64)
	}
	for i := range span(1, 3) {
		Y = max(Y, X[i]*random(f64))
	}
}
`
	draw := func(arch ti.Arch, launch func(*ti.Runtime, func() error) error) (drawn []float64) {
		rt := titest.New(t, ti.Config{Arch: arch, Threads: 2, Seed: 5})
		var s struct {
			X, M, P, Y ti.Field[float64]
			Draw       func() error
		}
		rt.Place(ti.Shape{3}, ti.WithDual(&s.X)...)
		rt.Place(ti.Shape{2, 3}, ti.WithDual(&s.M)...)
		rt.Place(nil, ti.WithDual(&s.P, &s.Y)...)
		titest.Must(t, rt.Load(source, &s))
		titest.Must(t, launch(rt, s.Draw))
		for i := range 6 {
			drawn = append(drawn, s.M.At(i/3, i%3), s.X.At(i/2))
		}
		return append(drawn, s.P.At(), s.Y.At())
	}
	want := draw(ti.CPU, func(_ *ti.Runtime, launch func() error) error { return launch() })
	for _, arch := range []ti.Arch{ti.Oracle, ti.CPU} {
		if got := draw(arch, (*ti.Runtime).Tangent); !slices.EqualFunc(got, want, titest.Near(1e-15)) {
			t.Errorf("%v: with tangents it computes %v, and without %v", arch, got, want)
		}
	}
}
