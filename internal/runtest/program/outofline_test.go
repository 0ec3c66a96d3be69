package program

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// outOfLine are calls of functions marked noinline, whether or not they can be kept
// out of line.
var outOfLine = []program{
	{"a noinline function that makes no use of the memory it is given", `
//ti:noinline
func far(a array[f32, D2], v i32) i32 { return v*v + 1 }
//ti:noinline
func through(a array[f32, D2], v i32) i32 { return far(a, v) - v }
//ti:noinline
func slice(s []i32, v i32) i32 { return 2 * v }
//ti:noinline
func reference(p *i32, v i32) i32 { return 5 - v }
func Run(a array[f32, D2], s []i32, n i32) i32 {
	m := far(a, n)
	for i := range s { s[i] = far(a, i) + slice(s, i) + reference(&s[i], i) }
	for i, j := range a { a[i][j] = f32(through(a, i+j)) }
	return m + through(a, n) + slice(s, n) + reference(&n, n)
}`, func(r *runtest.Run, src string) {
		var h struct {
			Run func(ti.Array[float32], []int32, int32) (int32, error)
		}
		r.Load(src, &h)
		a, s := ti.Array[float32]{Data: make([]float32, 6), Shape: ti.Shape{2, 3}}, make([]int32, 5)
		t, err := h.Run(a, s, 3)
		runtest.OK(r, err)
		runtest.Eq(r, "t", t, 10+7+6+2)
		runtest.Eq(r, "s", s, []int32{6, 8, 12, 18, 26})
		runtest.Eq(r, "a", a.Data, []float32{1, 1, 3, 1, 3, 7})
	}},
}
