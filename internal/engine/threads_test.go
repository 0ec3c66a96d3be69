package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestThreadCounts: one thread for each processor, and many more than there are.
func TestThreadCounts(t *testing.T) {
	for _, n := range []int{0, 1, 3, 64, 10_000} {
		rt := titest.New(t, ti.Config{Threads: n})
		var s struct {
			X    ti.Field[int32]
			Step func() (int64, error)
		}
		rt.Place(ti.Shape{1 << 20}, &s.X)
		titest.Must(t, rt.Load(`package p

var X field[i32]

func Step() i64 {
	s := i64(0)
	for i := range X {
		X[i] += i % 7
		s += i64(X[i])
	}
	return s
}`, &s))
		start := time.Now()
		for step := range int64(5) {
			const round = (1 << 20) / 7 * 21 // of the numbers 0 to 6; what is left over is 0 to 3
			if got, err := s.Step(); err != nil || got != (step+1)*(round+6) {
				t.Fatalf("%d threads, step %d: %d, %v", n, step, got, err)
			}
		}
		t.Logf("%d threads: %v", n, time.Since(start))
	}
	for _, n := range []int{-1, 1 << 20} {
		if _, err := ti.New(ti.Config{Threads: n}); err == nil {
			t.Errorf("%d threads were accepted", n)
		}
	}
}

// TestLongRange begins a loop of 2⁴⁰ iterations, which a deadline ends.
func TestLongRange(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var s struct {
		Count func(ctx context.Context, n int64) (int64, error)
	}
	titest.Must(t, rt.Load(`package p

func Count(n i64) i64 {
	s := i64(0)
	for i := range n {
		s = max(s, i ^ i>>3)
	}
	return s
}`, &s))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := s.Count(ctx, 1<<40); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("the launch took %v to end", took)
	}
	if got, err := s.Count(context.Background(), 1<<20); err != nil || got != 1<<20-1 {
		t.Errorf("the next launch gives %d, %v", got, err)
	}
}

// TestOneLongIteration: where one iteration is nearly all of the work, the others are done beside it.
func TestOneLongIteration(t *testing.T) {
	rt := titest.New(t, ti.Config{Threads: 2})
	var s struct {
		X   ti.Field[int32]
		Run func(at, n int32) error
	}
	rt.Place(ti.Shape{1 << 16}, &s.X)
	titest.Must(t, rt.Load(`package p

var X field[i32]

func Run(at, n i32) {
	for i := range X {
		v := u32(i)
		if i == at {
			for range n {
				v = v*1664525 + 1013904223
			}
		}
		X[i] = i32(v % 1000)
	}
}`, &s))
	const steps = 20_000_000
	want := uint32(0)
	for _, at := range []int32{0, 1 << 15, 1<<16 - 1} {
		want = uint32(at)
		for range steps {
			want = want*1664525 + 1013904223
		}
		if err := s.Run(at, steps); err != nil {
			t.Fatal(err)
		}
		for _, i := range []int32{0, 1, at, 1<<16 - 2} {
			w := uint32(i) % 1000
			if i == at {
				w = want % 1000
			}
			if got := s.X.At(int(i)); got != int32(w) {
				t.Errorf("X[%d] is %d after iteration %d took long, want %d", i, got, at, w)
			}
		}
	}
}
