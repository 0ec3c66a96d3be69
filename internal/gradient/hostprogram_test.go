package gradient_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

var (
	hostSeeds = randtest.New("hostseeds", "firsthost", "made-up host programs whose derivatives are compared", 8, 8)
)

const hostedSource = `
package hosted

var (
	X     field[f64, D2] // states between parts
	S     field[f64, D2] // the states of the steps of parts
	M     field[f64, D1] // the largest number of a step's state
	C     field[i32, D2] // counts
	H     field[f64, D2] // in a sparse tree
	W     field[f64, D1] // what is differentiated, too
	Loss  field[f64, D0]
	Scale f64
)

func Begin(from, base int) {
	for i := range X.shape[1] {
		S[base][i] = X[from][i]
	}
}

func End(base, to int) {
	for i := range X.shape[1] {
		X[to][i] = tanh(S[base][i])
	}
}

func Sum(from int, weight f64) {
	for i := range X.shape[1] {
		Loss += sqr(X[from][i])*f64(i+1)*weight
	}
}

func Noise(t int) {
	n := X.shape[1]
	for i := range n {
		S[t+1][i] = S[t][i]*0.9 + sin(S[t][(i+1)%n]*W[i%3])*(0.5+f64(random()))
	}
}

func Scatter(t int) {
	n := X.shape[1]
	for i := range n {
		S[t+1][i] = 0
	}
	for i := range n {
		S[t+1][i*3%n] += S[t][i]*W[0]*Scale
		S[t+1][i] += 0.1*sqr(S[t][i])
	}
}

func Largest(t int) {
	M[t] = -10
	for i := range X.shape[1] {
		M[t] = max(M[t], S[t][i]*W[1])
	}
}

func Below(t int) {
	for i := range X.shape[1] {
		S[t+1][i] = S[t][i] - 0.3*M[t]
	}
}

func Shrink(t int) {
	for i := range X.shape[1] {
		y := S[t][i]
		for abs(y) > 0.5 {
			y *= 0.8*cos(W[1]*0.1)
		}
		S[t+1][i] = y + 0.2*S[t][i]
	}
}

func Count(t int) {
	for i := range X.shape[1] {
		C[t][i] = i32(i)
		k := atomicAdd(&C[t][i], 2)
		S[t+1][i] = S[t][i]*(1 + 0.1*f64(k)*W[2])
	}
}

func Fill(t int) {
	for i := range X.shape[1] {
		if i%2 == 0 {
			H[t][i] = sin(S[t][i])
		}
	}
}

func Drain(t int) {
	for i := range X.shape[1] {
		S[t+1][i] = 0.8*S[t][i] + H[t][i]*W[2]
	}
}

func Mix(a, b field[f64, D2], t, u int, c f64) {
	for i := range X.shape[1] {
		b[u][i] = a[t][i]*W[0] + c
	}
}

func Add(v []f64, t int) {
	for i := range X.shape[1] {
		S[t+1][i] = S[t][i] + v[i]*W[1]
	}
}
`

const (
	hostedWidth = 10
	hostedSteps = 4 // of a part, at most
	hostedParts = 7 // of a program, at most
)

// hosted is a host program; a part is a slice of the numbers of steps.
type hosted struct {
	X, S, M, H, W, Loss                           ti.Field[float64]
	C                                             ti.Field[int32]
	Scale                                         float64
	Begin, End                                    func(a, b int) error
	Sum                                           func(from int, weight float64) error
	Noise, Scatter, Largest, Below, Shrink, Count func(t int) error
	Fill, Drain                                   func(t int) error
	Mix                                           func(a, b *ti.Field[float64], t, u int, c float64) error
	Add                                           func(v []float64, t int) error
	rt                                            *ti.Runtime
	slots                                         int
	slices                                        [][]float64
}

// newHosted has memory for this number of parts at a time.
func newHosted(t *testing.T, rt *ti.Runtime, parts int) *hosted {
	s := &hosted{rt: rt, slots: parts}
	with := func(fs ...ti.AnyField) []ti.AnyField { return ti.WithDual(ti.WithGrad(fs...)...) }
	steps := parts * (hostedSteps + 1)
	rt.Place(ti.Shape{parts + 1, hostedWidth}, with(&s.X)...)
	rt.Place(ti.Shape{steps, hostedWidth}, with(&s.S)...)
	rt.Place(ti.Shape{steps, hostedWidth}, &s.C)
	rt.Place(ti.Shape{steps}, with(&s.M)...)
	rt.Place(ti.Shape{3}, with(&s.W)...)
	rt.Place(nil, with(&s.Loss)...)
	rt.NewTree().Pointer("ij", steps, (hostedWidth+3)/4).Dense("j", 4).Place(with(&s.H)...)
	titest.Must(t, rt.Load(hostedSource, s))
	for k := range 3 {
		v := make([]float64, hostedWidth)
		for i := range v {
			v[i] = math.Cos(float64(i * (k + 1)))
		}
		s.slices = append(s.slices, v)
	}
	return s
}

// start gives all fields the values that a program begins with, whatever one before has left.
func (s *hosted) start(t *testing.T) {
	for i := range hostedWidth {
		s.X.Set(math.Sin(float64(i)), 0, i)
		s.X.Dual().Set(math.Cos(float64(3*i)), 0, i)
	}
	titest.Must(t, s.W.CopyFrom([]float64{0.7, 1.1, -0.4}))
	titest.Must(t, s.W.Dual().CopyFrom([]float64{0.3, -0.2, 0.5}))
	s.Loss.Fill(0)
	s.Loss.Dual().Fill(0)
	s.Scale = 0.5
}

// steps makes the steps of a part on the states from base on.
func (s *hosted) steps(part []int, base int) (err error) {
	for k, step := range part {
		t := base + k
		switch step {
		case 0:
			err = errors.Join(err, s.Noise(t))
		case 1:
			s.Scale = 0.4 + 0.1*float64(k)
			err = errors.Join(err, s.Scatter(t))
		case 2:
			err = errors.Join(err, s.Largest(t), s.Below(t))
		case 3:
			err = errors.Join(err, s.Shrink(t))
		case 4:
			err = errors.Join(err, s.Count(t))
		case 5:
			err = errors.Join(err, s.Fill(t), s.Drain(t))
		case 6:
			err = errors.Join(err, s.Mix(&s.S, &s.S, t, t+1, s.S.At(base, 3)))
		default:
			err = errors.Join(err, s.Add(s.slices[step%len(s.slices)], t))
		}
	}
	return err
}

const hostedKinds = 10 // of steps

// part makes a part from one state to another.
func (s *hosted) part(part []int, from, to, base int) error {
	return errors.Join(s.Begin(from, base), s.steps(part, base), s.End(base+len(part), to), s.Sum(to, 0.25))
}

// plain makes all parts with room for each.
func (s *hosted) plain(parts [][]int) (err error) {
	for k, p := range parts {
		err = errors.Join(err, s.part(p, k, k+1, k*(hostedSteps+1)))
	}
	return errors.Join(err, s.Sum(len(parts), 1))
}

// nested makes parts in room for two of them, in checkpoints within checkpoints as r says.
func (s *hosted) nested(parts [][]int, tree *hostedTree) error {
	if tree.leaf {
		var err error
		for k, p := range parts {
			err = errors.Join(err, s.part(p, k, (k+1)%len(parts), k*(hostedSteps+1)))
		}
		return err
	}
	var err error
	for k, sub := range tree.subs {
		its := parts[tree.cuts[k]:tree.cuts[k+1]]
		keep := []ti.AnyField{&s.X}
		if sub.loss {
			keep = append(keep, &s.Loss)
		}
		err = errors.Join(err, s.rt.Checkpoint(func() error { return s.nested(its, sub) }, keep...))
	}
	return err
}

// hostedTree says how parts are cut into checkpoints.
type hostedTree struct {
	leaf bool
	loss bool // is kept, too
	cuts []int
	subs []*hostedTree
}

func madeTree(r *rand.Rand, parts int) *hostedTree {
	if parts <= 2 && r.IntN(3) > 0 {
		return &hostedTree{leaf: true, loss: r.IntN(2) == 0}
	}
	t := &hostedTree{cuts: []int{0}, loss: r.IntN(2) == 0}
	for at := 0; at < parts; {
		n := 1 + r.IntN(parts-at)
		at += n
		t.cuts = append(t.cuts, at)
		t.subs = append(t.subs, madeTree(r, n))
	}
	return t
}

func (t *hostedTree) String() string {
	if t.leaf {
		return "leaf"
	}
	var b strings.Builder
	for k, sub := range t.subs {
		fmt.Fprintf(&b, " %d:(%v)", t.cuts[k+1]-t.cuts[k], sub)
	}
	return strings.TrimSpace(b.String())
}

// numbers are the loss and the derivatives, of second order too if there are any.
func (s *hosted) numbers() []float64 {
	all := []float64{s.Loss.At()}
	for i := range hostedWidth {
		all = append(all, s.X.Grad().At(0, i), s.X.Grad().Dual().At(0, i))
	}
	for i := range 3 {
		all = append(all, s.W.Grad().At(i), s.W.Grad().Dual().At(i))
	}
	return all
}

// slope is the derivative of the loss in the direction of the tangents, by the gradient.
func (s *hosted) slope() (sum float64) {
	for i := range hostedWidth {
		sum += s.X.Grad().At(0, i) * math.Cos(float64(3*i)) // as start says
	}
	for i := range 3 {
		sum += s.W.Grad().At(i) * s.W.Dual().At(i)
	}
	return sum
}

// TestRandomHostPrograms makes up host programs and compares all bits of their gradients, and of their Hessians times a vector, by checkpoints
// within checkpoints with those of a tape that keeps everything, in deterministic mode; and gradients with the
// tangents of the same run. Their fields have other extents, so that an optimiser that may reassociate makes other code for them: with optimisation, bits
// are compared in strict maths.
func TestRandomHostPrograms(t *testing.T) {
	for _, cfg := range []ti.Config{{Threads: 3, Deterministic: true, StrictMath: randtest.All(), Seed: 5}, {Arch: ti.Oracle, Deterministic: true, Seed: 5}, {Debug: true, Seed: 5}} {
		start := titest.NewHasty
		if randtest.All() {
			start = ti.New
		}
		plain, nested := newHosted(t, titest.Start(t, start, cfg), hostedParts), newHosted(t, titest.Start(t, start, cfg), 2)
		for n := range hostSeeds.Count() {
			compareHosted(t, cfg, plain, nested, hostSeeds.First()+uint64(n))
		}
	}
}

func compareHosted(t *testing.T, cfg ti.Config, plain, nested *hosted, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	parts := make([][]int, 1+r.IntN(hostedParts))
	for k := range parts {
		for range 1 + r.IntN(hostedSteps) {
			parts[k] = append(parts[k], r.IntN(hostedKinds))
		}
	}
	tree := &hostedTree{cuts: []int{0, len(parts)}, subs: []*hostedTree{madeTree(r, len(parts))}}
	second := r.IntN(2) == 0
	wrong := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%+v, seed %d, parts %v in %v: %s", cfg, seed, parts, tree, fmt.Sprintf(format, args...))
	}
	gradient := func(s *hosted, f func() error) []float64 {
		s.start(t)
		err := error(nil)
		if second {
			err = s.rt.Tangent(func() error { return s.rt.Tape(&s.Loss, f) })
		} else {
			err = s.rt.Tape(&s.Loss, f)
		}
		if err != nil {
			wrong("%v", err)
		}
		return s.numbers()
	}
	all := func() error { return plain.plain(parts) }
	part := func() error { return errors.Join(nested.nested(parts, tree), nested.Sum(0, 1)) }
	want, got := gradient(plain, all), gradient(nested, part)
	for i := range want {
		same := math.Float64bits(want[i]) == math.Float64bits(got[i])
		if !cfg.Deterministic {
			same = math.Abs(want[i]-got[i]) <= 1e-11*(1+math.Abs(want[i]))
		}
		if !same {
			wrong("number %d is %v and not %v", i, got[i], want[i])
		}
	}
	for _, s := range []*hosted{plain, nested} {
		if d, slope := s.Loss.Dual().At(), s.slope(); second && !(math.Abs(d-slope) <= 1e-10*(1+math.Abs(slope))) {
			wrong("the tangent of the loss is %v, and by the gradient %v", d, slope)
		}
	}
}
