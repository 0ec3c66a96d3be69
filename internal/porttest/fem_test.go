package porttest

import (
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
)

type fem struct {
	P, Ap, R, X  ti.Field[ti.Vec3]
	Lambda, Mu   ti.Field[float32]
	Fixed        ti.Field[bool]
	KLambda, KMu [8][8]ti.Mat3 // constants of 576 numbers each
	ComputeAp    func()
	Dot          func(a, b *ti.Field[ti.Vec3]) float64
	Turn         func(float32)
}

// TestFEM multiplies with the stiffness matrix, from tables of matrices, where the
// cells around each node have negative indices too. On sparse nodes all fields
// would share a tree; here the product has one that ends where the cells still have
// neighbours.
func TestFEM(t *testing.T) {
	const n = 4
	r := rand.New(rand.NewPCG(5, 6))
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		var s fem
		for a := range 8 {
			for b := range 8 {
				for k := range 9 {
					s.KLambda[a][b][k/3][k%3] = r.Float32() - 0.5
					s.KMu[a][b][k/3][k%3] = r.Float32() - 0.5
				}
			}
		}
		rt.NewTree().Origin(ti.IJK, -4).Dense(ti.IJK, 4).Dense(ti.IJK, 4).Place(&s.P, &s.R, &s.X, &s.Lambda, &s.Mu)
		rt.Place(ti.Shape{n, n, n}, &s.Ap, &s.Fixed)
		load(t, rt, "fem", &s)
		s.Fixed.Set(true, 1, 2, 3)
		square := 0.0
		for i := -1; i <= n; i++ {
			for j := -1; j <= n; j++ {
				for k := -1; k <= n; k++ {
					v := ti.Vec3{r.Float32(), r.Float32(), r.Float32()}
					s.R.Set(v, i, j, k)
					s.Lambda.Set(r.Float32(), i, j, k)
					s.Mu.Set(r.Float32(), i, j, k)
					for _, c := range v {
						square += float64(c) * float64(c)
					}
				}
			}
		}
		s.Turn(0) // P is R
		near(t, "the inner product", s.Dot(&s.P, &s.R), square, 1e-6)
		s.ComputeAp()
		for i, got := range elements(t, &s.Ap) {
			at := [3]int{i / n / n, i / n % n, i % n}
			want := s.product(at)
			nearAll(t, "the product", got[:], want[:], 1e-4)
		}
		s.Turn(0.5)
		near(t, "the inner product after Turn", s.Dot(&s.P, &s.R), 1.5*square, 1e-6)
	})
}

// product is the row of the stiffness matrix for a node, times P.
func (s *fem) product(at [3]int) (f [3]float64) {
	if s.Fixed.At(at[:]...) {
		return f
	}
	move := func(p [3]int, corner, sign int) [3]int {
		return [3]int{p[0] + sign*(corner>>2), p[1] + sign*(corner>>1&1), p[2] + sign*(corner&1)}
	}
	for cell := range 8 {
		c := move(at, cell, -1)
		la, mu := float64(s.Lambda.At(c[:]...)), float64(s.Mu.At(c[:]...))
		for node := range 8 {
			q := move(c, node, 1)
			p := s.P.At(q[:]...)
			for a := range 3 {
				for b := range 3 {
					k := la*float64(s.KLambda[cell][node][a][b]) + mu*float64(s.KMu[cell][node][a][b])
					f[a] += k * float64(p[b])
				}
			}
		}
	}
	return f
}
