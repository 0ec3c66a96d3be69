package main

import (
	"image/png"
	"math"
	"os"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/bunny"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// box fills a body of the given size with voxels of one material.
func box(t *testing.T, rt *ti.Runtime, b *Body, size ti.IVec3, lambda, mu float32) {
	t.Helper()
	const source = `package box

var Lambda, Mu field[f32, D3]

func Fill(size ivec3, lambda, mu f32) {
	for c := range ndrange(size) {
		Lambda[c], Mu[c] = lambda, mu
	}
}
`
	host := struct {
		Lambda, Mu *ti.Field[float32]
		Fill       func(size ti.IVec3, lambda, mu float32) error
	}{Lambda: &b.Lambda, Mu: &b.Mu}
	demotest.Check(t, rt.Load(source, &host))
	demotest.Check(t, host.Fill(size, lambda, mu))
}

// checkForces computes the forces at all nodes from the tables, and checks that a part of less than a millionth is
// left of the load.
func checkForces(t *testing.T, b *Body, size ti.IVec3) {
	t.Helper()
	at := func(p [3]int, corner int) [3]int {
		return [3]int{p[0] + corner>>2, p[1] + corner>>1&1, p[2] + corner&1}
	}
	forces := map[[3]int]ti.DVec3{}
	voxels := 0
	for k := range int(size[0] * size[1] * size[2]) {
		c := [3]int{k / int(size[1]*size[2]), k / int(size[2]) % int(size[1]), k % int(size[2])}
		la, mu := float64(b.Lambda.At(c[:]...)), float64(b.Mu.At(c[:]...))
		if mu == 0 {
			continue
		}
		voxels++
		for m := range 8 {
			p := at(c, m)
			f := forces[p]
			for n := range 8 {
				q := at(c, n)
				x := b.X.At(q[:]...)
				for i := range 3 {
					for j := range 3 {
						f[i] -= (la*b.KLambda[m][n][i][j] + mu*b.KMu[m][n][i][j]) * x[j]
					}
				}
			}
			forces[p] = f
		}
	}
	var load, left float64
	for p, f := range forces {
		if b.Held.At(p[:]...) {
			if x := b.X.At(p[:]...); x != (ti.DVec3{}) {
				t.Fatalf("node %v is held, and moves by %v", p, x)
			}
			continue
		}
		l := b.Load.At(p[:]...)
		for i := range f {
			r := f[i] + float64(l[i])
			load += float64(l[i]) * float64(l[i])
			left += r * r
		}
	}
	if got := b.Nodes.Count(); got != len(forces) {
		t.Errorf("%d voxels have %d nodes; want %d", voxels, got, len(forces))
	}
	if load == 0 || math.Sqrt(left/load) > 1.001e-6 {
		t.Errorf("of a load of %v, %v is left", math.Sqrt(load), math.Sqrt(left))
	}
}

// TestElement checks the stiffness of a voxel: a movement without strain needs no force, and uniform strain the energy
// that Hooke's law gives it.
func TestElement(t *testing.T) {
	lambda, mu := elementStiffness()
	energy := func(slope ti.DMat3) (la, m float64) {
		for a := range 8 {
			for b := range 8 {
				for i := range 3 {
					for j := range 3 {
						var x, y float64 // of corner a along i, of b along j
						for d := range 3 {
							x += slope[i][d] * float64(a>>(2-d)&1)
							y += slope[j][d] * float64(b>>(2-d)&1)
						}
						la += x * lambda[a][b][i][j] * y / 2
						m += x * mu[a][b][i][j] * y / 2
					}
				}
			}
		}
		return la, m
	}
	for _, c := range []struct {
		name   string
		slope  ti.DMat3
		la, mu float64
	}{
		{"turn", ti.DMat3{{0, 1, -2}, {-1, 0, 3}, {2, -3, 0}}, 0, 0},
		{"stretch", ti.DMat3{{1, 0, 0}}, 0.5, 1},
		{"growth", ti.DMat3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 4.5, 3},
		{"shear", ti.DMat3{{0, 1, 0}}, 0, 0.5},
	} {
		la, m := energy(c.slope)
		demotest.Near(t, c.name+", by lambda", la, c.la, 1e-12)
		demotest.Near(t, c.name+", by mu", m, c.mu, 1e-12)
	}
	for a := range 8 {
		for i := range 3 {
			for j := range 3 {
				var la, m float64
				for b := range 8 {
					la += lambda[a][b][i][j]
					m += mu[a][b][i][j]
				}
				demotest.Near(t, "a shift, by lambda", la, 0, 1e-12)
				demotest.Near(t, "a shift, by mu", m, 0, 1e-12)
			}
		}
	}
}

// TestVoxelise compares the volume of the voxels with that of the surface.
func TestVoxelise(t *testing.T) {
	const n = 48
	rt := demotest.Runtime(t)
	b, err := newBody(rt, arrays, n, n, n)
	demotest.Check(t, err)
	triangles, err := bunny.Triangles(1.0 / 32)
	demotest.Check(t, err)
	demotest.Check(t, b.Voxelise(triangles, 2, 1))
	volume := 0.0
	for _, c := range triangles {
		m := cross(c[0], c[1])
		volume += float64(m[0]*c[2][0]+m[1]*c[2][1]+m[2]*c[2][2]) / 6
	}
	voxels := 0.0
	for _, mu := range b.Mu.All() {
		voxels += float64(mu)
	}
	if got := voxels / n / n / n; !(math.Abs(got/volume-1) <= 0.01) {
		t.Errorf("the voxels have a volume of %v; want %v within 1%%", got, volume)
	}
}

// TestScene bends a coarse bunny.
func TestScene(t *testing.T) {
	result, o, err := run(demotest.New(t), 32, 90, 160)
	demotest.Check(t, err)
	along := 0.0 // of the force, how far the points move
	for i, p := range o.bent.points {
		d := sub(p, o.rest.points[i])
		along += float64(d[0]-0.3*d[1]) / float64(len(o.bent.points))
		if reach := math.Hypot(float64(d[0]), math.Hypot(float64(d[1]), float64(d[2]))); o.rest.points[i][1] < o.feet+0.5/32 && reach > 0.03 {
			t.Errorf("point %v is held, and moves by %v", o.rest.points[i], d)
		}
	}
	if along < 0.02 || along > 0.5 {
		t.Errorf("the points move by %v along the force", along)
	}
	f, err := os.Open(result.File)
	demotest.Check(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	demotest.Check(t, err)
	if got := img.Bounds().Size(); got.X != 160 || got.Y != 90 {
		t.Errorf("the picture is %v; want 160×90", got)
	}
	r, _, b, _ := img.At(45, 55).RGBA() // a bunny at rest is cold
	if b < r+r/4 {
		t.Errorf("the bunny at rest has red %d and blue %d", r>>8, b>>8)
	}
	hot := 0
	for i := range 80 * 90 {
		if r, _, b, _ := img.At(80+i%80, i/80).RGBA(); r > b+b/4 {
			hot++
		}
	}
	if hot < 200 {
		t.Errorf("the bent bunny has %d pixels that are hot", hot)
	}
}

// TestPieces has coarse voxels of the bunny, some of which hang on others by an edge or a corner alone: without them
// there is a solution.
func TestPieces(t *testing.T) {
	triangles, err := bunny.Triangles(1.0 / 32)
	demotest.Check(t, err)
	rt := demotest.Runtime(t)
	loose := 0
	for _, n := range []int{16, 24} {
		b, err := newBody(rt, arrays, n, n, n)
		demotest.Check(t, err)
		demotest.Check(t, b.Voxelise(triangles, 3, 1))
		loose += b.Keep(1, 3)
		demotest.Check(t, b.Cover())
		demotest.Check(t, b.Prepare(1, 3, ti.Vec3{0.01, 0, 0}))
		if left, steps, err := b.Solve(1e-6); err != nil || left > 1e-6 {
			t.Errorf("with %d voxels along an edge, after %d steps a part of %.2g of the force is left: %v", n, steps, left, err)
		}
	}
	if loose == 0 {
		t.Error("all voxels are joined by faces")
	}
}

// TestCantilever holds a beam at one end and lets it bend under its weight.
func TestCantilever(t *testing.T) {
	t.Run("arrays", func(t *testing.T) { cantilever(t, arrays) })
	t.Run("structs", func(t *testing.T) { cantilever(t, structs) })
}

func cantilever(t *testing.T, l layout) {
	const length, height = 48, 6
	const young, poisson, weight = 1000.0, 0.25, 1e-3 // of a voxel
	const lambda, mu = young * poisson / (1 + poisson) / (1 - 2*poisson), young / 2 / (1 + poisson)
	rt := demotest.Runtime(t)
	b, err := newBody(rt, l, length, height, height)
	demotest.Check(t, err)
	box(t, rt, b, ti.IVec3{length, height, height}, lambda, mu)
	demotest.Check(t, b.Cover())
	demotest.Check(t, b.Prepare(0, 0, ti.Vec3{0, -weight, 0}))
	_, _, err = b.Solve(1e-6)
	demotest.Check(t, err)
	checkForces(t, b, ti.IVec3{length, height, height})

	const load = weight * height * height // of a slice
	const inertia = height * height * height * height / 12.0
	const shear = 5.0 / 6 * mu * height * height // of a rectangle
	want := -load*length*length*length*length/8/young/inertia - load*length*length/2/shear
	got := b.X.At(length, height/2, height/2)[1]
	if !(math.Abs(got/want-1) < 0.03) {
		t.Errorf("the end of the beam moves by %v; want %v within 3%%", got, want)
	}
}
