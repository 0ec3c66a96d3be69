package compiled_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/autodiff/madeup"
	"github.com/gotaichi/ti/internal/gradient"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

var (
	gradSeeds = randtest.New("gradseeds", "firstgrad", "made-up kernels whose compiled adjoints are compared with interpreted ones", 1, 1)
	gradFull  = flag.Uint64("gradfull", 1, "one of how many of them LLVM optimises")
)

// made is what made-up sources declare; R are the numbers of W.
type made[R float32 | float64] struct {
	X, Y, Z ti.Field[float64]
	N       ti.Field[int32]
	L       ti.Field[float64]
	M       ti.Field[float64]
	W       ti.Field[R]
	C       ti.Field[int32]
	K       func() error
	Sum     func() error
}

const madeHeader = `
package made

var (
	X, Y, Z field[f64, D1]
	N       field[i32, D1]
	L       field[f64, D0]
	M       field[f64, D2]
)

// Sum makes all that K computes part of the loss.
func Sum() {
	for i := range Y {
		L += Y[i]*f64(i+1) - Z[i]*sin(f64(i))
	}
	for i, j := range M {
		L += M[i][j]*f64(i-j)
	}
	for i := range W {
		L += f64(W[i])*0.4
	}
}

`

// madeWide declares what programs declare themselves.
const madeWide = `var (
	W field[f64, D1]
	C field[i32, D1]
)

`

// Layouts of made-up fields: in the second one, two elements of X do not exist.
const (
	madeDense = iota
	madeSparse
	madeLayouts
)

// place places the fields, with tangents or without, and makes all elements but those of X exist.
func (m *made[R]) place(rt *ti.Runtime, layout int, tangents bool) {
	with := ti.WithGrad
	if tangents {
		with = func(fs ...ti.AnyField) []ti.AnyField { return ti.WithDual(ti.WithGrad(fs...)...) }
	}
	rt.Place(ti.Shape{6}, &m.N)
	rt.Place(ti.Shape{3}, &m.C)
	rt.Place(nil, with(&m.L)...)
	rt.Place(ti.Shape{3, 4}, with(&m.M)...)
	if layout == madeDense {
		rt.Place(ti.Shape{6}, with(&m.X, &m.Y, &m.Z, &m.W)...)
		return
	}
	rt.NewTree().Pointer("i", 3).Dense("i", 2).Place(with(&m.X)...)
	rt.NewTree().Pointer("i", 2).Bitmasked("i", 3).Place(with(&m.Y, &m.Z, &m.W)...)
}

// start gives all elements their values, those of X as far as they exist.
func (m *made[R]) start(x []float64, layout int) {
	for i := range 6 {
		m.N.Set(int32(i*5%4), i)
		if layout == madeSparse {
			m.Y.Set(0, i)
			m.Z.Set(0, i)
			m.W.Set(0, i)
		}
		if layout == madeDense || i < 2 || i > 3 {
			m.X.Set(x[i], i)
		}
	}
}

// values are what the program has computed.
func (m *made[R]) values() (v []float64) {
	for i := range 6 {
		v = append(v, m.Y.At(i), m.Z.At(i))
	}
	return append(v, m.L.At())
}

// TestRandomAdjoints compares the gradients of made-up kernels in compiled code, on one thread or three, with those that the interpreter gives
// and with what the oracle's tape says, in dense and sparse trees; also without a part of the compiler, another one for each two seeds, on three threads or one; those of some also with what forward mode gives.
// Where -gradfull is k, LLVM optimises one of k programs only, and of the others an eighth is also compiled without a part. The passes before LLVM are
// the same, and ten times as many programs are tried in the same time.
func TestRandomAdjoints(t *testing.T) {
	l := &lender{t: t, open: map[loan]*lent{}}
	defer l.closeAll()
	for n := range gradSeeds.Count() {
		seed := gradSeeds.First() + uint64(n/4)
		layout := int((seed + uint64(n)) % madeLayouts)
		l.hasty = (seed+uint64(n%4))%*gradFull != 0
		switch n % 4 {
		case 0:
			judgeMade[float64](l, seed, madeHeader+madeWide+madeup.Kernel(seed), layout, 1e-10)
		case 1:
			judgeMade[float64](l, seed, madeHeader+madeWide+madeup.Extrema(seed), layout, 1e-10)
		case 2:
			judgeMade[float64](l, seed, madeHeader+madeup.Program(seed, "f64"), layout, 1e-10)
		case 3:
			judgeMade[float32](l, seed, madeHeader+madeup.Program(seed, "f32"), layout, 1e-4)
		}
	}
}

// TestRandomStencils does so with loops over one axis that load neighbours, in dense and sparse trees.
func TestRandomStencils(t *testing.T) {
	l := &lender{t: t, open: map[loan]*lent{}}
	defer l.closeAll()
	for n := range max(1, gradSeeds.Count()/4) {
		seed := gradSeeds.First() + uint64(n)
		l.hasty = seed%*gradFull != 0
		judgeMade[float64](l, seed, madeHeader+madeWide+madeup.Stencil(seed), int(n%madeLayouts), 1e-10)
	}
}

// TestRandomGrids does so with loops over two axes that load neighbours, in dense trees.
func TestRandomGrids(t *testing.T) {
	l := &lender{t: t, open: map[loan]*lent{}}
	defer l.closeAll()
	for n := range max(1, gradSeeds.Count()/4) {
		seed := gradSeeds.First() + uint64(n)
		l.hasty = seed%*gradFull != 0
		judgeMade[float64](l, seed, madeHeader+madeWide+madeup.Grid(seed), madeDense, 1e-10)
	}
}

// TestRandomRereads does so with loops that are run in packets, in which elements are read several times, in dense trees: a tape adds to
// an adjoint several times in an iteration.
func TestRandomRereads(t *testing.T) {
	l := &lender{t: t, open: map[loan]*lent{}}
	defer l.closeAll()
	for n := range gradSeeds.Count() {
		seed := gradSeeds.First() + uint64(n)
		l.hasty = seed%*gradFull != 0
		l.forced = seed%4 != 0
		judgeMade[float64](l, seed, madeHeader+madeWide+madeup.Reread(seed), madeDense, 1e-10)
	}
}

// A lender lends runtimes, each to many programs one after the other, since these have Sum in common, which is compiled once so.
type lender struct {
	t      *testing.T
	hasty  bool // LLVM leaves code as it is
	forced bool // loops are run in packets that would not gain by it
	open   map[loan]*lent
}

// A loan is what a program wants of a runtime.
type loan struct {
	arch    ti.Arch
	threads int
	without string // a part of the compiler
	hasty   bool
	forced  bool
}

// A lent runtime has been used several times. Each program draws the random numbers that the first one drew.
type lent struct {
	*ti.Runtime
	fresh    *gradient.State
	uses     int
	record   func(f func() error) error
	gradient func(loss ti.AnyField) titest.Verdict
}

// mostLoans is how many programs a runtime holds, with their trees and code.
const mostLoans = 32

// get returns a runtime. Of those without a part of the compiler there is one for each number of threads.
func (l *lender) get(want loan) *lent {
	l.t.Helper()
	for has, r := range l.open {
		if r.uses == mostLoans || has.without != "" && has.without != want.without && has.threads == want.threads {
			titest.Must(l.t, r.Close())
			delete(l.open, has)
		}
	}
	r := l.open[want]
	if r == nil {
		r = &lent{}
		l.t.Setenv("TI_WITHOUT", want.without)
		l.t.Setenv("TI_SPREAD", "1")
		l.t.Setenv("TI_FORCE_VECTORS", map[bool]string{true: "4"}[want.forced])
		start := ti.New
		if want.hasty {
			start = titest.NewHasty
		}
		var err error
		r.Runtime, err = start(ti.Config{Arch: want.arch, Threads: want.threads, Float: 64})
		titest.Must(l.t, err)
		r.fresh, err = titest.Save(r.Runtime)
		titest.Must(l.t, err)
		if want.arch == ti.Oracle {
			r.record, r.gradient = titest.Judge(r.Runtime)
		}
		l.open[want] = r
	}
	r.uses++
	return r
}

func (l *lender) closeAll() {
	for _, r := range l.open {
		titest.Must(l.t, r.Close())
	}
}

func judgeMade[R float32 | float64](l *lender, seed uint64, source string, layout int, tolerance float64) {
	l.t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	x := make([]float64, 6)
	for i := range x {
		x[i] = rng.Float64()*2 - 1
	}
	back, tape, values := gradientOf[R](l, loan{arch: ti.Oracle}, source, x, layout)
	scale := 1.0
	for _, d := range tape {
		scale += math.Abs(d)
	}
	compared := tape
	if layout == madeSparse && extremumOfM.MatchString(source) { // where X does not exist, 0 may be the extremum before and in an iteration, which takes it
		compared = tape[:len(tape)-12]
	}
	compare := func(what string, got []float64) {
		for i, want := range compared {
			if !(math.Abs(got[i]-want) <= tolerance*scale) {
				l.t.Errorf("seed %d, layout %d, %s: derivative %d is %v and not %v\n%s", seed, layout, what, i, got[i], want, source)
			}
		}
	}
	compare("interpreted", back)
	threads := 1 + 2*int(seed%2)
	// Where threads share a loop, another iteration may be the first at an element, whose old value decides.
	otherOrder := func(threads int, computed []float64) bool {
		return threads > 1 && oldValue.MatchString(source) && !slices.EqualFunc(computed, values, titest.Near(tolerance*1e-3*scale))
	}
	compareOn := func(what string, want loan) {
		if got, _, computed := gradientOf[R](l, want, source, x, layout); !otherOrder(want.threads, computed) {
			compare(what, got)
		}
	}
	compareOn(fmt.Sprint(threads, " threads"), loan{arch: ti.LLVM, threads: threads, hasty: l.hasty, forced: l.forced})
	if seed%4 == 0 {
		along := 0.0
		for i, d := range tape[:6] {
			along += d * float64(i-2)
		}
		if got, computed := tangentOf[R](l, source, x, layout); !otherOrder(tangentThreads, computed) && !(math.Abs(got-along) <= 6*tolerance*scale) {
			l.t.Errorf("seed %d, layout %d: the tangent is %v and not %v\n%s", seed, layout, got, along, source)
		}
	}
	if l.hasty && rng.IntN(8) != 0 {
		return
	}
	names := append(option.SwitchNames(), "adjoints")
	without := names[seed/2%uint64(len(names))]
	compareOn("without "+without, loan{ti.LLVM, 4 - threads, without, l.hasty, l.forced})
}

const tangentThreads = 2

// oldValue finds an atomic whose old value a made-up program uses.
var oldValue = regexp.MustCompile(`:= atomic`)

// extremumOfM finds minima and maxima that are accumulated in M.
var extremumOfM = regexp.MustCompile(`m(in|ax)\(M\[`)

// gradientOf returns the derivatives by X and by what was stored last in all other elements, from a runtime of the oracle those that its tape gives, and
// what the program computes.
func gradientOf[R float32 | float64](l *lender, want loan, source string, x []float64, layout int) (g, tape, values []float64) {
	t := l.t
	t.Helper()
	rt := l.get(want)
	record := func(f func() error) error { return f() }
	if rt.record != nil {
		record = rt.record
	}
	m := new(made[R])
	m.place(rt.Runtime, layout, false)
	if err := rt.Load(source, m); err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	m.start(x, layout)
	run := func() error {
		return record(func() error {
			if err := m.K(); err != nil {
				return fmt.Errorf("%w\n%s", err, source)
			}
			return m.Sum()
		})
	}
	titest.Must(t, rt.fresh.Resume(func() error { return rt.Tape(&m.L, run) }))
	if rt.gradient != nil {
		v := rt.gradient(&m.L)
		for i := range int64(6) {
			tape = append(tape, v.At(&m.X, 0, i))
		}
		for i := range int64(6) {
			tape = append(tape, v.Left(&m.Y, 0, i), v.Left(&m.Z, 0, i), v.Left(&m.W, 0, i))
		}
		for i := range int64(12) {
			tape = append(tape, v.Left(&m.M, 0, i/4, i%4))
		}
	}
	for i := range 6 {
		g = append(g, m.X.Grad().At(i))
	}
	for i := range 6 {
		g = append(g, m.Y.Grad().At(i), m.Z.Grad().At(i), float64(m.W.Grad().At(i)))
	}
	for i := range 12 {
		g = append(g, m.M.Grad().At(i/4, i%4))
	}
	return g, tape, m.values()
}

// tangentOf returns how the loss changes along a direction whose components are -2 to 3, and what the program computes.
func tangentOf[R float32 | float64](l *lender, source string, x []float64, layout int) (slope float64, values []float64) {
	t := l.t
	t.Helper()
	rt := l.get(loan{arch: ti.LLVM, threads: tangentThreads, hasty: l.hasty, forced: l.forced})
	m := new(made[R])
	m.place(rt.Runtime, layout, true)
	titest.Must(t, rt.Load(source, m))
	m.start(x, layout)
	for i := range 6 {
		if layout == madeDense || i < 2 || i > 3 {
			m.X.Dual().Set(float64(i-2), i)
		}
	}
	titest.Must(t, rt.fresh.Resume(func() error {
		return rt.Tangent(func() error { return errors.Join(m.K(), m.Sum()) })
	}))
	return m.L.Dual().At(), m.values()
}
