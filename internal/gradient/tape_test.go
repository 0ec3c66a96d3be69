package gradient_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const springsSource = `
package springs

var (
	X, V, Force field[vec2, D2] // under (step, mass)
	Ends        field[ivec2]
	Rest        field[f32]
	StartX      field[vec2] // state before step 1
	StartV      field[vec2]
	Loss        field[f32, D0]
)

const (
	Dt        = 0.002
	Stiffness = 8
	Damping   = 1.5
)

func Begin() {
	for i := range StartX {
		X[0][i] = StartX[i]
		V[0][i] = StartV[i]
	}
	for t, i := range Force {
		Force[t][i] = vec2(0)
	}
}

// End makes the state after step t the one to begin with.
func End(t int) {
	for i := range StartX {
		StartX[i] = X[t][i]
		StartV[i] = V[t][i]
	}
}

func Pull(t int) {
	for s := range Ends {
		a, b := Ends[s][0], Ends[s][1]
		d := X[t-1][a] - X[t-1][b]
		l := max(length(d), 1e-6)
		f := (l - Rest[s]) * Stiffness / l * d
		Force[t][a] += -f
		Force[t][b] += f
	}
}

func Step(t int) {
	for i := range X.shape[1] {
		V[t][i] = exp(-Dt*Damping)*V[t-1][i] + Dt*Force[t][i]
		X[t][i] = X[t-1][i] + Dt*V[t][i]
	}
}

func Area(t int) {
	a, b := X[t][0]-X[t][1], X[t][0]-X[t][2]
	Loss = sqr(0.5*abs(cross(a, b)) - 0.1)
}

func Descend(rate f32) {
	for s := range Rest {
		Rest[s] -= rate * Rest.grad[s]
	}
}
`

type springs struct {
	X, V, Force    ti.Field[ti.Vec2]
	Ends           ti.Field[ti.IVec2]
	Rest           ti.Field[float32]
	StartX, StartV ti.Field[ti.Vec2]
	Loss           ti.Field[float32]

	Begin                 func() error
	End, Pull, Step, Area func(t int) error
	Descend               func(rate float32) error
}

func newSprings(t *testing.T, rt *ti.Runtime, steps int) *springs {
	t.Helper()
	s := new(springs)
	rt.Place(ti.Shape{steps + 1, 3}, ti.WithGrad(&s.X, &s.V, &s.Force)...)
	rt.Place(ti.Shape{3}, ti.WithGrad(&s.StartX, &s.StartV)...)
	rt.Place(ti.Shape{3}, &s.Ends, &s.Rest, s.Rest.Grad())
	rt.Place(nil, &s.Loss, s.Loss.Grad())
	titest.Must(t, rt.Load(springsSource, s))
	titest.Must(t, s.Ends.CopyFrom([]ti.IVec2{{0, 1}, {1, 2}, {2, 0}}))
	s.start(t)
	return s
}

func (s *springs) start(t *testing.T) {
	titest.Must(t, s.StartX.CopyFrom([]ti.Vec2{{0.2, 0.2}, {0.5, 0.2}, {0.2, 0.6}}))
	s.StartV.Fill(ti.Vec2{})
	titest.Must(t, s.Rest.CopyFrom([]float32{0.25, 0.4, 0.35}))
}

func (s *springs) run(steps int) error {
	err := s.Begin()
	for t := 1; t <= steps && err == nil; t++ {
		err = errors.Join(s.Pull(t), s.Step(t))
	}
	return err
}

func TestTape(t *testing.T) {
	const steps = 40
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		s := newSprings(t, rt, steps)
		loss := func() error { return errors.Join(s.run(steps), s.Area(steps)) }
		for range 2 { // the second clears what the first left
			titest.Must(t, rt.Tape(&s.Loss, loss))
		}
		for i := range 3 {
			got := s.Rest.Grad().At(i)
			rest := s.Rest.At(i)
			at := func(h float32) float64 {
				s.Rest.Set(rest+h, i)
				defer s.Rest.Set(rest, i)
				titest.Must(t, loss())
				return float64(s.Loss.At())
			}
			const h = 0.05
			want := (at(h) - at(-h)) / (2 * h)
			if !(math.Abs(float64(got)-want) <= 0.01*math.Abs(want)) {
				t.Errorf("the derivative by rest length %d is %v, differences give %v", i, got, want)
			}
		}
		titest.Must(t, s.Descend(1))
		if s.Rest.At(0) == 0.25 {
			t.Error("a kernel does not see the adjoint")
		}
	})
}

func TestTangent(t *testing.T) {
	const steps = 40
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		s := new(springs)
		rt.Place(ti.Shape{steps + 1, 3}, ti.WithDual(&s.X, &s.V, &s.Force)...)
		rt.Place(ti.Shape{steps + 1, 3}, s.X.Grad(), s.V.Grad(), s.Force.Grad())
		rt.Place(ti.Shape{3}, &s.StartX, &s.StartV, &s.Ends)
		rt.Place(ti.Shape{3}, ti.WithDual(&s.Rest)...)
		rt.Place(ti.Shape{3}, s.Rest.Grad())
		rt.Place(nil, ti.WithDual(&s.Loss)...)
		rt.Place(nil, s.Loss.Grad())
		titest.Must(t, rt.Load(springsSource, s))
		titest.Must(t, s.Ends.CopyFrom([]ti.IVec2{{0, 1}, {1, 2}, {2, 0}}))
		s.start(t)
		loss := func() error { return errors.Join(s.run(steps), s.Area(steps)) }
		titest.Must(t, rt.Tape(&s.Loss, loss))
		plain := s.Loss.At()
		for i := range 3 {
			s.Rest.Dual().Fill(0)
			s.Rest.Dual().Set(1, i)
			titest.Must(t, rt.Tangent(loss))
			a, b := float64(s.Rest.Grad().At(i)), float64(s.Loss.Dual().At())
			if !(math.Abs(a-b) <= 1e-5*math.Abs(a)) {
				t.Errorf("the tape gives %v for rest length %d and the tangent %v", a, i, b)
			}
			if s.Loss.At() != plain {
				t.Errorf("with tangents the loss is %v and without %v", s.Loss.At(), plain)
			}
		}
		if !errors.Is(rt.Tape(&s.Loss, func() error { return rt.Tangent(loss) }), ti.ErrBusy) {
			t.Error("a tangent within a tape is not refused")
		}
	})
}

func TestCheckpoint(t *testing.T) {
	const steps, parts = 8, 5
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		whole := newSprings(t, rt, steps*parts)
		titest.Must(t, rt.Tape(&whole.Loss, func() error { return errors.Join(whole.run(steps*parts), whole.Area(steps*parts)) }))
		var want [3]float32
		for i := range want { // the next tape clears them
			want[i] = whole.Rest.Grad().At(i)
		}
		s := newSprings(t, rt, steps)
		part := func() error { return errors.Join(s.run(steps), s.End(steps)) }
		titest.Must(t, rt.Tape(&s.Loss, func() error {
			for range parts - 1 {
				if err := rt.Checkpoint(part, &s.StartX, &s.StartV); err != nil {
					return err
				}
			}
			return errors.Join(s.run(steps), s.Area(steps))
		}))
		for i := range 3 {
			if a, b := want[i], s.Rest.Grad().At(i); !(math.Abs(float64(a-b)) <= 1e-5*math.Abs(float64(a))) {
				t.Errorf("without checkpoints the derivative by rest length %d is %v, with them %v", i, a, b)
			}
		}
	})
}

func TestCheckpointDiffers(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	s := newSprings(t, rt, 4)
	n := 0
	err := rt.Tape(&s.Loss, func() error {
		return errors.Join(rt.Checkpoint(func() error {
			n++
			return errors.Join(s.run(3), s.End(3+n%2))
		}, &s.StartX, &s.StartV), s.Area(1))
	})
	if !errors.Is(err, ti.ErrAccess) || !strings.Contains(err.Error(), "End") {
		t.Errorf("the error is %v", err)
	}
}

type products struct {
	X, Y ti.Field[float64]
	N    ti.Field[int32]
	Loss ti.Field[float64]

	Square, Sum, Twice, Noise func() error
	Scaled                    func(x []float64, f float64) error
	Total                     func() (float64, error)
	Cube                      func(x, y *ti.Field[float64]) error
	Bad, Broken               func() error
}

const productsSource = `
package products

var (
	X, Y field[f64]
	N    field[i32]
	Loss field[f64, D0]
)

func Square() {
	for i := range X {
		Y[i] = X[i] * X[i]
	}
}

func Twice() {
	for i := range X {
		Y[i] = 2 * X[i]
	}
}

func Sum() {
	for i := range Y {
		Loss += Y[i]
	}
}

func Scaled(x []f64, f f64) {
	for i := range x {
		Y[i] = X[i] * x[i] * f
	}
}

func Noise() {
	for i := range X {
		s := f64(0)
		for k := range N[i] + 3 {
			s = s*X[i] + random(f64)*X[k%4]
			if random(f64) > 0.5 {
				s *= s
			}
		}
		Y[i] = s
	}
}

func Cube(x, y field[f64]) {
	for i := range x {
		y[i] = x[i] * x[i] * x[i]
	}
}

func Total() f64 {
	s := f64(0)
	for i := range X {
		s += X[i]
	}
	return s
}

func Broken() {
	for i := range X {
		Y[i] = X[i]
		if X[i] > 0 {
			Y[i] = Y[i] * X[i]
		}
	}
}

func Bad() {
	for i := range X {
		Y[i] = X[i]
	}
	for i := range X {
		Y[i] *= X[i]
	}
}
`

func newProducts(t *testing.T, rt *ti.Runtime) *products {
	t.Helper()
	p := new(products)
	rt.Place(ti.Shape{4}, ti.WithGrad(&p.X, &p.Y)...)
	rt.Place(ti.Shape{4}, &p.N)
	rt.Place(nil, ti.WithGrad(&p.Loss)...)
	titest.Must(t, rt.Load(productsSource, p))
	titest.Must(t, p.X.CopyFrom([]float64{1, 2, 3, 4}))
	return p
}

func (p *products) want(t *testing.T, what string, want ...float64) {
	t.Helper()
	for i, w := range want {
		if got := p.X.Grad().At(i); !(math.Abs(got-w) <= 1e-12*math.Abs(w)) {
			t.Errorf("%s: derivative %d is %v and not %v", what, i, got, w)
		}
	}
}

func TestAdjoint(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		p := newProducts(t, rt)
		p.Loss.Grad().Set(3)
		titest.Must(t, rt.Adjoint(func() error { return errors.Join(p.Square(), p.Sum()) }))
		p.want(t, "adjoint", 6, 12, 18, 24)
		if p.Y.At(1) != 0 {
			t.Error("Adjoint has launched the kernels themselves")
		}
		titest.Must(t, rt.Adjoint(func() error { return errors.Join(p.Square(), p.Sum()) }))
		p.want(t, "accumulated: that of Y doubles too", 18, 36, 54, 72)
	})
}

func TestCustomGrad(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	p := newProducts(t, rt)
	p.Loss.Set(0)
	titest.Must(t, rt.Tape(&p.Loss, func() error {
		err := rt.CustomGrad(p.Square, func() error { return rt.Adjoint(p.Twice) })
		return errors.Join(err, p.Sum())
	}))
	p.want(t, "a derivative of another kernel", 2, 2, 2, 2)
	titest.Must(t, rt.Tape(&p.Loss, func() error {
		return errors.Join(rt.CustomGrad(p.Square, func() error { return nil }), p.Sum())
	}))
	p.want(t, "a constant", 0, 0, 0, 0)
}

// Fields that kernels take as parameters are differentiated as well, whether the source has them or not.
func TestTapeParameters(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		p := newProducts(t, rt)
		titest.Must(t, rt.Tape(&p.Loss, func() error { return errors.Join(p.Cube(&p.X, &p.Y), p.Sum()) }))
		p.want(t, "a parameter", 3, 12, 27, 48)
		var own ti.Field[float64]
		rt.Place(ti.Shape{4}, ti.WithGrad(&own)...)
		titest.Must(t, rt.Tape(&p.Loss, func() error { return errors.Join(p.Cube(&p.X, &own), p.Cube(&own, &p.Y), p.Sum()) }))
		p.want(t, "a field of the host's own between", 9, 9*256, 9*6561, 9*65536)
	})
}

func TestTapeArguments(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		p := newProducts(t, rt)
		titest.Must(t, rt.Tape(&p.Loss, func() error {
			x := []float64{1, 2, 3, 4}
			err := p.Scaled(x, 10)
			x[0] = 100
			return errors.Join(err, p.Sum())
		}))
		p.want(t, "arguments as they were", 10, 20, 30, 40)
	})
}

// The backward pass draws the numbers that the launch drew.
func TestTapeRandom(t *testing.T) {
	var grads [2][]float64
	n := 0
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		p := newProducts(t, rt)
		titest.Must(t, p.N.CopyFrom([]int32{0, 3, 1, 4}))
		titest.Must(t, p.X.CopyFrom([]float64{0.3, 0.4, 0.5, 0.6}))
		rng := rand.New(rand.NewPCG(1, 2))
		v := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		titest.Must(t, rt.Tape(&p.Loss, func() error { return errors.Join(p.Noise(), p.Sum()) }))
		grads[n] = make([]float64, 4)
		titest.Must(t, p.X.Grad().CopyTo(grads[n]))
		n++
		got := 0.0
		for i := range v {
			got += v[i] * p.X.Grad().At(i)
		}
		at := func(h float64) float64 { // in a runtime of its own, whose first launch draws the same
			rt := titest.New(t, ti.Config{})
			q := newProducts(t, rt)
			titest.Must(t, q.N.CopyFrom([]int32{0, 3, 1, 4}))
			for i := range v {
				q.X.Set(0.3+0.1*float64(i)+h*v[i], i)
			}
			titest.Must(t, q.Noise())
			titest.Must(t, q.Sum())
			return q.Loss.At()
		}
		const h = 1e-5
		if want := (at(h) - at(-h)) / (2 * h); !(math.Abs(got-want) <= 1e-6*math.Abs(want)) {
			t.Errorf("the derivative is %v, differences give %v", got, want)
		}
	})
}

func TestTapeErrors(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	p := newProducts(t, rt)
	fine := func() error { return errors.Join(p.Square(), p.Sum()) }
	failed := errors.New("failed")
	plain := ti.NewField[float64](rt)
	for _, c := range []struct {
		name string
		err  error
		want error
		text string
	}{
		{"a loss of several elements", rt.Tape(&p.Y, fine), ti.ErrArgs, "4 numbers"},
		{"a loss of integers", rt.Tape(ti.NewField[int32](rt), fine), ti.ErrArgs, "no real number"},
		{"a loss without an adjoint", rt.Tape(plain, fine), ti.ErrPlace, "Grad()"},
		{"a nil loss", rt.Tape(nil, fine), ti.ErrArgs, "nil loss"},
		{"a loss that nothing computes", rt.Tape(&p.Loss, p.Square), ti.ErrArgs, "computes the loss"},
		{"a tape of nothing", rt.Tape(&p.Loss, func() error { return nil }), ti.ErrArgs, "computes the loss"},
		{"a nil function", rt.Tape(&p.Loss, nil), ti.ErrArgs, "nil function"},
		{"a function that fails", rt.Tape(&p.Loss, func() error { return failed }), failed, "failed"},
		{"a tape within a tape", rt.Tape(&p.Loss, func() error { return rt.Tape(&p.Loss, fine) }), ti.ErrBusy, "within another"},
		{"an adjoint within a tape", rt.Tape(&p.Loss, func() error { return rt.Adjoint(fine) }), ti.ErrBusy, "CustomGrad"},
		{"a result within an adjoint", rt.Adjoint(func() error { _, err := p.Total(); return err }), ti.ErrArgs, "returns a value"},
		{"a broken rule", rt.Tape(&p.Loss, func() error { return errors.Join(p.Broken(), p.Sum()) }), ti.ErrAccess, "stored to after it was given a value"},
		{"no derivative", rt.Tape(&p.Loss, func() error { return errors.Join(p.Bad(), p.Sum()) }), ti.ErrGradient, "multiplied or divided in place"},
	} {
		if !errors.Is(c.err, c.want) || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("%s: the error is %v", c.name, c.err)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_ = rt.Tape(&p.Loss, func() error { panic("no more") })
	}()
	titest.Must(t, rt.Tape(&p.Loss, fine))
	p.want(t, "after all these", 2, 4, 6, 8)
}

func TestGradOfIntegers(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	type host struct {
		N ti.Field[int32]
		K func()
	}
	h := new(host)
	rt.Place(ti.Shape{4}, ti.WithGrad(&h.N)...)
	err := rt.Load("package p\nvar N field[i32]\nfunc K() { for i := range N { N[i] = 1 } }", h)
	if err == nil || !strings.Contains(err.Error(), "not made of real numbers") {
		t.Errorf("the error is %v", err)
	}
	type other struct {
		X ti.Field[float32]
		K func()
	}
	o := new(other)
	rt.Place(ti.Shape{4}, &o.X)
	rt.Place(ti.Shape{5}, o.X.Grad())
	err = rt.Load("package p\nvar X field[f32]\nfunc K() { for i := range X { X[i] = 1 } }", o)
	if err == nil || !strings.Contains(err.Error(), "shape") {
		t.Errorf("the error is %v", err)
	}
}
