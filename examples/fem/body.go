package main

import (
	_ "embed"
	"fmt"
	"math"
	"slices"

	"github.com/gotaichi/ti"
)

//go:embed fem.ti
var source string

// Body is the host of fem.ti.
type Body struct {
	Nodes        *ti.Node
	Lambda, Mu   ti.Field[float32]
	Load         ti.Field[ti.Vec3]
	Held         ti.Field[bool]
	X            ti.Field[ti.DVec3]
	R, P, KP     ti.Field[ti.Vec3]
	N            int // voxels that the unit cube has along an edge
	KLambda, KMu [8][8]ti.DMat3

	Voxelise  func(triangles []ti.Mat3, lambda, mu float32) error
	Cover     func() error
	Prepare   func(axis, height int, force ti.Vec3) error
	Residual  func() (float64, error)
	Stiffness func() (float64, error)
	Step      func(alpha float64) (float64, error)
	Turn      func(beta float32) error
	Bend      func(points []ti.Vec3, scale float32, bent []ti.Vec3, stress []float32) error
}

// A layout says what lies side by side in a block.
type layout int

const (
	arrays  layout = iota // each component of each field, which suits vector instructions: a structure of arrays
	structs               // all that belongs to a voxel and its lowest corner: an array of structures
)

// newBody returns an empty body with room for so many voxels along each axis, without the layers at both ends.
func newBody(rt *ti.Runtime, l layout, size ...int) (*Body, error) {
	b := &Body{N: size[1]}
	b.KLambda, b.KMu = elementStiffness()
	const edge = 4
	blocks := make([]int, len(size))
	for d, n := range size {
		blocks[d] = n/edge + 3 // the last node has the number n, and looks at voxels around
	}
	block := rt.NewTree().Origin(ti.IJK, -edge).Pointer(ti.IJK, blocks...)
	b.Nodes = block.Bitmasked(ti.IJK, edge)
	fields := []ti.AnyField{&b.Lambda, &b.Mu, &b.Held}
	for _, f := range []ti.AnyField{&b.Load, &b.X, &b.R, &b.P, &b.KP} {
		fields = append(fields, ti.Members(f)...)
	}
	group := 1
	if l == structs {
		group = len(fields)
	}
	for f := range slices.Chunk(fields, group) {
		block.Dense(ti.IJK, edge).Place(f...)
	}
	return b, rt.Load(source, b)
}

// Keep leaves what is held of a body: the voxels whose lower faces along an axis are not above a height, and all that
// faces join to them. It takes the others out and returns their number: what hangs by an edge or a corner alone, or by
// nothing, turns without resistance, so that no displacement balances a force on it.
func (b *Body) Keep(axis, height int) int {
	body, joined := map[ti.Index]bool{}, map[ti.Index]bool{}
	var next []ti.Index
	for c, mu := range b.Mu.All() {
		if body[c] = mu > 0; mu > 0 && c[axis] <= height {
			joined[c] = true
			next = append(next, c)
		}
	}
	for len(next) > 0 {
		c := next[len(next)-1]
		next = next[:len(next)-1]
		for d := range 3 {
			for _, step := range []int{-1, 1} {
				n := c
				if n[d] += step; body[n] && !joined[n] {
					joined[n] = true
					next = append(next, n)
				}
			}
		}
	}
	loose := 0
	for c, inside := range body {
		if inside && !joined[c] {
			b.Lambda.Set(0, c[:3]...)
			b.Mu.Set(0, c[:3]...)
			loose++
		}
	}
	return loose
}

const (
	renewal        = 50     // steps after which the residual is computed afresh, since rounding has added up
	mostIterations = 20_000 // far more than a body needs of which all parts are held
)

// Solve moves the nodes until the force that is left has fallen by the factor. It returns the part that is left, and
// the number of steps. The search runs in single precision; now and then, and at the end, the force that is left is
// computed afresh in double precision.
func (b *Body) Solve(factor float64) (left float64, steps int, err error) {
	first, err := b.Residual()
	if err != nil {
		return 0, 0, err
	}
	beta, rr := 0.0, first
	for ; rr > factor*factor*first; steps++ {
		if steps == mostIterations {
			return math.Sqrt(rr / first), steps, fmt.Errorf("after %d steps a part of %.2g of the force is left; is a part of the body not held?", steps, math.Sqrt(rr/first))
		}
		if err := b.Turn(float32(beta)); err != nil {
			return 0, steps, err
		}
		pkp, err := b.Stiffness()
		if err != nil {
			return 0, steps, err
		}
		next, err := b.Step(rr / pkp)
		if err != nil {
			return 0, steps, err
		}
		if steps%renewal == renewal-1 || next <= factor*factor*first {
			if next, err = b.Residual(); err != nil {
				return 0, steps, err
			}
		}
		beta, rr = next/rr, next
	}
	return math.Sqrt(rr / first), steps, nil
}
