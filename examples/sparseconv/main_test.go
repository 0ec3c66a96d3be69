package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

const n = 32 // voxels along an edge

// TestDense compares the layer to a convolution over all voxels, with random features and weights.
func TestDense(t *testing.T) {
	rt, layer, err := build(n, 64)
	demotest.Check(t, err)
	defer rt.Close()
	random := rand.New(rand.NewPCG(1, 2))
	feature := func() (f Feature) {
		for c := range f {
			f[c] = float32(random.NormFloat64())
		}
		return f
	}
	weights := demotest.Elements(t, &layer.Weights)
	for i := range weights {
		weights[i] = feature()
	}
	demotest.Check(t, layer.Weights.CopyFrom(weights))
	surface := covered(t, layer)
	for i, is := range surface {
		if is {
			layer.In.Set(feature(), i/n/n, i/n%n, i%n)
		}
	}
	demotest.Check(t, layer.Convolve())

	in, out := demotest.Elements(t, &layer.In), demotest.Elements(t, &layer.Out)
	for i := range in {
		x, y, z := i/n/n, i/n%n, i%n
		var want [channels]float64
		for o := 0; o < 27 && surface[i]; o++ {
			qx, qy, qz := x+o/9-1, y+o/3%3-1, z+o%3-1
			for c, v := range in[(qx*n+qy)*n+qz] {
				for k, w := range weights[o*channels+c] {
					want[k] += float64(v) * float64(w)
				}
			}
		}
		for k, w := range want {
			if !(math.Abs(float64(out[i][k])-max(w, 0)) <= 1e-4) {
				t.Fatalf("channel %d of voxel %d, %d, %d is %v; want %v", k, x, y, z, out[i][k], max(w, 0))
			}
		}
	}
}

// TestClosed checks that the surface is closed: what is inside of it cannot be reached from outside.
func TestClosed(t *testing.T) {
	rt, layer, err := build(n, 64)
	demotest.Check(t, err)
	defer rt.Close()
	surface := covered(t, layer)
	voxels, reached := 0, 1
	for _, is := range surface {
		if is {
			voxels++
		}
	}
	seen := append([]bool(nil), surface...)
	seen[0] = true
	for next := []int{0}; len(next) > 0; {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		for _, q := range [6][4]int{{i / n / n, 0, -n * n}, {i / n / n, n - 1, n * n}, {i / n % n, 0, -n}, {i / n % n, n - 1, n}, {i % n, 0, -1}, {i % n, n - 1, 1}} {
			if j := i + q[2]; q[0] != q[1] && !seen[j] {
				seen[j] = true
				reached++
				next = append(next, j)
			}
		}
	}
	inside := float64(n*n*n-reached-voxels) / (n * n * n)
	if inside < 0.1 || inside > 0.2 {
		t.Errorf("%d voxels of %d are on the surface, and %v of all inside; want less than a fifth there", voxels, len(surface), inside)
	}
}

// TestPicture checks that channels are seen, each in its square, and differ.
func TestPicture(t *testing.T) {
	rt, layer, err := build(n, 64)
	demotest.Check(t, err)
	defer rt.Close()
	_, err = run(demotest.New(t), rt, layer)
	demotest.Check(t, err)
	values := demotest.Elements(t, &layer.Image)
	var sums [channels]float64
	for i, v := range values {
		sums[i/64/16*4+i%64/16] += max(float64(v), 0)
	}
	for c, s := range sums[1:] {
		if s == sums[0] || !(s >= 0) {
			t.Errorf("channel %d has the brightness %v, channel 0 %v; want another one", c+1, s, sums[0])
		}
	}
	if values[0] != -1 || values[8*64+8] < 0 {
		t.Errorf("the corner has the value %v and the middle of a square %v; want nothing and a voxel", values[0], values[8*64+8])
	}
}

// covered says which voxels are on the surface.
func covered(t *testing.T, layer *Layer) []bool {
	t.Helper()
	normals := demotest.Elements(t, &layer.Normal)
	surface := make([]bool, len(normals))
	for i, v := range normals {
		surface[i] = v != ti.Vec3{}
	}
	return surface
}
