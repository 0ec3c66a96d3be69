package program

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

// sameBits are statements that set r, s and t, of type T, to functions of a, b and c, by names of the builtins in them.
var sameBits = []struct{ name, text string }{
	{"sin cos tan", "r, s, t = sin(a), cos(9*b), tan(c)"},
	{"asin acos atan", "r, s, t = asin(a), acos(b), atan(c)"},
	{"sinh cosh tanh", "r, s, t = sinh(a), cosh(b), tanh(c)"},
	{"exp exp2", "r, s, t = exp(a), exp2(b), exp(-c)"},
	{"log log2", "r, s, t = log(abs(a)), log2(abs(b)), log(abs(c))"},
	{"sqrt rsqrt cbrt", "r, s, t = sqrt(abs(a)), rsqrt(abs(b)), cbrt(c)"},
	{"floor ceil round trunc", "r, s, t = floor(9*a), ceil(9*b)+trunc(a), round(c)"},
	{"fract radians degrees", "r, s, t = fract(a), radians(b), degrees(c)"},
	{"mix step", "r, s, t = mix(a, b, c), mix(c, b, 0.3), step(b, c)"},
	{"smoothstep", "r, s, t = smoothstep(a, b, c), smoothstep(0, 1, c), smoothstep(-0.5, 0.7, a)"},
	{"fma", "r, s, t = fma(a, b, c), fma(c, 3, a), fma(-a, a, b)"},
	{"abs sign sqr", "r, s, t = abs(a), sign(b), sqr(c)"},
	{"min max clamp", "r, s, t = min(a, b), max(b, c), clamp(a, -0.5, b)"},
	{"mod floorDiv", "r, s, t = mod(a, b), floorDiv(b, c), mod(c, 0.1)"},
	{"hypot atan2", "r, s, t = hypot(a, b), atan2(b, c), hypot(c, 1)"},
	{"pow", "r, s, t = pow(abs(a), b), pow(abs(c), 2.2), pow(b, 3)"},
	{"dot length length2 distance", "r, s, t = dot(vec(a, b, c), vec(b, c, a)), length(vec(a, b, c)), distance(vec(a, b), vec(c, a))\n r += 0*length2(vec(a, b))"},
	{"length2", "r, s, t = length2(vec(a, b)), length2(vec(a, b, c)), length2(vec(a, b, c, a+1))"},
	{"normalize", "n := normalize(vec(a, b, c))\n r, s, t = n.x, n.y, n.z"},
	{"cross", "n := cross(vec(a, b, c), vec(b, c, a))\n r, s, t = n.x, n.y, cross(vec(a, b), vec(b, c))"},
	{"reflect", "n := reflect(vec(a, b, c), vec(c, b, a))\n r, s, t = n.x, n.y, n.z"},
	{"refract", "n := refract(vec(a, b, c), vec(c, b, a), 0.7)\n r, s, t = n.x, n.y, n.z"},
	{"outer sum product", "m := outer(vec(a, b), vec(c, a))\n r, s, t = m[0][0], sum(m), product(vec(a, b, c))"},
	{"determinant trace", "m := m3(a, b, c, b, a, 2, 1, c, a)\n r, s, t = determinant(m), trace(m), determinant(m2(a, b, c, 1))"},
	{"inverse", "m := inverse(m3(a, b, c, b, a, 2, 1, c, a))\n r, s, t = m[0][0], m[1][2], m[2][1]"},
	{"matrix product", "m := m2(a, b, c, 1)*m2(c, a, 2, b)\n v := m3(a, b, c, b, a, 2, 1, c, a)*vec(a, b, c)\n r, s, t = m[0][1], v.x, v.z"},
	{"rotation2 rotation", "m := rotation2(a)\n n := rotation(vec(b, c, a), a)\n r, s, t = m[0][1], n[0][1], n[2][2]"},
	{"translate scale homogeneous", "m := translate(vec(a, b))*scale(vec(c, a))*homogeneous(m2(a, b, c, 1))\n r, s, t = m[0][0], m[0][2], m[1][1]"},
	{"solve", "x := solve(m3(a+3, b, c, b, 4, a, c, a, 5), vec(a, b, c))\n r, s, t = x.x, x.y, x.z"},
	{"svd", "u, w, v := svd(m2(a, b, c, 1))\n r, s, t = u[0][0], w.y, v[1][0]"},
	{"svd of 3×3", "u, w, v := svd(m3(a, b, c, b, a, 2, 1, c, a))\n r, s, t = u[0][0], w.y, v[1][0]"},
	{"polar", "q, p := polar(m2(a, b, c, 1))\n r, s, t = q[0][0], q[0][1], p[1][1]"},
	{"symEig", "w, q := symEig(m3(a, b, c, b, 1, a, c, a, 2))\n r, s, t = w.x, w.z, q[0][1]"},
	{"eig", "w, x, _ := eig(m2(a, b, c, 1))\n r, s, t = w[0].x, w[1].y, x[0][0]"},
	{"sum", "r, s, t = sum(vec(a, b, c)), sum(vec(a, b)), product(vec(a, b, c))"},
	{"cholesky", "l := cholesky(m3(a*a+3, b, c, b, b*b+4, a, c, a, c*c+5))\n r, s, t = l[0][0], l[1][0], l[2][2]"},
	{"lstsq", "x := lstsq([3][2]T{{a + 3, b}, {c, b + 4}, {a, c}}, vec(a, b, c))\n r, s, t = x.x, x.y, x.x*x.y"},
	{"argMin", "r, s = T(argMin([3]T{a, b, c})), T(argMax([3]T{a, b, c}))"},
	{"qr", "q, p := qr(m3(a, b, c, b, a, 2, 1, c, a))\n r, s, t = q[0][0], p[0][1], p[2][2]"},
	{"random", "r, s, t = random(T), random(T), 1-random(T)"},
	{"randn", "r, s, t = randn(T), randn(T), randn(T)"},
	{"randn alone", "r = randn(T)"},
}

// sameBitsSource is a program of a kernel for each of the statements whose turn it is, over a range of columns and over a
// field. The functions are of matrices of type T.
func sameBitsSource(kind string, turn func(name string) bool) string {
	var w strings.Builder
	w.WriteString("package p\n\ntype T = " + kind + "\nvar A, B, C, R, S, U field[T, D2]\n\n")
	w.WriteString("func m2(a, b, c, d T) [2][2]T { return [2][2]T{{a, b}, {c, d}} }\n")
	w.WriteString("func m3(a, b, c, d, e, f, g, h, i T) [3][3]T { return [3][3]T{{a, b, c}, {d, e, f}, {g, h, i}} }\n\n")
	for i, c := range sameBits {
		if !turn(c.name) {
			continue
		}
		random := strings.Contains(c.name, "rand")
		for body, loop := range []string{"i, j := range ndrange(A.shape.x, span(from, A.shape.y))", "i, j := range A"} {
			if body == 0 && random {
				continue // what is drawn depends on the number of the iteration
			}
			arguments := "a, b, c := A[i][j], B[i][j], C[i][j]"
			if random {
				arguments = ""
			}
			param := [...]string{"from i32", ""}[body]
			fmt.Fprintf(&w, "func K%d_%d(%s) {\n for %s {\n %s\n var r, s, t T\n %s\n R[i][j], S[i][j], U[i][j] = r, s, t\n }\n}\n", i, body, param, loop, arguments, c.text)
		}
	}
	return w.String()
}

// notSameBits are the builtins that sameBits has no statement with: they are not of floats, or do not compute.
const notSameBits = `activate append assert assumeInRange atomicAdd atomicAnd atomicCAS atomicLoad atomicStore atomicMax atomicMin atomicOr atomicSub
	atomicXchg atomicXor bitcast clear clz col cols config deactivate diag equal hadamard all any ifelse isActive isinf isnan len
	loopUnique maxOf minOf ndrange popcount print printf reduce rescaleIndex resize rgba serial span static staticAssert staticPrint stopGrad
	transpose unit`

// TestSameBitsOfAll checks that there is a statement with each builtin that computes floats.
func TestSameBitsOfAll(t *testing.T) {
	var all strings.Builder
	for _, c := range sameBits {
		all.WriteString(c.text + "\n")
	}
	left := strings.Fields(notSameBits)
	for _, name := range check.BuiltinNames() {
		used := regexp.MustCompile(`\b` + name + `\(`).MatchString(all.String())
		if slices.Contains(left, name) == used {
			t.Errorf("%s: there is a statement with it: %v; it is said not to be one of floats: %v", name, used, !used)
		}
	}
}

// TestSameBits computes each builtin for the elements of rows of an odd length, from several columns on and with one to three
// threads: which element falls into a vector, the end of a row or the rest of a vector loop is different each time, and the bits of no
// element may be. Products and sums that the program itself writes may be contracted, so that each statement is one
// builtin, or one that has no such choice. Code is that for each processor that the machine can run.
func TestSameBits(t *testing.T) {
	for _, level := range runtest.Processors() {
		for _, kind := range []string{"f32", "f64", "f16"} {
			t.Run(cmp.Or(level, "native")+"/"+kind, func(t *testing.T) {
				if level != "" {
					defer runtest.Setenv(llvm.EnvProcessor, level)()
				}
				switch kind {
				case "f32":
					testSameBits(t, level, kind, func(v float64) float32 { return float32(v) })
				case "f64":
					testSameBits(t, level, kind, func(v float64) float64 { return v })
				case "f16":
					testSameBits(t, level, kind, func(v float64) ti.Float16 { return ti.ToFloat16(float32(v)) })
				}
			})
		}
	}
}

const sameRows, sameColumns = 17, 31

// testSameBits runs the statements whose turn it is on numbers that of makes.
func testSameBits[T comparable](t *testing.T, level, kind string, of func(float64) T) {
	turn := func(name string) bool { return randtest.All() || randtest.Turn(level+kind+name)%20 == 0 }
	var hosts []*sameHost[T]
	for threads := 1; threads <= 3; threads++ {
		if threads == 2 && !randtest.All() {
			continue
		}
		h := newSameHost(t, threads, sameBitsSource(kind, turn), of)
		defer h.rt.Close()
		hosts = append(hosts, h)
	}
	for i, c := range sameBits {
		if !turn(c.name) {
			continue
		}
		for body := range 2 {
			name := fmt.Sprintf("K%d_%d", i, body)
			if hosts[0].p.Kernel(name) == nil {
				continue
			}
			var want [3][]T
			for from := int32(0); from < 6 && (body == 0 || from == 0); from += 1 + from {
				for _, h := range hosts { // each has launched as much as the others, so that random numbers are the same
					got := h.run(t, name, from, body == 0)
					if want[0] == nil {
						want = got
					}
					compareBits(t, fmt.Sprintf("%s, %d threads, from column %d", c.text, h.threads, from), got, want, int(from))
				}
			}
		}
	}
}

// A sameHost is a program bound to fields of equal numbers.
type sameHost[T any] struct {
	rt      *ti.Runtime
	threads int
	p       *ti.Program
	f       struct{ A, B, C, R, S, U ti.Field[T] }
}

func newSameHost[T any](t *testing.T, threads int, source string, of func(float64) T) *sameHost[T] {
	v := runtest.Variant{Label: "same", Arch: ti.LLVM, Opt: "3", Threads: threads}
	rt, _ := v.NewRuntime(t)
	h := &sameHost[T]{rt: rt, threads: threads}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, f := range []*ti.Field[T]{&h.f.A, &h.f.B, &h.f.C, &h.f.R, &h.f.S, &h.f.U} {
		*f = *ti.NewField[T](rt, sameRows, sameColumns)
		for i := range sameRows {
			for j := range sameColumns {
				f.Set(of((2*rng.Float64()-1)*math.Exp2(float64(rng.IntN(3)))), i, j)
			}
		}
	}
	p, err := rt.Compile(ti.Text("same.ti", source), &h.f)
	if err != nil {
		t.Fatal(err)
	}
	h.p = p
	return h
}

// run launches a kernel and returns its results.
func (h *sameHost[T]) run(t *testing.T, name string, from int32, takes bool) (results [3][]T) {
	t.Helper()
	var args []any
	if takes {
		args = []any{from}
	}
	if _, err := h.p.Kernel(name).Launch(context.Background(), args...); err != nil {
		t.Fatal(err)
	}
	for i, f := range []*ti.Field[T]{&h.f.R, &h.f.S, &h.f.U} {
		v, err := f.Slice()
		if err != nil {
			t.Fatal(err)
		}
		results[i] = v
	}
	return results
}

// compareBits compares results from a column on.
func compareBits[T comparable](t *testing.T, what string, got, want [3][]T, from int) {
	t.Helper()
	differ, first := 0, ""
	for i := range got {
		for j := range got[i] {
			a, b := got[i][j], want[i][j]
			if j%sameColumns >= from && a != b && (a == a || b == b) {
				if differ++; differ == 1 {
					first = fmt.Sprintf("result %d of element [%d %d] is %v, and %v by one thread", i, j/sameColumns, j%sameColumns, a, b)
				}
			}
		}
	}
	if differ > 0 {
		t.Errorf("%s: %d results differ; %s", what, differ, first)
	}
}
