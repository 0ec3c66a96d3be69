package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

var hostSeeds = randtest.New("batchseeds", "firstbatch", "made-up host programs that run at several sizes of batches", 6, 6)

// hosted is a host program, of which the steps are numbers.
type hosted struct {
	A, B, C, P, Q, R      ti.Field[float32]
	Cells                 ti.Field[cell]
	G                     ti.Field[int32]
	L                     ti.Field[int32]
	S, Loss               ti.Field[float32]
	T                     ti.Field[int64]
	W                     ti.Field[float32]
	Gain                  float32
	Shift                 int32
	Copy, Fill            func(c float32) error
	Back, Bump, Even      func() error
	Ripple, Third, Spill  func() error
	Checker, Warm         func(c float32) error
	Half, Count, Grow     func(k int32) error
	Shrink, Append, Early func(k int32) error
	Serial, Far, Head     func(k int32) error
	HeadTo                func(m, n int32) error
	Flux, Weigh           func() error
	Sum, Spread, Noise    func() error
	Cool, Gather          func() error
	Lists, Empty, Square  func() error
	Mix                   func(a, b *ti.Field[float32], c float32) error
	Total                 func() (int64, float32, error)
	First                 func(k int32) (float32, error)
	Add                   func(v []float32) error

	rt    *ti.Runtime
	batch int
	guard bool
	other other
	of    *ti.Program
	found []float64 // what the program has read
}

// other is what the second source is bound to.
type other struct {
	From, To *ti.Field[float32]
	Heats    *ti.Field[float32]
	Stencil  func() error
	Heat     func(c float32) error
}

type cell struct{ Mass, Heat float32 }

const hostedRows, hostedColumns = 12, 9

func newHosted(t *testing.T, rt *ti.Runtime) *hosted {
	h := &hosted{rt: rt, Gain: 0.5, Shift: 1}
	rt.Place(ti.Shape{hostedRows, hostedColumns}, ti.WithGrad(&h.A)...)
	rt.Place(ti.Shape{hostedRows, hostedColumns}, ti.WithGrad(&h.B)...)
	rt.Place(ti.Shape{hostedRows, hostedColumns}, &h.C)
	rt.Place(ti.Shape{7}, &h.Cells)
	rt.Place(ti.Shape{11}, &h.G)
	rt.Place(ti.Shape{4}, ti.WithGrad(&h.W)...)
	rt.Place(nil, &h.S)
	rt.Place(nil, &h.T)
	rt.Place(nil, ti.WithGrad(&h.Loss)...)
	rt.NewTree().Pointer("ij", 3, 3).Bitmasked("ij", 4, 3).Place(&h.P, &h.Q)
	rt.NewTree().Pointer("ij", 2, 3).Dense("ij", 6, 3).Place(&h.R)
	rt.NewTree().Dense("i", 6).Dynamic("j", 64).Place(&h.L)
	h.other = other{From: &h.A, To: &h.B, Heats: ti.Member[float32](&h.Cells, "Heat")}
	titest.Must(t, rt.Load(otherSource, &h.other))
	var err error
	h.of, err = rt.Compile(ti.Text("hosted.ti", hostedSource), h)
	titest.Must(t, err)
	return h
}

// step makes step n of a program.
func (h *hosted) step(n int, r *rand.Rand) error {
	k, c := int32(r.IntN(5)), float32(r.IntN(16))/8
	i, j := r.IntN(hostedRows), r.IntN(hostedColumns)
	launches := []func() error{
		func() error { return h.Copy(c) }, h.Back, func() error { return h.Fill(c) }, h.Bump, func() error { return h.Half(k % 2) }, h.Even,
		h.other.Stencil, h.Flux, func() error { return h.other.Heat(c) }, h.Weigh, func() error { return h.Count(k) }, h.Sum, h.Spread, h.Noise,
		func() error { return h.Grow(k) }, h.Cool, h.Gather, func() error { return h.Shrink(k) }, func() error { return h.Append(k) }, h.Lists, h.Empty,
		func() error { return h.Mix(&h.A, &h.C, c) }, func() error { return h.Mix(&h.B, &h.A, c) },
		func() error { return h.Early(k) }, func() error { return h.Serial(k) },
		func() error { return h.Head(k / 2 * 6) }, func() error { return h.HeadTo(k%2, k/2*6) },
		h.Ripple, func() error { return h.Checker(c) }, h.Third, func() error { return h.Warm(c) }, h.Spill,
	}
	if m := n - 12; m >= 0 {
		return launches[m%len(launches)]()
	}
	switch n {
	case 0:
		h.see(float64(h.A.At(i, j)), float64(h.Cells.At(i%7).Heat), float64(h.P.At(i, j)))
	case 1:
		h.B.Set(c, i, j)
		h.other.Heats.Set(c, i%7)
		h.Q.Set(c, i, j)
	case 2:
		h.other.From, h.other.To = h.other.To, h.other.From
	case 3:
		h.Gain, h.Shift = c, k
	case 4:
		total, sum, err := h.Total()
		h.see(float64(total), float64(sum))
		return err
	case 5:
		first, err := h.First(k)
		h.see(float64(first))
		return err
	case 6:
		return h.Add([]float32{c, 1, c * 2})
	case 7:
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, err := h.of.Kernel("Bump").Launch(ctx)
		return err
	case 8:
		return h.rt.Tape(&h.Loss, func() error { return errors.Join(h.Copy(c), h.Square()) })
	case 9:
		all := make([]float32, hostedRows*hostedColumns)
		err := h.C.CopyTo(all)
		h.see(float64(all[i*hostedColumns+j]), float64(h.A.Grad().At(i, j)), float64(h.W.Grad().At(i%4)))
		all[0] = c
		return errors.Join(err, h.C.CopyFrom(all))
	case 10:
		h.rt.Flush()
	default:
		h.C.Fill(c)
		h.P.Node().Clear()
	}
	return nil
}

// begin gives all fields the values that a program begins with.
func (h *hosted) begin() {
	for i := range hostedRows {
		for j := range hostedColumns {
			h.A.Set(float32(i*j%7)/4, i, j)
			h.B.Set(float32((i+j)%5)-2, i, j)
		}
	}
	h.C.Fill(0)
	h.Cells.Fill(cell{Mass: 0.5})
	h.G.Fill(0)
	h.W.Fill(1)
	h.S.Set(0)
	h.T.Set(0)
	h.P.Node().Clear()
	h.R.Node().Clear()
	h.L.Node().Clear()
	h.other.From, h.other.To = &h.A, &h.B
	h.Gain, h.Shift = 0.5, 1
}

func (h *hosted) see(values ...float64) { h.found = append(h.found, values...) }

// run makes a program of a seed, and returns all that it reads and leaves.
func (h *hosted) run(seed uint64) ([]float64, error) {
	r := rand.New(rand.NewPCG(seed, 1))
	var steps []int // with parts that repeat
	for range 1 + r.IntN(4) {
		var round []int
		for range 1 + r.IntN(7) {
			round = append(round, r.IntN(12+2*32))
		}
		for range 1 + r.IntN(5) {
			steps = append(steps, round...)
		}
	}
	h.found = nil
	h.begin()
	for _, n := range steps {
		if err := h.step(n, r); err != nil {
			return nil, err
		}
	}
	if err := h.rt.Sync(); err != nil {
		return nil, err
	}
	h.see(h.values()...)
	return h.found, nil
}

// values are all elements.
func (h *hosted) values() (all []float64) {
	for _, f := range []*ti.Field[float32]{&h.A, &h.B, &h.C, &h.P, &h.Q, &h.R, &h.S, &h.W, &h.Loss, h.A.Grad(), h.W.Grad()} {
		for idx, v := range f.All() {
			all = append(all, float64(idx[0]), float64(v))
		}
	}
	for _, f := range []*ti.Field[int32]{&h.G, &h.L} {
		for _, v := range f.All() {
			all = append(all, float64(v))
		}
	}
	for _, v := range h.Cells.All() {
		all = append(all, float64(v.Mass), float64(v.Heat))
	}
	return append(all, float64(h.T.At()), float64(h.P.Node().Count()), float64(h.R.Node().Count()))
}

// TestRandomHostPrograms runs host programs that are made up, and compares all that they read and leave with what they do when each launch
// runs at once: on the oracle, and compiled.
func TestRandomHostPrograms(t *testing.T) {
	base := ti.Config{StrictMath: true, Deterministic: true, Seed: 3}
	var runs []*hosted
	var names []string
	kept := ti.Cache{Dir: filepath.Join(t.TempDir(), "cache"), Policy: ti.CacheNever}
	for _, c := range []struct {
		arch           ti.Arch
		threads, batch int
		guard          bool // linked launches are compiled in the background, and measured
		cached         bool // all runtimes with a cache have one: the second finds what the first has linked
		concurrent     bool // launches run concurrently whenever they can
	}{
		{arch: ti.Oracle, threads: 1, batch: 1}, {arch: ti.Oracle, threads: 1, batch: 3},
		{arch: ti.LLVM, threads: 2, batch: 1}, {arch: ti.LLVM, threads: 1, batch: 2}, {arch: ti.LLVM, threads: 2, batch: 3, cached: true},
		{arch: ti.LLVM, threads: 2, batch: 3, cached: true}, {arch: ti.LLVM, threads: 1, batch: 7}, {arch: ti.LLVM, threads: 3, batch: 50},
		{arch: ti.LLVM, threads: 2, batch: 1000}, {arch: ti.LLVM, threads: 2, batch: 9, guard: true}, {arch: ti.LLVM, threads: 2, batch: 7, concurrent: true},
		{arch: ti.LLVM, threads: 3, batch: 1000, concurrent: true}, {arch: ti.LLVM, threads: 2, batch: 11, guard: true, concurrent: true},
	} {
		cfg := base
		if c.cached {
			cfg.Cache = kept
		}
		cfg.Arch, cfg.Threads, cfg.Batch = c.arch, c.threads, c.batch
		t.Setenv("TI_LINK_ALWAYS", strconv.FormatBool(!c.guard))
		t.Setenv("TI_CONCURRENT", strconv.FormatBool(c.concurrent))
		h := newHosted(t, titest.New(t, cfg))
		h.batch, h.guard = c.batch, c.guard
		runs = append(runs, h)
		names = append(names, fmt.Sprintf("%v, %d threads, Batch %d, guard %v, cached %v, concurrent %v", c.arch, c.threads, c.batch, c.guard, c.cached, c.concurrent))
	}
	hostSeeds.Each(t, func(t *testing.T, seed uint64) {
		var want []float64
		for k, h := range runs {
			got, err := h.run(seed)
			if err != nil {
				t.Fatalf("%s: %v", names[k], err)
			}
			if runs[k].batch == 1 {
				want = got
			} else if at := differs(got, want); at >= 0 {
				t.Errorf("%s: value %d of %d is %v, without batches %v of %d", names[k], at, len(got), valueAt(got, at), valueAt(want, at), len(want))
			}
		}
	})
	for k, h := range runs {
		if removed := h.rt.Stats().Removed; !h.guard && (removed > 0) != (h.batch > 1 && h.rt.Device().Arch != ti.Oracle) {
			t.Errorf("%s: %d tasks are removed", names[k], removed)
		}
	}
}

func valueAt(all []float64, n int) any {
	if n < len(all) {
		return all[n]
	}
	return "missing"
}

// differs returns the first position at which bits differ; -1 for none.
func differs(a, b []float64) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return i
		}
	}
	return -1
}

// TestRandomFailures runs host programs with launches that fail. The first error is that of the first launch that fails when each runs at once.
func TestRandomFailures(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	var runs []*hosted
	for _, concurrent := range []string{"0", "1"} {
		t.Setenv("TI_CONCURRENT", concurrent)
		for _, batch := range []int{1, 2, 7, 1000} {
			for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
				h := newHosted(t, titest.New(t, ti.Config{Arch: arch, Threads: 2, Batch: batch, Seed: 3}))
				h.batch = batch
				runs = append(runs, h)
			}
		}
	}
	sameFailures(t, runs, randtest.Usual(uint64(12)))
}

// sameFailures runs host programs with launches that fail. The first error has to be that of Batch 1, which comes first.
func sameFailures(t *testing.T, runs []*hosted, seeds uint64) {
	t.Helper()
	for seed := range seeds {
		var want string
		for _, h := range runs {
			got := h.fails(seed)
			if h.batch == 1 {
				want = got
			} else if !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("Batch %d, seed %d: the error is %q, want %q", h.batch, seed, got, want)
			}
		}
	}
}

// fails runs a program of a seed until an error is reported, which it returns.
func (h *hosted) fails(seed uint64) string {
	h.begin()
	r := rand.New(rand.NewPCG(seed, 2))
	for range 30 {
		n, k := 12+r.IntN(32), int32(r.IntN(7))
		err := h.step(n, r)
		if r.IntN(8) == 0 && err == nil {
			err = h.Far(k) // fails from 6 on
		}
		if err != nil {
			return err.Error()
		}
	}
	if err := h.rt.Sync(); err != nil {
		return err.Error()
	}
	return ""
}
