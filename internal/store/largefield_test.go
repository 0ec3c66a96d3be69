package store_test

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestLargeFields fills and copies fields of many pieces, which several goroutines share: every element is
// there, also at the ends of pieces that elements of 12 bytes do not fill.
func TestLargeFields(t *testing.T) {
	for _, threads := range []int{1, 2, 5} {
		rt := titest.New(t, ti.Config{Threads: threads})
		const n = 1<<19 + 3 // 6 MiB and some bytes
		var f ti.Field[ti.Vec3]
		rt.Place(ti.Shape{n}, &f)
		v := make([]ti.Vec3, n)
		same := func(what string, want func(i int) ti.Vec3) {
			clear(v)
			if err := f.CopyTo(v); err != nil {
				t.Fatal(err)
			}
			for i := range v {
				if v[i] != want(i) {
					t.Fatalf("%d threads, %s: element %d is %v; want %v", threads, what, i, v[i], want(i))
				}
			}
		}
		one := ti.Vec3{1, 2, 3}
		f.Fill(one)
		same("filled", func(int) ti.Vec3 { return one })
		numbered := func(i int) ti.Vec3 { return ti.Vec3{float32(i), 1, -float32(i)} }
		for i := range v {
			v[i] = numbered(i)
		}
		if err := f.CopyFrom(v); err != nil {
			t.Fatal(err)
		}
		same("copied", numbered)
		f.Fill(ti.Vec3{})
		same("cleared", func(int) ti.Vec3 { return ti.Vec3{} })
	}
}

const large = 4 << 20

// TestCloseWhileFilling closes the runtime while large fields are filled and copied.
func TestCloseWhileFilling(t *testing.T) {
	for range 5 {
		rt := titest.New(t, ti.Config{Threads: 4})
		var f ti.Field[float32]
		rt.Place(ti.Shape{large}, &f)
		f.Fill(1)
		v, done := make([]float32, large), make(chan error)
		go func() {
			for {
				if err := f.CopyTo(v); err != nil {
					done <- err
					return
				}
			}
		}()
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, ti.ErrClosed) {
			t.Fatalf("%v; want ErrClosed", err)
		}
	}
}
