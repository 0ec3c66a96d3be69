package batch_test

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const untiledSource = `
package untiled

var (
	L, M field[f32]
	A, B field[f32, D2] // column by column
	U, V field[f32, D2] // packed
	C    field[f32, D0]
)

func Near() {
	n := L.shape[0]
	for i := range L {
		L[i] = 0.5*M[max(i-1, 0)] + M[min(i+1, n-1)]
	}
}

func Wrap() {
	n := L.shape[0]
	for i := range L {
		M[i] = L[(i+1)%n]
	}
}

func Last() {
	for i := range L {
		M[i] += 0.5*L[L.shape[0]-1]
	}
}

func Mirror() {
	for i := range L {
		M[i] = L[i] + L[L.shape[0]-1-i]
	}
}

func Next() {
	for i := range L {
		M[i] = L[min(i+1, L.shape[0]-1)]
	}
}

func Sum() {
	for i := range M {
		C += M[i]
	}
}

func Columns() {
	for i, j := range A {
		B[i][j] = A[max(i-1, 0)][j]
	}
}

func Back() {
	for i, j := range A {
		A[i][j] = B[max(i-1, 0)][j]*0.5
	}
}

func Packed() {
	for i, j := range U {
		V[i][j] = U[max(i-1, 0)][j]*0.5
	}
}

func Unpacked() {
	for i, j := range U {
		U[i][j] = V[max(i-1, 0)][j]
	}
}
`

// TestNoTiles: launches do not run in tiles if it is not known how far they reach, or if a row is not what their outermost loop counts.
func TestNoTiles(t *testing.T) {
	t.Setenv("TI_TILE_ROWS", "1000")
	rt := titest.New(t, ti.Config{Batch: 64})
	var h struct {
		L, M, A, B, U, V, C            ti.Field[float32]
		Near, Next, Wrap, Last, Mirror func() error
		Sum, Columns, Back             func() error
		Packed, Unpacked               func() error
	}
	const n = 40000
	rt.Place(ti.Shape{n}, &h.L)
	rt.Place(ti.Shape{n}, &h.M)
	rt.NewTree().Dense("j", 8).Dense("i", 6).Place(&h.A, &h.B)
	word := rt.NewTree().Dense("ij", 8, 6).BitStruct(32)
	word.Place(&h.U, ti.QuantFixed(10, 4))
	word.Place(&h.V, ti.QuantFixed(10, 4))
	rt.Place(nil, &h.C)
	titest.Must(t, rt.Load(untiledSource, &h))
	for name, c := range map[string]struct {
		launches []func() error
		tiles    bool
	}{
		"wrapped around":     {[]func() error{h.Near, h.Wrap}, false},
		"near":               {[]func() error{h.Near, h.Next}, true},
		"of one element":     {[]func() error{h.Near, h.Last}, false},
		"in the other order": {[]func() error{h.Near, h.Mirror}, false},
		"a sum":              {[]func() error{h.Near, h.Sum}, false},
		"column by column":   {[]func() error{h.Columns, h.Back}, false},
		"packed":             {[]func() error{h.Packed, h.Unpacked}, false},
	} {
		var dot strings.Builder
		titest.Must(t, rt.WriteGraph(&dot, func() error {
			for range 3 {
				for _, f := range c.launches {
					titest.Must(t, f())
				}
			}
			return nil
		}))
		if in := strings.Contains(dot.String(), "in tiles of"); in != (c.tiles && tiles(rt)) {
			t.Errorf("%s: runs in tiles: %v", name, in)
		}
	}
}
