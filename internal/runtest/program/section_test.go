package program

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Sections, parts of fields as arguments: every access is that of the element of the field.
var sections = []program{
	{"one transform of rows and columns", `
var X field[vec2, D2]
func Rows() { for i := range X.shape[0] { fft(X[i]) } }
func Columns() { for j := range X.shape[1] { fft(X[:][j]) } }
func Odd() { for i := range X.shape[0] / 2 { fft(X[2*i+1][1:X.shape[1]:2]) } }
func fft(x field[vec2, D1]) {
	n := len(x)
	if n == 1 { return }
	bits := 31 - clz(n)
	for i := range n {
		j := 0
		for b := range bits { j |= (i >> b & 1) << (bits - 1 - b) }
		if i < j { swap(&x[i], &x[j]) }
	}
	for h := 1; h < n; h *= 2 {
		for k := range h {
			w := rotation2(-pi * k / h)
			butterflies(x[k:n:2*h], x[k+h:n:2*h], w)
		}
	}
}
func swap(a, b *vec2) { *a, *b = *b, *a }
func butterflies(even, odd template, w mat2) {
	for i := range len(even) {
		a, b := even[i], w * odd[i]
		even[i], odd[i] = a + b, a - b
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X                  ti.Field[ti.Vec2]
			Rows, Columns, Odd func() error
		}
		r.Place(ti.Shape{8, 16}, &h.X)
		r.Load(src, &h)
		want := [8][16]complex128{}
		for i := range 8 {
			for j := range 16 {
				want[i][j] = complex(float64(i*j%7), float64(j)-float64(i)/2)
				h.X.Set(ti.Vec2{float32(real(want[i][j])), float32(imag(want[i][j]))}, i, j)
			}
		}
		compare := func(what string) {
			runtest.EqAll(r, &h.X, func(p ti.Index) ti.Vec2 {
				got, w := h.X.At(p[0], p[1]), want[p[0]][p[1]]
				if math.Hypot(float64(got[0])-real(w), float64(got[1])-imag(w)) > 1e-2 {
					r.Errorf("%s: X%v is %v, and should be near %v", what, p, got, w)
				}
				return got
			})
		}
		transform := func(at func(k int) *complex128, n int) {
			in := make([]complex128, n)
			for k := range in {
				in[k] = *at(k)
			}
			for k := range in {
				*at(k) = 0
				for m, x := range in {
					*at(k) += x * cmplx.Exp(complex(0, -2*math.Pi*float64(k*m)/float64(n)))
				}
			}
		}
		for i := range 8 {
			transform(func(k int) *complex128 { return &want[i][k] }, 16)
		}
		runtest.OK(r, h.Rows())
		compare("rows")
		for j := range 16 {
			transform(func(k int) *complex128 { return &want[k][j] }, 8)
		}
		runtest.OK(r, h.Columns())
		compare("columns")
		for i := 1; i < 8; i += 2 {
			transform(func(k int) *complex128 { return &want[i][2*k+1] }, 8)
		}
		runtest.OK(r, h.Odd())
		compare("every second element of every second row")
	}},
	{"sections with all patterns of axes", `
var X field[i32, D3]
var Out field[i32, D1]
func Fill() { for p := range X { i, j, k := p; X[p] = 100*i + 10*j + k } }
func Run(i, j, k i32) {
	Out[0] = sum1(X[i][j])
	Out[1] = sum1(X[i][:][k])
	Out[2] = sum1(X[:][j][k])
	Out[3] = sum2(X[i])
	Out[4] = sum2(X[:][j])
	Out[5] = sum2(X[:][:][k])
	Out[6] = sum3(X[:])
	Out[7] = sum1(X[ivec2(i, j)])
	Out[8] = sum1(X[i][j][1:4])
	Out[9] = sum1(X[i][0:3:2][k])
	Out[10] = sum2(X[i][1:3][0:5:3])
	Out[11] = sum2(X[:2][j])
	Out[12] = sum3(X[1:][:][2:5:2])
	Out[13] = sum3(X[:][0:3:i+1])
	Out[14] = sum1(X[i][j][k:k])
	Out[15] = sum1(X[i64(1)][u8(2)][i64(1):u32(5):i64(1) << 40])
	Out[16] = nested(X[1:][:][2:5:2], 1)
	Out[17] = captured(X[:][j], 2)
	Out[18] = sum1(X[1:2][j][k]) + tail(X[i][j][4:], X[0][0])
}
func sum1(x field[i32, D1]) (s i32) { for k := range serial(x) { s = (3*s + x[k]) % 10007 }; return s + 1000*len(x) }
func sum2(x field[i32, D2]) (s i32) {
	for p := range serial(x) { s = (3*s + x[p] + x[p.x][p.y]) % 10007 }
	for i, j := range serial(x) { s += (i + 2*j) * x[i][j] }
	return s + 1000*len(x) + 7*x.shape[1]
}
func sum3(x template) (s i32) {
	for p := range serial(x) { s = (3*s + x[p]) % 10007 }
	for i, j := range serial(ndrange(x.shape[0], x.shape[1])) { s += x[i][j][0] }
	return s + 7*x.shape[2] + len(x.shape)
}
func nested(x field[i32, D3], i i32) i32 {
	return sum2(x[i]) + sum1(x[i][0:3:2][1]) + sum1(x[:][1][i]) + sum2(x[:][:][1]) + inner(x[0][1:], 1) + sum3(x)
}
func inner(x template, i i32) i32 { return sum1(x[i]) + sum1(x[:][i]) + sum1(x[i][0:2:1]) }
func captured(x template, k i32) i32 { return apply(func(i i32) i32 { return x[i][k] + sum1(x[i]) }) }
func tail(x, y template) i32 { return 10*x[0] + y[4] + x.dtype(len(y.shape)) }
func apply(f func(i32) i32) i32 { return f(0) + 2*f(1) }
`, func(r *runtest.Run, src string) {
		var h struct {
			X    ti.Field[int32]
			Out  ti.Field[int32]
			Fill func() error
			Run  func(i, j, k int32) error
		}
		r.Place(ti.Shape{3, 4, 5}, &h.X)
		r.Place(ti.Shape{20}, &h.Out)
		r.Load(src, &h)
		runtest.OK(r, h.Fill())
		runtest.OK(r, h.Run(1, 2, 3))
		x := &part{axes: []axis{{size: 3, step: 1}, {size: 4, step: 1}, {size: 5, step: 1}}}
		all, at := axis{size: -1}, func(i int) axis { return axis{begin: i} }
		to := func(lo, hi, step int) axis { return axis{begin: lo, size: (hi - lo + step - 1) / step, step: step} }
		nested := func(x *part, i int) int32 {
			y := x.cut(at(0), to(1, 4, 1), all)
			inner := y.cut(at(1), all).sum1() + y.cut(all, at(1)).sum1() + y.cut(at(1), to(0, 2, 1)).sum1()
			return x.cut(at(i), all, all).sum2() + x.cut(at(i), to(0, 3, 2), at(1)).sum1() + x.cut(all, at(1), at(i)).sum1() +
				x.cut(all, all, at(1)).sum2() + inner + x.sum3()
		}
		inLiteral := func(x *part, i int) int32 { return x.get(i, 2) + x.cut(at(i), all).sum1() }
		want := []int32{
			x.cut(at(1), at(2), all).sum1(), x.cut(at(1), all, at(3)).sum1(), x.cut(all, at(2), at(3)).sum1(),
			x.cut(at(1), all, all).sum2(), x.cut(all, at(2), all).sum2(), x.cut(all, all, at(3)).sum2(), x.sum3(), x.cut(at(1), at(2), all).sum1(),
			x.cut(at(1), at(2), to(1, 4, 1)).sum1(), x.cut(at(1), to(0, 3, 2), at(3)).sum1(), x.cut(at(1), to(1, 3, 1), to(0, 5, 3)).sum2(),
			x.cut(to(0, 2, 1), at(2), all).sum2(), x.cut(to(1, 3, 1), all, to(2, 5, 2)).sum3(), x.cut(all, to(0, 3, 2), all).sum3(),
			0, 1000 + x.get(1, 2, 1), nested(x.cut(to(1, 3, 1), all, to(2, 5, 2)), 1),
			inLiteral(x.cut(all, at(2), all), 0) + 2*inLiteral(x.cut(all, at(2), all), 1), 1000 + x.get(1, 2, 3) + 10*x.get(1, 2, 4) + 4 + 1, 0,
		}
		runtest.EqAll(r, &h.Out, func(i ti.Index) int32 { return want[i[0]] })
	}},
	{"sections and indices that are out of range", `
var X field[i32, D2]
func Row(i, k i32) { put(X[i], k) }
func Part(i, lo, hi, step, k i32) { put(X[i][lo:hi:step], k) }
func Constant() { put(X[1][2:5], 3) }
func Over() { over(X[1][2:5]) }
func over(x template) { for k := range 4 { x[k] += 0 } }
func Rest(i i32) { rest(X[i]) }
func rest(x template) { put(x[0:6], 0) }
func Gone(k i32) { gone(X[k:k], k) }
func gone(x template, k i32) { rest(x[k]) }
func Inner(lo, k i32) { inner(X[1:3][2:5], lo, k) }
func Dropped(i, k i32) { put(X[0:2][k], i) }
func Each(n i32) { for i := range n { add(X[i][i:i+3]) } }
func Long(i, lo i64, hi u32, k i64) { putLong(X[i][lo:hi], k) }
func putLong(x template, k i64) { x[k] = 9 }
func inner(x field[i32, D2], lo, k i32) { put(x[lo][k:k+2], 1) }
func put(x template, k i32) {
	x[k] = 9
	x[k] += 1
	p := &x[k]
	*p -= 1
}
func add(x template) { for k := range x { x[k] += 1 } }
`, func(r *runtest.Run, src string) {
		if r.Unchecked {
			return
		}
		var h struct {
			X        ti.Field[int32]
			Row      func(i, k int32) error
			Part     func(i, lo, hi, step, k int32) error
			Constant func() error
			Over     func() error
			Rest     func(i int32) error
			Gone     func(k int32) error
			Inner    func(lo, k int32) error
			Dropped  func(i, k int32) error
			Each     func(n int32) error
			Long     func(i, lo int64, hi uint32, k int64) error
		}
		r.Place(ti.Shape{4, 8}, &h.X)
		r.Load(src, &h)
		for _, c := range []struct {
			err  error
			want string // "" for no error
		}{
			{h.Row(3, 7), ""},
			{h.Row(4, 0), "index [4 0] of X is out of range: its shape is [4 8]"},
			{h.Row(1, 8), "index [1 8] of X is out of range: its shape is [4 8]"},
			{h.Part(3, 2, 8, 2, 2), ""},
			{h.Part(3, 2, 8, 2, 3), "index [3] of x, a section of X, is out of range: its shape is [3]"},
			{h.Part(3, 2, 8, 2, -1), "index [-1] of x, a section of X, is out of range: its shape is [3]"},
			{h.Part(3, 2, 9, 1, 0), "section X[i][lo:hi:step] is out of range: it is X[3][2:9:1], and the shape of X is [4 8]; a step is at least 1"},
			{h.Part(3, -1, 2, 1, 0), "it is X[3][-1:2:1]"},
			{h.Part(3, 5, 4, 1, 0), "it is X[3][5:4:1]"},
			{h.Part(3, 0, 8, 0, 0), "it is X[3][0:8:0]"},
			{h.Part(3, 0, 8, -1, 0), "it is X[3][0:8:-1]"},
			{h.Part(-1, 0, 8, 1, 0), "it is X[-1][0:8:1]"},
			{h.Part(0, 8, 8, 1, 0), "index [0] of x, a section of X, is out of range: its shape is [0]"},
			{h.Constant(), "index [3] of x, a section of X, is out of range: its shape is [3]"},
			{h.Over(), "index [3] of x, a section of X, is out of range: its shape is [3]"},
			{h.Rest(4), "section x[0:6] is out of range: it is x[0:6], and the shape of x is [8]; x is X[4][:], and the shape of X is [4 8]"},
			{h.Rest(-1 << 31), "x is X[-2147483648][:]"},
			{h.Gone(2), "section x[k] is out of range: it is x[2][:], and the shape of x is [0 8]"},
			{h.Inner(1, 1), ""},
			{h.Inner(1, 2), "section x[lo][k:k+2] is out of range: it is x[1][2:4], and the shape of x is [2 3]"},
			{h.Inner(2, 0), "it is x[2][0:2]"},
			{h.Dropped(1, 3), ""},
			{h.Dropped(2, 3), "index [2] of x, a section of X, is out of range: its shape is [2]"},
			{h.Dropped(0, 8), "it is X[0:2][8]"},
			{h.Each(4), ""},
			{h.Each(5), "it is X[4][4:7]"},
			{h.Long(1, 2, 8, 5), ""},
			{h.Long(1<<32, 2, 8, 1), "it is X[4294967296][2:8]"},
			{h.Long(1, 2, 1<<31+8, 1), "it is X[1][2:2147483656]"},
			{h.Long(1, 2, 8, 1<<32), "index [4294967296] of x"},
		} {
			switch {
			case c.want == "":
				runtest.OK(r, c.err)
			case !errors.Is(c.err, ti.ErrRange) || !strings.Contains(c.err.Error(), c.want):
				r.Errorf("the error is %v, and should say %q", c.err, c.want)
			}
		}
		var e *ti.RuntimeError
		if errors.As(h.Part(3, 2, 8, 2, 3), &e) {
			runtest.Eq(r, "what is indexed", e.Field, "x")
			runtest.Eq(r, "index and shape", fmt.Sprint(e.Index, e.Shape, e.Pos.Line), "[3] [3] 20")
		}
		want := [4][8]int32{{2, 2, 2}, {0, 2, 2, 11, 0, 0, 0, 9}, {0, 0, 2, 2, 11}, {0, 0, 0, 2, 2, 2, 9, 9}}
		runtest.EqAll(r, &h.X, func(p ti.Index) int32 { return want[p[0]][p[1]] })
	}},
}

// A part is what a section has of a field whose element [i j k] is 100i + 10j + k.
type part struct{ axes []axis }

// An axis is the indices begin, begin+step, …; size is 0 for one index without an axis, and in cut -1 for all that
// there are.
type axis struct{ begin, size, step int }

// cut is a section of a section.
func (x *part) cut(cuts ...axis) *part {
	y := &part{}
	for _, a := range x.axes {
		if a.step > 0 {
			switch c := cuts[0]; {
			case c.size >= 0:
				a = axis{a.begin + c.begin*a.step, c.size, c.step * a.step}
			}
			cuts = cuts[1:]
		}
		y.axes = append(y.axes, a)
	}
	return y
}

func (x *part) shape() (s []int) {
	for _, a := range x.axes {
		if a.step > 0 {
			s = append(s, a.size)
		}
	}
	return s
}

func (x *part) get(index ...int) int32 {
	n := 0
	for _, a := range x.axes {
		i := a.begin
		if a.step > 0 {
			i, index = i+index[0]*a.step, index[1:]
		}
		n = 10*n + i
	}
	return int32(n)
}

// Sums, as the functions of those names in the source compute them.

func (x *part) sum1() (s int32) {
	n := x.shape()[0]
	for k := range n {
		s = (3*s + x.get(k)) % 10007
	}
	return s + 1000*int32(n)
}

func (x *part) sum2() (s int32) {
	n := x.shape()
	var t int32
	for i := range n[0] {
		for j := range n[1] {
			s = (3*s + 2*x.get(i, j)) % 10007
			t += int32(i+2*j) * x.get(i, j)
		}
	}
	return s + t + 1000*int32(n[0]) + 7*int32(n[1])
}

func (x *part) sum3() (s int32) {
	n := x.shape()
	var t int32
	for i := range n[0] {
		for j := range n[1] {
			for k := range n[2] {
				s = (3*s + x.get(i, j, k)) % 10007
			}
			t += x.get(i, j, 0)
		}
	}
	return s + t + 7*int32(n[2]) + 3
}
