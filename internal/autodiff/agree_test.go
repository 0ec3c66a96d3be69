package autodiff_test

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/lower"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
)

// A subject is a kernel and its derivatives, ready to run any number of times.
type subject struct {
	k, back, on *ir.Kernel
	plain       *oracle.Program // as lowering leaves it
	duals       *oracle.Program
	ways        []way
	stops       bool // something is constant to derivatives, but not to differences
}

// A backward pass is a launch as a tape makes it, and the adjoint.
type way struct {
	manner
	launch, adjoint *oracle.Program
}

// A manner is a way to make an adjoint: without parts of the compiler, and with a number of states of loops of unknown length.
type manner struct {
	without option.Switches
	entries int64
}

// manners leave out each part of the compiler that concerns adjoints, and all, and make segments of many loops.
var manners = []manner{
	{without: option.Gather}, {without: option.MinCut}, {without: option.DynamicMinCut}, {without: option.TBR},
	{without: option.AdjointBCE}, {without: option.Activity}, {without: option.Sink},
	{without: option.Gather | option.MinCut | option.DynamicMinCut | option.TBR | option.AdjointBCE | option.Activity | option.Sink},
	{entries: 4}, {entries: 2, without: option.DynamicMinCut}, // more than 16 iterations, or 4, run again more than once
}

// newSubject makes a subject with a backward pass as usual, and one each in other manners.
func newSubject(t testing.TB, source string, others ...manner) *subject {
	t.Helper()
	prog := checked(t, source)
	plain := lower.Kernel(&prog.Program, prog.Kernel("K"), lower.Options{Gradient: true})
	s := &subject{k: readied(t, prog), stops: strings.Contains(source, "stopGrad(")}
	var err error
	if s.back, err = adjoint(t, s.k); err != nil {
		t.Fatal(err)
	}
	if s.on, err = autodiff.Forward(s.k, adjointsOf(s.k), autodiff.Options{}); err != nil {
		t.Fatal(err)
	}
	s.plain, s.duals = prepared(t, plain), prepared(t, s.on)
	s.ways = []way{{manner{}, prepared(t, recorded(t, s.k)), prepared(t, s.back)}}
	for _, m := range others {
		back, err := adjointIn(t, s.k, m)
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		s.ways = append(s.ways, way{m, prepared(t, recordedWithout(t, s.k, m.without)), prepared(t, back)})
	}
	return s
}

func prepared(t testing.TB, k *ir.Kernel) *oracle.Program {
	t.Helper()
	p, err := oracle.New(k)
	if err != nil {
		t.Fatalf("%v\n%s", err, k)
	}
	return p
}

// copied is memory with the same numbers.
func (m memory) copied() memory {
	n := memory{}
	for name, cells := range m {
		n[name] = maps.Clone(cells)
	}
	return n
}

// start runs a program on memory, and returns its results.
func (m memory) start(t testing.TB, p *oracle.Program, tape *oracle.Tape, vars map[string]*oracle.Variable) []uint64 {
	t.Helper()
	return m.startWith(t, p, oracle.Env{Tape: tape}, vars)
}

// startWith is start with the settings of env.
func (m memory) startWith(t testing.TB, p *oracle.Program, env oracle.Env, vars map[string]*oracle.Variable) []uint64 {
	t.Helper()
	k := p.Kernel()
	env.Args, env.Key, env.MaxSteps, env.Record = make([]uint64, 8), 1, 5e7, func(int, uint64, []uint64) {}
	for _, f := range k.Fields {
		env.Fields, env.Variables = append(env.Fields, m[f.Name]), append(env.Variables, vars[f.Name])
	}
	r, err := p.Run(context.Background(), &env)
	if err != nil {
		t.Fatalf("%v\n%s", err, k)
	}
	if r.Failure != nil {
		t.Fatalf("%s fails at %v: %v\n%s", k.Name, r.Failure.Pos, r.Failure.Site, k)
	}
	return r.Values
}

// A weight is what an element counts in a sum of all that a kernel computes.
type weight struct {
	name  string
	index []int64
	kind  ir.Kind
	w     float64
}

// value is what an element has in memory.
func (w *weight) value(m memory, suffix string) float64 {
	return ir.FloatValue(w.kind, m[w.name+suffix].Load(w.index, 0))
}

// agree compares three derivatives at x of a weighted sum of all that the kernel computes: by the backward pass, by forward
// mode, and by the oracle's tape of the operations that it executes; to a tolerance, in units of the largest part. Where
// these are not too large, and nothing is made constant, also with differences.
func (s *subject) agree(t testing.TB, x []float64, rng *rand.Rand, tolerance float64) {
	t.Helper()
	var all []*weight
	outputs(func(name string, index []int64) {
		all = append(all, &weight{name, index, s.kindOf(name), rng.NormFloat64()})
	})
	v := make([]float64, len(x))
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	want, left, parts := s.byTape(t, x, all)
	scale, along := 1.0, 0.0
	for _, d := range left {
		scale += math.Abs(d)
	}
	for i := range x {
		scale += math.Abs(want[i])
		along += want[i] * v[i]
	}
	plain := outcome{memory: newMemory(x)}
	plain.results = plain.start(t, s.plain, nil, nil)
	for _, w := range s.ways {
		s.goesBack(t, w, x, want, left, plain, all, tolerance*scale)
	}
	tangent := s.forward(t, x, v, plain, all)
	size := 1.0
	for i := range v {
		size += scale * math.Abs(v[i])
	}
	if !(math.Abs(tangent-along) <= tolerance*size) {
		t.Errorf("the tangent is %v, by the tape %v\n%s\n%s", tangent, along, s.k, s.on)
	}
	if tolerance < 1e-8 && !s.stops && parts < 1e4 {
		s.differences(t, x, v, all, along, size)
	}
}

// goesBack compares the adjoints that a backward pass gives, and those that it leaves in what the kernel has computed, with those that are wanted, in whatever
// order iterations run.
func (s *subject) goesBack(t testing.TB, by way, x, want, left []float64, plain outcome, all []*weight, tolerance float64) {
	t.Helper()
	launched := newMemory(x)
	s.doesTheSame(t, launched, by.launch, plain, all)
	for _, w := range all {
		launched[w.name+".grad"].Store(w.index, 0, ir.FloatBits(w.kind, w.w))
	}
	for _, backward := range []bool{false, true} {
		m := launched.copied()
		m.startWith(t, by.adjoint, oracle.Env{Backward: backward}, nil)
		for i := range x {
			got := math.Float64frombits(m["X.grad"].Load([]int64{int64(i)}, 0))
			if !(math.Abs(got-want[i]) <= tolerance) {
				t.Errorf("%+v, backward %v: the adjoint of X[%d] is %v, by the tape %v\n%s\n%s", by.manner, backward, i, got, want[i], s.k, by.adjoint.Kernel())
			}
		}
		for i, w := range all {
			if got := w.value(m, ".grad"); !(math.Abs(got-left[i]) <= tolerance) {
				t.Errorf("%+v, backward %v: the backward pass leaves %v in the adjoint of %s%v, the tape %v\n%s\n%s", by.manner, backward, got, w.name, w.index, left[i], s.k, by.adjoint.Kernel())
			}
		}
		for name, keys := range m {
			for at, bits := range keys {
				if bits != 0 && len(name) > 4 && name[len(name)-4:] == ".key" {
					t.Errorf("%+v: a key of %s at %v remains\n%s", by.manner, name, at, by.adjoint.Kernel())
				}
			}
		}
	}
}

// byTape returns the derivatives by x, those by what was stored last in each element that the kernel computes, and the largest one by x.
func (s *subject) byTape(t testing.TB, x []float64, all []*weight) (dx, left []float64, largest float64) {
	t.Helper()
	tape := &oracle.Tape{}
	vars := map[string]*oracle.Variable{}
	for _, f := range s.plain.Kernel().Fields {
		if f.Comps[0].IsFloat() {
			vars[f.Name] = tape.Variable()
		}
	}
	m := newMemory(x)
	m.start(t, s.plain, tape, vars)
	back := tape.Back()
	for _, w := range all {
		if v := vars[w.name]; v != nil {
			back.Seed(v, w.index, 0, w.w)
		}
	}
	back.Run()
	for i := range x {
		d := 0.0
		if v := vars["X"]; v != nil {
			d = back.Adjoint(v, []int64{int64(i)}, 0)
		}
		dx, largest = append(dx, d), max(largest, math.Abs(d))
	}
	for _, w := range all {
		d, known := w.w, false
		if v := vars[w.name]; v != nil {
			if d, known = back.Left(v, w.index, 0); !known {
				d = w.w
			}
		}
		left = append(left, d)
	}
	return dx, left, largest
}

// An outcome is what a launch leaves and returns.
type outcome struct {
	memory
	results []uint64
}

// doesTheSame runs a kernel that does what the subject does and more, and compares what comes of both.
func (s *subject) doesTheSame(t testing.TB, m memory, p *oracle.Program, plain outcome, all []*weight) {
	t.Helper()
	got, want := m.start(t, p, nil, nil), plain.results
	for i, r := range s.k.Results {
		same := got[i] == want[i]
		if r.IsFloat() {
			a, b := ir.FloatValue(r, got[i]), ir.FloatValue(r, want[i])
			same = math.Abs(a-b) <= 1e-12*(1+math.Abs(b))
		}
		if !same {
			t.Errorf("result %d has the bits %x and had %x\n%s", i, got[i], want[i], p.Kernel())
		}
	}
	for _, w := range all {
		if a, b := w.value(m, ""), w.value(plain.memory, ""); !(math.Abs(a-b) <= 1e-12*(1+math.Abs(b))) {
			t.Errorf("%s%v is %v and was %v\n%s", w.name, w.index, a, b, p.Kernel())
		}
	}
}

// forward returns the derivative along v by forward mode, and sees that the kernel does what it did.
func (s *subject) forward(t testing.TB, x, v []float64, plain outcome, all []*weight) (sum float64) {
	t.Helper()
	m := newMemory(x)
	for i := range v {
		m["X.grad"].Store([]int64{int64(i)}, 0, math.Float64bits(v[i]))
	}
	s.doesTheSame(t, m, s.duals, plain, all)
	for _, w := range all {
		sum += w.w * w.value(m, ".grad")
	}
	return sum
}

// differences compares the derivative along v with difference quotients. A condition may change within a step.
func (s *subject) differences(t testing.TB, x, v []float64, all []*weight, want, size float64) {
	t.Helper()
	at := func(h float64) (sum float64) {
		moved := make([]float64, len(x))
		for i := range x {
			moved[i] = x[i] + h*v[i]
		}
		m := newMemory(moved)
		m.start(t, s.plain, nil, nil)
		for _, w := range all {
			sum += w.w * w.value(m, "")
		}
		return sum
	}
	var tried []float64
	for _, h := range []float64{1e-5, 1e-6, 1e-7, 1e-8, 1e-9} {
		d := (at(h) - at(-h)) / (2 * h)
		if math.Abs(d-want) <= 1e-5*size {
			return
		}
		tried = append(tried, d)
	}
	t.Errorf("the tape gives %v, differences %v\n%s", want, tried, s.k)
}

func (s *subject) kindOf(name string) ir.Kind {
	for _, f := range s.k.Fields {
		if f.Name == name {
			return f.Comps[0]
		}
	}
	return ir.F64
}
