package ti_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

const printSource = `package p
func Count(n i32) (s i32) {
	for i := range n {
		print("line", i)
		s += 1
	}
	return s
}
func Check(n i32) { assert(n == 3, "n is %d, not %v", n, vec2(3)) }
`

type printHost struct {
	Count func(int32) (int32, error)
	Check func(int32) error
}

func countLines(n int) string {
	var w strings.Builder
	for i := range n {
		fmt.Fprintln(&w, "line", i)
	}
	return w.String()
}

// Text of all threads comes out whole, in order, and of the launch that printed it.
func TestPrint(t *testing.T) {
	for _, cfg := range []ti.Config{{Threads: 1}, {Threads: 4}, {Arch: ti.Oracle}} {
		var out bytes.Buffer
		cfg.Stdout = &out
		var h printHost
		if err := newRuntime(t, cfg).Load(printSource, &h); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 1000, 20000, 3} {
			out.Reset()
			if s, err := h.Count(int32(n)); err != nil || int(s) != n {
				t.Errorf("%v, %d threads: Count(%d) = %d, %v", cfg.Arch, cfg.Threads, n, s, err)
			}
			if out.String() != countLines(n) {
				t.Errorf("%v, %d threads: Count(%d) printed %d bytes, want %d: %.200q", cfg.Arch, cfg.Threads, n, out.Len(), len(countLines(n)), out.String())
			}
		}
	}
}

// What does not fit fails the launch, and the next one is as good as new.
func TestPrintTooMuch(t *testing.T) {
	t.Setenv("TI_PRINT_BUFFER", "4096")
	var out bytes.Buffer
	var h printHost
	rt := newRuntime(t, ti.Config{Threads: 1, Stdout: &out})
	if err := rt.Load(printSource, &h); err != nil {
		t.Fatal(err)
	}
	_, err := h.Count(1000)
	if !errors.Is(err, ti.ErrMemory) || !strings.Contains(err.Error(), "Count printed more than") {
		t.Errorf("error %v", err)
	}
	if !strings.HasPrefix(countLines(1000), out.String()) || out.Len() < 500 {
		t.Errorf("printed %q", out.String())
	}
	out.Reset()
	if s, err := h.Count(10); err != nil || s != 10 || out.String() != countLines(10) {
		t.Errorf("afterwards %d, %v, %q", s, err, out.String())
	}
}

// A brokenWriter fails in its own way.
type brokenWriter struct{ fail func() error }

func (w *brokenWriter) Write(p []byte) (int, error) { return len(p), w.fail() }

func TestPrintBrokenWriter(t *testing.T) {
	broken := errors.New("the disk is full")
	for _, arch := range []ti.Arch{ti.CPU, ti.Oracle} {
		w := &brokenWriter{}
		var h printHost
		rt := newRuntime(t, ti.Config{Arch: arch, Stdout: w})
		if err := rt.Load(printSource, &h); err != nil {
			t.Fatal(err)
		}
		w.fail = func() error { return broken }
		if _, err := h.Count(2); !errors.Is(err, broken) || !strings.Contains(err.Error(), "Count prints") {
			t.Errorf("%v: error %v", arch, err)
		}
		w.fail = func() error { panic("no") }
		if _, err := h.Count(2); err == nil || !strings.Contains(err.Error(), "panic: no") {
			t.Errorf("%v: error %v", arch, err)
		}
		w.fail = func() error { return nil }
		if _, err := h.Count(2); err != nil {
			t.Errorf("%v: afterwards %v", arch, err)
		}
	}
}

// What was printed before a launch was cancelled is not lost.
func TestPrintCancelled(t *testing.T) {
	var out bytes.Buffer
	rt := newRuntime(t, ti.Config{Threads: 2, Stdout: &out})
	p, err := rt.Compile(ti.Text("p.ti", `package p
func Run(n i32) (s f32) {
	print("begin")
	for i := range n {
		x := f32(i)
		for k := range 10000 { x = sqrt(x + k) }
		s += x
	}
	return s
}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Kernel("Run").Launch(ctx, int32(1)); !errors.Is(err, context.Canceled) || out.Len() != 0 {
		t.Errorf("cancelled before: %v, %q", err, out.String())
	}
	ctx, cancel = context.WithTimeout(context.Background(), 30e6)
	defer cancel()
	if _, err := p.Kernel("Run").Launch(ctx, int32(1<<30)); !errors.Is(err, context.DeadlineExceeded) || out.String() != "begin\n" {
		t.Errorf("cancelled: %v, %q", err, out.String())
	}
}

func TestAssert(t *testing.T) {
	for _, arch := range []ti.Arch{ti.CPU, ti.Oracle} {
		var h printHost
		if err := newRuntime(t, ti.Config{Arch: arch}).Load(printSource, &h); err != nil {
			t.Fatal(err)
		}
		if err := h.Check(3); err != nil {
			t.Errorf("%v: %v", arch, err)
		}
		err := h.Check(4)
		var e *ti.RuntimeError
		if !errors.As(err, &e) || !errors.Is(err, ti.ErrAssert) || e.Kernel != "Check" || e.Pos.Line == 0 ||
			!strings.HasSuffix(err.Error(), "kernel Check: assertion failed: n is 4, not [3 3]") {
			t.Errorf("%v: %v", arch, err)
		}
		if err := h.Check(3); err != nil {
			t.Errorf("%v: afterwards %v", arch, err)
		}
	}
}
