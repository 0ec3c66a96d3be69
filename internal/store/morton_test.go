package store_test

import (
	"errors"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const mortonSource = `
package morton

var X, Y field[f32, D2]

func Init() {
	for i, j := range X {
		X[i][j] = f32(100*i + j)
	}
}

func Blur() {
	for p := range Y {
		Y[p] = X[p] + X[p+ivec2(1, 0)] + X[p-ivec2(0, 1)]
	}
}

func Rows(lo, hi i32) f32 {
	s := 0.0
	for i, j := range ndrange(span(lo, hi), X.shape[1]) {
		s += X[i][j]
		Y[i][j] = X[i][X.shape[1]-1-j]
	}
	return s
}

func Visit(n i32) f32 {
	s := 0.0
	for k := range n {
		s += X[k*7%32][k*5%16]
	}
	return s
}
`

type mortonHost struct {
	X, Y  ti.Field[float32]
	Init  func()
	Blur  func() error
	Rows  func(lo, hi int32) float32
	Visit func(n int32) float32
}

// TestMorton runs the same kernels on rows and on cells in Z-order.
func TestMorton(t *testing.T) {
	run := func(t *testing.T, rt *ti.Runtime, place func(s *mortonHost)) (all []float32, results [2]float32) {
		t.Helper()
		var s mortonHost
		place(&s)
		if err := rt.Load(mortonSource, &s); err != nil {
			t.Fatal(err)
		}
		s.Init()
		if err := s.Blur(); !errors.Is(err, ti.ErrRange) {
			t.Errorf("an index beyond the border: %v", err)
		}
		all = make([]float32, 2*32*16)
		if err := s.Y.CopyTo(all[:32*16]); err != nil {
			t.Fatal(err)
		}
		results = [2]float32{s.Rows(3, 30), s.Visit(1000)}
		if err := s.Y.CopyTo(all[32*16:]); err != nil {
			t.Fatal(err)
		}
		n := 0
		for idx, v := range s.X.All() {
			if v != float32(100*idx[0]+idx[1]) || s.X.At(idx[0], idx[1]) != v {
				t.Errorf("element %v is %v", idx[:2], v)
			}
			n++
		}
		if n != 32*16 {
			t.Errorf("%d elements", n)
		}
		return all, results
	}
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		rows, want := run(t, rt, func(s *mortonHost) { rt.Place(ti.Shape{32, 16}, &s.X, &s.Y) })
		for name, place := range map[string]func(s *mortonHost){
			"one level": func(s *mortonHost) { rt.NewTree().Dense(ti.IJ, 32, 16).Morton().Place(&s.X, &s.Y) },
			"two levels": func(s *mortonHost) {
				rt.NewTree().Dense(ti.IJ, 4).Morton().Dense(ti.JI, 4, 8).Morton().Place(&s.X, &s.Y)
			},
			"mixed": func(s *mortonHost) {
				rt.NewTree().Dense(ti.IJ, 4, 2).Dense(ti.IJ, 8).Morton().Place(&s.X)
				rt.Place(ti.Shape{32, 16}, &s.Y)
			},
		} {
			t.Run(name, func(t *testing.T) {
				got, results := run(t, rt, place)
				if results != want {
					t.Errorf("results %v, want %v", results, want)
				}
				for i := range got {
					if got[i] != rows[i] {
						t.Fatalf("element %d of Y is %v, want %v", i, got[i], rows[i])
					}
				}
			})
		}
	})
}

func TestMortonErrors(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	tree := rt.NewTree()
	tree.Dense(ti.IJ, 8, 12).Morton().Place(new(ti.Field[float32]))
	err := tree.Err()
	if err == nil || !strings.Contains(err.Error(), "size 12 along axis j") || !strings.Contains(err.Error(), "morton_test.go") {
		t.Errorf("%v", err)
	}
}
