package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
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
		if err := titest.New(t, cfg).Load(printSource, &h); err != nil {
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

// afterDropped returns how many of the lines of Count(n) out begins with, and how many it
// says were dropped.
func afterDropped(t *testing.T, out string, n int) (kept, dropped int) {
	t.Helper()
	text, note, ok := strings.Cut(out, "ti: ")
	if !ok || !strings.HasPrefix(countLines(n), text) {
		t.Fatalf("printed %d bytes: %.200q ... %q", len(out), out, out[max(0, len(out)-200):])
	}
	if _, err := fmt.Sscanf(note, "there is no room for all that Count prints in one go; prints dropped: %d;", &dropped); err != nil {
		t.Fatalf("%q: %v", note, err)
	}
	if text != "" && !strings.HasSuffix(text, "\n") || strings.Count(note, "\n") != 1 || !strings.HasSuffix(note, "\n") {
		t.Errorf("text %q, note %q: not whole lines", text[max(0, len(text)-100):], note)
	}
	return strings.Count(text, "\n"), dropped
}

// What does not fit is counted, behind the first lines without a gap, and the next launch is
// as good as new.
func TestPrintTooMuch(t *testing.T) {
	limits := []struct {
		buffer string // of each thread
		memory int64
		n, fit int // lines, and how many of them fit on one thread
	}{
		{"4096", 0, 1000, 4096 / 24},
		{"", 1, 400000, (16 << 20) / 4 / 24}, // MemoryLimit leaves the least there is
	}
	for _, l := range limits {
		for _, cfg := range []ti.Config{{Threads: 1}, {Threads: 3}, {Threads: 3, Deterministic: true}, {Threads: 3, Debug: true}, {Arch: ti.Oracle}} {
			for _, source := range []string{printSource, strings.ReplaceAll(printSource, "for i := range n {", "for i := 0; i < n; i++ {")} {
				t.Setenv("TI_PRINT_BUFFER", l.buffer)
				var out bytes.Buffer
				var h printHost
				cfg.Stdout, cfg.MemoryLimit = &out, l.memory
				rt := titest.New(t, cfg)
				if err := rt.Load(source, &h); err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%v, %d threads, debug %v, limit %v", cfg.Arch, cfg.Threads, cfg.Debug, l)
				s, err := h.Count(int32(l.n))
				if err != nil || int(s) != l.n {
					t.Errorf("%s: %d, %v", name, s, err)
				}
				kept, dropped := afterDropped(t, out.String(), l.n)
				if kept+dropped != l.n || kept > 3*l.fit || kept < l.fit/4 || cfg.Threads < 2 && kept != l.fit {
					t.Errorf("%s: %d lines kept, %d dropped, of %d; %d fit", name, kept, dropped, l.n, l.fit)
				}
				if remedy := map[bool]string{true: "raise Config.MemoryLimit or print less\n", false: "raise TI_PRINT_BUFFER or print less\n"}[l.buffer == ""]; !strings.HasSuffix(out.String(), remedy) {
					t.Errorf("%s: ends with %q", name, out.String()[max(0, out.Len()-100):])
				}
				out.Reset()
				if s, err := h.Count(10); err != nil || s != 10 || out.String() != countLines(10) {
					t.Errorf("%s: afterwards %d, %v, %q", name, s, err, out.String())
				}
			}
		}
	}
}

// Records of different lengths leave no gap: behind one that was dropped none is kept, nor is
// one of another loop taken for one of this.
func TestPrintTooMuchMixed(t *testing.T) {
	t.Setenv("TI_PRINT_BUFFER", "1600")
	for _, cfg := range []ti.Config{{Threads: 1}, {Threads: 4}, {Arch: ti.Oracle}} {
		var out bytes.Buffer
		var h struct{ Mixed func(int32) error }
		cfg.Stdout = &out
		if err := titest.New(t, cfg).Load(`package p
func Mixed(n i32) {
	for i := range n {
		print(i, "a", i, i, i, i, i, i, i, i, i)
		printf("%d b", i)
		for range i % 3 {
			printf("\n")
		}
	}
}`, &h); err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		n := 3000
		for i := range n {
			fmt.Fprintln(&want, i, "a", i, i, i, i, i, i, i, i, i)
			fmt.Fprintf(&want, "%d b%s", i, strings.Repeat("\n", i%3))
		}
		if err := h.Mixed(int32(n)); err != nil {
			t.Fatal(err)
		}
		text, note, _ := strings.Cut(out.String(), "ti: ")
		if !strings.HasPrefix(want.String(), text) && !strings.HasPrefix(want.String(), strings.TrimSuffix(text, "\n")) || len(text) < 300 || !strings.Contains(note, "prints dropped: ") {
			t.Errorf("%v, %d threads: %q, %q", cfg.Arch, cfg.Threads, text, note)
		}
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
		rt := titest.New(t, ti.Config{Arch: arch, Stdout: w})
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
	rt := titest.New(t, ti.Config{Threads: 2, Stdout: &out})
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
		if err := titest.New(t, ti.Config{Arch: arch}).Load(printSource, &h); err != nil {
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
