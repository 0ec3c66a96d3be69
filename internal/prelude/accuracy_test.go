package prelude_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
)

var long = randtest.Long("long", "decompose 100,000 matrices of each size")

var (
	single = precision{"f32", 0x1p-23, math.MaxFloat32, math.SmallestNonzeroFloat32, func(x float64) float64 { return float64(float32(x)) }}
	double = precision{"f64", 0x1p-52, math.MaxFloat64, math.SmallestNonzeroFloat64, func(x float64) float64 { return x }}
)

// ulp is the distance of numbers near x, which is not negative.
func (p precision) ulp(x float64) float64 {
	return math.Max(math.Ldexp(p.eps, math.Ilogb(math.Max(x, p.smallest))), p.smallest)
}

// source decomposes Count matrices. Matrices lie in rows of fields of numbers, so
// that one host serves all sizes.
const source = `package p

var (
	Count   i32
	X, U, V field[T, D2]
	S, W    field[T, D2]
)

const N = #N

type (
	T   = #T
	Mat = [N][N]T
)

func get(i i32) Mat {
	var m Mat
	for j, k := range static(ndrange(N, N)) {
		m[j][k] = X[i][j*N+k]
	}
	return m
}

func put(i i32, u Mat, s [N]T, v Mat) {
	for j, k := range static(ndrange(N, N)) {
		U[i][j*N+k] = u[j][k]
		V[i][j*N+k] = v[j][k]
	}
	for j := range static(N) {
		S[i][j] = s[j]
	}
}

// wide and long fill up with zeros.
func wide[X any](x X) Mat {
	var y Mat
	for j, k := range static(ndrange(x.n, x.m)) {
		y[j][k] = x[j][k]
	}
	return y
}

func long[X any](x X) [N]T {
	var y [N]T
	for j := range static(x.n) {
		y[j] = x[j]
	}
	return y
}

func Run() {
	for i := range Count {
		m := get(i)
		#BODY
	}
}
`

// A bench is the kernels of one size and precision, and their fields.
type bench[F float32 | float64] struct {
	p        precision
	n, count int
	host     struct {
		Count         int
		X, U, V, S, W ti.Field[F]
		Run           func() error
	}
	names []string // of the kinds of the matrices
	ms    []matrix
}

// A result is what became of a matrix.
type result struct {
	kind string
	m    matrix
	u, v matrix
	s    []float64
}

func newBench[F float32 | float64](t *testing.T, rt *ti.Runtime, p precision, n, count int, body string) *bench[F] {
	b := &bench[F]{p: p, n: n, count: count}
	b.host.Count = count
	rt.Place(ti.Shape{count, n * n}, &b.host.X, &b.host.U, &b.host.V)
	rt.Place(ti.Shape{count, n}, &b.host.S, &b.host.W)
	src := strings.NewReplacer("#N", fmt.Sprint(n), "#T", p.name, "#BODY", body).Replace(source)
	if _, err := rt.Compile(ti.Text("accuracy.ti", src), &b.host); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range count {
		k := kinds[i%len(kinds)]
		m := k.make(r, n, p)
		for i := range m.a {
			m.a[i] = p.round(m.a[i])
		}
		b.names, b.ms = append(b.names, k.name), append(b.ms, m)
	}
	return b
}

// each runs the kernel on all matrices, changed by f, and calls check for each.
func (b *bench[F]) each(t *testing.T, f func(matrix) matrix, check func(result)) {
	t.Helper()
	nn := b.n * b.n
	data := make([]F, b.count*nn)
	ms := make([]matrix, b.count)
	for i, m := range b.ms {
		if ms[i] = m; f != nil {
			ms[i] = f(m)
		}
		for k, v := range ms[i].a {
			data[i*nn+k] = F(v)
		}
	}
	u, v, s := make([]F, len(data)), make([]F, len(data)), make([]F, b.count*b.n)
	for _, err := range []error{b.host.X.CopyFrom(data), b.host.Run(), b.host.U.CopyTo(u), b.host.V.CopyTo(v), b.host.S.CopyTo(s)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range ms {
		check(result{b.names[i], m, square(b.n, u[i*nn:]), square(b.n, v[i*nn:]), doubles(s[i*b.n:][:b.n])})
	}
}

func doubles[F float32 | float64](x []F) []float64 {
	d := make([]float64, len(x))
	for i, v := range x {
		d[i] = float64(v)
	}
	return d
}

func square[F float32 | float64](n int, x []F) matrix { return matrix{n, n, doubles(x[:n*n])} }

// limit is how far off a decomposition may be, in ulps of the largest singular value.
const limit = 10

// A tally keeps the worst error of each kind of matrix.
type tally struct {
	t     *testing.T
	worst map[string]float64
}

// error notes an error in units of the last place.
func (y *tally) error(r result, what string, ulps float64) {
	if y.worst == nil {
		y.worst = map[string]float64{}
	}
	for _, key := range []string{what, r.kind} {
		y.worst[key] = math.Max(y.worst[key], ulps)
	}
	if !(ulps <= limit) {
		y.t.Errorf("%s: %s is off by %.3g ulps\nm = %v\nu = %v\ns = %v\nv = %v", r.kind, what, ulps, r.m.a, r.u.a, r.s, r.v.a)
	}
}

func (y *tally) report(what ...string) {
	line := ""
	for _, w := range what {
		line += fmt.Sprintf("  %s %.2f", w, y.worst[w])
	}
	y.t.Log("worst errors in ulps:" + line)
	if *long {
		for _, k := range kinds {
			y.t.Logf("  %-20s %.2f", k.name, y.worst[k.name])
		}
	}
}

// rotation checks that u is one.
func (y *tally) rotation(p precision, r result, what string, u matrix) {
	y.error(r, what, residual(identity(u.rows), u.transposed(), nil, u)/p.eps)
	if determinant(u) < 0 {
		y.t.Errorf("%s: %s is a reflection: %v of %v", r.kind, what, u.a, r.m.a)
	}
}

// inBoth runs a test in both precisions.
func inBoth(t *testing.T, inSingle, inDouble func(*testing.T, precision)) {
	t.Run(single.name, func(t *testing.T) { inSingle(t, single) })
	t.Run(double.name, func(t *testing.T) { inDouble(t, double) })
}

// forSizes runs a test for matrices of several sizes, some kept in registers and
// some in memory. The functions are the same for both precisions, so that each of them has a part of the sizes.
func forSizes(t *testing.T, p precision, f func(t *testing.T, rt *ti.Runtime, n, count int)) {
	rt := runtimeOf(t)
	sizes, count := []int{1, 2, 3, 6}, 16*len(kinds)
	if p.name == double.name {
		sizes = []int{2, 3, 4}
	}
	if *long {
		sizes, count = []int{1, 2, 3, 4, 5, 6, 7, 8}, 100_000
	}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) { f(t, rt, n, count) })
	}
}

func runtimeOf(t *testing.T) *ti.Runtime {
	t.Helper()
	rt, err := ti.New(ti.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	return rt
}
