package program

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
	"github.com/gotaichi/ti/internal/titest"
)

// accumulations are kernels whose results depend on the order in which floats are
// combined: of an array X of 20,000 numbers, into S, H of 64 and G of 4 million.
var accumulations = []struct{ name, src string }{
	{"sum", `func Run() f32 {
	s := f32(0)
	for i := range X { s += X[i] * 1.1 }
	return s
}`},
	{"several sums", `func Run() (f32, f64, vec3) {
	s, d, v := f32(0), f64(0), vec3(0)
	for i := range X {
		s -= X[i]
		d += f64(X[i]) / 3
		v += vec3(X[i], 1, sqrt(abs(X[i])))
	}
	return s, d, v
}`},
	{"sum to a cell", `func Run() { for i := range X { S += X[i]; S += 0.1 } }`},
	{"product", `func Run() f32 {
	p := f32(1)
	for i := range X { p *= 1 + X[i]*1e-6 }
	return p
}`},
	{"extremes of zeros", `func Run() (f32, f32) {
	lo, hi := f32(inf), f32(-inf)
	for i := range X {
		lo = min(lo, X[i] * ifelse(i%2 == 0, f32(0), f32(-0.5)))
		hi = max(hi, -X[i] * 0)
	}
	return lo, hi
}`},
	{"half precision", `func Run() f16 {
	s := f16(0)
	for i := range X { s += f16(X[i]) * 0.01 }
	return s
}`},
	{"histogram", `func Run() {
	for i := range X { H[i32(abs(X[i])*1000) % 64] += X[i] }
}`},
	{"histogram and sum", `func Run() f32 {
	s := f32(0)
	for i := range X {
		s += X[i]
		H[i % 64] += X[i] * s0(i)
		H[(i*7) % 64] += 0.1
	}
	return s
}
func s0(i i32) f32 { return 1 / f32(i+1) }`},
	{"scatter", `func Run() {
	for i := range X { G[(i*7919) % 1000 * 4000] += X[i] }
}`},
	{"old values", `func Run() {
	for i := range X {
		k := atomicAdd(&N[0], 1)
		G[k] = X[i]
		_ = atomicXchg(&N[1], i)
	}
}`},
	{"local array", `func Run() f32 {
	var a [4]f32
	for i := range X { a[i%4] += X[i] }
	return a[0] + a[1]*2 + a[2]*3 + a[3]*4
}`},
	{"slice", `func Run() f32 {
	s := f32(0)
	for i := range 300 {
		t := f32(0)
		for j := range i * 10 { t += X[j] / f32(i+1) }
		s += t
	}
	return s
}`},
	{"integers", `func Run() (i32, i64) {
	a, b := i32(0), i64(1)
	for i := range X {
		a ^= bitcast[i32](X[i])
		b *= i64(2*i + 1)
		N[i%3] = max(N[i%3], i32(X[i]*100))
	}
	return a, b
}`},
	{"no accumulation", `func Run() {
	for i := range X { G[i] = sin(X[i])*exp(X[i]) + X[i]*X[i]*0.3 }
	for i, j := range ndrange(130, 77) { G[i*77 + j] += f32(i)*0.1 + f32(j)*0.7 }
}`},
	{"two dimensions", `func Run() f32 {
	s := f32(0)
	for i, j := range ndrange(123, 57) {
		s += X[i*57+j] * f32(j)
		H[j] += X[i*57+j]
	}
	return s
}`},
}

// TestThreads checks that in deterministic mode the bits do not depend on the
// number of threads, the optimisation being the same. Without optimisation fewer numbers
// are tried, unless -variants asks for all.
func TestThreads(t *testing.T) {
	for _, opt := range []string{"0", "3"} {
		for _, a := range accumulations {
			numbers := []int{1, 2, 3, 7}
			if opt == "0" && !runtest.AllVariants() {
				numbers = []int{1, 3}
			}
			t.Run("O"+opt+"/"+a.name, func(t *testing.T) {
				var want string
				for _, threads := range numbers {
					tries := 1
					if threads == 3 || runtest.AllVariants() {
						tries = 2
					}
					for try := range tries {
						got := accumulate(t, opt, threads, a.src)
						if want == "" {
							want = got
						}
						if got != want {
							t.Fatalf("%d threads, run %d: got %.200s, want %.200s", threads, try, got, want)
						}
					}
				}
			})
		}
	}
}

// accumulate launches a kernel three times and prints the bits of all it did.
func accumulate(t *testing.T, opt string, threads int, src string) string {
	t.Helper()
	defer runtest.Setenv("TI_VERIFY", "1")()
	defer runtest.Setenv("TI_OPT", opt)()
	rt, err := ti.New(ti.Config{Arch: ti.LLVM, Threads: threads, Deterministic: true})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	if strings.Contains(src, "range i * 10") && titest.InSoftware(rt) {
		t.Skip("a driver in software does not do so many rounds in a chunk")
	}
	x, s, h := ti.NewField[float32](rt, 20_000), ti.NewField[float32](rt), ti.NewField[float32](rt, 64)
	g, n := ti.NewField[float32](rt, 4_000_000), ti.NewField[int32](rt, 3)
	random := rand.New(rand.NewPCG(1, 9))
	for i := range 20_000 {
		x.Set(random.Float32()*2-1, i)
	}
	p, err := rt.Compile(ti.Text("threads.ti", "package p\nvar (\n\tX, H, G field[f32, D1]\n\tS field[f32, D0]\n\tN field[i32, D1]\n)\n"+src),
		ti.Bindings{"X": x, "S": s, "H": h, "G": g, "N": n})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for range 3 {
		results, err := p.Kernel("Run").Launch(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%x ", results)
	}
	fmt.Fprintf(&out, "%x %x ", s.At(), [3]int32{n.At(0), n.At(1), n.At(2)})
	for i := range 64 {
		fmt.Fprintf(&out, "%x ", h.At(i))
	}
	mem, err := g.Slice()
	if err != nil {
		t.Fatal(err)
	}
	hash := uint64(14695981039346656037) // FNV-1a of the bits
	for i, v := range mem {
		if v != 0 {
			for _, c := range []byte(fmt.Sprintf("%d:%x", i, v)) {
				hash = (hash ^ uint64(c)) * 1099511628211
			}
		}
	}
	fmt.Fprintf(&out, "%x", hash)
	return out.String()
}
