package porttest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
)

type smoke struct {
	V  ti.Field[ti.Vec3]
	Dt float32

	Forward, Back func(a, b ti.AnyField)
	Correct       func(q, ahead, back, next ti.AnyField)
}

// TestMacCormack advects numbers and vectors through a few blocks of wind at random,
// and compares with Go. Each of the fields has kernels of its own; all share the
// blocks, beyond which all of them are zero.
func TestMacCormack(t *testing.T) {
	const n = 64
	run(t, long, func(t *testing.T, rt *ti.Runtime) {
		f := smoke{Dt: 0.1}
		voxel := rt.NewTree().Pointer(ti.IJK, n/8).Dense(ti.IJK, 8)
		voxel.Place(&f.V)
		var q [4]ti.Field[float32] // now, ahead, back, next
		var c [4]ti.Field[ti.Vec3]
		for k := range q {
			voxel.Place(&q[k], &c[k])
		}
		load(t, rt, "maccormack", &f)
		r := rand.New(rand.NewPCG(9, 10))
		component := func() float32 { return 8 * (r.Float32() - 0.5) }
		for _, b := range [][3]int{{3, 3, 3}, {4, 3, 3}, {2, 5, 4}} {
			for k := range 512 {
				i, j, l := 8*b[0]+k/64, 8*b[1]+k/8%8, 8*b[2]+k%8
				f.V.Set(ti.Vec3{component(), component(), component()}, i, j, l)
				q[0].Set(component(), i, j, l)
				c[0].Set(ti.Vec3{component(), component(), component()}, i, j, l)
			}
		}
		f.Forward(&q[0], &q[1])
		f.Forward(&c[0], &c[1])
		f.Back(&q[1], &q[2])
		f.Back(&c[1], &c[2])
		f.Correct(&q[0], &q[1], &q[2], &q[3])
		f.Correct(&c[0], &c[1], &c[2], &c[3])

		scalar := func(f *ti.Field[float32]) reader {
			return func(p [3]int) [3]float64 { return [3]float64{float64(f.At(p[:]...))} }
		}
		vector := func(f *ti.Field[ti.Vec3]) reader {
			return func(p [3]int) (v [3]float64) {
				for d, x := range f.At(p[:]...) {
					v[d] = float64(x)
				}
				return v
			}
		}
		wind := vector(&f.V)
		check(t, &f.V, wind, [4]reader{scalar(&q[0]), scalar(&q[1]), scalar(&q[2]), scalar(&q[3])})
		check(t, &f.V, wind, [4]reader{vector(&c[0]), vector(&c[1]), vector(&c[2]), vector(&c[3])})
	})
}

// reader is a field of vectors, or of numbers with zeros behind.
type reader func(p [3]int) [3]float64

// check compares the three steps with Go, each from what the kernels made of the one
// before.
func check(t *testing.T, v *ti.Field[ti.Vec3], wind reader, q [4]reader) {
	t.Helper()
	cells, moved := 0, 0
	for at := range v.All() {
		p := [3]int(at[:3])
		ahead, back := backtrace(wind, p, 0.1), backtrace(wind, p, -0.1)
		want, got := sample(q[0], ahead), q[1](p)
		nearAll(t, "the value ahead", got[:], want[:], 1e-4)
		want, got = sample(q[1], back), q[2](p)
		nearAll(t, "the value back again", got[:], want[:], 1e-4)
		now, a, b := q[0](p), q[1](p), q[2](p)
		lo, hi := extrema(q[0], ahead)
		for d := range 3 {
			want[d] = min(max(a[d]+0.5*(now[d]-b[d]), lo[d]), hi[d])
		}
		got = q[3](p)
		nearAll(t, "the corrected value", got[:], want[:], 1e-4)
		if got != now {
			moved++
		}
		cells++
	}
	if cells != 3*512 || moved < cells/2 {
		t.Errorf("there are %d cells, and %d have changed; want %d and most of them", cells, moved, 3*512)
	}
}

// backtrace follows the wind backwards by the same rule.
func backtrace(wind reader, p [3]int, dt float64) (at [3]float64) {
	x := [3]float64{float64(p[0]) + 0.5, float64(p[1]) + 0.5, float64(p[2]) + 0.5}
	move := func(v [3]float64, by float64) (y [3]float64) {
		for d := range 3 {
			y[d] = x[d] - by*v[d]
		}
		return y
	}
	v1 := sample(wind, x)
	v2 := sample(wind, move(v1, dt/2))
	v3 := sample(wind, move(v2, dt*3/4))
	var v [3]float64
	for d := range 3 {
		v[d] = (2*v1[d] + 3*v2[d] + 4*v3[d]) / 9
	}
	return move(v, dt)
}

// sample interpolates between eight values.
func sample(q reader, x [3]float64) (r [3]float64) {
	for o := range 8 {
		w := 1.0
		var p [3]int
		for d := range 3 {
			i := math.Floor(x[d] - 0.5)
			f := x[d] - 0.5 - i
			if p[d] = int(i) + o>>d&1; o>>d&1 == 0 {
				f = 1 - f
			}
			w *= f
		}
		v := q(p)
		for d := range 3 {
			r[d] += w * v[d]
		}
	}
	return r
}

// extrema returns the bounds of the eight values.
func extrema(q reader, x [3]float64) (lo, hi [3]float64) {
	for d := range 3 {
		lo[d], hi[d] = math.Inf(1), math.Inf(-1)
	}
	for o := range 8 {
		var p [3]int
		for d := range 3 {
			p[d] = int(math.Floor(x[d]-0.5)) + o>>d&1
		}
		for d, v := range q(p) {
			lo[d], hi[d] = min(lo[d], v), max(hi[d], v)
		}
	}
	return lo, hi
}
