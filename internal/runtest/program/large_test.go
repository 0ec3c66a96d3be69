package program

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
	"github.com/gotaichi/ti/internal/titest"
)

// A largeCase is a source of kernel Run, which computes an R from matrices a and b,
// vectors v and w and a number s, and what R is in plain Go.
type largeCase struct {
	name, result string
	body         string
	want         func(x *largeInput) []float64
	cubic        bool // takes n³ steps
}

// A largeInput has the arguments of a kernel: small integers, so that all results are
// exact.
type largeInput struct {
	n, m       int
	a, b, v, w []float64
	s          float64
}

// each returns f of each number of a.
func each(n int, f func(i int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func (x *largeInput) each(f func(a, b float64) float64) []float64 {
	return each(len(x.a), func(i int) float64 { return f(x.a[i], x.b[i]) })
}

// entry returns f of row and column of a matrix of c columns.
func entry(r, c int, f func(i, j int) float64) []float64 {
	return each(r*c, func(k int) float64 { return f(k/c, k%c) })
}

func sumTo(n int, f func(k int) float64) float64 {
	sum := 0.0
	for k := range n {
		sum += f(k)
	}
	return sum
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

const largeSource = `package p
const N, M = #N, #M
type (
	T    = #T
	Mat  = [N][M]T
	Pair struct { X Mat; K i32; Y Mat }
	R    = #R
)
var (
	A, B field[Mat, D1]
	V    field[[M]T, D1]
	W    field[[N]T, D1]
	E, F field[Mat, D1]
	Out  field[f64, D2]
)
func Mat2(x T) (m Mat) {
	m += x
	return
}
func turned(x, y Mat) (p, q Mat) { return y, x }
func twice(x *Mat)               { *x += *x }
func chosen(x, y Mat, s i32) Mat {
	if s > 0 {
		return x
	}
	y += T(0)
	return y
}
func put(r R, k i32) {
	#PUT
}
func Run(s i32) {
	for k := range 2 {
		a, b, v, w := A[k], B[k], V[k], W[k]
		_, _, _, _ = a, b, v, w
		var r R
		#BODY
		put(r, k)
	}
}
func Outermost(s i32) {
	a, b, v, w, k := A[1], B[1], V[1], W[1], 1
	_, _, _, _ = a, b, v, w
	var r R
	#BODY
	put(r, k)
}
`

// source returns the source of c for matrices of n rows and m columns.
func (c *largeCase) source(n, m int, elem string) string {
	put := "for i := range serial(r.n) { Out[k][i] = f64(r[i]) }"
	if strings.Count(c.result, "[") > 1 || c.result == "Mat" {
		put = "for i, j := range serial(ndrange(r.n, r.m)) { Out[k][i*r.m+j] = f64(r[i][j]) }"
	}
	return strings.NewReplacer("#N", fmt.Sprint(n), "#M", fmt.Sprint(m), "#T", elem, "#R", c.result, "#BODY", c.body, "#PUT", put).Replace(largeSource)
}

// newLargeInput makes numbers from -3 to 3.
func newLargeInput(n, m int) *largeInput {
	x := &largeInput{n: n, m: m, s: 4}
	next := uint32(7)
	some := func(count int) []float64 {
		return each(count, func(int) float64 {
			next = next*1664525 + 1013904223
			return float64(next>>16%7) - 3
		})
	}
	x.a, x.b, x.v, x.w = some(n*m), some(n*m), some(m), some(n)
	return x
}

// setNumbers makes v, an array of any depth, of the numbers of data, and returns the rest.
func setNumbers(v reflect.Value, data []float64) []float64 {
	if v.Kind() == reflect.Array {
		for i := range v.Len() {
			data = setNumbers(v.Index(i), data)
		}
		return data
	}
	if v.CanInt() {
		v.SetInt(int64(data[0]))
	} else {
		v.SetFloat(data[0])
	}
	return data[1:]
}

// A largeHost has the fields of a largeCase for matrices of type Mat.
type largeHost[Mat, V, W any] struct {
	A, B, E, F ti.Field[Mat]
	V          ti.Field[V]
	W          ti.Field[W]
	Out        ti.Field[float64]
	Run        func(s int32) error
	Outermost  func(s int32) error
}

// runLarge runs a case on r.
func runLarge[Mat, V, W any](r *runtest.Run, c *largeCase, elem string) {
	n, m := reflect.TypeFor[W]().Len(), reflect.TypeFor[V]().Len()
	x := newLargeInput(n, m)
	want := c.want(x)
	var h largeHost[Mat, V, W]
	r.Place(ti.Shape{2}, &h.A, &h.B, &h.E, &h.F, &h.V, &h.W)
	r.Place(ti.Shape{2, len(want)}, &h.Out)
	src := c.source(n, m, elem)
	r.Load(src, &h)
	for k := range 2 {
		setElement(&h.A, k, x.a)
		setElement(&h.B, k, x.b)
		setElement(&h.V, k, x.v)
		setElement(&h.W, k, x.w)
	}
	check := func(what string, from int) {
		for k := from; k < 2; k++ {
			for i, n := range want {
				if got := h.Out.At(k, i); got != n {
					r.Errorf("%s: number %d of iteration %d is %v, want %v\n%s", what, i, k, got, n, src)
					return
				}
			}
		}
	}
	runtest.OK(r, h.Run(int32(x.s)))
	check("in a parallel loop", 0)
	h.Out.Fill(0)
	runtest.OK(r, h.Outermost(int32(x.s)))
	check("in serial code", 1)
}

// setElement sets element k of f.
func setElement[E any](f *ti.Field[E], k int, data []float64) {
	var e E
	setNumbers(reflect.ValueOf(&e).Elem(), data)
	f.Set(e, k)
}

// TestLarge runs matrices of more and of fewer components than check.MaxUnrolled. LLVM
// takes long over them, so each case runs in one of the variants with LLVM, unless all are
// asked for.
func TestLarge(t *testing.T) {
	variants := []runtest.Variant{
		runtest.OracleVariant,
		{Label: "few unrolled", Arch: ti.Oracle, Threads: 1, Unrolled: 1},
		{Label: "O0", Arch: ti.LLVM, Opt: "0", Threads: 1, Layout: runtest.SOA},
		{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 3, Layout: runtest.Blocked},
		{Label: "O3/launch/unchecked", Arch: ti.LLVM, Opt: "3", Threads: 2, Layout: runtest.AtLaunch, Unchecked: true},
		{Label: "debug", Arch: ti.LLVM, Opt: "3", Threads: 2, Debug: true},
	}
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	for i := range largeCases {
		c := &largeCases[i]
		t.Run(c.name, func(t *testing.T) {
			which := i
			some := variants
			if !runtest.AllVariants() {
				some = []runtest.Variant{variants[i/4%2], variants[2+i%4]}
			}
			runtest.RunIn(t, rts, some, func(r *runtest.Run) {
				if r.Arch == ti.Oracle { // the largest that are taken apart, which takes LLVM long
					runLarge[[16][10]float32, [10]float32, [16]float32](r, c, "f32")
				}
				if which++; which%2 == 0 {
					runLarge[[7][23]float64, [23]float64, [7]float64](r, c, "f64")
				} else {
					runLarge[[18][11]int32, [11]int32, [18]int32](r, c, "i32")
				}
			})
		})
	}
}

// largestSource works on the largest matrices that the language allows. Only local
// variables can be so large.
const largestSource = `package p

func Run(s i32) (total, corner, trace i64) {
	var a, b [#N][#N]i32
	for i, j := range serial(ndrange(a.n, a.m)) {
		a[i][j], b[i][j] = (i*3+j)%7-s, (i+j*5)%11-4
	}
	a += 1
	c := a * b
	d := c + 2*transpose(a) - b
	for i := range d.n {
		trace += i64(d[i][i])
	}
	return i64(sum(d)), i64(d[a.n-1][0]), trace
}
`

// TestLargest runs the largest matrices there are.
func TestLargest(t *testing.T) {
	for _, n := range []int{96, 256} {
		v := runtest.Variant{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 2}
		r := &runtest.Run{TB: t, Variant: v}
		r.RT, r.Out = v.NewRuntime(t)
		if titest.InSoftware(r.RT) { // a driver in software does not do so many rounds
			titest.Must(t, r.RT.Close())
			continue
		}
		var h struct {
			Run func(s int32) (total, corner, trace int64, err error)
		}
		r.Load(strings.ReplaceAll(largestSource, "#N", fmt.Sprint(n)), &h)
		total, corner, trace, err := h.Run(3)
		if err != nil {
			t.Fatal(err)
		}
		wantTotal, wantCorner, wantTrace := largestSums(n, 3)
		if total != wantTotal || corner != wantCorner || trace != wantTrace {
			t.Errorf("%d rows give %d, %d, %d, want %d, %d, %d", n, total, corner, trace, wantTotal, wantCorner, wantTrace)
		}
		if err := r.RT.Close(); err != nil {
			t.Error(err)
		}
	}
}

// largestSums is what Run of largestSource returns.
func largestSums(n, s int) (total, corner, trace int64) {
	a := func(i, j int) int { return (i*3+j)%7 - s + 1 }
	b := func(i, j int) int { return (i+j*5)%11 - 4 }
	for i := range n {
		for j := range n {
			d := 2*a(j, i) - b(i, j)
			for k := range n {
				d += a(i, k) * b(k, j)
			}
			total += int64(d)
			if i == n-1 && j == 0 {
				corner = int64(d)
			}
			if i == j {
				trace += int64(d)
			}
		}
	}
	return total, corner, trace
}

// TestLargeInFieldAndSlice assigns between a field and a slice or view of its own memory:
// all components are loaded before one is stored, as for small values.
func TestLargeInFieldAndSlice(t *testing.T) {
	const source = `package p
type Mat = [14][14]i32
var A field[Mat, D1]
func Transpose(x []Mat) {
	for i := range A { A[i] = transpose(x[i]) }
}
func TransposeView(x array[Mat, D1]) {
	for i := range A { x[i] = transpose(A[i]) }
}
func Swap(x []Mat) {
	for range 1 { A[0], A[1] = x[1], x[0] }
}
`
	type mat [14][14]int32
	v := runtest.Variant{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 2}
	r := &runtest.Run{TB: t, Variant: v}
	r.RT, r.Out = v.NewRuntime(t)
	defer r.RT.Close()
	var h struct {
		A               ti.Field[[14][14]int32]
		Transpose, Swap func(x [][14][14]int32) error
		TransposeView   func(x ti.Array[[14][14]int32]) error
	}
	r.RT.Place(ti.Shape{2}, &h.A)
	r.Load(source, &h)
	memory, err := h.A.Slice()
	runtest.OK(r, err)
	view := func(x [][14][14]int32) error {
		return h.TransposeView(ti.Array[[14][14]int32]{Data: x, Shape: ti.Shape{len(x)}})
	}
	entry := func(k, i, j int) int32 { return int32(1000*k + 14*i + j) }
	for _, c := range []struct {
		name string
		run  func(x [][14][14]int32) error
		want func(k, i, j int) int32
	}{
		{"Transpose", h.Transpose, func(k, i, j int) int32 { return entry(k, j, i) }},
		{"TransposeView", view, func(k, i, j int) int32 { return entry(k, j, i) }},
		{"Swap", h.Swap, func(k, i, j int) int32 { return entry(1-k, i, j) }},
	} {
		var want [2]mat
		for k := range memory {
			for i := range memory[k] {
				for j := range memory[k][i] {
					memory[k][i][j], want[k][i][j] = entry(k, i, j), c.want(k, i, j)
				}
			}
		}
		runtest.OK(r, c.run(memory))
		for k := range memory {
			if mat(memory[k]) != want[k] {
				t.Errorf("%s: matrix %d is %v, want %v", c.name, k, memory[k], want[k])
			}
		}
	}
}
