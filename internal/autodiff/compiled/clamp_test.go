package compiled_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

const clampHeader = `
package clamps

var (
	X       field[f64, D1]
	Y, U, W field[f64, D1] // in fixed point, the same without a sign, and floating-point
	V       field[dvec3, D1]
	S       field[dvec2, D1] // with a shared exponent
	L       field[f64, D0]
)

func Start() {
	for p := range 4 {
		Y[p], U[p], W[p], V[p], S[p] = 1, 2.4, 130900, dvec3(0.5, 2, -0.5), dvec2(130900, 1)
	}
}

func Loss() {
	for p := range 4 {
		L += f64(p+1)*Y[p] + 2*U[p]*U[p] + 0.05*W[p] + V[p].x - 3*V[p].y + 4*V[p].z + 0.05*S[p].x - 0.02*S[p].y
	}
}

`

// clampCases are kernels whose updates clamp. Once an element stands at an end it stays there.
var clampCases = []struct{ name, kernel string }{
	{"own elements", `
	for p := range Y {
		Y[p] += 3*X[p+4]
		U[p] -= X[p+4]
	}`},
	{"several updates of an element", `
	for p := range Y {
		Y[p] += X[p]
		Y[p] -= 0.5*X[3]
		Y[p] += 3*X[p+4]
	}`},
	{"some that lead away, first", `
	for p := range Y {
		Y[p] -= X[p+4]
		Y[p] += 4*X[p+4]
		U[p] += X[p+4]
		U[p] -= 2*sqr(X[p+4])
	}`},
	{"elements of several iterations", `
	for p := range X {
		Y[p/2] += X[p]*X[p]
		U[p*3%4] -= 0.3*X[p]*X[p]
	}`},
	{"an index from memory", `
	for p := range X {
		q := int(abs(X[p])*3+0.3) % 4
		Y[q] -= 3*X[7] + X[p]
	}`},
	{"a constant increment", `
	for p := range Y {
		Y[p] = X[p+4]*2
	}
	for p := range Y {
		Y[p] += 3
		U[p/2] -= 1
	}`},
	{"stored before, in another loop", `
	for p := range Y {
		Y[p] = X[p+4]
		U[p] = sqr(X[p])
	}
	for p := range X {
		Y[p/2] += X[p]*X[p]
		U[p%4] -= X[3] + 0.1*X[p]
	}`},
	{"stored before, in the iteration", `
	for p := range Y {
		Y[p] = X[p+4]
		for q := range 3 {
			Y[p] += X[5]*X[p+q]
		}
	}`},
	{"stored and read again in the iteration", `
	for p := range Y {
		Y[p] = X[p+4]*3.5
		L += Y[p]*Y[p]
		U[p] = 1 + sqr(X[p])
		V[p] = dvec3(X[p], 0.3*X[p+1], 2*X[p+4])
		for q := range 3 {
			if X[q] < 0.1 {
				L += V[p][q]*U[p]
			}
		}
		W[p] = 3000*X[p+4]
		S[p].x = 40000*X[p+4]
		if p > 1 {
			L += W[p]*1e-3*sin(W[p]*1e-5) + S[p].x*1e-4
		}
	}`},
	{"vectors", `
	for p := range X {
		V[p%4] += dvec3(X[p]*X[p], -X[p]*X[p], -1)
	}`},
	{"components chosen at run time", `
	for p := range X {
		V[p%4][p%3] += 2*X[p]
	}`},
	{"empty elements", `
	for p := range Y {
		Y[p] = 0
		U[p] = 0
	}
	for p := range X {
		U[p/2] += X[p]*X[p]*f64(p/2%2)
		U[p/2] -= X[7]*f64(p/4)*f64(p%2)*3
	}`},
	{"branches and loops", `
	for p := range X {
		s := X[p]
		for k := 0; s < 3 && k < 6; k++ {
			s += 0.3*X[p] + 0.2
			if s > 0 {
				Y[p/2] += s
			} else if k == 2 {
				continue
			}
			V[p/2][k%3] += 0.1*s*s
		}
	}`},
	{"serial", `
	for p := range serial(8) {
		for q := range p {
			if q != 2 {
				Y[(p+q)%4] += X[q+1]*X[q+1]*0.5
			}
		}
	}
	U[1] -= X[0]
	U[1] -= X[7]
	V[X.shape[0]-5].x += 2*X[4]
	V[0].y = X[6]
	V[0].y += X[5]*X[5]`},
	{"a serial loop of the iteration, some lead away, first", `
	for p := range Y {
		for q := range 8 {
			Y[p] += 3*X[q]
			U[p] -= X[q]
		}
	}`},
	{"floats", `
	for p := range X {
		W[p/2] += 40*X[p]*X[p]
	}
	for p := range 4 {
		S[p] += dvec2(60*X[p+4], 2*X[p])
	}`},
	{"floats downwards", `
	for p := range 4 {
		W[p] -= 90000*X[p+4]
		S[p].x -= 90000*X[p+4]
	}`},
}

type clamps struct {
	rt             *ti.Runtime
	X, Y, U, W, L  ti.Field[float64]
	V              ti.Field[ti.DVec3]
	S              ti.Field[ti.DVec2]
	Start, K, Loss func() error
}

// newClamps loads a kernel. In a sparse tree the adjoints are sparse, too.
func newClamps(t *testing.T, rt *ti.Runtime, kernel string, sparse bool) *clamps {
	t.Helper()
	s := &clamps{rt: rt}
	with := func(fs ...ti.AnyField) []ti.AnyField { return ti.WithDual(ti.WithGrad(fs...)...) }
	rt.Place(ti.Shape{8}, with(&s.X)...)
	rt.Place(nil, with(&s.L)...)
	n := rt.NewTree().Dense(ti.I, 4)
	if sparse {
		n = rt.NewTree().Pointer(ti.I, 2).Dense(ti.I, 2)
	}
	n.BitStruct(64).Place(&s.Y, ti.QuantFixed(40, 8)).Place(&s.U, ti.QuantFixed(24, 8).Unsigned())
	n.BitStruct(64).Place(&s.V, ti.QuantFixed(22, 4), ti.QuantFixed(21, 3), ti.QuantFixed(21, 2.5))
	n.BitStruct(64).Place(&s.W, ti.QuantFloat(5, 40))
	n.BitStruct(64).PlaceShared(ti.QuantFloat(5, 28), &s.S)
	n.Place(ti.WithDual(s.Y.Grad(), s.U.Grad(), s.V.Grad(), s.W.Grad(), s.S.Grad())...)
	n.Place(s.Y.Dual(), s.U.Dual(), s.V.Dual(), s.W.Dual(), s.S.Dual())
	titest.Must(t, rt.Load(clampHeader+"func K() {"+kernel+"\n}\n", s))
	return s
}

// clampAt are the numbers of X, from which no update of [clampCases] is near to a limit.
func clampAt(i int) float64 { return float64(i)*0.7 - 1.5 }

// start sets all elements; X is moved along a direction.
func (s *clamps) start(t *testing.T, along func(i int) float64) {
	t.Helper()
	for i := range 8 {
		s.X.Set(clampAt(i)+along(i), i)
	}
	s.L.Set(0)
	for _, f := range []*ti.Field[float64]{&s.X, &s.Y, &s.U, &s.W, &s.L} {
		f.Dual().Fill(0)
	}
	s.V.Dual().Fill(ti.DVec3{})
	s.S.Dual().Fill(ti.DVec2{})
	titest.Must(t, s.Start())
}

func still(int) float64 { return 0 }

func (s *clamps) run() error { return errors.Join(s.K(), s.Loss()) }

// gradient returns the derivatives of the loss by X, and by what Y, U, V, W and S held at first or were given by a store, as the backward pass leaves them.
func (s *clamps) gradient(t *testing.T, record func(func() error) error, along func(i int) float64) (g []float64) {
	t.Helper()
	s.start(t, along)
	titest.Must(t, s.rt.Tape(&s.L, func() error { return record(s.run) }))
	for i := range 8 {
		g = append(g, s.X.Grad().At(i))
	}
	for p := range 4 {
		v, two := s.V.Grad().At(p), s.S.Grad().At(p)
		g = append(g, s.Y.Grad().At(p), s.U.Grad().At(p), v[0], v[1], v[2], s.W.Grad().At(p), two[0], two[1])
	}
	return g
}

// judged are these derivatives by the oracle's tape.
func (s *clamps) judged(v titest.Verdict) (g []float64) {
	of := v.Left
	for i := range int64(8) {
		g = append(g, of(&s.X, 0, i))
	}
	for p := range int64(4) {
		g = append(g, of(&s.Y, 0, p), of(&s.U, 0, p), of(&s.V, 0, p), of(&s.V, 1, p), of(&s.V, 2, p), of(&s.W, 0, p), of(&s.S, 0, p), of(&s.S, 1, p))
	}
	return g
}

func plainly(f func() error) error { return f() }

// TestClampedUpdates has updates of packed elements that clamp: the oracle's tape says what their derivatives are, and differences what those by X are.
func TestClampedUpdates(t *testing.T) {
	for _, c := range clampCases {
		for _, sparse := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, ", sparse ", sparse), func(t *testing.T) { testClampedUpdates(t, c.kernel, sparse, clampThreads(c.name, sparse)) })
		}
	}
}

// clampThreads says on how many threads a case is compiled: in a sparse tree a quarter of the cases, and on several
// threads the others. All are interpreted.
func clampThreads(name string, sparse bool) []int {
	switch {
	case randtest.All():
		return []int{1, 3}
	case randtest.Share(name) == sparse:
		return []int{1}
	case sparse:
		return nil
	}
	return []int{3}
}

func testClampedUpdates(t *testing.T, kernel string, sparse bool, counts []int) {
	oracle, err := ti.New(ti.Config{Arch: ti.Oracle, Float: 64})
	titest.Must(t, err)
	defer oracle.Close()
	record, of := titest.Judge(oracle)
	judge := newClamps(t, oracle, kernel, sparse)
	back := judge.gradient(t, record, still)
	want := judge.judged(of(&judge.L))
	compare := func(what string, got []float64, tolerance float64) {
		t.Helper()
		for i := range got {
			if !(math.Abs(got[i]-want[i]) <= tolerance*(1+math.Abs(want[i]))) {
				t.Errorf("%s: derivative %d is %v, not %v", what, i, got[i], want[i])
			}
		}
	}
	compare("interpreted", back, 1e-12)
	for i, threads := range counts {
		rt, err := ti.New(ti.Config{Threads: threads, Float: 64})
		titest.Must(t, err)
		defer rt.Close()
		s := newClamps(t, rt, kernel, sparse)
		compare(fmt.Sprint(threads, " threads"), s.gradient(t, plainly, still), 1e-12)
		const h = 0.01
		value := func(along func(int) float64) float64 {
			s.start(t, along)
			titest.Must(t, s.run())
			return s.L.At()
		}
		if i == 0 {
			var differences []float64
			for i := range 8 {
				to := func(d float64) float64 {
					return value(func(k int) float64 { return map[bool]float64{true: d}[k == i] })
				}
				differences = append(differences, (8*(to(h)-to(-h))-to(2*h)+to(-2*h))/12/h)
			}
			compare("differences", differences, 2e-3)
		}
		tangent, along := 0.0, 0.0
		s.start(t, still)
		for i := range 8 {
			s.X.Dual().Set(float64(i-2), i)
			along += want[i] * float64(i-2)
		}
		titest.Must(t, rt.Tangent(s.run))
		if tangent = s.L.Dual().At(); !(math.Abs(tangent-along) <= 1e-11*(1+math.Abs(along))) {
			t.Errorf("%d threads: the tangent is %v, not %v", threads, tangent, along)
		}
		if i < len(counts)-1 {
			continue
		}
		const small = 1e-3
		up := s.gradient(t, plainly, func(i int) float64 { return small * float64(i-2) })
		down := s.gradient(t, plainly, func(i int) float64 { return -small * float64(i-2) })
		s.start(t, still)
		for i := range 8 {
			s.X.Dual().Set(float64(i-2), i)
		}
		titest.Must(t, rt.Tangent(func() error { return rt.Tape(&s.L, s.run) }))
		for i := range 8 {
			want := (up[i] - down[i]) / 2 / small
			if got := s.X.Grad().Dual().At(i); !(math.Abs(got-want) <= 5e-3*(1+math.Abs(want))) {
				t.Errorf("%d threads: row %d of the Hessian along the direction is %v, not %v", threads, i, got, want)
			}
		}
	}
}

// TestClampedInfinity has updates by what is infinite: they clamp, so nothing of the product is passed on.
func TestClampedInfinity(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		for _, kernel := range []string{
			"Y[p] += X[p+4]*(1/X[p])", "U[p] -= -3*X[p+4]*(1/X[p])", "V[p][p%3] += X[p+4]*(1/X[p])", "Y[p] = min(Y[p], -X[p+4]*(1/X[p]))",
		} {
			s := newClamps(t, rt, "for p := range Y { "+kernel+" }", false)
			s.start(t, still)
			for i := range 8 {
				s.X.Set(float64(i/4), i)
			}
			titest.Must(t, rt.Tape(&s.L, s.run))
			for i := range 8 {
				if d := s.X.Grad().At(i); d != 0 {
					t.Errorf("%s: the derivative by X[%d] is %v", kernel, i, d)
				}
			}
			s.X.Dual().Fill(1)
			titest.Must(t, rt.Tangent(s.run))
			if d := s.L.Dual().At(); d != 0 {
				t.Errorf("%s: the tangent is %v", kernel, d)
			}
		}
	})
}

// TestClampedByNothing has increments of 0 to elements that stand at an end. They never count as clamped, whichever end it is.
func TestClampedByNothing(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		for _, c := range []struct {
			kernel string
			want   float64
		}{
			{"Y[p] = 9; Y[p] += X[p]", 1}, {"Y[p] = 9; Y[p] -= X[p]", -1}, {"Y[p] = -9; Y[p] += X[p]", 1}, {"Y[p] = -9; Y[p] -= X[p]", -1},
			{"Y[p] = 7; Y[p] += X[p]+0.5", 1}, {"Y[p] = 7; Y[p] += X[p]+2", 0}, {"Y[p] = -7; Y[p] -= X[p]+2", 0},
		} {
			s := newClamps(t, rt, "for p := range Y { "+c.kernel+" }", false)
			s.start(t, still)
			s.X.Fill(0)
			titest.Must(t, rt.Tape(&s.L, s.run))
			for p := range 4 {
				if d := s.X.Grad().At(p); d != c.want*float64(p+1) {
					t.Errorf("%s: the derivative by X[%d] is %v, want %v", c.kernel, p, d, c.want*float64(p+1))
				}
			}
			s.X.Dual().Fill(1)
			titest.Must(t, rt.Tangent(s.run))
			if d := s.L.Dual().At(); d != c.want*10 {
				t.Errorf("%s: the tangent is %v, want %v", c.kernel, d, c.want*10)
			}
		}
	})
}

// TestClampedAccess breaks the rules of data access by what the backward pass through an update reads: the element as it is in the end.
func TestClampedAccess(t *testing.T) {
	const source = `
package rules

var (
	X, Y, Z field[f32, D1]
	L       field[f32, D0]
)

func Zero() {
	for p := range Y {
		Y[p], Z[p] = 0, 0
	}
}

func Add() {
	for p := range X {
		Y[p/2] += X[p]
		Z[p/2] += X[p]
	}
}

func Sum() {
	for p := range Y {
		L += 2*Y[p] + 3*Z[p]
	}
}

func AddAndZero() {
	for p := range Y {
		Y[p] += X[p]
	}
	for p := range Y {
		L += Y[p]
	}
	for p := range Y {
		Y[p] = 0
	}
}
`
	type host struct {
		X, Y, Z, L                 ti.Field[float32]
		Zero, Add, Sum, AddAndZero func() error
	}
	for _, c := range []struct {
		name   string
		packed bool
		debug  bool
		run    func(rt *ti.Runtime, s *host) error
		want   string
	}{
		{"fine", true, true, func(_ *ti.Runtime, s *host) error { return errors.Join(s.Zero(), s.Add(), s.Add(), s.Sum()) }, ""},
		{"cleared afterwards", true, true, func(rt *ti.Runtime, s *host) error {
			return rt.Checkpoint(func() error { return errors.Join(s.Zero(), s.Add(), s.Sum(), s.Zero()) })
		}, "launch 4 under the tape overwrites Y[0] here, which launch 2, of Add, has added to at"},
		{"cleared afterwards, unpacked", false, true, func(rt *ti.Runtime, s *host) error {
			return rt.Checkpoint(func() error { return errors.Join(s.Zero(), s.Add(), s.Sum(), s.Zero()) })
		}, ""},
		{"cleared in a checkpoint", true, true, func(rt *ti.Runtime, s *host) error {
			return errors.Join(s.Zero(), s.Add(), rt.Checkpoint(func() error { return errors.Join(s.Sum(), s.Zero()) }))
		}, "launch 3 under the tape overwrites Y[0] here, which launch 2, of Add, has added to at"},
		{"changed by the program", true, true, func(_ *ti.Runtime, s *host) error {
			err := errors.Join(s.Zero(), s.Add(), s.Sum())
			s.Y.Set(1, 2)
			return err
		}, "the program has changed Y[2] under the tape"},
		{"in one kernel", true, false, func(_ *ti.Runtime, s *host) error { return s.AddAndZero() },
			"and the backward pass, which needs to know whether the sum was clamped, would read the new value"},
		{"in one kernel, unpacked", false, false, func(_ *ti.Runtime, s *host) error { return s.AddAndZero() }, ""},
	} {
		rt, err := ti.New(ti.Config{Debug: c.debug})
		titest.Must(t, err)
		defer rt.Close()
		s := new(host)
		rt.Place(ti.Shape{8}, ti.WithGrad(&s.X)...)
		if n := rt.NewTree().Dense(ti.I, 4); c.packed {
			n.BitStruct(32).Place(&s.Y, ti.QuantFixed(16, 8))
		} else {
			n.Place(&s.Y)
		}
		rt.Place(ti.Shape{4}, ti.WithGrad(&s.Z)...)
		rt.Place(ti.Shape{4}, s.Y.Grad())
		rt.Place(nil, ti.WithGrad(&s.L)...)
		titest.Must(t, rt.Load(source, s))
		err = rt.Tape(&s.L, func() error { return c.run(rt, s) })
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errors.Is(err, ti.ErrAccess) || !strings.Contains(fmt.Sprint(err), c.want)):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
