package runtest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
)

// kernelVariants are the ways to run a random kernel; the first is the oracle.
var kernelVariants = []variant{
	{name: "oracle", arch: ti.Oracle, threads: 1},
	{name: "llvm-O0", arch: ti.LLVM, opt: "0", threads: 1, layout: soa},
	{name: "llvm-O3", arch: ti.LLVM, opt: "3", threads: 3},
	{name: "llvm-O3/blocked", arch: ti.LLVM, opt: "3", threads: 1, layout: blocked},
}

var (
	seeds     = flag.Uint("seeds", 60, "how many random kernels to compare")
	firstSeed = flag.Uint("firstseed", 0, "the seed of the first of them")
)

func TestRandomKernels(t *testing.T) {
	n := uint64(*seeds)
	if testing.Short() {
		n = min(n, 20)
	}
	for i := range n {
		compareKernel(t, uint64(*firstSeed)+i)
		if testing.Verbose() && (i+1)%100 == 0 {
			t.Logf("%d random kernels", i+1)
		}
	}
}

func FuzzKernels(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(compareKernel)
}

// compareKernel runs the random kernel of seed on the oracle and through LLVM.
func compareKernel(t *testing.T, seed uint64) {
	src := randomKernel(seed)
	var want outcome
	for i, v := range kernelVariants {
		got := runKernel(t, v, src, seed)
		if t.Failed() {
			t.Fatalf("seed %d, %s", seed, v.name)
		}
		if i == 0 {
			want = got
		}
		for l := range got.results {
			// Where an index was out of range there are no results; and a back end
			// may leave out a failing access of whose value nothing is made.
			if g, w := got.results[l], want.results[l]; g != "" && w != "" && g != w {
				t.Fatalf("seed %d, %s: got %s, want %s\n%s", seed, v.name, g, w, src)
			}
		}
		if got.fields != want.fields {
			t.Fatalf("seed %d, %s: got\n%s\nwant\n%s\n%s", seed, v.name, got.fields, want.fields, src)
		}
	}
}

// An outcome is what two launches of a kernel give, as text.
type outcome struct {
	results [2]string // empty for a launch that failed
	fields  string
}

// runKernel launches the kernel twice.
func runKernel(t *testing.T, v variant, src string, seed uint64) (out outcome) {
	r := &run{TB: t, variant: v}
	r.rt, r.out = v.strictRuntime(t)
	defer r.rt.Close()
	return r.launchRandom(src, seed)
}

// launchRandom launches the random kernel src twice.
func (r *run) launchRandom(src string, seed uint64) (out outcome) {
	var (
		a, x, h ti.Field[int32]
		b, y    ti.Field[float32]
		c       ti.Field[int64]
		vec     ti.Field[ti.Vec2]
		pairs   ti.Field[randomPair]
	)
	const n = 48
	r.place(ti.Shape{n}, &a, &x, &b, &y, &c, &vec, &pairs)
	r.place(ti.Shape{8}, &h)
	p, err := r.rt.Compile(ti.Text("random.ti", src), ti.Bindings{"A": &a, "X": &x, "H": &h, "B": &b, "Y": &y, "C": &c, "V": &vec, "S": &pairs})
	if err != nil {
		r.Errorf("%v\n%s", err, src)
		return out
	}
	random := rand.New(rand.NewPCG(seed, 3))
	for i := range n {
		a.Set(int32(random.Uint32())>>random.IntN(32), i)
		b.Set(float32(random.IntN(64)-20)/4, i)
		c.Set(int64(random.Uint64())>>random.IntN(64), i)
		x.Set(int32(i), i)
		vec.Set(ti.Vec2{float32(i), 0.5}, i)
	}
	slice := make([]uint16, n)
	for l, args := range [][2]any{{int32(3), float32(1.5)}, {int32(-100), float32(0)}} {
		results, err := p.Kernel("Run").Launch(context.Background(), args[0], args[1], slice)
		switch {
		case err == nil:
			out.results[l] = fmt.Sprint(results...)
			if r.out != nil {
				out.results[l] += "\n" + r.out.String()
			}
		case !errors.Is(err, ti.ErrRange):
			r.Errorf("%v\n%s", err, src)
			return out
		}
	}
	for i := range n {
		out.fields += fmt.Sprintln(i, x.At(i), plain(y.At(i)), plain(vec.At(i)[0]), plain(vec.At(i)[1]), slice[i], pairs.At(i).plain())
	}
	for i := range 8 {
		out.fields += fmt.Sprintln("H", i, h.At(i))
	}
	return out
}

// randomPair is the struct of random kernels.
type randomPair struct {
	A int32    `ti:"a"`
	B float32  `ti:"b"`
	V ti.Vec2  `ti:"v"`
	W [3]int64 `ti:"w"`
}

func (p randomPair) plain() randomPair {
	p.B, p.V = plain(p.B), ti.Vec2{plain(p.V[0]), plain(p.V[1])}
	return p
}

// plain makes the zeros alike.
func plain(f float32) float32 { return f + 0 }

// strictRuntime starts a runtime whose float arithmetic is IEEE's.
func (v variant) strictRuntime(t testing.TB) (*ti.Runtime, *bytes.Buffer) {
	t.Helper()
	defer setenv("TI_STRICT_MATH", "1")()
	return v.newRuntime(t)
}
