package program_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
)

// TestPrivateLarge accumulates into a tree that is larger than caches, often enough that each thread gets a copy of it: vectors
// and a number beside them, whose sums are exact in any order.
func TestPrivateLarge(t *testing.T) {
	const places, n = 600_000, 1 << 22
	for _, threads := range []int{1, 2, 5} {
		rt, err := ti.New(ti.Config{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			V   ti.Field[ti.Vec3]
			M   ti.Field[float32]
			At  ti.Field[int32]
			Add func() error
		}
		rt.NewTree().Dense(ti.I, places).Place(&s.V, &s.M)
		rt.Place(ti.Shape{n}, &s.At)
		if err := rt.Load(`
package large

var (
	V  field[vec3, D1]
	M  field[f32, D1]
	At field[i32]
)

func Add() {
	for i := range At {
		k := At[i]
		V[k] += vec3(1, i&3, -2)
		M[k] += 0.5
		V[k^1] += vec3(0, 1, 0)
		M[k^1] -= 1
	}
}
`, &s); err != nil {
			t.Fatal(err)
		}
		at, random := make([]int32, n), rand.New(rand.NewPCG(1, 2))
		want := make([][4]float32, places)
		for i := range at {
			k := random.Int32N(places)
			at[i] = k
			for c, v := range [4]float32{1, float32(i & 3), -2, 0.5} {
				want[k][c] += 2 * v
			}
			want[k^1][1] += 2
			want[k^1][3] -= 2
		}
		if err := s.At.CopyFrom(at); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time with copies that there are
			if err := s.Add(); err != nil {
				t.Fatal(err)
			}
		}
		for i := 0; i < places; i += 7 {
			w := want[i]
			if v, m := s.V.At(i), s.M.At(i); v != (ti.Vec3{w[0], w[1], w[2]}) || m != w[3] {
				t.Fatalf("with %d threads place %d has %v and %v; want %v", threads, i, v, m, w)
			}
		}
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
