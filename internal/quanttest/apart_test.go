package quanttest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/titest"
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
		{ti.Config{Arch: ti.Oracle}, ""}, {ti.Config{Threads: 1}, ""}, {ti.Config{Threads: 3}, ""}, {ti.Config{Threads: 3}, "private"}, {ti.Config{Threads: 2}, "preaccess,postaccess"},
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

// TestSumsApartMemory has no room for the sums of 64 bits: launches work on the words, which get the same codes, and the sums come back with
// the room. With Deterministic, where results must not depend on the room, the launch says so, and nothing has changed.
func TestSumsApartMemory(t *testing.T) {
	const n = 1 << 18 // 1 MB of words, and sums of 2
	type host struct {
		X     ti.Field[float32]
		Other ti.Field[float32]
		Add   func(by float32, from []int32) (int32, error)
	}
	add := func(cfg ti.Config) (*ti.Runtime, *host, error) {
		rt := newRuntime(t, titest.OnProcessors(t, cfg))
		s := &host{}
		rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(&s.X, ti.QuantFixed(32, 1024))
		rt.Place(ti.Shape{3 * n}, &s.Other) // 3 MB
		if err := rt.Load("package m\n\nvar X, Other field[f32]\n\nfunc Add(by f32, from []i32) (last i32) {\n\tfor p := range 1<<21 {\n\t\tX[p*7919&(1<<18-1)] += by*f32(from[p&3])\n\t}\n\treturn from[3]\n}\n", s); err != nil {
			t.Fatal(err)
		}
		if cfg.MemoryLimit > 0 {
			s.Other.Fill(1) // which takes the room
		}
		last, err := s.Add(0.1, []int32{1, -2, 3, 5})
		if err == nil && last != 5 {
			t.Errorf("%+v: the result is %d", cfg, last)
		}
		return rt, s, err
	}
	roomy, want, err := add(ti.Config{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	rt, got, err := add(ti.Config{Threads: 2, MemoryLimit: 5 << 20})
	if err != nil {
		t.Fatal(err)
	}
	same := func() {
		t.Helper()
		for p := range n {
			if a, b := got.X.At(p), want.X.At(p); a != b {
				t.Fatalf("element %d is %v without room, and %v with it", p, a, b)
			}
		}
	}
	same()
	if with, without := roomy.Stats().Bytes, rt.Stats().Bytes; with < 4*n+8*n || without != 4*n+12*n {
		t.Errorf("%d bytes are counted with sums, %d without", with, without)
	}
	made := func(rt *ti.Runtime) int64 { return rt.Stats().Compiled + rt.Stats().CacheHits }
	if made(roomy) != 1 || made(rt) != 2 {
		t.Errorf("there is the code of %d kernels with room, and of %d without", made(roomy), made(rt))
	}
	if err := got.Other.Tree().Close(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*host{got, want} {
		if _, err := s.Add(-0.37, []int32{1, 1, 2, 7}); err != nil {
			t.Fatal(err)
		}
	}
	same()
	if bytes := rt.Stats().Bytes; bytes < 12*n {
		t.Errorf("%d bytes are counted once there is room for sums", bytes)
	}
	if _, _, err := add(ti.Config{Threads: 2, MemoryLimit: 5 << 20, Deterministic: true}); !errors.Is(err, ti.ErrMemory) || !strings.Contains(err.Error(), "Add") || !strings.Contains(err.Error(), "MemoryLimit") {
		t.Errorf("with Deterministic: %v", err)
	}
}

// TestSumsApartSpares launches what has no room for its sums with tangents.
func TestSumsApartSpares(t *testing.T) {
	countApart(t, 0, true)
	if rt := countApart(t, roomless, true); rt.Stats().Bytes > roomless {
		t.Errorf("%d bytes are counted", rt.Stats().Bytes)
	}
}

// TestSumsApartAhead launches what has no room for its sums from code that was compiled ahead of time.
func TestSumsApartAhead(t *testing.T) {
	here := ahead.Here()
	if len(here) == 0 {
		t.Skip("no code is compiled ahead of time for this machine")
	}
	llvmtest.Code(t)
	dir := t.TempDir()
	t.Setenv("TI_RECORD", dir)
	t.Setenv("TI_RECORD_FOR", here[0].String())
	if err := countApart(t, 0, false).Close(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TI_RECORD", "")
	t.Setenv("TI_CODE", filepath.Join(dir, here[0].String()+ahead.Ending))
	if rt := countApart(t, roomless, false); rt.Stats().Compiled > 0 || rt.Stats().CacheHits != 2 {
		t.Errorf("without room, from code compiled ahead of time: %+v", rt.Stats())
	}
}

const (
	countedApart = 1 << 17
	roomless     = 4*countedApart + 4*12 + 4*countedApart // bytes in which the fields of countApart have room, and their sums have none
)

// countApart launches a kernel twice that adds to numbers apart, and checks what it leaves.
func countApart(t *testing.T, limit int64, tangent bool) *ti.Runtime {
	t.Helper()
	const n = countedApart
	const source = "package m\n\nvar (\n\tH field[i32]\n\tX, Y field[f32]\n)\n\nfunc Count() {\n\tfor p := range 1<<20 {\n\t\tH[p*7919&(1<<17-1)] += 1 + p&1\n\t\tif p < 3 {\n\t\t\tY[p] = X[p] * X[p]\n\t\t}\n\t}\n}\n"
	rt := newRuntime(t, titest.OnProcessors(t, ti.Config{Threads: 2, MemoryLimit: limit}))
	var s struct {
		H     ti.Field[int32]
		X, Y  ti.Field[float32]
		Count func() error
	}
	rt.NewTree().Dense(ti.I, n).BitStruct(32).Place(&s.H, ti.QuantInt(20))
	rt.Place(ti.Shape{3}, ti.WithDual(&s.X, &s.Y)...)
	if err := rt.Load(source, &s); err != nil {
		t.Fatal(err)
	}
	s.X.Fill(3)
	s.X.Dual().Fill(0.5)
	launch := func(f func() error) error { return f() }
	if tangent {
		launch = rt.Tangent
	}
	for range 2 {
		if err := launch(s.Count); err != nil {
			t.Fatal(err)
		}
	}
	sum := int32(0)
	for p := range n {
		sum += s.H.At(p)
	}
	if want := float32(3); s.Y.At(2) != 9 || tangent && s.Y.Dual().At(2) != want || sum != 3<<20 || s.H.At(1) != 2*8*2 {
		t.Errorf("limit %d, tangent %v: Y is %v, its tangent %v, the sum %d, H[1] %d", limit, tangent, s.Y.At(2), s.Y.Dual().At(2), sum, s.H.At(1))
	}
	return rt
}
