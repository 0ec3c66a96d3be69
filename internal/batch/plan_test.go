package batch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// TestRandomPlans compares plans that run n times with the same launches made n times.
func TestRandomPlans(t *testing.T) {
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		for _, most := range []int{1, 7} {
			cfg := ti.Config{Arch: arch, Batch: most, Threads: 2, StrictMath: true, Deterministic: true, Seed: 3}
			plain, planned := newHosted(t, titest.New(t, cfg)), newHosted(t, titest.New(t, cfg))
			for seed := range randtest.Usual(uint64(5)) {
				r := rand.New(rand.NewPCG(seed, 7))
				var steps []int
				for range 1 + r.IntN(8) {
					steps = append(steps, 12+r.IntN(27))
				}
				n := 1 + r.IntN(4)
				args := func() *rand.Rand { return rand.New(rand.NewPCG(seed, 8)) }
				for _, h := range []*hosted{plain, planned} {
					h.found = nil
					h.begin()
				}
				for range n {
					plain.steps(t, steps, args())
				}
				p, err := planned.rt.Plan(func() { planned.steps(t, steps, args()) })
				titest.Must(t, err)
				titest.Must(t, p.Run(context.Background(), n))
				if at := differs(planned.values(), plain.values()); at >= 0 {
					t.Errorf("%v, Batch %d, seed %d: value %d of plan %v run %d times is %v, want %v", arch, most, seed, at, steps, n, planned.values()[at], plain.values()[at])
				}
			}
		}
	}
}

func (h *hosted) steps(t *testing.T, steps []int, r *rand.Rand) {
	for _, n := range steps {
		titest.Must(t, h.step(n, r))
	}
}

const plannedSource = `
package planned

var (
	X, Y field[i32]
	K    i32
)

func Add(k i32) {
	for i := range X {
		X[i] += k*K
	}
}

func Copy() {
	for i := range X {
		Y[i] = X[i]
	}
}

func Noise() {
	for i := range X {
		X[i] = i32(random()*1000000)
	}
}

func Sum() (s i32) {
	for i := range X {
		s += X[i]
	}
	return
}

func Say() { print(1) }

func From(v []i32) {
	for i := range X {
		X[i] = v[i]
	}
}

func Far(k i32) { X[k] = 1 }

func Long(n i32) {
	for range n {
		for i := range serial(1 << 30) { Y[0] += i }
	}
}
`

type planned struct {
	X, Y      *ti.Field[int32]
	K         int32
	Add       func(k int32)
	Copy      func()
	Noise     func()
	Sum       func() int32
	Say       func()
	From      func(v []int32)
	Far, Long func(k int32) error
}

func newPlanned(t *testing.T, cfg ti.Config) (*ti.Runtime, *planned) {
	t.Helper()
	rt := titest.New(t, cfg)
	p := &planned{X: ti.NewField[int32](rt, 8), Y: ti.NewField[int32](rt, 8), K: 1}
	_, err := rt.Compile(ti.Text("planned.ti", plannedSource), p)
	titest.Must(t, err)
	return rt, p
}

// TestPlan: nothing runs when a plan is made; random numbers go on, constants and pointers of the host are noticed; stores of the host are part of it.
func TestPlan(t *testing.T) {
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		rt, p := newPlanned(t, ti.Config{Arch: arch})
		ctx := context.Background()
		p.X.Fill(1)
		plan, err := rt.Plan(func() {
			p.Add(2)
			p.Copy()
			p.Y.Set(100, 3)
		})
		titest.Must(t, err)
		if x, y := p.X.At(0), p.Y.At(3); x != 1 || y != 0 {
			t.Errorf("%v: the plan has run when it was made: %d %d", arch, x, y)
		}
		titest.Must(t, plan.Run(ctx, 0))
		titest.Must(t, plan.Run(ctx, 5))
		if x, y, z := p.X.At(0), p.Y.At(1), p.Y.At(3); x != 11 || y != 11 || z != 100 {
			t.Errorf("%v: %d %d %d, want 11 11 100", arch, x, y, z)
		}
		p.K = 10
		titest.Must(t, plan.Run(ctx, 1))
		if x := p.X.At(0); x != 31 {
			t.Errorf("%v: with another constant X is %d, want 31", arch, x)
		}
		p.X, p.Y = p.Y, p.X
		titest.Must(t, plan.Run(ctx, 1)) // Set is of the field that it was of
		if x, y, z := p.X.At(0), p.Y.At(0), p.Y.At(3); x != 51 || y != 51 || p.X.At(3) != 100 || z != 120 {
			t.Errorf("%v: with swapped fields %d %d %d %d", arch, x, y, p.X.At(3), z)
		}

		noisy, q := newPlanned(t, ti.Config{Arch: arch})
		noise, err := noisy.Plan(q.Noise)
		titest.Must(t, err)
		titest.Must(t, noise.Run(ctx, 2))
		_, plain := newPlanned(t, ti.Config{Arch: arch})
		for range 2 {
			plain.Noise()
		}
		same(t, "X", plain.X, q.X)
		q.Noise()
		plain.Noise()
		same(t, "X", plain.X, q.X)
	}
}

// TestPlanRefused: what a plan cannot have is an error that says so, from a function with and without an error result.
func TestPlanRefused(t *testing.T) {
	rt, p := newPlanned(t, ti.Config{})
	shares := titest.Shares(rt)
	if shares {
		_, err := p.Y.Slice()
		titest.Must(t, err)
	}
	for _, c := range []struct {
		what string
		f    func()
		says string
	}{
		{"a result", func() { p.Sum() }, "launches Sum, which has results"},
		{"a print", func() { p.Say() }, "launches Say, which prints"},
		{"a slice", func() { p.From(make([]int32, 8)) }, "launches From, which takes memory of the caller"},
		{"memory of the program", func() { p.Copy() }, "launches Copy, which uses a field of which the program has the memory"},
		{"an element", func() { p.Add(1); p.X.At(3) }, "reads or writes elements"},
		{"Sync", func() { p.Add(1); _ = rt.Sync() }, "waits for its launches"},
		{"a plan", func() { _, _ = rt.Plan(func() {}) }, "makes a plan itself"},
	} {
		if c.what == "memory of the program" && !shares {
			continue
		}
		plan, err := rt.Plan(c.f)
		if plan != nil || !errors.Is(err, ti.ErrArgs) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.what, err, c.says)
		}
	}
	if x := p.X.At(0); x != 0 {
		t.Errorf("a plan that was refused has run: %d", x)
	}
	if err := titest.Safely(func() error { _, err := rt.Plan(func() { panic(errors.New("mine")) }); return err }); err == nil || err.Error() != "mine" {
		t.Errorf("a panic in a plan is %v", err)
	}
	if _, err := rt.Plan(nil); !errors.Is(err, ti.ErrArgs) {
		t.Errorf("a nil function: %v", err)
	}
	p.Add(3)
	if x := p.X.At(0); x != 3 {
		t.Errorf("launches behind refused plans: %d", x)
	}
}

// TestPlanSparse: methods that touch elements of a sparse field hold the launch lock meanwhile. In a plan they have it fail, and do not wait for ever.
func TestPlanSparse(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var h struct {
		X   ti.Field[int32]
		Add func(k int32)
	}
	rt.NewTree().Pointer(ti.I, 4).Dense(ti.I, 4).Place(&h.X)
	_, err := rt.Compile(ti.Text("sparse.ti", "package p\n\nvar X field[i32]\n\nfunc Add(k i32) {\n\tfor i := range 16 {\n\t\tX[i] += k\n\t}\n}\n"), &h)
	titest.Must(t, err)
	all := make([]int32, 16)
	for what, f := range map[string]func() error{
		"CopyFrom": func() error { return h.X.CopyFrom(all) },
		"CopyTo":   func() error { return h.X.CopyTo(all) },
		"At":       func() error { return titest.Safely(func() error { h.X.At(3); return nil }) },
		"All": func() error {
			return titest.Safely(func() error { h.X.All()(func(ti.Index, int32) bool { return true }); return nil })
		},
	} {
		if plan, err := rt.Plan(func() { h.Add(1); _ = f() }); plan != nil || !errors.Is(err, ti.ErrArgs) {
			t.Errorf("%s in a plan: %v", what, err)
		}
	}
	h.Add(2)
	if x := h.X.At(5); x != 2 {
		t.Errorf("a launch behind the plans: %d", x)
	}
}

// TestPlanEnds: a failure, a context and a closed tree end a plan.
func TestPlanEnds(t *testing.T) {
	rt, p := newPlanned(t, ti.Config{Batch: 10})
	ctx := context.Background()
	plan, err := rt.Plan(func() { p.Add(1); _ = p.Far(8) })
	titest.Must(t, err)
	if err := plan.Run(ctx, 100); !errors.Is(err, ti.ErrRange) || !strings.Contains(err.Error(), "kernel Far") {
		t.Errorf("a plan that fails: %v", err)
	}
	if x := p.X.At(0); x != 1 {
		t.Errorf("the plan has run %d times until it failed, want once", x)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	add, err := rt.Plan(func() { p.Add(1) })
	titest.Must(t, err)
	if err := add.Run(ended, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
	long, err := rt.Plan(func() { _ = p.Long(1 << 30) })
	titest.Must(t, err)
	soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if err := long.Run(soon, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a long plan: %v", err)
	}
	for what, err := range map[string]error{"a negative number": add.Run(ctx, -1), "no context": add.Run(context.Context(nil), 1), "a nil plan": (*ti.Plan)(nil).Run(ctx, 1), "the zero plan": new(ti.Plan).Run(ctx, 1)} {
		if !errors.Is(err, ti.ErrArgs) {
			t.Errorf("%s: %v", what, err)
		}
	}
	titest.Must(t, p.X.Tree().Close())
	if err := add.Run(ctx, 1); !errors.Is(err, ti.ErrClosed) {
		t.Errorf("a plan of a closed tree: %v", err)
	}
}
