package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

const randomHelpers = `
func draw() f32 { return random() }
func twice() vec2 { return vec2(random(), random()) }
`

// Random numbers: their ranges and moments, and which of them differ.
//
//conform:theme random numbers
func TestConformRandom(t *testing.T) {
	rules(t, randomHelpers, []rule{
		{"floats are at least 0 and below 1", `n := 0; for range 20000 { r := random(); if r < 0 || r >= 1 { n++ } }; return n`, int32(0)},
		{"doubles are at least 0 and below 1", `n := 0; for range 20000 { r := random(f64); if r < 0 || r >= 1 { n++ } }; return n`, int32(0)},
		{"halves are at least 0 and below 1", `n := 0; for range 20000 { r := random(f16); if r < 0 || r >= 1 { n++ } }; return n`, int32(0)},
		{"components are at least 0 and below 1", `n := 0; for range 5000 { r := random(vec3); if minOf(r) < 0 || maxOf(r) >= 1 { n++ } }; return n`, int32(0)},
		{"the mean is a half", `s := 0.0; for range 20000 { s += random() / 20000 }; return abs(s-0.5) < 0.01`, true},
		{"the variance is a twelfth", `s := 0.0; for range 20000 { s += sqr(random()-0.5) / 20000 }; return abs(s-1.0/12) < 0.003`, true},
		{"the mean of doubles is a half", `s := f64(0); for range 20000 { s += random(f64) / 20000 }; return abs(s-0.5) < 0.01`, true},
		{"tenths are filled alike", `for range 12000 { X[i32(random()*12)]++ }; lo, hi := 12000, 0; for i := range X { lo = min(lo, X[i]); hi = max(hi, X[i]) }; return lo > 800 && hi < 1200`, true},
		{"components are independent", `s := 0.0; for range 20000 { r := random(vec2) - 0.5; s += r.x * r.y / 20000 }; return abs(s) < 0.003`, true},
		{"neighbouring iterations are independent", `s := 0.0; for i := range F { F[i] = random() }; for i := range 11 { s += abs(F[i] - F[i+1]) }; return s > 0.5`, true},
		{"integers have all their bits", `o, a := u32(0), u32(0xffffffff); for range 100 { r := random(u32); o |= r; a &= r }; return o == 0xffffffff && a == 0`, true},
		{"wide integers have all their bits", `o, a := u64(0), ^u64(0); for range 100 { r := random(u64); o |= r; a &= r }; return o == ^u64(0) && a == 0`, true},
		{"half of the bits are set", `n := 0; for range 2000 { n += i32(popcount(random(u32))) }; return abs(n-32000) < 600`, true},
		{"signed integers have both signs", `n := 0; for range 2000 { if random(i32) < 0 { n++ } }; return abs(n-1000) < 120`, true},
		{"narrow integers cover their range", `lo, hi := 0, 0; for range 5000 { r := i32(random(i8)); lo = min(lo, r); hi = max(hi, r) }; return lo == -128 && hi == 127`, true},
		{"vectors of integers", `n := 0; for range 2000 { r := random(ivec2); if (r.x < 0) != (r.y < 0) { n++ } }; return abs(n-1000) < 120`, true},
		{"two calls of an iteration differ", `n := 0; for range 1000 { if random() == random() { n++ } }; return n < 3`, true},
		{"calls in a function differ", `n := 0; for range 1000 { if draw() == draw() { n++ }; p := twice(); if p.x == p.y { n++ } }; return n < 3`, true},
		{"rounds of an inner loop differ", `n := 0; for range 100 { last := -1.0; for range 10 { r := random(); if r == last { n++ }; last = r } }; return n < 3`, true},
		{"unrolled calls differ", `var t [4]f32; for k := range static(4) { t[k] = random() }; return t[0] != t[1] && t[1] != t[2] && t[2] != t[3]`, true},
		{"two loops differ", `n := 0; for i := range F { F[i] = random() }; for i := range G { G[i] = random() }; for i := range F { if F[i] == G[i] { n++ } }; return n < 2`, true},
		{"serial code and loops differ", `a := random(); n := 0; for range 12 { if random() == a { n++ } }; return n == 0 && random() != a`, true},
		{"rounds of a serial loop differ", `n, last := 0, -1.0; for range serial(100) { r := random(); if r == last { n++ }; last = r }; return n < 2`, true},
		{"a call under a condition does not move the others", `n := 0; for i := range 1000 { if i%2 == 0 && random() < 0.5 { n++ } }; return abs(n-250) < 60`, true},
		{"normal numbers have mean 0", `s := 0.0; for range 20000 { s += randn(f32) / 20000 }; return abs(s) < 0.03`, true},
		{"normal numbers have variance 1", `s := 0.0; for range 20000 { s += sqr(randn(f32)) / 20000 }; return abs(s-1) < 0.05`, true},
		{"normal numbers are symmetric", `s := 0.0; for range 20000 { r := randn(f32); s += r*r*r / 20000 }; return abs(s) < 0.15`, true},
		{"normal numbers have tails", `n := 0; for range 20000 { if abs(randn(f64)) > 2 { n++ } }; return abs(n-910) < 130`, true},
		{"normal vectors have independent components", `s := 0.0; for range 20000 { r := randn(vec2); s += r.x * r.y / 20000 }; return abs(s) < 0.04`, true},
		{"normal numbers are finite", `n := 0; for range 20000 { r := randn(f32); if isnan(r) || isinf(r) { n++ } }; return n`, int32(0)},
	})
}

// draws returns 100 numbers of a kernel in a runtime of its own.
func draws(r *runtest.Run, cfg ti.Config, launches int) (out [100]uint32) {
	cfg.Arch = r.Arch
	rt, err := ti.New(cfg)
	runtest.OK(r, err)
	defer rt.Close()
	var h struct {
		X   ti.Field[uint32]
		Run func() error
	}
	rt.Place(ti.Shape{100}, &h.X)
	runtest.OK(r, rt.Load("package p\nvar X field[u32]\nfunc Run() { for i := range X { X[i] = random(u32) } }", &h))
	for range launches {
		runtest.OK(r, h.Run())
	}
	runtest.OK(r, h.X.CopyTo(out[:]))
	return out
}

// farDraws returns three draws each of four iterations of a loop over a sparse field
// whose numbers have the same lower word.
func farDraws(r *runtest.Run) (out [4][3]uint32) {
	var h struct {
		X, Y, Z ti.Field[uint32]
		Run     func() error
	}
	tree := r.RT.NewTree()
	r.Trees = append(r.Trees, tree)
	tree.Pointer(ti.IJ, 1<<14).Dense(ti.IJ, 1<<3).Place(&h.X, &h.Y, &h.Z)
	r.Load("package p\nvar X, Y, Z field[u32, D2]\nfunc Run() { for p := range X { X[p] = random(u32); Y[p] = random(u32); if X[p] != 0 { Z[p] = random(u32) } } }", &h)
	for i := range out {
		h.X.Set(1, i<<15, 5)
	}
	runtest.OK(r, h.Run())
	for i := range out {
		out[i] = [3]uint32{h.X.At(i<<15, 5), h.Y.At(i<<15, 5), h.Z.At(i<<15, 5)}
	}
	return out
}

// What random numbers depend on.
//
//conform:theme random numbers
func TestConformSeeds(t *testing.T) {
	one := ti.Config{Threads: 1}
	hostRules(t, []hostRule{
		{"the same seed gives the same numbers", func(r *runtest.Run) {
			runtest.Eq(r, "draws", draws(r, one, 1), draws(r, one, 1))
		}},
		{"another seed gives others", func(r *runtest.Run) {
			a, b := draws(r, one, 1), draws(r, ti.Config{Threads: 1, Seed: 1}, 1)
			runtest.Eq(r, "equal", a == b || a[0] == b[0], false)
		}},
		{"seeds that differ in high bits only", func(r *runtest.Run) {
			runtest.Eq(r, "equal", draws(r, one, 1) == draws(r, ti.Config{Threads: 1, Seed: 1 << 63}, 1), false)
		}},
		{"the number of threads does not matter", func(r *runtest.Run) {
			runtest.Eq(r, "equal", draws(r, one, 1) == draws(r, ti.Config{Threads: 3}, 1), true)
		}},
		{"the next launch gives others", func(r *runtest.Run) {
			runtest.Eq(r, "equal", draws(r, one, 1) == draws(r, one, 2), false)
		}},
		{"the second launch is the same in each run", func(r *runtest.Run) {
			runtest.Eq(r, "draws", draws(r, one, 2), draws(r, one, 2))
		}},
		{"which they are", func(r *runtest.Run) {
			got := draws(r, one, 1)
			runtest.Eq(r, "draws", [4]uint32(got[:4]), [4]uint32{1104345858, 4226721847, 1796931956, 1498282681})
		}},
		{"iterations a multiple of 2³² apart", func(r *runtest.Run) {
			runtest.Eq(r, "draws", farDraws(r), [4][3]uint32{
				{533154884, 834365729, 4129884419}, {359277642, 2825928082, 2190463886},
				{4110795791, 2359794407, 2937208734}, {438711483, 1107981969, 4204605375},
			})
		}},
		{"debug mode does not matter", func(r *runtest.Run) {
			runtest.Eq(r, "equal", draws(r, one, 1) == draws(r, ti.Config{Threads: 1, Debug: true}, 1), true)
		}},
	})
}
