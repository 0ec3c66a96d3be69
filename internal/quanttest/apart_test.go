package quanttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
)

const apartSource = `
package apart

var (
	V    field[vec3, D2]
	M    field[f32, D2]
	S    field[f32, D2]
	H    field[i32]
	U    field[u8]
	After field[i32]
	N    i32
)

func Spread(scale f32) {
	for p := range N {
		h := u32(p) * 2654435761
		at := ivec2(h>>9, h>>20) % 15
		for k := range static(2) {
			V[at+k] += scale * vec3(p%7-3, 0.25, -1)
			M[at+k] -= scale
			S[at+k] += 0.3
		}
		H[i32(h>>9)%50-8] += p%5 - 1
		if p%3 == 0 {
			U[i32(h>>12)%30] += 3
		}
	}
	for i := range H {
		After[i] = H[i]
	}
}

func Outside() {
	for p := range N {
		H[p%50-8+50*(p/(N-1))] += 1
	}
}
`

type apartHost struct {
	V        ti.Field[ti.Vec3]
	M, S     ti.Field[float32]
	H, After ti.Field[int32]
	U        ti.Field[uint8]
	N        int32
	Spread   func(scale float32) error
	Outside  func() error
}

func newApart(t *testing.T, cfg ti.Config, n int32) *apartHost {
	rt := newRuntime(t, cfg)
	s := &apartHost{N: n}
	node := rt.NewTree().Dense(ti.IJ, 4, 4).Dense(ti.IJ, 4, 4)
	for k, m := range ti.Members(&s.V) {
		node.BitStruct(32).Place(m, ti.QuantFixed(32-k, 1024))
	}
	node.BitStruct(32).Place(&s.M, ti.QuantFixed(18, 2048))
	node.BitStruct(16).Place(&s.S, ti.QuantFixed(16, 60).Stochastic())
	bins, after := rt.NewTree().Origin(ti.I, -8), rt.NewTree().Origin(ti.I, -8)
	bins.Dense(ti.I, 50).BitStruct(64).Place(&s.H, ti.QuantInt(14))
	after.Dense(ti.I, 50).Place(&s.After)
	rt.NewTree().Dense(ti.I, 30).BitStruct(8).Place(&s.U, ti.QuantInt(8).Unsigned())
	if err := rt.Load(apartSource, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// text has all numbers.
func (s *apartHost) text() string {
	var b strings.Builder
	for i := range 16 {
		for j := range 16 {
			fmt.Fprintln(&b, i, j, s.V.At(i, j), s.M.At(i, j), s.S.At(i, j))
		}
	}
	for i := range 50 {
		fmt.Fprintln(&b, i, s.H.At(i-8), s.After.At(i-8), s.U.At(i%30))
	}
	return b.String()
}

// TestSumsApart adds to numbers that have a word each, from many iterations, with and without sums of 64 bits, copies of them, and threads. What
// clamps, clamps in one direction, so that the order makes no difference.
func TestSumsApart(t *testing.T) {
	var want string
	for _, c := range []struct {
		cfg     ti.Config
		without string
	}{
		{ti.Config{Arch: ti.Oracle}, ""}, {ti.Config{Threads: 1}, ""}, {ti.Config{Threads: 3}, ""}, {ti.Config{Threads: 3}, "private"}, {ti.Config{Threads: 2}, "early,late"},
		{ti.Config{Threads: 3, Deterministic: true}, ""}, {ti.Config{Threads: 2, StrictMath: true}, "vectors"},
	} {
		t.Setenv("TI_WITHOUT", c.without)
		c.cfg.Seed = 3
		s := newApart(t, c.cfg, 4000)
		for k := range 3 {
			if err := s.Spread(0.37 * float32(k+1)); err != nil {
				t.Fatal(err)
			}
		}
		got := s.text()
		if want == "" {
			want = got
		}
		for i, line := range strings.Split(want, "\n") {
			if g := strings.Split(got, "\n")[i]; g != line {
				t.Fatalf("%+v without %q: %s, not %s", c.cfg, c.without, g, line)
			}
		}
		var e *ti.RuntimeError
		if err := s.Outside(); !errors.As(err, &e) || !errors.Is(err, ti.ErrRange) || e.Count != 1 || !slices.Equal(e.Index, []int{3999%50 - 8 + 50}) || e.Field != "H" {
			t.Errorf("%+v without %q: the error is %v", c.cfg, c.without, err)
		}
		if err := s.Spread(1); err != nil { // nothing is left of the launch that has failed
			t.Fatal(err)
		}
	}
}

// TestSumsApartStopped stops launches within their loop: the sums that these have made are not in the next one.
func TestSumsApartStopped(t *testing.T) {
	const source = `package s

var (
	X field[i32]
	N i32
)

func Count(turns i32) {
	for i := range N {
		for k := range turns {
			X[(i+k*7)%64] += 1
		}
	}
}
`
	rt := newRuntime(t, ti.Config{Threads: 2})
	var s struct {
		X     ti.Field[int32]
		N     int32
		Count func(ctx context.Context, turns int32) error
	}
	s.N = 1 << 14
	rt.NewTree().Dense(ti.I, 64).BitStruct(32).Place(&s.X, ti.QuantInt(24))
	if err := rt.Load(source, &s); err != nil {
		t.Fatal(err)
	}
	stopped := 0
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		if err := s.Count(ctx, 1<<22); errors.Is(err, context.DeadlineExceeded) {
			stopped++
		}
		cancel()
		s.X.Fill(0)
		if err := s.Count(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		for i := range 64 {
			if got := s.X.At(i); got != 2<<14/64 {
				t.Fatalf("bin %d has %d", i, got)
			}
		}
	}
	if stopped == 0 {
		t.Error("no launch was stopped")
	}
}

// TestSumsApartMemory has no room for the sums: the launch says so, and nothing has changed.
func TestSumsApartMemory(t *testing.T) {
	const n = 1 << 20
	rt := newRuntime(t, ti.Config{Threads: 2, MemoryLimit: 6 << 20})
	var s struct {
		X   ti.Field[float32]
		Add func() error
	}
	rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(&s.X, ti.QuantFixed(32, 1024)) // 4 MB, and sums of 8
	if err := rt.Load("package m\n\nvar X field[f32]\n\nfunc Add() {\n\tfor p := range 1<<22 {\n\t\tX[p*7919%(1<<20)] += 1\n\t}\n}\n", &s); err != nil {
		t.Fatal(err)
	}
	err := s.Add()
	if !errors.Is(err, ti.ErrMemory) || !strings.Contains(err.Error(), "Add") || !strings.Contains(err.Error(), "MemoryLimit") {
		t.Errorf("got %v", err)
	}
	for p := range n {
		if got := s.X.At(p); got != 0 {
			t.Fatalf("element %d is %v", p, got)
		}
	}
}
