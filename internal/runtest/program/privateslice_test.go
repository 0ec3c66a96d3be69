package program_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
)

const scatterSource = `
package scatter

var (
	X    field[f32, D2]
	Pair field[vec2, D2]
	From field[i32]
)

// Mixed adds into one slice, and reads and writes another one.
func Mixed(t int) {
	for i := range From {
		X[t][From[i]] += 1 + min(X[t-1][i%64], 2)
		if i < 64 {
			X[t-2][i] = f32(i)
		}
	}
}

func Pairs(t int) {
	for i := range From {
		Pair[t+1][From[i]].x += 2
		Pair[t+1][From[i]].y -= 3
	}
}
`

// TestPrivateSlices accumulates into one slice of a field after the other, with copies for each thread of what is accumulated
// into alone. All numbers are whole, so that sums do not depend on their order.
func TestPrivateSlices(t *testing.T) {
	const steps, width, n = 7, 64, 1 << 17
	for _, c := range []ti.Config{{Threads: 1}, {Threads: 4}, {Threads: 3, Deterministic: true}} {
		t.Run(fmt.Sprint(c.Threads, c.Deterministic), func(t *testing.T) {
			rt, err := ti.New(c)
			if err != nil {
				t.Fatal(err)
			}
			defer rt.Close()
			var s struct {
				X            ti.Field[float32]
				Pair         ti.Field[ti.Vec2]
				From         ti.Field[int32]
				Mixed, Pairs func(t int) error
			}
			rt.Place(ti.Shape{steps, width}, &s.X)
			rt.Place(ti.Shape{steps, width}, &s.Pair)
			rt.Place(ti.Shape{n}, &s.From)
			if err := rt.Load(scatterSource, &s); err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			from := make([]int32, n)
			for i := range from {
				from[i] = rng.Int32N(width)
			}
			if err := s.From.CopyFrom(from); err != nil {
				t.Fatal(err)
			}
			var want [steps][width]float64
			var pair [steps][width]float64
			for range 3 {
				for step := 2; step < steps; step++ {
					for range 2 {
						if err := s.Mixed(step); err != nil {
							t.Fatal(err)
						}
						for i := range from {
							want[step][from[i]] += 1 + min(want[step-1][i%width], 2)
						}
						for i := range width {
							want[step-2][i] = float64(i)
						}
					}
					if err := s.Pairs(step - 2); err != nil {
						t.Fatal(err)
					}
					for i := range from {
						pair[step-1][from[i]]++
					}
					// Steps that are not there fail, and change nothing.
					if s.Pairs(steps) == nil || s.Pairs(-2) == nil || s.Pairs(1<<31-1) == nil {
						t.Fatal("a step that is not there is no error")
					}
				}
				for step := range steps {
					for i := range width {
						if got := s.X.At(step, i); float64(got) != want[step][i] {
							t.Fatalf("X[%d][%d] is %v, want %v", step, i, got, want[step][i])
						}
					}
				}
				s.X.Fill(0)
				want = [steps][width]float64{}
			}
			for step := range steps {
				for i := range width {
					if got := s.Pair.At(step, i); float64(got[0]) != 2*pair[step][i] || float64(got[1]) != -3*pair[step][i] {
						t.Fatalf("Pair[%d][%d] is %v after %v additions", step, i, got, pair[step][i])
					}
				}
			}
		})
	}
}
