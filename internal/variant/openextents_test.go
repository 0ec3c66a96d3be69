package variant_test

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// openSource reads and writes whole fields and their insides: X and Y lie as a test says.
const openSource = `package p

var X, Y field[i32, D2]

func Fill() {
	for p := range X {
		X[p] = p.x*1000 + p.y
	}
}

func Shift() {
	for i, j := range ndrange(X.shape.x, X.shape.y) {
		Y[i][j] = X[(i+1)%X.shape.x][(j+X.shape.y-1)%X.shape.y]
	}
}

func At(i, j int) i32 { return Y[i][j] }
`

type openHost struct {
	X, Y  ti.Field[int32]
	Fill  func()
	Shift func()
	At    func(i, j int) (int32, error)
}

// openLayouts place X and Y with n by m cells of the outermost node.
var openLayouts = []struct {
	name       string
	rows, cols int // elements in a cell
	place      func(rt *ti.Runtime, h *openHost, n, m int)
}{
	{"plain", 1, 1, func(rt *ti.Runtime, h *openHost, n, m int) { rt.Place(ti.Shape{n, m}, &h.X, &h.Y) }},
	{"blocks", 4, 8, func(rt *ti.Runtime, h *openHost, n, m int) {
		rt.NewTree().Dense(ti.IJ, n, m).Dense(ti.IJ, 4, 8).Place(&h.X, &h.Y)
	}},
	{"blocks of other sizes", 3, 5, func(rt *ti.Runtime, h *openHost, n, m int) {
		rt.NewTree().Dense(ti.IJ, n, m).Dense(ti.IJ, 3, 5).Place(&h.X)
		rt.NewTree().Dense("ji", m, n).Dense(ti.IJ, 3, 5).Place(&h.Y)
	}},
	{"three levels", 6, 4, func(rt *ti.Runtime, h *openHost, n, m int) {
		top := rt.NewTree().Dense(ti.IJ, n, m)
		top.Dense(ti.IJ, 3, 2).Dense(ti.IJ, 2, 2).Place(&h.X)
		top.Dense(ti.I, 6).Dense(ti.J, 4).Place(&h.Y)
	}},
	{"Z-order inside", 4, 4, func(rt *ti.Runtime, h *openHost, n, m int) {
		rt.NewTree().Dense(ti.IJ, n, m).Dense(ti.IJ, 4, 4).Morton().Place(&h.X, &h.Y)
	}},
	{"nodes of one axis", 1, 1, func(rt *ti.Runtime, h *openHost, n, m int) {
		rt.NewTree().Dense(ti.J, m).Dense(ti.I, 1).Dense(ti.I, 1).Place(&h.Y)
		rt.NewTree().Dense(ti.J, m).Dense(ti.I, 1).Place(&h.X)
	}},
}

// TestOpenExtents binds one source to fields of many sizes, in layouts of several levels:
// each kernel is compiled for the first size, and again for all others.
func TestOpenExtents(t *testing.T) {
	for _, l := range openLayouts {
		t.Run(l.name, func(t *testing.T) {
			rt := titest.New(t, ti.Config{})
			for k, size := range [][2]int{{3, 4}, {5, 2}, {1, 1}, {2, 9}, {1, 7}, {3, 4}} {
				n, m := size[0], size[1]
				if l.name == "nodes of one axis" {
					n = 1
				}
				var h openHost
				l.place(rt, &h, n, m)
				if err := rt.Load(openSource, &h); err != nil {
					t.Fatal(err)
				}
				checkOpen(t, &h, n*l.rows, m*l.cols)
				if got, want := rt.Stats().Compiled, int64(3*min(k+1, 2)); got != want {
					t.Errorf("with %d sizes, %d kernels compiled, want %d", k+1, got, want)
				}
			}
		})
	}
}

// checkOpen runs the kernels on fields of n by m elements.
func checkOpen(t *testing.T, h *openHost, n, m int) {
	t.Helper()
	h.Fill()
	h.Shift()
	for i := range n {
		for j := range m {
			if got, want := h.X.At(i, j), int32(i*1000+j); got != want {
				t.Fatalf("%d×%d: X[%d, %d] is %d, want %d", n, m, i, j, got, want)
			}
			if got, want := h.Y.At(i, j), int32((i+1)%n*1000+(j+m-1)%m); got != want {
				t.Fatalf("%d×%d: Y[%d, %d] is %d, want %d", n, m, i, j, got, want)
			}
		}
	}
	for _, at := range [][2]int{{n, 0}, {0, m}, {-1, 0}, {n - 1, -1}} {
		if v, err := h.At(at[0], at[1]); err == nil {
			t.Errorf("%d×%d: element %v is %d, want an error", n, m, at, v)
		}
	}
	if v, err := h.At(n-1, m-1); err != nil || v != h.Y.At(n-1, m-1) {
		t.Errorf("%d×%d: the last element is %d, %v", n, m, v, err)
	}
}
