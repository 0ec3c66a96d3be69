package sparse_test

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const reuseSource = `package reuse

var (
	X, Y  field[f32, D2]
	Block node
	List  field[i32, D2]
	Row   node
)

// Fill leaves no zero in 200 rows of blocks.
func Fill() {
	for i, j := range ndrange(200*8, 100*8) {
		X[i][j] = 7
		Y[i][j] = 8
	}
	for i, k := range ndrange(300, 40) {
		List[i][k] = 9
	}
}

// Drop deactivates everything.
func Drop() {
	for b := range Block {
		deactivate(Block, b)
	}
	for r := range Row {
		deactivate(Row, r)
	}
}

// Dot writes one element of each block, and one of each list.
func Dot(at i32) {
	for i, j := range ndrange(200, 100) {
		X[8*i + at%8][8*j + at/8] = 1
	}
	for i := range 300 {
		List[i][39] = 1
	}
}

// Sum adds up what is active.
func Sum() (x, y f64, l i32) {
	for p := range X {
		x += f64(X[p])
		y += f64(Y[p])
	}
	for p := range List {
		l += List[p]
	}
	return
}
`

// TestSparseReuse deactivates all blocks of trees, and activates some again of which a
// single element is written: the others are zero, whichever thread activated them and
// whatever was there before.
func TestSparseReuse(t *testing.T) {
	for name, block := range map[string]func(root *ti.Tree) *ti.Node{
		"pointer": func(n *ti.Tree) *ti.Node { return n.Pointer(ti.IJ, 256) },
		"hash":    func(n *ti.Tree) *ti.Node { return n.Hash(ti.IJ, 256) },
		"nested":  func(n *ti.Tree) *ti.Node { return n.Pointer(ti.IJ, 16).Pointer(ti.IJ, 16) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, threads := range []int{1, 2, 5} {
				rt := titest.New(t, ti.Config{Threads: threads})
				s := struct {
					X, Y       ti.Field[float32]
					Block, Row *ti.Node
					List       ti.Field[int32]
					Fill, Drop func() error
					Dot        func(at int32) error
					Sum        func() (x, y float64, l int32, err error)
				}{}
				s.Block = block(rt.NewTree())
				s.Block.Dense(ti.IJ, 8).Place(&s.X)
				s.Block.Dense(ti.IJ, 8).Place(&s.Y)
				s.Row = rt.NewTree().Pointer(ti.I, 300)
				s.Row.Dynamic(ti.J, 64).Chunk(16).Place(&s.List)
				if _, err := rt.Compile(ti.Text("reuse.ti", reuseSource), &s); err != nil {
					t.Fatal(err)
				}
				for at := range int32(12) {
					if at%3 != 1 {
						titest.Must(t, s.Fill())
					}
					titest.Must(t, s.Drop())
					titest.Must(t, s.Dot(at))
					x, y, l, err := s.Sum()
					if titest.Must(t, err); x != 200*100 || y != 0 || l != 300 {
						t.Fatalf("%d threads, round %d: the sums are %v, %v and %d", threads, at, x, y, l)
					}
				}
			}
		})
	}
}
