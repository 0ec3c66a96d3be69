package program

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// The decompositions, in a few variants. How accurate they are on all kinds of
// matrices is tested beside them, in package prelude; here each kernel measures
// what is left of m, so that all that counts is a small number.
func TestLinalg(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	for i, p := range linalgPrograms() {
		t.Run(p.name, func(t *testing.T) {
			vs := linalgVariants()
			if !runtest.AllVariants() { // the oracle, and one of the others in turn
				turn := vs[1+i%3]
				vs = vs[:1:1]
				if !strings.HasPrefix(p.name, "5×5") { // which takes LLVM long
					vs = append(vs, turn)
				}
			}
			runtest.RunIn(t, rts, vs, func(r *runtest.Run) { p.run(r, "package p\n"+p.src) })
		})
	}
}

// linalgVariants are few by default: decompositions take long to compile, and have
// little to do with layouts.
func linalgVariants() []runtest.Variant {
	if runtest.AllVariants() {
		return runtest.Variants()
	}
	return []runtest.Variant{
		{Label: "oracle/flat", Arch: ti.Oracle, Threads: 1},
		{Label: "llvm-O0/1/blocked", Arch: ti.LLVM, Opt: "0", Threads: 1, Layout: runtest.Blocked},
		{Label: "llvm-O3/3/soa", Arch: ti.LLVM, Opt: "3", Threads: 3, Layout: runtest.SOA},
		{Label: "llvm-O3/1/pointers/unchecked", Arch: ti.LLVM, Opt: "3", Threads: 1, Unchecked: true, Layout: runtest.Pointers},
	}
}

// linalgInverse inverts matrices whose determinants overflow or vanish though
// neither their entries nor those of the inverse do.
var linalgInverse = program{"inverse of huge and tiny matrices", `
var Err field[f32]
func left[M any](m M, size f32) f32 {
	s := m * size
	return maxOf(abs(inverse(s)*s - inverse(m)*m)) + maxOf(abs(inverse(s)*size - inverse(m)))
}
func Run(size f32) {
	for i := range Err {
		x := f32(i)
		two := mat2(3, 1+x/8, -1, 2)
		three := mat3(3, 1, 2, -1, 4+x/8, 1, 2, 1, 5)
		four := mat4(5, 1, 2, 1, -1, 6+x/8, 1, 1, 2, 1, 7, 1, 1, -1, 2, 8)
		Err[i] = max(left(two, size), left(three, size), left(four, size))
	}
}`, func(r *runtest.Run, src string) {
	var h struct {
		Err ti.Field[float32]
		Run func(size float32) error
	}
	r.Place(ti.Shape{40}, &h.Err)
	r.Load(src, &h)
	for _, size := range []float32{1, 1e12, 1 << 60, 1e37, 1e-12, 1e-37} {
		runtest.OK(r, h.Run(size))
		for i := range 40 {
			if e := h.Err.At(i); !(e < 1e-5) {
				r.Errorf("size %g, matrix %d: error %g", size, i, e)
			}
		}
	}
}}

// linalgDeterminant has determinants of large matrices: of numbers whose pivots
// multiply to what is out of range, and of integers, exactly.
var linalgDeterminant = program{"determinants of large matrices", `
func matrix(i i32) [5][5]i32 {
	var m [5][5]i32
	for r, c := range static(ndrange(5, 5)) {
		m[r][c] = (r*7+c*c*3+r*c*5+r*r*c+i)%11 - 3
	}
	return m
}
var I field[i32]
var X field[f64]
func Run() {
	for i := range I {
		m := matrix(i)
		I[i] = determinant(m)
		X[i] = determinant([5][5]f64(m))
	}
}
func Far() (f32, f32, u32) {
	var m [6][6]f32
	var w [6][6]u32
	for i := range static(6) {
		m[5-i][i] = ifelse(i < 3, 1e30, 1e-30)
		w[i][(i+1)%6] = 3
	}
	n := m
	n[0] *= 0
	return determinant(m), determinant(n), determinant(w)
}`, func(r *runtest.Run, src string) {
	var h struct {
		I   ti.Field[int32]
		X   ti.Field[float64]
		Run func() error
		Far func() (float32, float32, uint32, error)
	}
	r.Place(ti.Shape{40}, &h.I, &h.X)
	r.Load(src, &h)
	runtest.OK(r, h.Run())
	for i := range 40 {
		if x, n := h.X.At(i), h.I.At(i); !(math.Abs(x-float64(n)) < 1e-9) {
			r.Errorf("matrix %d: %d of integers, %v of floats", i, n, x)
		}
	}
	if h.I.At(0) == 0 {
		r.Error("the first is 0")
	}
	far, zero, wraps, err := h.Far()
	runtest.OK(r, err)
	if !(math.Abs(float64(far)+1) < 1e-5) || zero != 0 {
		r.Errorf("far: %v, %v; want -1, 0", far, zero)
	}
	runtest.Eq(r, "unsigned", wraps, 1<<32-729)
}}

// linalgHalf computes in single precision what is given in half.
var linalgHalf = program{"half precision", `
var Err field[f32]
func left[M any](m, one M) f32 { return f32(maxOf(abs(inverse(m)*m - one))) }
func Run() (f16, f16) {
	for i := range Err {
		x := f16(i)
		two := [2][2]f16{{3, 1 + x/8}, {-1, 2}}
		three := [3][3]f16{{3, 1, 2}, {-1, 4 + x/8, 1}, {2, 1, 5}}
		four := [4][4]f16(mat4(5, 1, 2, 1, -1, 6+f32(x)/8, 1, 1, 2, 1, 7, 1, 1, -1, 2, 8))
		y := three[0]
		Err[i] = max(left(two, [2][2]f16(1)), left(three, [3][3]f16(1)), left(four, [4][4]f16(1)))
		Err[i] = max(Err[i], f32(maxOf(abs(three*solve(three, y)-y))))
	}
	m := [3][3]f16(mat3(vec3(0.0625, 0, 0), vec3(0, 512, 0), vec3(0, 0, 512)))
	return determinant(m), inverse(m)[1][1]
}`, func(r *runtest.Run, src string) {
	var h struct {
		Err ti.Field[float32]
		Run func() (ti.Float16, ti.Float16, error)
	}
	r.Place(ti.Shape{20}, &h.Err)
	r.Load(src, &h)
	det, one, err := h.Run()
	runtest.OK(r, err)
	runtest.Eq(r, "determinant, of a product out of range", det, runtest.Half(16384))
	runtest.Eq(r, "inverse", one, runtest.Half(1.0/512))
	for i, e := range h.Err.All() {
		if !(e < 0.01) {
			r.Errorf("error of matrix %d is %g", i[0], e)
		}
	}
}}

func linalgPrograms() []program {
	all := []program{linalgInverse, linalgDeterminant, linalgHalf, linalgSerial, linalgMasked, linalgConstant}
	for _, c := range []struct {
		n, m int
		t    string
	}{{2, 2, "f64"}, {3, 3, "f32"}, {5, 5, "f32"}, {3, 2, "f32"}, {2, 3, "f64"}, {3, 3, "f16"}} {
		all = append(all, linalgErrors(c.n, c.m, c.t))
	}
	return all
}

const linalgSource = `
const (
	N = #N
	M = #M
	K = min(N, M)
)
type (
	Square = [N][N]#T
	Wide   = [N][M]#T
	Exact  = [N][N]#W // for residuals
)
var Err field[f64, D2]

func most(m Exact) f64 { return f64(maxOf(abs(m))) }

func matrix(i, rows i32) Wide {
	var m Wide
	for r, c := range static(ndrange(N, M)) {
		m[r][c] = #T(sin(f64(i)*1.7+f64(r)*3.1+f64(c)*c)) + #T(ifelse(r == c, i%3, 0))
	}
	return m
}
func F() {
	for i := range Err.shape[0] {
		m := matrix(i, N)
		q, r := qr(m)
		d := [N][K]#W(q)*[K][M]#W(r) - [N][M]#W(m)
		Err[i][0] = f64(maxOf(abs(d)))
		below := f64(0)
		for x := range r.n {
			for y := range min(x, r.m) {
				below = max(below, f64(abs(r[x][y])))
			}
		}
		Err[i][1] = below
		o := [N][K]#W(q)
		t := transpose(o)*o - diag(t1(o))
		Err[i][2] = f64(maxOf(abs(t)))
		#SQUARE
	}
}

func t1(q [N][K]#W) [K]#W {
	var one [K]#W
	return one + 1
}
`

// linalgErrors decomposes matrices of n×m in a parallel loop, and checks what is
// left of them.
func linalgErrors(n, m int, t string) program {
	square := ""
	if n == m {
		square = `
		e := Exact(m)
		u, s, v := svd(m)
		Err[i][3] = most(Exact(u)*Exact(diag(s))*transpose(Exact(v)) - e)
		Err[i][4] = f64(abs(determinant(u)-1) + abs(determinant(v)-1))
		a, b := polar(m)
		Err[i][5] = most(Exact(a)*Exact(b) - e) + most(Exact(b - transpose(b)))
		Err[i][6] = most(transpose(Exact(a))*Exact(a) - Exact(1))
		w, p := symEig(m + transpose(m))
		Err[i][7] = most(Exact(p)*Exact(diag(w))*transpose(Exact(p)) - e - transpose(e))
		k := m + Square(4)
		x := solve(k, m)
		Err[i][8] = most(Exact(k)*Exact(x) - e)
		y := solve(k, m[0])
		Err[i][9] = f64(maxOf(abs(Exact(k)*[N]#W(y) - e[0])))
		l, p1, p2 := eig(m)
		re, im := Exact(diag(transpose(l)[0])), Exact(diag(transpose(l)[1]))
		c, d2 := Exact(p1), Exact(p2)
		Err[i][11] = most(e*c - c*re + d2*im) + most(e*d2 - c*im - d2*re)
		for j := range static(N - 1) {
			Err[i][10] += f64(max(0, s[j+1]-s[j]) + max(0, w[j+1]-w[j]))
		}`
	}
	exact := t // what residuals are computed in
	if t == "f16" {
		exact = "f32"
	}
	square = strings.ReplaceAll(square, "#W", exact)
	src := strings.NewReplacer("#N", fmt.Sprint(n), "#M", fmt.Sprint(m), "#T", t, "#W", exact, "#SQUARE", square).Replace(linalgSource)
	if n != m {
		src = strings.Replace(src, "func most(m Exact) f64 { return f64(maxOf(abs(m))) }\n", "", 1)
	}
	return program{fmt.Sprintf("%d×%d %s", n, m, t), src, func(r *runtest.Run, src string) {
		var h struct {
			Err ti.Field[float64]
			F   func() error
		}
		r.Place(ti.Shape{37, 12}, &h.Err)
		r.Load(src, &h)
		runtest.OK(r, h.F())
		limit := 2e-5
		switch t {
		case "f64":
			limit = 4e-14
		case "f16":
			limit = 0.02
		}
		for i, e := range h.Err.All() {
			if !(e <= limit) {
				r.Errorf("error %d of matrix %d is %g", i[1], i[0], e)
			}
		}
	}}
}

// linalgSerial decomposes in serial code of a kernel, and in a device function.
var linalgSerial = program{"serial", `
func strain(f mat3) (vec3, mat3) {
	r, s := polar(f)
	w, _ := symEig(s)
	return w, r
}
func F(f mat3) (vec3, mat3, vec3) {
	w, r := strain(f)
	for range serial(2) {
		w2, _ := strain(f)
		w += w2
	}
	return w / 3, r, solve(f, f*vec3(1, 2, 3))
}`, func(r *runtest.Run, src string) {
	var h struct {
		F func(ti.Mat3) (ti.Vec3, ti.Mat3, ti.Vec3, error)
	}
	r.Load(src, &h)
	s, c := float32(math.Sin(0.5)), float32(math.Cos(0.5))
	w, rot, x, err := h.F(ti.Mat3{{2 * c, -3 * s, 0}, {2 * s, 3 * c, 0}, {0, 0, 5}})
	runtest.OK(r, err)
	near := func(what string, got, want float32) {
		if !(math.Abs(float64(got-want)) <= 1e-5) {
			r.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	for i := range 3 {
		near("stretch", w[i], []float32{5, 3, 2}[i])
		near("solution", x[i], float32(i+1))
		for j := range 3 {
			near("rotation", rot[i][j], ti.Mat3{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}[i][j])
		}
	}
}}

// linalgMasked decomposes under a condition that differs between iterations.
var linalgMasked = program{"masked", `
var X field[mat2]
var S field[vec2]
func F() {
	for i := range X {
		if i%3 != 0 {
			_, s, _ := svd(X[i])
			S[i] = s
		}
	}
}`, func(r *runtest.Run, src string) {
	var h struct {
		X ti.Field[ti.Mat2]
		S ti.Field[ti.Vec2]
		F func() error
	}
	r.Place(ti.Shape{100}, &h.X, &h.S)
	r.Load(src, &h)
	for i := range 100 {
		h.X.Set(ti.Mat2{{0, float32(i)}, {1, 0}}, i)
	}
	runtest.OK(r, h.F())
	runtest.EqAll(r, &h.S, func(i ti.Index) ti.Vec2 {
		if i[0]%3 == 0 {
			return ti.Vec2{}
		}
		return ti.Vec2{float32(i[0]), -1}
	})
}}

// linalgConstant decomposes constants, and shadows the names.
var linalgConstant = program{"constants", `
func W() f32 {
	w, _ := symEig(mat2(2, 1, 1, 2))
	return w[0]*10 + w[1]
}
func qr(x f32) f32 { return x + 1 }
func Q() f32 { return qr(2) }`, func(r *runtest.Run, src string) {
	var h struct {
		W func() (float32, error)
		Q func() (float32, error)
	}
	r.Load(src, &h)
	w, err := h.W()
	runtest.OK(r, err)
	runtest.Eq(r, "w", w, 31)
	q, err := h.Q()
	runtest.OK(r, err)
	runtest.Eq(r, "Q", q, 3)
}}
