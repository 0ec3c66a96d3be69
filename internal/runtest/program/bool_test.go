package program

import (
	"fmt"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// boolPrograms keep truth values in memory: a byte each.
var boolPrograms = []program{
	{"bool fields", `
var (
	B, C field[bool]
	V    field[[3]bool]
	N    field[i32]
)
func Run() {
	for i := range B {
		B[i] = i%3 == 0
		V[i] = [3]bool{i%2 == 0, B[i], !B[i]}
		V[i].y = V[i].x && i > 10
	}
	for i := range B {
		C[i] = !B[i] != (i < 5)
		if B[i] || V[i].z && C[i] { N[i] += 1 }
		N[i] += 10*i32(C[i]) + 100*i32(all(V[i])) + 1000*i32(any(V[i]))
	}
}`, func(r *runtest.Run, src string) {
		var b, c ti.Field[bool]
		var v ti.Field[[3]bool]
		var n ti.Field[int32]
		const size = 60
		r.Place(ti.Shape{size}, &b, &c, &v, &n)
		p := r.Load(src, ti.Bindings{"B": &b, "C": &c, "V": &v, "N": &n})
		r.Launch(p, "Run")
		for i := range size {
			x := i%3 == 0
			wantV := [3]bool{i%2 == 0, i%2 == 0 && i > 10, !x}
			wantC := !x != (i < 5)
			count := int32(0)
			if x || wantV[2] && wantC {
				count++
			}
			count += 10*runtest.Number[int32](wantC) + 100*runtest.Number[int32](wantV[0] && wantV[1] && wantV[2]) + 1000*runtest.Number[int32](wantV[0] || wantV[1] || wantV[2])
			runtest.Eq(r, fmt.Sprint("B", i), b.At(i), x)
			runtest.Eq(r, fmt.Sprint("C", i), c.At(i), wantC)
			runtest.Eq(r, fmt.Sprint("V", i), v.At(i), wantV)
			runtest.Eq(r, fmt.Sprint("N", i), n.At(i), count)
		}
	}},
	{"bool atomics", `
var (
	Any, All field[bool]
	One      field[bool, D0]
	X        field[i32]
	Flip     field[bool]
)
func Run() (bool, bool) {
	some := false
	every := true
	for i := range X {
		Any[i%4] = Any[i%4] || X[i] > 90
		All[i%4] = All[i%4] && X[i] < 97
		One = One || X[i] == 50
		some = some || X[i] == 1000
		every = every && X[i] >= 0
		Flip[2] = Flip[2] || X[i] == 7
		Flip[3] = Flip[3] && X[i] != 7
	}
	return some, every
}
func Old() i32 {
	n := 0
	for range X {
		if !atomicXchg(&Flip[4], true) { n += 1 }
		if !atomicCAS(&Flip[5], false, true) { n += 10 }
	}
	return n
}`, func(r *runtest.Run, src string) {
		var some, all, one, flip ti.Field[bool]
		var x ti.Field[int32]
		const n = 101
		r.Place(ti.Shape{n}, &x)
		r.Place(ti.Shape{4}, &some, &all)
		r.Place(ti.Shape{6}, &flip)
		r.Place(nil, &one)
		h := struct {
			Any, All, One, Flip *ti.Field[bool]
			X                   *ti.Field[int32]
			Run                 func() (bool, bool, error)
			Old                 func() (int32, error)
		}{Any: &some, All: &all, One: &one, Flip: &flip, X: &x}
		r.Load(src, &h)
		for i := range n {
			x.Set(int32(i), i)
		}
		all.Fill(true)
		flip.Set(true, 3)
		a, b, err := h.Run()
		runtest.OK(r, err)
		runtest.Eq(r, "results", [2]bool{a, b}, [2]bool{false, true})
		for i := range 4 {
			runtest.Eq(r, fmt.Sprint("Any", i), some.At(i), true)
			runtest.Eq(r, fmt.Sprint("All", i), all.At(i), false)
		}
		runtest.Eq(r, "One", one.At(), true)
		runtest.Eq(r, "Flip", [4]bool{flip.At(0), flip.At(1), flip.At(2), flip.At(3)}, [4]bool{false, false, true, false})
		first, err := h.Old()
		runtest.OK(r, err)
		runtest.Eq(r, "the number that came first", first, 11)
		runtest.Eq(r, "Flip 5", flip.At(5), true)
	}},
	{"bool arguments and slices", `
type flag = bool
func All(a bool, v [2]bool, b []bool, w [][2]bool) (bool, [2]bool, i32) {
	n := 0
	for i := range b {
		if b[i] { n += 1 }
		b[i] = b[i] != a
	}
	for i := range w { w[i] = w[i] || v }
	return !a, !v, n
}
func Vector(w []bool) bool {
	all := true
	for i, x := range w { all = all && (x || i < 0) }
	return all
}`, func(r *runtest.Run, src string) {
		type flag bool
		var h struct {
			All    func(flag, [2]bool, []flag, [][2]bool) (flag, [2]bool, int32, error)
			Vector func([]bool) (bool, error)
		}
		r.Load(src, &h)
		b, w := make([]flag, 200), make([][2]bool, 9)
		for i := range b {
			b[i] = i%5 == 0
		}
		x, v, n, err := h.All(true, [2]bool{true, false}, b, w)
		runtest.OK(r, err)
		runtest.Eq(r, "results", fmt.Sprint(x, v, n), "false [false true] 40")
		for i, got := range b {
			runtest.Eq(r, fmt.Sprint("b", i), bool(got), i%5 != 0)
		}
		runtest.Eq(r, "w", w[8], [2]bool{true, false})
		all, err := h.Vector([]bool{true, true, false, true})
		runtest.OK(r, err)
		runtest.Eq(r, "all", all, false)
		all, err = h.Vector([]bool{true, true})
		runtest.OK(r, err)
		runtest.Eq(r, "all", all, true)
	}},
}
