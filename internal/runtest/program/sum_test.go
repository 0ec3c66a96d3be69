package program_test

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestSumsOfChunks adds small sums of loops to a large variable, whose last place they are half of: none gets lost.
func TestSumsOfChunks(t *testing.T) {
	const source = `package p
var X field[f32]

func Sum() f32 {
	s := f32(1 << 24)
	for i := range X {
		s += X[i]
	}
	for i := range X {
		s += X[len(X)-1-i]
	}
	return s
}
`
	for _, deterministic := range []bool{false, true} {
		rt := titest.New(t, titest.OnProcessors(t, ti.Config{Deterministic: deterministic})) // devices do not widen sums, as many lack f64
		var host struct {
			X   ti.Field[float32]
			Sum func() float32
		}
		rt.Place(ti.Shape{4}, &host.X)
		if err := rt.Load(source, &host); err != nil {
			t.Fatal(err)
		}
		host.X.Fill(0.25)
		if got := host.Sum(); got != 1<<24+2 {
			t.Errorf("deterministic %v: the sum is %v", deterministic, got)
		}
	}
}
