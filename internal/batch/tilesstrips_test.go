package batch_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const stripsSource = `
package strips

var L, M field[f32]

func Borders() { // in strips
	for i := range L {
		s := L[i]
		if i > 0 {
			s += 0.5*L[i-1]
		}
		if i+1 < L.shape[0] {
			s -= 0.25*L[i+1]
		}
		M[i] = s
	}
}

func Packets() { // in vectors of iterations
	n := L.shape[0]
	for i := range L {
		s := M[min(i+3, n-1)]
		for k := range serial(6) {
			if s*s < 0.5 {
				break
			}
			s = s*0.5 + 0.125*M[max(i-2, 0)] + f32(k)*0.25
		}
		L[i] = s
	}
}

func Middle() {
	for i := range span(333, L.shape[0]-7) {
		s := L[i]
		for k := range serial(span(-2, 3)) {
			if L[i+k] > 0.25 {
				s += 0.125*L[i+k]
			}
		}
		M[i] = s
	}
}
`

// TestTilesOfStrips: an index of a task that stands for several rows, as strips and packets do, runs once all of them may.
func TestTilesOfStrips(t *testing.T) {
	type strips struct {
		L, M                     ti.Field[float32]
		Borders, Packets, Middle func() error
	}
	for _, n := range []int{700, 4096, 5003} {
		var want []float32
		for _, rows := range []string{"", "1", "100", "1000"} {
			t.Setenv("TI_TILE_ROWS", rows)
			rt, h := titest.New(t, ti.Config{Batch: 64, Threads: 2, Deterministic: true}), new(strips)
			rt.Place(ti.Shape{n}, &h.L)
			rt.Place(ti.Shape{n}, &h.M)
			titest.Must(t, rt.Load(stripsSource, h))
			for f, m := range map[*ti.Field[float32]]int{&h.L: 37, &h.M: 53} {
				all := make([]float32, n)
				for i := range all {
					all[i] = float32(i*7%m)/8 - 2
				}
				titest.Must(t, f.CopyFrom(all))
			}
			var dot strings.Builder
			titest.Must(t, rt.WriteGraph(&dot, func() error {
				for range 3 {
					for _, f := range []func() error{h.Borders, h.Packets, h.Middle, h.Packets} {
						titest.Must(t, f())
					}
				}
				return nil
			}))
			if in := strings.Contains(dot.String(), "in tiles of"); in != (rows != "" && tiles(rt)) {
				t.Errorf("%d elements run in tiles: %v", n, in)
			}
			var got []float32
			for _, f := range []*ti.Field[float32]{&h.L, &h.M} {
				for _, v := range f.All() {
					got = append(got, v)
				}
			}
			if rows == "" {
				want = got
			}
			for i := range want {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
					t.Errorf("%d elements in tiles of %s: number %d is %v, want %v", n, rows, i, got[i], want[i])
					break
				}
			}
		}
	}
}
