package porttest

import (
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
)

type layer struct {
	In, Out, Weights  ti.Field[float32]
	InB, OutB         *ti.Node
	Cin, Cout         int
	Activate, Forward func()
	Backward          func(dOut, dWeights *ti.Field[float32])
}

// activations lays out channel vectors in sparse blocks of 4x4x4 voxels, for a field
// and what goes with it.
func activations(rt *ti.Runtime, res, channels int, f ...ti.AnyField) *ti.Node {
	block := rt.NewTree().Pointer(ti.IJK, res/4)
	block.Dense(ti.IJK, 4).Dense(ti.L, channels).Place(f...)
	return block
}

// TestCNN compares a convolution of a few blocks, of which some touch and one is
// alone, with Go: inactive voxels are zero. Twice, with further blocks the second time.
func TestCNN(t *testing.T) {
	const res, cin, cout = 24, 3, 2
	run(t, long, func(t *testing.T, rt *ti.Runtime) {
		l := layer{Cin: cin, Cout: cout}
		var dOut ti.Field[float32]
		l.InB = activations(rt, res, l.Cin, &l.In)
		l.OutB = activations(rt, res, l.Cout, &l.Out, &dOut)
		rt.Place(ti.Shape{3, 3, 3, l.Cin * l.Cout}, &l.Weights)
		dWeights := ti.NewField[float32](rt, 3, 3, 3, l.Cin*l.Cout)
		load(t, rt, "cnn", &l)
		r := rand.New(rand.NewPCG(7, 8))
		for p := range l.Weights.All() {
			l.Weights.Set(r.Float32()-0.5, p[:4]...)
		}
		active := 0
		for _, blocks := range [][][3]int{{{1, 1, 1}, {2, 1, 1}, {2, 2, 1}}, {{1, 3, 4}, {1, 2, 1}}} {
			for _, b := range blocks {
				for k := range 64 {
					for c := range cin {
						l.In.Set(r.Float32()-0.5, 4*b[0]+k/16, 4*b[1]+k/4%4, 4*b[2]+k%4, c)
					}
				}
			}
			active += len(blocks)
			l.Activate()
			l.Forward()
			if n := l.OutB.Count(); n != active {
				t.Fatalf("%d blocks of the output are active; want %d", n, active)
			}
			if n := l.InB.Count(); n != active {
				t.Fatalf("%d blocks of the input are active; want %d: reading activates nothing", n, active)
			}
			l.checkForward(t, active*64)
		}
		for p := range dOut.All() {
			dOut.Set(r.Float32()-0.5, p[:4]...)
		}
		l.Backward(&dOut, dWeights)
		l.checkBackward(t, &dOut, dWeights)
	})
}

// checkForward compares the output with the sums over the neighbours.
func (l *layer) checkForward(t *testing.T, voxels int) {
	t.Helper()
	visited := 0
	for q, got := range l.Out.All() {
		want := 0.0
		for o := range 27 {
			for c := range l.Cin {
				w := l.Weights.At(o/9, o/3%3, o%3, c*l.Cout+q[3])
				want += float64(w) * float64(l.In.At(q[0]+o/9-1, q[1]+o/3%3-1, q[2]+o%3-1, c))
			}
		}
		near(t, "the output", float64(got), max(want, 0), 1e-5)
		visited++
	}
	if visited != voxels*l.Cout {
		t.Errorf("the output has %d values; want %d", visited, voxels*l.Cout)
	}
}

// checkBackward compares the gradient of the weights.
func (l *layer) checkBackward(t *testing.T, dOut, dWeights *ti.Field[float32]) {
	t.Helper()
	want := make([]float64, 27*l.Cin*l.Cout)
	for q, d := range dOut.All() {
		if l.Out.At(q[:4]...) <= 0 {
			continue
		}
		for o := range 27 {
			for c := range l.Cin {
				want[(o*l.Cin+c)*l.Cout+q[3]] += float64(d) * float64(l.In.At(q[0]+o/9-1, q[1]+o/3%3-1, q[2]+o%3-1, c))
			}
		}
	}
	for k, got := range elements(t, dWeights) {
		near(t, "the gradient of a weight", float64(got), want[k], 1e-4)
	}
}
