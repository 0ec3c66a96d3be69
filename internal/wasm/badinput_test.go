//go:build !js

package wasm_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestFieldTooLarge: a field that no memory of WebAssembly holds is named.
func TestFieldTooLarge(t *testing.T) {
	rt := titest.New(t, ti.Config{Arch: ti.Wasm, MemoryLimit: 1 << 40})
	var h struct {
		Vast ti.Field[float64]
		F    func() error
	}
	rt.Place(ti.Shape{5 << 27}, &h.Vast)
	err := rt.Load("package p\nvar Vast field[f64]\nfunc F() { Vast[0] = 1 }", &h)
	if !errors.Is(err, ti.ErrMemory) || !strings.Contains(err.Error(), "Vast") || !strings.Contains(err.Error(), "4 GiB") {
		t.Errorf("5 GiB: %v", err)
	}
}

// TestActivateAll: a launch that activates more than there is memory for fails, and what it had activated is whole. With
// blocks given back there is room again.
func TestActivateAll(t *testing.T) {
	rt := titest.New(t, ti.Config{Arch: ti.Wasm, Threads: 2, MemoryLimit: 1 << 40})
	const block = 1 << 22 // numbers, 32 MiB
	var h struct {
		X     ti.Field[float64]
		B     *ti.Node
		Touch func(n int32) error
		Sum   func() (float64, error)
		Count func() (int32, error)
		Clear func() error
	}
	b := rt.NewTree().Pointer(ti.I, 256)
	h.B = b
	b.Dense(ti.I, block).Place(&h.X)
	must(t, rt.Load(`package p
var X field[f64]
var B node
func Touch(n i32) {
	for i := range n {
		X[i*4194304] = f64(i) + 1
	}
}
func Sum() f64 {
	s := f64(0)
	for i := range 256 {
		if isActive(B, i) {
			s += X[i*4194304]
		}
	}
	return s
}
func Count() i32 {
	n := i32(0)
	for i := range 256 {
		if isActive(B, i) {
			n += 1
		}
	}
	return n
}
func Clear() {
	for i := range 256 {
		deactivate(B, i)
	}
}
`, &h))
	for range 2 {
		if err := h.Touch(256); !errors.Is(err, ti.ErrMemory) {
			t.Errorf("8 GiB of blocks: %v", err)
		}
		n, err := h.Count()
		must(t, err)
		s, err := h.Sum()
		must(t, err)
		if n < 24 || n >= 128 || s <= 0 || s > float64(n)*256 {
			t.Errorf("%d blocks are active, with %g", n, s)
		}
		must(t, h.Clear())
		must(t, h.Touch(20))
		if s, err := h.Sum(); err != nil || s != 210 {
			t.Errorf("20 blocks have %g, %v", s, err)
		}
	}
}

const counterSource = `package p
var N field[i32, D0]
func Add(n i32) {
	for range n {
		N += 1
	}
}
func Forever() {
	for N >= 0 {
		N += 1
	}
}
`

type counter struct {
	N       ti.Field[int32]
	Add     func(ctx context.Context, n int32) error
	Forever func(context.Context) error
}

func newCounter(t *testing.T, cfg ti.Config) (*ti.Runtime, *counter) {
	t.Helper()
	rt, err := ti.New(cfg)
	must(t, err)
	t.Cleanup(func() { must(t, rt.Close()) })
	c := &counter{}
	rt.Place(nil, &c.N)
	must(t, rt.Load(counterSource, c))
	return rt, c
}

// TestDamagedModule: a module in the cache that was changed is made anew.
func TestDamagedModule(t *testing.T) {
	dir := t.TempDir()
	cfg := ti.Config{Arch: ti.Wasm, Cache: ti.Cache{Dir: dir, Policy: ti.CacheNever}}
	for i, compiled := range []bool{true, false, true} {
		if i == 2 {
			damage(t, dir)
		}
		rt, c := newCounter(t, cfg)
		must(t, c.Add(t.Context(), 100))
		must(t, rt.Prepare(t.Context()))
		if c.N.At() != 100 || rt.Stats().Compiled > 0 != compiled {
			t.Errorf("run %d: counted %d, %+v", i, c.N.At(), rt.Stats())
		}
		must(t, rt.Close())
	}
}

// damage changes a byte of each file of a cache.
func damage(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.tic"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		must(t, err)
		data[len(data)/2] ^= 0x10
		must(t, os.WriteFile(f, data, 0o600))
	}
}

// TestCrowd launches from a hundred goroutines, among them some whose kernels never end by themselves, and closes the runtime meanwhile. Each launch
// ends.
func TestCrowd(t *testing.T) {
	for _, threads := range []int{1, 2} {
		rt, c := newCounter(t, ti.Config{Arch: ti.Wasm, Threads: threads})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		for g := range 100 {
			wg.Go(func() {
				if g%25 == 0 {
					if err := c.Forever(ctx); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ti.ErrClosed) {
						t.Errorf("a launch that does not end: %v", err)
					}
					return
				}
				for range 20 {
					if err := c.Add(t.Context(), 1000); err != nil && !errors.Is(err, ti.ErrClosed) {
						t.Error(err)
					}
				}
			})
		}
		time.Sleep(30 * time.Millisecond)
		must(t, rt.Close())
		wg.Wait()
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestCloseWhileCompiling closes runtimes whose kernels are being compiled: what is ready too late touches no memory that is gone.
func TestCloseWhileCompiling(t *testing.T) {
	t.Setenv("TI_EXTENTS_AT_LAUNCH", "1") // they are written where arguments lie
	for i := range 150 {
		rt, err := ti.New(ti.Config{Arch: ti.Wasm, Cache: ti.Cache{Policy: ti.CacheOff}})
		must(t, err)
		var h struct {
			X ti.Field[float32]
			F func() error
		}
		rt.Place(ti.Shape{i + 1}, &h.X)
		must(t, rt.Load("package p\nvar X field[f32]\nfunc F() { for i := range X { X[i] += f32(X.shape[0]) } }", &h))
		time.Sleep(time.Duration(i) * 40 * time.Microsecond)
		must(t, rt.Close())
	}
}

// TestManyThreads: a machine with hundreds of processors runs modules on as many threads as there is room for.
func TestManyThreads(t *testing.T) {
	rt, c := newCounter(t, ti.Config{Arch: ti.Wasm, Threads: 256})
	if n := rt.Device().Threads; n < 32 || n > 64 {
		t.Errorf("there are %d threads", n)
	}
	must(t, c.Add(t.Context(), 10_000_000))
	if c.N.At() != 10_000_000 {
		t.Errorf("counted %d", c.N.At())
	}
}
