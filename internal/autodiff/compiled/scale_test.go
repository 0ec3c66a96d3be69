package compiled_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

var scaleSeeds = randtest.New("scaleseeds", "firstscale", "sets of matrices at all scales", 1, 1)

// A scaling is how the matrices of one row, and the numbers of the derivatives, are scaled: X by 2^x, B by 2^b. What is differentiated
// is 2^l at scale 1, and arguments change by 2^t of their size.
type scaling struct{ row, x, b, l, t int }

// A scaledSubject has the kernel of one function, size and type, and what is known of it at scale 1.
type scaledSubject[F float32 | float64] struct {
	*scaledFunc
	n    int
	rt   *ti.Runtime
	host struct {
		X, B, Y ti.Field[F]
		K       func() error
	}
	kinds []string
	one   scaledData
	free  bool // whether sums may be contracted, in vectors otherwise than in the rest of a loop
}

// scaledData is what goes into a launch and comes out of it, by row.
type scaledData struct {
	x, b, y            [][]float64
	seed, backX, backB [][]float64 // of the adjoint
	dx, db, dy         [][]float64 // of the tangent
}

// scaledRows is how many matrices a launch has.
var scaledRows = map[bool]int{false: 32, true: 96}[randtest.All()]

func newScaledSubject[F float32 | float64](t *testing.T, f *scaledFunc, n int, inner string, cfg ti.Config) *scaledSubject[F] {
	t.Helper()
	s := &scaledSubject[F]{scaledFunc: f, n: n, rt: titest.New(t, cfg), free: cfg.Arch != ti.Oracle && !cfg.StrictMath}
	place := func(width int, field *ti.Field[F]) {
		if f.constant {
			s.rt.Place(ti.Shape{scaledRows, width}, field)
			return
		}
		s.rt.Place(ti.Shape{scaledRows, width}, ti.WithDual(ti.WithGrad(field)...)...)
	}
	place(n*n, &s.host.X)
	place(2*n, &s.host.B)
	place(f.width(n), &s.host.Y)
	titest.Must(t, s.rt.Load(f.source(n, kindOf[F](), inner), &s.host))
	return s
}

// atOne makes matrices and numbers of derivatives at scale 1, and computes with them.
func (s *scaledSubject[F]) atOne(t *testing.T, r *rand.Rand) {
	s.kinds = nil
	d := scaledData{}
	list := func(n int, f func(i int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(F(f(i)))
		}
		return x
	}
	moderate := func(int) float64 { return (0.25 + 1.5*r.Float64()) * float64(1-2*r.IntN(2)) }
	for _, k := range scaleKinds {
		s.kinds = append(s.kinds, k.name)
		d.x = append(d.x, list(s.n*s.n, func(i int) float64 { return k.at(r, s.n, i/s.n, i%s.n) }))
		d.b = append(d.b, list(2*s.n, moderate))
		d.seed = append(d.seed, list(s.width(s.n), moderate))
		d.dx, d.db = append(d.dx, list(s.n*s.n, moderate)), append(d.db, list(2*s.n, moderate))
	}
	s.run(t, &d)
	s.one = d
}

func kindOf[F float32 | float64]() string { return fmt.Sprintf("f%d", reflect.TypeFor[F]().Bits()) }

// put stores rows of numbers, and zeros in the rest.
func (s *scaledSubject[F]) put(t *testing.T, f *ti.Field[F], rows [][]float64) {
	t.Helper()
	width := f.Shape()[1]
	all := make([]F, scaledRows*width)
	for i, row := range rows {
		for j, v := range row {
			all[i*width+j] = F(v)
		}
	}
	titest.Must(t, f.CopyFrom(all))
}

// get returns this number of rows of numbers.
func (s *scaledSubject[F]) get(t *testing.T, f *ti.Field[F], count int) (rows [][]float64) {
	t.Helper()
	width := f.Shape()[1]
	all := make([]F, scaledRows*width)
	titest.Must(t, f.CopyTo(all))
	for i := range count {
		row := make([]float64, width)
		for j := range row {
			row[j] = float64(all[i*width+j])
		}
		rows = append(rows, row)
	}
	return rows
}

// values computes results alone.
func (s *scaledSubject[F]) values(t *testing.T, x, b [][]float64) (y [][]float64) {
	t.Helper()
	s.put(t, &s.host.X, x)
	s.put(t, &s.host.B, b)
	titest.Must(t, s.host.K())
	return s.get(t, &s.host.Y, len(x))
}

// run computes values, tangents and adjoints.
func (s *scaledSubject[F]) run(t *testing.T, d *scaledData) {
	t.Helper()
	h, count := &s.host, len(d.x)
	if s.constant {
		d.y = s.values(t, d.x, d.b)
		return
	}
	s.put(t, &h.X, d.x)
	s.put(t, &h.B, d.b)
	s.put(t, h.X.Dual(), d.dx)
	s.put(t, h.B.Dual(), d.db)
	titest.Must(t, s.rt.Tangent(h.K))
	d.y, d.dy = s.get(t, &h.Y, count), s.get(t, h.Y.Dual(), count)
	s.put(t, h.X.Grad(), nil)
	s.put(t, h.B.Grad(), nil)
	s.put(t, h.Y.Grad(), d.seed)
	titest.Must(t, s.rt.Adjoint(h.K))
	d.backX, d.backB = s.get(t, h.X.Grad(), count), s.get(t, h.B.Grad(), count)
}

// derives reports whether a row has a derivative.
func (s *scaledSubject[F]) derives(row int) bool {
	singular := slices.Contains([]string{"singular", "rank 1", "zero"}, s.kinds[row])
	return !s.constant && !(s.regular && singular)
}

// agree compares derivatives at scale 1: what tangents and adjoints say of a change of all arguments, and, in f64,
// differences. Numbers have a precision of eps.
func (s *scaledSubject[F]) agree(t *testing.T, eps float64) {
	t.Helper()
	d := &s.one
	const h = 0x1p-18
	moved := func(rows, by [][]float64, h float64) (to [][]float64) {
		for i, row := range rows {
			to = append(to, make([]float64, len(row)))
			for j, v := range row {
				to[i][j] = v + h*by[i][j]
			}
		}
		return to
	}
	up := s.values(t, moved(d.x, d.dx, h), moved(d.b, d.db, h))
	down := s.values(t, moved(d.x, d.dx, -h), moved(d.b, d.db, -h))
	for row, kind := range s.kinds {
		if !s.derives(row) || kind != "random" && (kind != "reflection" || s.distinct) {
			continue
		}
		on, back, size := 0.0, 0.0, 0.0
		for j, v := range d.dy[row] {
			on += v * d.seed[row][j]
			size += math.Abs(v * d.seed[row][j])
			want := (up[row][j] - down[row][j]) / (2 * h)
			if eps < 1e-10 && !(math.Abs(v-want) <= 1e-5*(1+math.Abs(want))) {
				t.Errorf("%s: tangent %d is %v, and differences give %v\nX = %v", kind, j, v, want, d.x[row])
			}
		}
		for j, v := range d.backX[row] {
			back += v * d.dx[row][j]
			size += math.Abs(v * d.dx[row][j])
		}
		for j, v := range d.backB[row] {
			back += v * d.db[row][j]
			size += math.Abs(v * d.db[row][j])
		}
		if !(math.Abs(on-back) <= min(0.05, 1e3*eps)*size) {
			t.Errorf("%s: tangents give %v, and adjoints %v\nX = %v", kind, on, back, d.x[row])
		}
	}
}

// scaled multiplies by 2^e, in two steps where a factor would be out of range.
func scaled(x []float64, e int) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Ldexp(v, e)
	}
	return y
}

// parts calls f for the range of numbers of each result.
func (f *scaledFunc) parts(n int, at func(o scaledOut, lo, hi int)) {
	lo := 0
	for _, o := range f.outs {
		hi := lo + o.rows(n)*o.cols(n)
		at(o, lo, hi)
		lo = hi
	}
}

// groups calls f with each group of numbers of a row that has a scale of its own: what it is at scale 1, with the exponent,
// and where it goes or comes from.
func (s *scaledSubject[F]) groups(k scaling, f func(what string, given bool, one []float64, exp int)) {
	one := func(rows [][]float64) []float64 { return rows[k.row] }
	f("X", true, one(s.one.x), k.x)
	if s.right {
		f("B", true, one(s.one.b), k.b)
	}
	s.parts(s.n, func(o scaledOut, lo, hi int) { f(o.name, false, one(s.one.y)[lo:hi], o.exp(s.n, k.x, k.b)) })
	if !s.derives(k.row) {
		return
	}
	f("the tangent of X", true, one(s.one.dx), k.x+k.t)
	f("the adjoint of X", false, one(s.one.backX), k.l-k.x)
	if s.right {
		f("the tangent of B", true, one(s.one.db), k.b+k.t)
		f("the adjoint of B", false, one(s.one.backB), k.l-k.b)
	}
	s.parts(s.n, func(o scaledOut, lo, hi int) {
		e := o.exp(s.n, k.x, k.b)
		f("the adjoint of "+o.name, true, one(s.one.seed)[lo:hi], k.l-e)
		f("the tangent of "+o.name, false, one(s.one.dy)[lo:hi], e+k.t)
	})
}

// A floatRange is that of the normal numbers of a type.
type floatRange struct {
	least, most int // exponents
	eps         float64
}

func rangeOfFloats[F float32 | float64]() floatRange {
	var zero F
	if _, single := any(zero).(float32); single {
		return floatRange{-126, 127, 0x1p-23}
	}
	return floatRange{-1022, 1023, 0x1p-52}
}

// choose makes up a scaling under which all that is given is normal and all results are in range.
func (s *scaledSubject[F]) choose(r *rand.Rand, row int) scaling {
	lim := rangeOfFloats[F]()
	any := func() int {
		switch r.IntN(4) {
		case 0:
			return lim.least + r.IntN(8)
		case 1:
			return lim.most - r.IntN(8)
		}
		return lim.least + r.IntN(lim.most-lim.least+1)
	}
	for range 1000 {
		k := scaling{row: row, x: any()}
		k.b, k.l, k.t = any(), any(), any()
		switch r.IntN(3) { // often the matrix alone is scaled
		case 0:
			k.b, k.l, k.t = k.x, k.x, 0
		case 1:
			k.l, k.t = 0, -k.x
		}
		if s.even {
			k.x -= k.x % 2
		}
		if s.fits(k, lim) {
			return k
		}
	}
	return scaling{row: row}
}

func (s *scaledSubject[F]) fits(k scaling, lim floatRange) bool {
	ok := true
	s.groups(k, func(what string, given bool, one []float64, exp int) {
		for _, v := range one {
			if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			e := math.Ilogb(v) + exp
			switch {
			case what == "X" || what == "B":
				ok = ok && lim.least <= e && e <= lim.most
			case given: // rules add a few of them up
				ok = ok && lim.least <= e && e <= lim.most-6
			default: // what vanishes beside others need not be normal
				ok = ok && lim.least <= max(e, exp) && e <= lim.most-4
			}
		}
		// The determinant of a singular matrix is a sum of products in range.
		zero := !slices.ContainsFunc(one, func(v float64) bool { return v != 0 })
		ok = ok && exp <= lim.most && (given || !zero || lim.least <= exp)
	})
	return ok
}

// at compares scaled matrices with what they are at scale 1.
func (s *scaledSubject[F]) at(t *testing.T, ks []scaling) {
	t.Helper()
	d := scaledData{}
	for _, k := range ks {
		d.x, d.b = append(d.x, scaled(s.one.x[k.row], k.x)), append(d.b, scaled(s.one.b[k.row], k.b))
		if s.constant {
			continue
		}
		d.dx, d.db = append(d.dx, scaled(s.one.dx[k.row], k.x+k.t)), append(d.db, scaled(s.one.db[k.row], k.b+k.t))
		seed := make([]float64, s.width(s.n))
		s.parts(s.n, func(o scaledOut, lo, hi int) {
			copy(seed[lo:hi], scaled(s.one.seed[k.row][lo:hi], k.l-o.exp(s.n, k.x, k.b)))
		})
		d.seed = append(d.seed, seed)
	}
	s.run(t, &d)
	for i, k := range ks {
		results := [][]float64{}
		s.parts(s.n, func(_ scaledOut, lo, hi int) { results = append(results, d.y[i][lo:hi]) })
		if s.derives(k.row) {
			results = append(results, d.backX[i])
			if s.right {
				results = append(results, d.backB[i])
			}
			s.parts(s.n, func(_ scaledOut, lo, hi int) { results = append(results, d.dy[i][lo:hi]) })
		}
		s.groups(k, func(what string, given bool, one []float64, exp int) {
			if !given {
				s.compare(t, k, what, results[0], one, exp)
				results = results[1:]
			}
		})
	}
}

// compare sees that got is 2^exp times what it is at scale 1: to the bit, unless something on the way may be denormal, or sums are free.
func (s *scaledSubject[F]) compare(t *testing.T, k scaling, what string, got, one []float64, exp int) {
	t.Helper()
	lim := rangeOfFloats[F]()
	size := 0.0
	for _, v := range one {
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			size = max(size, math.Abs(v))
		}
	}
	near := 0.0
	exps := []int{k.l, k.t, exp}
	s.groups(k, func(_ string, _ bool, _ []float64, e int) { exps = append(exps, e) })
	for _, e := range exps {
		if e < lim.least/2 || e > lim.most/2 {
			near = 1024 * lim.eps * size // of a matrix that is nearly singular, rounding of denormals matters more
		}
	}
	if s.free {
		near = max(near, 4*lim.eps*size)
	}
	for i, v := range one {
		g := math.Ldexp(got[i], -exp)
		infinite := math.IsNaN(v) || math.IsInf(v, 0)
		if g == v || infinite && (math.IsNaN(g) || math.IsInf(g, 0)) || math.Abs(g-v) <= near+math.Ldexp(4*lim.eps, lim.least-exp)+math.Ldexp(4*lim.eps, lim.least) { // denormals here or there
			continue
		}
		t.Errorf("%s, %+v: number %d of %s is %v, and %v times 2^%d at scale 1: %v times it\nX = %v", s.kinds[k.row], k, i, what, got[i], v, exp, g/v, s.one.x[k.row])
		return
	}
}

func testScales[F float32 | float64](t *testing.T, f *scaledFunc, n int, seed uint64, cfg ti.Config) {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	s := newScaledSubject[F](t, f, n, kindOf[F](), cfg)
	s.atOne(t, r)
	if !f.constant {
		s.agree(t, rangeOfFloats[F]().eps)
	}
	var ks []scaling
	for i := range scaledRows {
		row := i % len(s.kinds)
		if i%2 == 0 { // half of the matrices are random
			row = 0
		}
		ks = append(ks, s.choose(r, row))
	}
	s.at(t, ks)
}

// TestScales compares values, adjoints and tangents of functions of matrices with those of the same matrices scaled by powers of two, over the
// whole range of normal numbers. By default it interprets small matrices and, of each function, one size of larger ones in turn, and
// compiles those that simulations differentiate.
func TestScales(t *testing.T) {
	compiled := []string{"polar/3/f32", "svd/2/f32", "solve/3/f32"}
	scaleSeeds.Each(t, func(t *testing.T, seed uint64) {
		for i := range scaledFuncs {
			f := &scaledFuncs[i]
			for size, n := range []int{2, 3, 4, 5, 6, 7, 8, 13} {
				for k, kind := range []string{"f32", "f64"} {
					name := fmt.Sprintf("%s/%d/%s", f.name, n, kind)
					turn := int(seed) + randtest.Turn(f.name) + k
					if !randtest.All() && !slices.Contains(compiled, name) && (n > 3 && (k > 0 || turn%8 != size-2) || n <= 3 && (turn+size)%2 > 0) {
						continue
					}
					test := testScales[float32]
					if kind == "f64" {
						test = testScales[float64]
					}
					t.Run(name, func(t *testing.T) { test(t, f, n, seed, ti.Config{Arch: ti.Oracle}) })
					if slices.Contains(compiled, name) || randtest.All() && n < 5 {
						t.Run(name+"/compiled", func(t *testing.T) { test(t, f, n, seed, ti.Config{Threads: 1}) })
					}
				}
			}
		}
	})
}

// TestHugeResiduals has matrices of least squares whose residuals are sums of products out of range.
func TestHugeResiduals(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		seed uint64
	}{{"lstsq tall", 3, 7000080}, {"lstsq wide", 7, 7000344}, {"lstsq", 6, 1795933264}} {
		i := slices.IndexFunc(scaledFuncs, func(f scaledFunc) bool { return f.name == c.name })
		t.Run(c.name, func(t *testing.T) { testScales[float64](t, &scaledFuncs[i], c.n, c.seed, ti.Config{Arch: ti.Oracle}) })
	}
}

// TestTinyRectangles has a wide singular matrix in which what decides about the vectors of singular values near 0 would be denormal.
func TestTinyRectangles(t *testing.T) {
	i := slices.IndexFunc(scaledFuncs, func(f scaledFunc) bool { return f.name == "svd wide" })
	s := newScaledSubject[float64](t, &scaledFuncs[i], 6, "f64", ti.Config{Arch: ti.Oracle})
	s.atOne(t, rand.New(rand.NewPCG(0, 6)))
	s.at(t, []scaling{{row: 3, x: -1019, b: -1019, l: -1019}})
}

// TestHalfScales compares adjoints and tangents of matrices of half precision, which are computed in f32.
func TestHalfScales(t *testing.T) {
	for i := range scaledFuncs {
		f := &scaledFuncs[i]
		for _, n := range []int{3, 5} {
			if f.constant || n == 5 && !randtest.Share(f.name) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", f.name, n), func(t *testing.T) {
				s := newScaledSubject[float32](t, f, n, "f16", ti.Config{Arch: ti.Oracle})
				s.atOne(t, rand.New(rand.NewPCG(1, uint64(n))))
				s.agree(t, 0x1p-10)
			})
		}
	}
}
