package vulkan_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan"
)

const piecesSource = `package p

var X field[u32]
var S, T field[f32, D0]
var R field[f32]

func Count(n i64) {
	for i := range ndrange(n) {
		X[i32(i%7)] += 1
	}
}

func Grid(n, m i32) {
	for i, j := range ndrange(n, m) {
		X[(i+j)%7] += u32(i*3 + j)
	}
}

func InOrder(n i32) {
	for i := range serial(n) {
		X[0] = X[0]*5 + u32(i)
	}
}

// Turn has few iterations, of which nobody knows how long they are.
func Turn(n i32) {
	for i := range X {
		x := u32(i)
		for k := i32(0); k < n; k++ {
			x = x*1664525 + 1013904223
		}
		X[i] += x
	}
}

// Sums has two sums, of which the second one has more numbers.
func Sums(n i32) {
	s, a, b, c := f32(0), f32(0), f32(0), f32(0)
	for i := range ndrange(n) {
		s += 1 / f32(i+1)
	}
	for i := range ndrange(n) {
		a += 0.1
		b += f32(i%3) / 7
		c += R[i%7]
	}
	S = s
	T = a + b + c
}

func Endless() {
	for i := range X {
		for X[i] < 4000000000 {
			X[i] %= 1000
		}
	}
}
`

type piecesHost struct {
	X       ti.Field[uint32]
	S, T    ti.Field[float32]
	R       ti.Field[float32]
	Count   func(ctx context.Context, n int64) error
	Grid    func(n, m int32) error
	InOrder func(n int32) error
	Turn    func(n int32) error
	Sums    func(n int32) error
	Endless func(ctx context.Context) error
}

func newPieces(t *testing.T, cfg ti.Config) (*ti.Runtime, *piecesHost) {
	t.Helper()
	cfg.Cache = ti.Cache{Policy: ti.CacheOff}
	rt := runtime(t, cfg)
	return rt, loadPieces(t, rt)
}

func loadPieces(t *testing.T, rt *ti.Runtime) *piecesHost {
	t.Helper()
	h := &piecesHost{}
	rt.Place(ti.Shape{7}, &h.X, &h.R)
	rt.Place(nil, &h.S, &h.T)
	h.R.Set(0.3, 3)
	must(t, rt.Load(piecesSource, h))
	return h
}

// TestLongRange: a loop that would run for minutes ends soon behind its context, says how far it is, and what comes then runs.
func TestLongRange(t *testing.T) {
	var done, total atomic.Int64
	cfg := titest.Vulkan(t, ti.Config{})
	cfg.Progress = func(p ti.Progress) {
		if p.Total == 1<<40 {
			total.Store(p.Total)
			if p.Done < done.Load() || p.Done > p.Total {
				t.Errorf("%d iterations of %d are done, before %d", p.Done, p.Total, done.Load())
			}
			done.Store(p.Done)
		}
	}
	_, h := newPieces(t, cfg)
	must(t, h.Count(context.Background(), 1)) // compiled
	ctx, cancel := context.WithTimeout(context.Background(), 700*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := h.Count(ctx, 1<<40)
	took := time.Since(began)
	if !errors.Is(err, context.DeadlineExceeded) || err.Error() != "ti: launch of Count ended early: context deadline exceeded" {
		t.Errorf("the error is %v", err)
	}
	if took > 1700*time.Millisecond {
		t.Errorf("the launch took %v", took)
	}
	if done.Load() == 0 || total.Load() != 1<<40 {
		t.Errorf("%d iterations of %d were done", done.Load(), total.Load())
	}
	for i := range 7 {
		h.X.Set(0, i)
	}
	must(t, h.Count(context.Background(), 7_000_000))
	for i := range 7 {
		if got := h.X.At(i); got != 1_000_000 {
			t.Errorf("element %d is %d", i, got)
		}
	}
}

// TestPieces: tasks that take different times leave the same, whether they run as a whole or piece by piece.
func TestPieces(t *testing.T) {
	cfg := titest.Vulkan(t, ti.Config{Deterministic: true, StrictMath: true, Cache: ti.Cache{Policy: ti.CacheOff}})
	type values struct {
		x    [7]uint32
		s, t float32
	}
	var want values
	for n, most := range []time.Duration{time.Hour, 10 * time.Millisecond, time.Microsecond} {
		y := &vulkan.Faulty{}
		rt, err := titest.NewOn(cfg, func(processors launch.Machine, device int) (launch.Machine, error) {
			m, err := y.Machine(processors, device)
			if err == nil {
				vulkan.SetPieceTime(m, most)
			}
			return m, err
		})
		must(t, err)
		h := loadPieces(t, rt)
		for run := range 2 {
			for i := range 7 {
				h.X.Set(0, i)
			}
			must(t, h.Count(context.Background(), 100_000))
			must(t, h.Grid(161, 97))
			must(t, h.InOrder(300))
			must(t, h.Turn(20000))
			must(t, h.Sums(20_000))
			got := values{s: h.S.At(), t: h.T.At()}
			for i := range 7 {
				got.x[i] = h.X.At(i)
			}
			if n == 0 && run == 0 {
				want = got
			} else if got != want {
				t.Errorf("pieces of %v, run %d: %v, want %v", most, run, got, want)
			}
		}
		must(t, rt.Close())
		noObjects(t, y)
	}
}

// TestEndless: a loop that never ends does so with its context.
func TestEndless(t *testing.T) {
	_, h := newPieces(t, titest.Vulkan(t, ti.Config{}))
	for range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		began := time.Now()
		err := h.Endless(ctx)
		cancel()
		if err == nil || time.Since(began) > 2*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	}
}
