package porttest

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
)

type throw struct {
	X, V                ti.Field[ti.Vec2]
	C, F                ti.Field[ti.Mat2]
	GridV, GridU        ti.Field[ti.Vec2]
	GridM               ti.Field[float32]
	InitV, Center       ti.Field[ti.Vec2]
	Loss                ti.Field[float32]
	Steps, Particles, N int
	Target              ti.Vec2

	Init            func(side int)
	SetV            func()
	ClearGrid       func()
	P2G, G2P        func(s int)
	GridOp, Measure func()
	Descend         func(rate float32)
}

// newThrow makes a square of side*side particles on a grid with n nodes along an axis.
func newThrow(t *testing.T, rt *ti.Runtime, steps, side, n int) *throw {
	t.Helper()
	d := &throw{Steps: steps, Particles: side * side, N: n, Target: ti.Vec2{0.5, 0.5}}
	rt.Place(ti.Shape{steps, d.Particles}, ti.WithGrad(&d.X, &d.V, &d.C, &d.F)...)
	rt.Place(ti.Shape{n, n}, ti.WithGrad(&d.GridV, &d.GridU, &d.GridM)...)
	rt.Place(nil, ti.WithGrad(&d.InitV, &d.Center, &d.Loss)...)
	load(t, rt, "diffmpm", d)
	d.Init(side)
	return d
}

// fly runs all steps, on one grid: on the backward pass each step is run again.
func (d *throw) fly(rt *ti.Runtime) error {
	d.Center.Fill(ti.Vec2{})
	d.SetV()
	for s := range d.Steps - 1 {
		err := rt.Checkpoint(func() error {
			d.ClearGrid()
			d.P2G(s)
			d.GridOp()
			d.G2P(s)
			return nil
		})
		if err != nil {
			return err
		}
	}
	d.Measure()
	return nil
}

// TestDiffMPMGradient compares the derivative of a few steps with differences. The square is far from the walls and as
// it wants to be, so polar meets the identity.
func TestDiffMPMGradient(t *testing.T) {
	run(t, some(long), func(t *testing.T, rt *ti.Runtime) {
		d := newThrow(t, rt, 6, 4, 40)
		d.InitV.Set(ti.Vec2{3, -2})
		if err := gradcheck.Check(rt, &d.Loss, func() error { return d.fly(rt) }, &d.InitV); err != nil {
			t.Error(err)
		}
	})
}

// TestDiffMPM throws a square at the target, which takes a bounce on the floor into account.
func TestDiffMPM(t *testing.T) {
	run(t, some(native), func(t *testing.T, rt *ti.Runtime) {
		d := newThrow(t, rt, 256, 12, 40)
		for range 10 {
			if err := rt.Tape(&d.Loss, func() error { return d.fly(rt) }); err != nil {
				t.Fatal(err)
			}
			d.Descend(40)
		}
		centre := d.Center.At()
		nearAll(t, "the centre in the end", centre[:], d.Target[:], 0.02)
	})
}
