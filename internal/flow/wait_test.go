package flow_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gotaichi/ti"
)

// slow is a kernel that takes LLVM seconds, and does little.
const slow = `package p
var A field[[16][16]f32]
func F() {
	for i := range A {
		u, s, v := svd(A[i])
		A[i] = u * transpose(v)
		A[i][0] += s
	}
}
func Tiny() i32 { return 3 }
`

type slowHost struct {
	A    ti.Field[[16][16]float32]
	F    func(context.Context) error
	Tiny func(context.Context) (int32, error)
}

// TestWaitForCompilation gives up waiting for a kernel that is compiled, at a deadline
// and because the runtime is closed, which does not wait either.
func TestWaitForCompilation(t *testing.T) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var h slowHost
	rt.Place(ti.Shape{3}, &h.A)
	if err := rt.Load(slow, &h); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := h.F(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := h.F(context.Background()); !errors.Is(err, ti.ErrClosed) {
			t.Errorf("a launch that waits while the runtime is closed: %v", err)
		}
	})
	time.Sleep(20 * time.Millisecond)
	start = time.Now()
	if err := rt.Close(); err != nil || time.Since(start) > time.Second {
		t.Errorf("Close takes %v: %v", time.Since(start), err)
	}
	wg.Wait()
	if err := h.F(context.Background()); !errors.Is(err, ti.ErrClosed) {
		t.Errorf("a launch after Close: %v", err)
	}
}

// TestCloseGivesUp closes a runtime of whose kernels nobody has launched any.
func TestCloseGivesUp(t *testing.T) {
	for _, wait := range []time.Duration{0, 10 * time.Millisecond, 100 * time.Millisecond} {
		rt, err := ti.New(ti.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var h slowHost
		rt.Place(ti.Shape{3}, &h.A)
		if err := rt.Load(slow, &h); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		start := time.Now()
		if err := rt.Close(); err != nil || time.Since(start) > time.Second {
			t.Errorf("after %v, Close takes %v: %v", wait, time.Since(start), err)
		}
	}
}

// TestTreeClosedMeanwhile closes the tree of a field, which the host holds by a pointer,
// while a launch waits for the compilation of its kernel.
func TestTreeClosedMeanwhile(t *testing.T) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var h struct {
		A *ti.Field[[8][8]float32]
		F func() error
	}
	h.A = ti.NewField[[8][8]float32](rt, 3)
	if err := rt.Load(strings.NewReplacer("16", "8", "func Tiny() i32 { return 3 }", "").Replace(slow), &h); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := h.F(); !errors.Is(err, ti.ErrClosed) || strings.Contains(err.Error(), "runtime was closed") {
			t.Errorf("a launch that waits while a tree is closed: %v", err)
		}
	})
	time.Sleep(30 * time.Millisecond)
	if err := h.A.Tree().Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

// TestWaitForTurn launches while another launch is under way, and closes the runtime then.
func TestWaitForTurn(t *testing.T) {
	for _, arch := range []ti.Arch{ti.CPU, ti.Oracle} {
		rt, err := ti.New(ti.Config{Arch: arch})
		if err != nil {
			t.Fatal(err)
		}
		f, g := loadEndless(t, rt, `for i := range X { for { X[i] += 1 } }`)
		if err := rt.Prepare(context.Background()); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := f(context.Background()); !errors.Is(err, ti.ErrClosed) {
				t.Errorf("%v: the launch that Close ended: %v", arch, err)
			}
		})
		time.Sleep(30 * time.Millisecond)
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		start := time.Now()
		for range 2 { // the second has no time at all
			if _, err := g(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
				t.Errorf("%v: after %v: %v", arch, time.Since(start), err)
			}
		}
		cancel()
		wg.Go(func() {
			if _, err := g(context.Background()); !errors.Is(err, ti.ErrClosed) {
				t.Errorf("%v: the launch that waits while the runtime is closed: %v", arch, err)
			}
		})
		time.Sleep(10 * time.Millisecond)
		start = time.Now()
		if err := rt.Close(); err != nil || time.Since(start) > time.Second {
			t.Errorf("%v: Close takes %v: %v", arch, time.Since(start), err)
		}
		wg.Wait()
	}
}
