package wasm

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/launch"
)

// machine is an engine that runs WebAssembly.
func machine(t *testing.T, threads int, interpreted bool) *engine.Engine {
	t.Helper()
	e := engine.New(threads, &launch.Lock{})
	t.Cleanup(e.Close)
	b, err := NewEmbedder(e.Threads(), interpreted)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Embed(b); err != nil {
		t.Fatal(err)
	}
	return e
}

// loop describes a kernel with one loop whose code is given the address of an area.
func loop(iterations int64) *launch.Kernel {
	return &launch.Kernel{
		Name: "Loop", Done: -1, Bases: []int{0}, Names: []launch.Name{{Task: "loop", Place: launch.Place{File: "a.ti", Line: 7}}},
		Tasks: []launch.Task{{
			Loop: 1, Slots: []launch.Slot{{From: launch.BaseSlot, At: 0}},
			Dims: []launch.Dim{{Hi: launch.Bound{Const: iterations}}},
		}},
	}
}

func bound(t *testing.T, e *engine.Engine, k *launch.Kernel, code []byte) (launch.Launcher, []uint64) {
	t.Helper()
	l, err := e.Load(k, []launch.Piece{{Code: code}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	a, err := e.Allocate(8 * 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Free() })
	b := l.Bind(launch.Data{Bases: []launch.Base{{Area: a, Bytes: a.Bytes()}}})
	t.Cleanup(b.Free)
	return b, words(a)
}

func words(a device.Area) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(a.Host()))), a.Bytes()/8)
}

// TestAdds counts iterations on several threads, by an atomic on memory that is not declared shared: none is lost.
func TestAdds(t *testing.T) {
	for name, interpreted := range map[string]bool{"compiled": false, "interpreted": true} {
		t.Run(name, func(t *testing.T) {
			e := machine(t, 4, interpreted)
			e.Spread = true
			const n = 300_000
			l, area := bound(t, e, loop(n), module(each(slot(0), one, addWord, drop)))
			for i := range 3 {
				if fault, err := launch.Run(t.Context(), l, uint64(i+1)); fault != nil || err != nil {
					t.Fatal(fault, err)
				}
			}
			if area[0] != 3*n {
				t.Errorf("%d iterations of %d were counted", area[0], 3*n)
			}
		})
	}
}

// TestTraps: a trap is an error of the launch that names the place, and later launches run.
func TestTraps(t *testing.T) {
	for name, c := range map[string]struct {
		body []byte
		says string
	}{
		"unreachable": {unreachable, "unreachable"},
		"recursion":   {callItself, "stack"},
		"outside":     {join([]byte{0x41}, leb(-8), loadWord, drop), "out of bounds"},
	} {
		t.Run(name, func(t *testing.T) {
			e := machine(t, 2, false)
			e.Spread = true
			l, _ := bound(t, e, loop(1000), module(c.body))
			_, err := launch.Run(t.Context(), l, 1)
			trap, is := errors.AsType[*launch.Trap](err)
			if !is || trap.Place.Line != 7 || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("the error is %v", err)
			}
			good, area := bound(t, e, loop(1000), module(each(slot(0), one, addWord, drop)))
			if _, err := launch.Run(t.Context(), good, 2); err != nil || area[0] != 1000 {
				t.Errorf("a launch behind it: %d, %v", area[0], err)
			}
		})
	}
}

// TestBadModules loads what does not run here.
func TestBadModules(t *testing.T) {
	e := machine(t, 1, false)
	if _, err := e.Load(loop(1), []launch.Piece{{Code: moduleOf(1, launch.ModuleEntry, unreachable)}}); err == nil && runtime.GOOS != "js" {
		t.Error("a module with a memory of one page is loaded")
	}
	for name, c := range map[string]struct {
		code []byte
		says string
	}{
		"nothing":      {nil, "no WebAssembly"},
		"damaged":      {module(unreachable)[:40], "no WebAssembly"},
		"another name": {moduleOf(1<<16-1, "other", unreachable), "no function"},
		"invalid":      {module(drop), "no WebAssembly"},
	} {
		if _, err := e.Load(loop(1), []launch.Piece{{Code: c.code}}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCollection: garbage is collected several times while one launch is under way.
func TestCollection(t *testing.T) {
	e := machine(t, 2, false)
	l, _ := bound(t, e, loop(1<<40), module(each(slot(0), one, addWord, drop)))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var over atomic.Bool
	done := make(chan error)
	go func() {
		_, err := launch.Run(ctx, l, 1)
		over.Store(true)
		done <- err
	}()
	for range 5 {
		runtime.GC()
	}
	if over.Load() {
		t.Error("the launch ended before garbage was collected")
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the launch ended with %v", err)
	}
}

// TestGuests: an argument that names memory of the caller is copied, and what the task may have written there is given back.
func TestGuests(t *testing.T) {
	e := machine(t, 1, false)
	k := loop(100)
	k.Args = 1
	k.Memory = []launch.Memory{{Slot: 0, Size: 8, Shape: []int64{2}, Extents: []int{-1}, Writes: true}}
	k.Tasks[0].Slots[0] = launch.Slot{From: launch.ArgSlot, At: 0}
	l, _ := bound(t, e, k, module(each(slot(0), one, addWord, drop)))
	ours := []uint64{5, 6, 7}
	l.Args()[0] = uint64(uintptr(unsafe.Pointer(&ours[0])))
	if _, err := launch.Run(t.Context(), l, 1); err != nil || ours[0] != 105 || ours[1] != 6 || ours[2] != 7 {
		t.Errorf("the caller has %v, %v", ours, err)
	}
}

// TestFull: what does not fit into 4 GiB is refused, in words for people. Nothing is loaded once the machine is closed.
func TestFull(t *testing.T) {
	e := engine.New(1, &launch.Lock{})
	b, err := NewEmbedder(1, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Embed(b); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Allocate(5 << 30); err == nil || !strings.Contains(err.Error(), "of the 4 GiB") {
		t.Errorf("5 GiB: %v", err)
	}
	a, err := e.Allocate(3 << 30)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Allocate(3 << 30); err == nil {
		t.Error("6 GiB in 4")
	}
	if runtime.GOOS != "js" { // a page has 4 GiB in all
		if _, err := machine(t, 1, false).Allocate(3 << 30); err != nil {
			t.Errorf("a second machine has no 3 GiB: %v", err)
		}
	}
	e.Close()
	words(a)[0] = 1 // stays until it is freed
	if _, err := e.Load(loop(1), []launch.Piece{{Code: module(unreachable)}}); !errors.Is(err, errClosed) {
		t.Errorf("loading behind the end: %v", err)
	}
	if err := a.Free(); err != nil {
		t.Error(err)
	}
}

// BenchmarkLaunch launches a loop of one iteration.
func BenchmarkLaunch(b *testing.B) {
	e := engine.New(1, &launch.Lock{})
	defer e.Close()
	m, err := NewEmbedder(1, false)
	if err == nil {
		err = e.Embed(m)
	}
	if err != nil {
		b.Fatal(err)
	}
	k := loop(1)
	l, err := e.Load(k, []launch.Piece{{Code: module(each(slot(0), one, addWord, drop))}})
	if err != nil {
		b.Fatal(err)
	}
	a, err := e.Allocate(64)
	if err != nil {
		b.Fatal(err)
	}
	launcher := l.Bind(launch.Data{Bases: []launch.Base{{Area: a, Bytes: a.Bytes()}}})
	b.ReportAllocs()
	for i := range b.N {
		if _, err := launch.Run(b.Context(), launcher, uint64(i+1)); err != nil {
			b.Fatal(err)
		}
	}
}
