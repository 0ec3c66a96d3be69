package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// concurrentSource has loops of different ranges, which are not fused.
const concurrentSource = `
package concurrent

type Pair struct { X, Y f32 }

var (
	A, B, C, D field[f32]
	S, T       field[f64, D0]
	P          field[Pair]
	U, V       field[f32] // packed into words
	Q          field[f32] // sparse
	N          field[i32, D0]
	H, K       field[i32]
)

func StepA(c f32) {
	for i := range A {
		A[i] = A[i]*0.5 + c
	}
}

func StepB(c f32) {
	for i := range B {
		B[i] = B[i]*0.25 - c + random()
	}
}

func StepC(c f32) {
	for i := range C {
		C[i] += c
	}
}

func AToB() {
	for i := range span(3, B.shape[0]) {
		B[i] = A[i]*2
	}
}

func CToA() {
	for i := range 900 {
		A[i] = C[i] - A[i]
	}
}

func ReadA() {
	for i := range span(2, D.shape[0]) {
		D[i] = A[i] + 1
	}
}

func Halves() {
	for i := range 7 {
		C[2*i] = A[i]
	}
}

func Thirds() {
	for i := range 3 {
		C[3*i] = f32(i)
	}
}

func SumA() {
	for i := range span(5, A.shape[0]) {
		S += f64(A[i]*A[i])
	}
}

func SumB() {
	T = 0
	for i := range span(7, B.shape[0]) {
		T += f64(B[i])*0.125
	}
}

func OnlyX() {
	for i := range P {
		P[i].X += 1
	}
}

func OnlyY() {
	for i := range span(1, P.shape[0]) {
		P[i].Y += P[i].Y*0.5 + 2
	}
}

func Histogram() { // in private copies, but for deterministic mode
	for i := range span(9, A.shape[0]) {
		H[i*7%64] += i
	}
}

func Counts() {
	for i := range span(11, C.shape[0]) {
		K[i*5%32] += 1
	}
}

func HToK() {
	for i := range K {
		K[i] = K[i] ^ H[i]
	}
}

func PackU() {
	for i := range U {
		U[i] = 1
	}
}

func PackV() {
	for i := range span(1, V.shape[0]) {
		V[i] = 2
	}
}

func Scatter() { // in deterministic mode in private copies
	for i := range span(6, B.shape[0]) {
		C[i*7%64] += B[i]*0.1
	}
}

func Activate() {
	for i := range 4 {
		activate(Q, i*5)
	}
}

func Active() {
	for i := range 5 {
		Q[i*3] = 1
	}
}

func Early(k i32) {
	if k > 2 {
		return
	}
	for i := range D {
		D[i] += 1
	}
}

func Ranged() {
	n := N + 1
	for i := range n {
		D[i] += 1
	}
}

func FarA(k i32) {
	for i := range 100 {
		A[i*k] += 1
	}
}

func FarB(k i32) {
	for i := range 50 {
		B[i*k] += 1
	}
}

func Long(k i32) {
	for i := range 3 {
		x := f32(i)
		for x < f32(k) {
			x = x*0.5 + 1
		}
		D[i] = x
	}
}

func Longer(k i32) {
	for i := range 2 {
		x := f32(i)
		for x < f32(k) {
			x = x*0.25 + 1
		}
		C[i] = x
	}
}
`

type concurrents struct {
	A, B, C, D           ti.Field[float32]
	S, T                 ti.Field[float64]
	P                    ti.Field[struct{ X, Y float32 }]
	U, V, Q              ti.Field[float32]
	N, H, K              ti.Field[int32]
	StepA, StepB, StepC  func(c float32) error
	AToB, CToA, ReadA    func() error
	Halves, Thirds       func() error
	SumA, SumB           func() error
	Histogram, Counts    func() error
	HToK                 func() error
	OnlyX, OnlyY         func() error
	PackU, PackV, Active func() error
	Activate, Scatter    func() error
	Early, FarA, FarB    func(k int32) error
	Long, Longer         func(k int32) error
	Ranged               func() error
}

func newConcurrents(t *testing.T, cfg ti.Config) (*ti.Runtime, *concurrents) {
	t.Helper()
	rt, h := titest.New(t, cfg), new(concurrents)
	for i, f := range []ti.AnyField{&h.A, &h.B, &h.C, &h.D} {
		rt.Place(ti.Shape{1000 + 100*(3-i)}, f)
	}
	rt.Place(nil, &h.S, &h.T)
	rt.Place(nil, &h.N)
	rt.Place(ti.Shape{300}, &h.P)
	rt.Place(ti.Shape{64}, &h.H)
	rt.Place(ti.Shape{32}, &h.K)
	word := rt.NewTree().Dense("i", 200).BitStruct(32)
	word.Place(&h.U, ti.QuantFixed(10, 4))
	word.Place(&h.V, ti.QuantFixed(10, 4))
	rt.NewTree().Pointer("i", 8).Dense("i", 16).Place(&h.Q)
	titest.Must(t, rt.Load(concurrentSource, h))
	return rt, h
}

const isConcurrent = "concurrent where no edges"

// TestConcurrent: launches run concurrently if there is no path from one to the other, and if nothing else forbids it.
func TestConcurrent(t *testing.T) {
	rt, h := newConcurrents(t, titest.OnProcessors(t, ti.Config{Threads: 2, Batch: 64}))
	a, b, c := func() error { return h.StepA(1) }, func() error { return h.StepB(2) }, func() error { return h.StepC(3) }
	for _, test := range []struct {
		what     string
		launches []func() error
		want     bool
	}{
		{"independent", []func() error{a, b, c}, true},
		{"one", []func() error{a}, false},
		{"flow", []func() error{a, h.AToB}, false},
		{"anti", []func() error{h.AToB, a}, false},
		{"output", []func() error{h.Halves, h.Thirds}, false},
		{"flow and something else", []func() error{a, h.AToB, c}, true},
		{"a chain", []func() error{c, h.CToA, h.AToB}, false},
		{"two readers", []func() error{h.AToB, h.ReadA}, true},
		{"sums", []func() error{h.SumA, h.SumB}, true},
		{"histograms", []func() error{h.Histogram, h.Counts}, true},
		{"members", []func() error{h.OnlyX, h.OnlyY}, true},
		{"numbers in one word", []func() error{h.PackU, h.PackV}, false},
		{"packed", []func() error{a, h.PackV}, false},
		{"an activation", []func() error{a, h.Active}, false},
		{"an activation alone", []func() error{a, h.Activate}, false},
		{"an early return", []func() error{b, func() error { return h.Early(1) }}, false},
		{"a range from a field", []func() error{b, h.Ranged}, false},
		{"between what cannot", []func() error{h.Active, b, a, h.PackU}, true},
		{"arguments of two launches", []func() error{c, a, func() error { return h.StepC(4) }, b}, true},
		{"twice", []func() error{func() error { return h.Long(1) }, func() error { return h.Long(2) }}, false},
	} {
		var dot strings.Builder
		titest.Must(t, rt.WriteGraph(&dot, func() error {
			for _, f := range test.launches {
				titest.Must(t, f())
			}
			return nil
		}))
		if got := strings.Contains(dot.String(), isConcurrent); got != test.want {
			t.Errorf("%s: concurrent: %v, want %v\n%s", test.what, got, test.want, &dot)
		}
	}
	early := func() error { return h.Early(1) }
	last := map[string]func() error{"PackU": h.PackU, "Active": h.Active, "Activate": h.Activate, "Early": early, "Ranged": h.Ranged, "StepC": c}
	for name, f := range last {
		var dot strings.Builder
		titest.Must(t, rt.WriteGraph(&dot, func() error { return errors.Join(a(), b(), f()) }))
		_, box, _ := strings.Cut(dot.String(), isConcurrent)
		box, _, _ = strings.Cut(box, "\n\t\t}\n")
		if in := strings.Contains(box, " of "+name+" ("); in != (name == "StepC") || !strings.Contains(box, " of StepA (") {
			t.Errorf("%s is in the box: %v\n%s", name, in, box)
		}
	}
	fixed, h := newConcurrents(t, ti.Config{Threads: 2, Batch: 64, Deterministic: true})
	var copies strings.Builder
	titest.Must(t, fixed.WriteGraph(&copies, func() error { return errors.Join(h.StepB(2), h.Histogram()) }))
	if strings.Contains(copies.String(), isConcurrent) {
		t.Error("parts of a loop add to copies of a field, and something is concurrent")
	}
	single, h := newConcurrents(t, ti.Config{Threads: 1, Batch: 64})
	var dot strings.Builder
	titest.Must(t, single.WriteGraph(&dot, func() error { return errors.Join(h.StepA(1), h.StepB(2)) }))
	if strings.Contains(dot.String(), isConcurrent) {
		t.Error("on one thread something is concurrent")
	}
}

// values are all numbers of dense fields.
func (h *concurrents) values() (all []float64) {
	for _, f := range []*ti.Field[float32]{&h.A, &h.B, &h.C, &h.D} {
		for _, v := range f.All() {
			all = append(all, float64(v))
		}
	}
	for _, v := range h.P.All() {
		all = append(all, float64(v.X), float64(v.Y))
	}
	for _, f := range []*ti.Field[int32]{&h.H, &h.K} {
		for _, v := range f.All() {
			all = append(all, float64(v))
		}
	}
	return append(all, h.S.At(), h.T.At(), float64(h.Q.Node().Count()))
}

// begin gives all fields the values that a program begins with.
func (h *concurrents) begin() {
	for i, f := range []*ti.Field[float32]{&h.A, &h.B, &h.C, &h.D} {
		f.Fill(0.3 * float32(i+1))
	}
	h.P.Fill(struct{ X, Y float32 }{1, 2})
	h.H.Fill(3)
	h.K.Fill(4)
	h.Q.Node().Clear()
	h.S.Set(0)
	h.T.Set(0)
}

// launch makes launch n of a program.
func (h *concurrents) launch(n int) error {
	c := float32(n/100) * 0.3
	steps := []func() error{
		func() error { return h.StepA(c) }, func() error { return h.StepB(c) }, func() error { return h.StepC(c) }, h.AToB, h.CToA,
		h.ReadA, h.Halves, h.Thirds,
		h.OnlyX, h.OnlyY, h.Histogram, h.Counts, h.HToK, func() error { return h.Early(1) }, h.PackU, h.Active, h.Activate,
		func() error { return h.FarA(int32(n / 100)) }, h.SumA, h.SumB, h.Scatter,
	}
	return steps[n%100]()
}

var concurrentSeeds = randtest.New("concurrentseeds", "firstconcurrent", "made-up programs of launches that run concurrently", 10, 30)

// TestRandomConcurrent: made-up programs leave the bits that they leave if each launch runs at once.
func TestRandomConcurrent(t *testing.T) {
	t.Setenv("TI_CONCURRENT", "1")
	t.Setenv("TI_SPREAD", "1")
	for _, deterministic := range []bool{true, false} {
		var all []*concurrents
		var rts []*ti.Runtime
		for _, c := range []struct{ threads, batch int }{{1, 1}, {2, 64}, {3, 64}, {5, 7}} {
			rt, h := newConcurrents(t, ti.Config{Threads: c.threads, Batch: c.batch, Deterministic: deterministic, StrictMath: true, Seed: 5})
			all, rts = append(all, h), append(rts, rt)
		}
		concurrentSeeds.Each(t, func(t *testing.T, seed uint64) {
			r := rand.New(rand.NewPCG(seed, 9))
			kinds := 21
			if !deterministic {
				kinds = 18 // sums of floats are rounded as threads share them
			}
			var launches []int
			for range 2 + r.IntN(12) {
				launches = append(launches, r.IntN(kinds)+100*r.IntN(3))
			}
			times := 1 + r.IntN(3)
			var want []float64
			for i, h := range all {
				h.begin()
				for range times {
					for _, n := range launches {
						titest.Must(t, h.launch(n))
					}
				}
				titest.Must(t, rts[i].Sync())
				got := h.values()
				if i == 0 {
					want = got
				}
				if at := differs(got, want); at >= 0 {
					t.Errorf("deterministic %v, program %d, %d times %v: value %d is %v, want %v", deterministic, i, times, launches, at, valueAt(got, at), valueAt(want, at))
				}
			}
		})
	}
}

// TestConcurrentBits: concurrent launches leave the bits of launches by themselves, in deterministic mode with sums, and on any number of threads.
func TestConcurrentBits(t *testing.T) {
	t.Setenv("TI_CONCURRENT", "1")
	for _, strict := range []bool{true, false} {
		var want []float64
		for _, c := range []struct{ threads, batch int }{{1, 64}, {1, 1}, {2, 64}, {3, 64}, {8, 64}, {2, 5}} {
			if !strict && c.batch != 64 {
				continue // in batches bits are others, but do not depend on threads
			}
			_, h := newConcurrents(t, ti.Config{Threads: c.threads, Batch: c.batch, Deterministic: true, StrictMath: strict, Seed: 5})
			h.A.Fill(0.3)
			for range 20 {
				titest.Must(t, errors.Join(h.StepA(0.7), h.StepB(0.1), h.StepC(0.9), h.SumA(), h.SumB(), h.ReadA(), h.CToA(), h.OnlyX(), h.OnlyY(), h.Thirds(), h.SumB()))
			}
			got := h.values()
			if want == nil {
				want = got
			}
			if at := differs(got, want); at >= 0 {
				t.Errorf("strict %v, %d threads, Batch %d: value %d is %v, want %v", strict, c.threads, c.batch, at, valueAt(got, at), valueAt(want, at))
			}
		}
	}
}

// TestConcurrentFailures: of launches that fail concurrently the first in program order is reported, once, and all run.
func TestConcurrentFailures(t *testing.T) {
	t.Setenv("TI_CONCURRENT", "1")
	for _, c := range []struct{ a, b int32 }{{1, 1}, {1, 100}, {100, 1}, {100, 100}} {
		var want string
		for _, most := range []int{1, 64} {
			rt, h := newConcurrents(t, ti.Config{Threads: 2, Batch: most})
			for round := range 3 {
				var first error
				note := func(err error) {
					if first == nil {
						first = err
					}
				}
				note(h.StepC(1))
				note(h.FarB(c.b))
				note(h.FarA(c.a))
				note(h.StepC(1))
				note(rt.Sync())
				got := fmt.Sprint(first)
				if most == 1 {
					want = got
				} else if !strings.HasPrefix(got, want) {
					t.Errorf("%+v, round %d: %s, want %s", c, round, got, want)
				}
				if (c.a > 1 || c.b > 1) != errors.Is(first, ti.ErrRange) {
					t.Errorf("%+v, Batch %d: %v", c, most, first)
				}
				if err := rt.Sync(); err != nil {
					t.Errorf("%+v, Batch %d: reported twice: %v", c, most, err)
				}
				if got := h.C.At(3); got != float32(2*round+2) {
					t.Errorf("%+v, Batch %d, round %d: C is %v", c, most, round, got)
				}
			}
		}
	}
}

// TestConcurrentEnds: a deadline, and Close, end concurrent launches.
func TestConcurrentEnds(t *testing.T) {
	t.Setenv("TI_CONCURRENT", "1")
	rt, h := newConcurrents(t, titest.OnProcessors(t, ti.Config{Threads: 2, Batch: 64}))
	const long = 1 << 20 // never reached
	plan, err := rt.Plan(func() { _ = errors.Join(h.Longer(long), h.StepA(1), h.Long(long)) })
	titest.Must(t, err)
	for range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		if err := plan.Run(ctx, 1); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "launch of Longer") {
			t.Errorf("a deadline: %v", err)
		}
		cancel()
	}
	short, err := rt.Plan(func() { _ = errors.Join(h.Longer(1), h.StepA(1), h.Long(1)) })
	titest.Must(t, err)
	h.A.Fill(0)
	titest.Must(t, short.Run(context.Background(), 2))
	if a := h.A.At(0); a != 1.5 {
		t.Errorf("A is %v behind a deadline, want 1.5", a)
	}
	ended := make(chan error)
	go func() { ended <- plan.Run(context.Background(), 1) }()
	time.Sleep(50 * time.Millisecond)
	titest.Must(t, rt.Close())
	if err := <-ended; !errors.Is(err, ti.ErrClosed) || !strings.Contains(err.Error(), "Longer") {
		t.Errorf("Close: %v", err)
	}
}
