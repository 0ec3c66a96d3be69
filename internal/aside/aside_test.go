package aside_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// A drawer draws a random number into X at each launch, and adds up what it has drawn.
type drawer struct {
	X, Sum ti.Field[float32]
	Draw   func() error
}

const drawerSource = `package drawer

var (
	X   field[f32]
	Sum field[f32, D0]
)

func Draw() {
	for i := range X {
		r := random()
		X[i] = r
		Sum += r * X[i]
	}
}
`

func loadDrawer(t *testing.T, rt *ti.Runtime, aside bool) *drawer {
	t.Helper()
	d := &drawer{}
	rt.Place(ti.Shape{3}, ti.WithGrad(&d.X)...)
	rt.Place(nil, ti.WithGrad(&d.Sum)...)
	source := ti.Text("drawer.ti", drawerSource)
	if aside {
		source = ti.Join(source.Aside())
	}
	_, err := rt.Compile(source, d)
	titest.Must(t, err)
	return d
}

func (d *drawer) drawn(t *testing.T, n int) (all []float32) {
	t.Helper()
	for range n {
		titest.Must(t, d.Draw())
		for i := range 3 {
			all = append(all, d.X.At(i))
		}
	}
	return all
}

// TestAside launches kernels of a source that works for others between those of a program, which draws what it draws without
// them. The source draws other numbers at each launch, the same in each run.
func TestAside(t *testing.T) {
	for _, cfg := range []ti.Config{{Arch: ti.Oracle}, {}, {Debug: true}, {Seed: 5, Threads: 1}} {
		rt := titest.New(t, cfg)
		want := loadDrawer(t, rt, false).drawn(t, 3)
		var others [2][]float32
		for run := range others {
			rt := titest.New(t, cfg)
			d, aside := loadDrawer(t, rt, false), loadDrawer(t, rt, true)
			var got []float32
			for range 3 {
				others[run] = append(others[run], aside.drawn(t, 1+run)...)
				got = append(got, d.drawn(t, 1)...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v: beside launches of a source aside: %v, without it %v", cfg, got, want)
			}
			if s := rt.Stats(); s.Launches != int64(3+3*(1+run)) {
				t.Errorf("%v: %d launches", cfg, s.Launches)
			}
		}
		if !slices.Equal(others[0], others[1][:len(others[0])]) {
			t.Errorf("%v: a source aside drew %v, and in another run %v", cfg, others[0], others[1])
		}
		slices.Sort(others[1])
		if n := len(slices.Compact(others[1])); n != 18 {
			t.Errorf("%v: %d different numbers of 18", cfg, n)
		}
	}
}

// TestAsideAgain has the backward pass draw again what was drawn forward: by launches of both kinds, and within a checkpoint,
// whose function runs twice.
func TestAsideAgain(t *testing.T) {
	const source = `package noisy

var (
	P    field[f32]
	Loss field[f32, D0]
)

func Add() {
	for i := range P { Loss += P[i] * random() }
}
`
	alike := titest.Near(1e-5)
	for _, arch := range []ti.Arch{ti.Oracle, ti.CPU} {
		rt := titest.New(t, ti.Config{Arch: arch})
		type noisy struct {
			P, Loss ti.Field[float32]
			Add     func() error
		}
		var of [2]noisy
		rt.Place(ti.Shape{2}, ti.WithGrad(&of[0].P)...)
		rt.Place(nil, ti.WithGrad(&of[0].Loss)...)
		for k := range of {
			host := struct {
				P, Loss *ti.Field[float32]
				Add     func() error
			}{P: &of[0].P, Loss: &of[0].Loss}
			s := ti.Text("noisy.ti", source)
			if k == 1 {
				s = s.Aside()
			}
			_, err := rt.Compile(s, &host)
			titest.Must(t, err)
			of[k].Add = host.Add
		}
		of[0].P.Fill(1)
		both := func() error { return errors.Join(of[0].Add(), of[1].Add(), of[1].Add()) }
		var plain, checkpointed [2]float32
		titest.Must(t, rt.Tape(&of[0].Loss, both))
		loss := of[0].Loss.At()
		for i := range plain {
			plain[i] = of[0].P.Grad().At(i)
		}
		if sum := plain[0] + plain[1]; !alike(float64(sum), float64(loss)) {
			t.Errorf("%v: the loss is %g, and its gradient adds up to %g", arch, loss, sum)
		}
		of[0].Loss.Fill(0)
		titest.Must(t, rt.Tape(&of[0].Loss, func() error { return rt.Checkpoint(both, &of[0].Loss) }))
		loss = of[0].Loss.At()
		for i := range checkpointed {
			checkpointed[i] = of[0].P.Grad().At(i)
		}
		if sum := checkpointed[0] + checkpointed[1]; !alike(float64(sum), float64(loss)) || checkpointed == plain {
			t.Errorf("%v: in a checkpoint the loss is %g, and its gradient adds up to %g", arch, loss, sum)
		}
	}
}
