package porttest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
)

type impulse struct {
	Dir, Pos ti.Vec2
	Color    ti.Vec3
}

type fluid struct {
	Div, Curl    ti.Field[float32]
	Res          int
	Dt           float32
	CurlStrength float32

	Advect     func(v *ti.Field[ti.Vec2], q, next ti.AnyField, decay float32)
	Stir       func(v *ti.Field[ti.Vec2], dye *ti.Field[ti.Vec3], mouse impulse)
	Divergence func(v *ti.Field[ti.Vec2])
	Confine    func(v *ti.Field[ti.Vec2])
	Jacobi     func(p, next *ti.Field[float32])
	Project    func(v *ti.Field[ti.Vec2], p *ti.Field[float32])
	Flatten    func(q *ti.Field[float32], out []float32)
	Spread     func(in []float32, q *ti.Field[float32])
}

const fluidRes = 16

func newFluid(t *testing.T, rt *ti.Runtime) *fluid {
	f := &fluid{Res: fluidRes, Dt: 0.03, CurlStrength: 7}
	rt.Place(ti.Shape{f.Res, f.Res}, &f.Div, &f.Curl)
	load(t, rt, "stablefluid", f)
	return f
}

// grid makes a field of the fluid's size from a function of the cell.
func grid[T any](rt *ti.Runtime, at func(i, j int) T) *ti.Field[T] {
	f := ti.NewField[T](rt, fluidRes, fluidRes)
	for i := range fluidRes {
		for j := range fluidRes {
			f.Set(at(i, j), i, j)
		}
	}
	return f
}

// noise is a velocity at random, the same each time.
func noise(rt *ti.Runtime) *ti.Field[ti.Vec2] {
	r := rand.New(rand.NewPCG(1, 2))
	return grid(rt, func(i, j int) ti.Vec2 { return ti.Vec2{r.Float32() - 0.5, r.Float32() - 0.5} })
}

func inner(i int) int { return min(max(i, 0), fluidRes-1) }

// TestFluidAdvect moves linear ramps, of one component and of three, with a
// constant wind: they arrive shifted by what the wind did in a step.
func TestFluidAdvect(t *testing.T) {
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		f := newFluid(t, rt)
		wind := grid(rt, func(i, j int) ti.Vec2 { return ti.Vec2{40, -20} }) // 1.2 and -0.6 cells
		ramp := grid(rt, func(i, j int) float32 { return float32(3*i + 5*j) })
		color := grid(rt, func(i, j int) ti.Vec3 { return ti.Vec3{float32(i), float32(j), 1} })
		ramp2, color2 := grid(rt, func(i, j int) (v float32) { return }), grid(rt, func(i, j int) (v ti.Vec3) { return })
		f.Advect(wind, ramp, ramp2, 0.5)
		f.Advect(wind, color, color2, 1)
		for i := 2; i < fluidRes-2; i++ {
			for j := 2; j < fluidRes-2; j++ {
				x, y := float64(i)-1.2, float64(j)+0.6
				near(t, "the ramp", float64(ramp2.At(i, j)), (3*x+5*y)/2, 1e-5)
				c := color2.At(i, j)
				nearAll(t, "the colour", c[:], []float64{x, y, 1}, 1e-5)
			}
		}
	})
}

// TestFluidForces compares the forces of the mouse, of buoyancy and of the
// confinement of vortices with Go.
func TestFluidForces(t *testing.T) {
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		f := newFluid(t, rt)
		v := noise(rt)
		dye := grid(rt, func(i, j int) ti.Vec3 { return ti.Vec3{float32(i) / 4, 1, float32(j) / 8} })
		v0, dye0 := elements(t, v), elements(t, dye)
		mouse := impulse{ti.Vec2{0.6, -0.8}, ti.Vec2{5, 9}, ti.Vec3{1, 0.5, 0.2}}
		f.Stir(v, dye, mouse)
		v1, dye1 := elements(t, v), elements(t, dye)
		for k := range v1 {
			dx, dy := float64(k/fluidRes)+0.5-5, float64(k%fluidRes)+0.5-9
			d := dye0[k]
			a := math.Sqrt(float64(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]))
			push := 1e4 * math.Exp(-(dx*dx+dy*dy)/(fluidRes/2.0))
			nearAll(t, "the stirred velocity", v1[k][:], []float64{float64(v0[k][0]) + 0.03*push*0.6,
				float64(v0[k][1]) + 0.03*(-push*0.8+9.8*300*a/(1+a))}, 1e-4)
			drop := math.Exp(-4 * (dx*dx + dy*dy) / (fluidRes / 15.0 * fluidRes / 15.0))
			nearAll(t, "the dye", dye1[k][:], []float64{float64(d[0]) + drop, float64(d[1]) + drop/2, float64(d[2]) + drop/5}, 1e-4)
		}

		v = noise(rt)
		v0 = elements(t, v)
		f.CurlStrength = 0
		f.Confine(v)
		if !slices.Equal(elements(t, v), v0) {
			t.Error("a confinement of strength 0 changes the velocity")
		}
		curl := elements(t, &f.Curl)
		at := func(i, j int) ti.Vec2 { return v0[inner(i)*fluidRes+inner(j)] }
		abs := func(i, j int) float64 { return math.Abs(float64(curl[inner(i)*fluidRes+inner(j)])) }
		f.CurlStrength = 7
		f.Confine(v)
		v1 = elements(t, v)
		for k := range curl {
			i, j := k/fluidRes, k%fluidRes
			near(t, "the curl", float64(curl[k]), 0.5*float64(at(i+1, j)[1]-at(i-1, j)[1]-at(i, j+1)[0]+at(i, j-1)[0]), 1e-5)
			x, y := abs(i, j+1)-abs(i, j-1)+1e-3, abs(i-1, j)-abs(i+1, j)+1e-3
			s := 7 * 0.03 * float64(curl[k]) / math.Hypot(x, y)
			nearAll(t, "the confined velocity", v1[k][:], []float64{float64(v0[k][0]) + s*x, float64(v0[k][1]) + s*y}, 1e-3)
		}
	})
}

// TestFluidPressure solves for the pressure of a smooth flow between walls: taking
// its slope away leaves a fraction of the divergence. Through Go slices and back,
// a field comes out negated twice.
func TestFluidPressure(t *testing.T) {
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		f := newFluid(t, rt)
		v := grid(rt, func(i, j int) ti.Vec2 {
			x, y := (float64(i)+0.5)*math.Pi/fluidRes, (float64(j)+0.5)*math.Pi/fluidRes
			return ti.Vec2{float32(math.Sin(x) * math.Cos(y)), float32(math.Cos(2*x) * math.Sin(y))}
		})
		f.Divergence(v)
		before, v0 := elements(t, &f.Div), elements(t, v)
		for k, d := range before {
			i, j := k/fluidRes, k%fluidRes
			c := v0[k]
			l, r, b, u := -c[0], -c[0], -c[1], -c[1]
			if i > 0 {
				l = v0[k-fluidRes][0]
			}
			if i < fluidRes-1 {
				r = v0[k+fluidRes][0]
			}
			if j > 0 {
				b = v0[k-1][1]
			}
			if j < fluidRes-1 {
				u = v0[k+1][1]
			}
			near(t, "the divergence", float64(d), 0.5*float64(r-l+u-b), 1e-5)
		}
		p, next := grid(rt, func(i, j int) (v float32) { return }), grid(rt, func(i, j int) (v float32) { return })
		for range 300 {
			f.Jacobi(p, next)
			p, next = next, p
		}
		f.Project(v, p)
		f.Divergence(v)
		after := elements(t, &f.Div)
		if b, a := energyOf(before), energyOf(after); !(a < b/20) {
			t.Errorf("the projection turned a mean square of the divergence of %v into %v", b, a)
		}
		flat := make([]float32, fluidRes*fluidRes)
		f.Flatten(&f.Div, flat)
		for k := range flat {
			if flat[k] != -after[k] {
				t.Fatalf("element %d of the slice is %v; want %v", k, flat[k], -after[k])
			}
			flat[k] = -flat[k] + 1
		}
		f.Spread(flat, &f.Div)
		if !slices.Equal(elements(t, &f.Div), flat) {
			t.Error("the field is not what the slice was")
		}
	})
}

func energyOf(v []float32) (sum float64) {
	for _, e := range v {
		sum += float64(e) * float64(e)
	}
	return sum
}
