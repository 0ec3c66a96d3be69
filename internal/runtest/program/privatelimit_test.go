package program_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestPrivateLimit adds to a tree of which threads have copies: these count as memory of the runtime, there are fewer where
// that is short, and results that must not depend on the number of threads need them all.
func TestPrivateLimit(t *testing.T) {
	const places, n, trees = 1 << 18, 1 << 21, 4 * (1<<18 + 1<<21)
	for _, c := range []struct {
		limit         int64
		deterministic bool
		least, most   int64 // copies
		fails         bool
	}{
		{trees + 4*places*3/2, false, 1, 1, false},
		{trees + 4*places/2, false, 0, 0, false},
		{0, false, 2, 2, false},
		{trees + 4*places/2, true, 0, 0, true},
		{0, true, 1, 64, false},
	} {
		rt, err := ti.New(titest.OnProcessors(t, ti.Config{Threads: 3, MemoryLimit: c.limit, Deterministic: c.deterministic}))
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Sum, At ti.Field[int32]
			Add     func() error
		}
		rt.Place(ti.Shape{places}, &s.Sum)
		rt.Place(ti.Shape{n}, &s.At)
		if err := rt.Load(`
package limited

var Sum, At field[i32]

func Add() {
	for i := range At {
		Sum[At[i]] += 1
	}
}
`, &s); err != nil {
			t.Fatal(err)
		}
		at := make([]int32, n)
		for i := range at {
			at[i] = int32(i * 7919 % places)
		}
		if err := s.At.CopyFrom(at); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			switch err := s.Add(); {
			case !c.fails && err != nil:
				t.Fatal(err)
			case c.fails && (!errors.Is(err, ti.ErrMemory) || !strings.Contains(err.Error(), "no memory for the copies of a tree") || !strings.Contains(err.Error(), "Config.MemoryLimit is ")):
				t.Fatalf("with %d bytes: %v", c.limit, err)
			}
		}
		copies := (rt.Stats().Bytes - trees) / (4 * places)
		if copies < c.least || copies > c.most || c.limit > 0 && rt.Stats().Bytes > c.limit {
			t.Errorf("with %d bytes, deterministic %v: %d copies are counted, %d bytes in all", c.limit, c.deterministic, copies, rt.Stats().Bytes)
		}
		if got := s.Sum.At(5); !c.fails && got != 3*n/places {
			t.Errorf("with %d bytes: %d", c.limit, got)
		}
		_ = rt.Close()
	}
}
