package program

import (
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// streams are programs with much to compute for each element of a long row, which is cut into
// strips that ask for memory ahead.
var streams = []program{
	{"much to compute in long rows", `
const N = 5003
var X, Y field[i32]
var P, Q field[i32, D2]
func much(x, y i32) i32 {
` + strings.Repeat("\tx = (x^y>>1)&8191 + 3\n\ty ^= x\n", 40) + `	return x
}
func F() {
	for i := range X { Y[i] = much(X[i], i) }
}
func Part(lo, hi i32) {
	for i := range span(lo, hi) { Y[i] = much(X[i], 7) }
}
func Rows() {
	for i, j := range P { Q[i][j] = much(P[i][j], i-j) }
}
func Sum() (s i32) {
	for i := range X { s += much(X[i], i) }
	return s
}`, func(r *runtest.Run, src string) {
		const n, rows, columns = 5003, 3, 2600
		var h struct {
			X, Y, P, Q ti.Field[int32]
			F, Rows    func() error
			Part       func(lo, hi int32) error
			Sum        func() (int32, error)
		}
		much := func(x, y int32) int32 {
			for range 40 {
				x = (x^y>>1)&8191 + 3
				y ^= x
			}
			return x
		}
		r.Place(ti.Shape{n}, &h.X, &h.Y)
		r.Place(ti.Shape{rows, columns}, &h.P, &h.Q)
		r.Load(src, &h)
		at := func(i int) int32 { return int32(i*7919%1009 - 500) }
		total := int32(0)
		for i := range n {
			h.X.Set(at(i), i)
			total += much(at(i), int32(i))
		}
		for i := range rows {
			for j := range columns {
				h.P.Set(at(i*columns+j), i, j)
			}
		}
		runtest.OK(r, h.F())
		runtest.EqAll(r, &h.Y, func(i ti.Index) int32 { return much(at(i[0]), int32(i[0])) })
		runtest.OK(r, h.Part(130, 4800))
		runtest.OK(r, h.Part(9, 9))
		runtest.EqAll(r, &h.Y, func(i ti.Index) int32 {
			if 130 <= i[0] && i[0] < 4800 {
				return much(at(i[0]), 7)
			}
			return much(at(i[0]), int32(i[0]))
		})
		runtest.OK(r, h.Rows())
		runtest.EqAll(r, &h.Q, func(i ti.Index) int32 { return much(at(i[0]*columns+i[1]), int32(i[0]-i[1])) })
		if s, err := h.Sum(); err != nil || s != total {
			r.Errorf("the sum is %d, want %d, %v", s, total, err)
		}
	}},
}
