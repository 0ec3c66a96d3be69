package program

import (
	"errors"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Ranges whose numbers pass the largest i64, or that are too long for a parallel loop.
var longRanges = []program{
	{"ranges of u64 across the largest i64", `
var X field[u64, D1]
func Fill(a u64) {
	for i := range span(a, a+100) { X[i-a] = i % 9223372036854775850 }
}
func Constant() {
	for i := range span(u64(9223372036854775800), u64(9223372036854775900)) { X[i-9223372036854775800] = i }
}
func Nested(a u64) {
	for i, j := range ndrange(span(a, a+20), span(a, a+5)) { X[(i-a)*5 + (j-a)] = i ^ j }
}
func Short(a u64) {
	for i, j := range ndrange(span(a, a+50), span(u64(9223372036854775807), u64(9223372036854775809))) { X[(i-a)*2 + j - 9223372036854775807] = j - i }
}`, func(r *runtest.Run, src string) {
		const a = 9223372036854775800
		var h struct {
			X                   ti.Field[uint64]
			Fill, Nested, Short func(a uint64) error
			Constant            func() error
		}
		r.Place(ti.Shape{100}, &h.X)
		r.Load(src, &h)
		each := func(f func(i uint64) uint64) {
			r.Helper()
			runtest.EqAll(r, &h.X, func(i ti.Index) uint64 { return f(uint64(i[0])) })
		}
		runtest.OK(r, h.Fill(a))
		each(func(i uint64) uint64 { return (a + i) % 9223372036854775850 })
		runtest.OK(r, h.Constant())
		each(func(i uint64) uint64 { return a + i })
		runtest.OK(r, h.Nested(a))
		each(func(i uint64) uint64 { return (a + i/5) ^ (a + i%5) })
		runtest.OK(r, h.Short(a))
		each(func(i uint64) uint64 { return (1<<63 - 1 + i%2) - (a + i/2) })
	}},
	{"ranges with too many iterations", `
func Signed(a, b i64) (n i64) {
	for range span(a, b) { n++ }
	return
}
func Unsigned(b u64) (n u64) {
	for range b { n++ }
	return
}
func Product(m i32) (n i64) {
	for range ndrange(m, m, m, m) { n++ }
	return
}
func Inner(m i64, k i32) {
	for range ndrange(m, m, m, i64(k)) { }
}`, func(r *runtest.Run, src string) {
		var h struct {
			Signed   func(a, b int64) (int64, error)
			Unsigned func(b uint64) (uint64, error)
			Product  func(m int32) (int64, error)
			Inner    func(m int64, k int32) error
		}
		r.Load(src, &h)
		fails := func(what string, err error) {
			r.Helper()
			var e *ti.RuntimeError
			if !errors.As(err, &e) || !errors.Is(err, ti.ErrOverflow) || e.Pos.Line == 0 {
				r.Errorf("%s: the error is %v", what, err)
			}
		}
		const least, most = -1 << 63, 1<<63 - 1
		_, err := h.Signed(least, most)
		fails("Signed", err)
		_, err = h.Signed(-1, 1<<62)
		fails("Signed", err)
		_, err = h.Unsigned(1<<64 - 1)
		fails("Unsigned", err)
		_, err = h.Product(100000)
		fails("Product", err)
		fails("Inner", h.Inner(1<<40, 1))
		runtest.OK(r, h.Inner(1<<40, 0))
		n, err := h.Signed(most, least)
		runtest.OK(r, err)
		runtest.Eq(r, "Signed", n, 0)
		n, err = h.Signed(most-5, most)
		runtest.OK(r, err)
		runtest.Eq(r, "Signed", n, 5)
		u, err := h.Unsigned(9)
		runtest.OK(r, err)
		runtest.Eq(r, "Unsigned", u, 9)
	}},
}
