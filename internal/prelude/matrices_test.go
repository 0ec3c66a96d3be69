package prelude_test

import (
	"math"
	"math/rand/v2"
)

// A kind makes square matrices of one kind, with entries about 1.
type kind struct {
	name string
	make func(r *rand.Rand, n int, p precision) matrix
}

// A precision is what the tests need to know of a type of numbers.
type precision struct {
	name     string
	eps      float64 // distance from 1 to the next number
	huge     float64
	smallest float64 // positive number
	round    func(float64) float64
}

// kinds are random matrices, and those at which decompositions break.
var kinds = []kind{
	{"uniform", func(r *rand.Rand, n int, _ precision) matrix {
		return entries(n, func() float64 { return 2*r.Float64() - 1 })
	}},
	{"normal", func(r *rand.Rand, n int, _ precision) matrix { return entries(n, r.NormFloat64) }},
	{"small integers", func(r *rand.Rand, n int, _ precision) matrix {
		return entries(n, func() float64 { return float64(r.IntN(5) - 2) })
	}},
	{"bits", func(r *rand.Rand, n int, _ precision) matrix {
		return entries(n, func() float64 { return float64(r.IntN(2)) })
	}},
	{"singular", func(r *rand.Rand, n int, _ precision) matrix { return lowRank(r, n, max(1, n-1)) }},
	{"rank 1", func(r *rand.Rand, n int, _ precision) matrix { return lowRank(r, n, 1) }},
	{"repeated", func(r *rand.Rand, n int, _ precision) matrix {
		return withValues(r, n, func(i int) float64 { return []float64{1, 1, 0.5, 0.5}[(i+r.IntN(2))%4] })
	}},
	{"clustered", func(r *rand.Rand, n int, p precision) matrix {
		gap := math.Pow(p.eps, r.Float64()*1.2)
		return withValues(r, n, func(i int) float64 { return 1 + gap*r.NormFloat64() })
	}},
	{"two clusters", func(r *rand.Rand, n int, p precision) matrix {
		gap, low := math.Pow(p.eps, r.Float64()*1.2), math.Pow(p.eps, r.Float64()*1.2)
		return withValues(r, n, func(i int) float64 { return []float64{1, low}[i%2] * (1 + gap*r.NormFloat64()) })
	}},
	{"zero", func(_ *rand.Rand, n int, _ precision) matrix { return newMatrix(n, n) }},
	{"identity", func(r *rand.Rand, n int, _ precision) matrix { return identity(n).scaled(r.NormFloat64()) }},
	{"nearly identity", func(r *rand.Rand, n int, p precision) matrix {
		k := math.Pow(p.eps, r.Float64()*1.2)
		return add(identity(n), entries(n, func() float64 { return k * r.NormFloat64() }))
	}},
	{"rotation", func(r *rand.Rand, n int, _ precision) matrix { return orthogonal(r, n, 1) }},
	{"reflection", func(r *rand.Rand, n int, _ precision) matrix { return orthogonal(r, n, -1) }},
	{"diagonal", func(r *rand.Rand, n int, _ precision) matrix {
		return withEntries(n, func(i, j int) float64 { return ifElse(i == j, r.NormFloat64(), 0) })
	}},
	{"permutation", func(r *rand.Rand, n int, _ precision) matrix {
		p := r.Perm(n)
		return withEntries(n, func(i, j int) float64 { return ifElse(p[i] == j, 1-2*float64(r.IntN(2)), 0) })
	}},
	{"triangular", func(r *rand.Rand, n int, _ precision) matrix {
		return withEntries(n, func(i, j int) float64 { return ifElse(i <= j, r.NormFloat64(), 0) })
	}},
	{"graded rows", func(r *rand.Rand, n int, p precision) matrix {
		k := math.Pow(p.eps, r.Float64()*1.5)
		return withEntries(n, func(i, j int) float64 { return math.Pow(k, float64(i)) * r.NormFloat64() })
	}},
	{"graded columns", func(r *rand.Rand, n int, p precision) matrix {
		k := math.Pow(p.eps, r.Float64()*1.5)
		return withEntries(n, func(i, j int) float64 { return math.Pow(k, float64(n-1-j)) * r.NormFloat64() })
	}},
	{"any magnitude", func(r *rand.Rand, n int, p precision) matrix {
		return entries(n, func() float64 { return math.Pow(p.eps, 6*r.Float64()-3) * r.NormFloat64() })
	}},
	{"symmetric", func(r *rand.Rand, n int, _ precision) matrix {
		m := entries(n, r.NormFloat64)
		return add(m, m.transposed())
	}},
	{"skew", func(r *rand.Rand, n int, _ precision) matrix {
		m := entries(n, r.NormFloat64)
		return add(m, m.transposed().scaled(-1))
	}},
	{"shear", func(r *rand.Rand, n int, p precision) matrix {
		k := math.Pow(p.eps, -r.Float64()*1.2)
		return withEntries(n, func(i, j int) float64 { return ifElse(i == j, 1, ifElse(j == i+1, k, 0)) })
	}},
	{"wave", func(r *rand.Rand, n int, _ precision) matrix { // of rank 2
		t := 1000 * r.Float64()
		return withEntries(n, func(i, j int) float64 { return math.Sin(t + 3*float64(i) + float64(j)) })
	}},
	{"huge", func(r *rand.Rand, n int, p precision) matrix {
		return entries(n, func() float64 { return p.huge / float64(n) * (2*r.Float64() - 1) })
	}},
	{"denormal", func(r *rand.Rand, n int, p precision) matrix {
		k := p.smallest * math.Pow(2, float64(r.IntN(30)))
		return entries(n, func() float64 { return k * r.NormFloat64() })
	}},
	{"huge and denormal", func(r *rand.Rand, n int, p precision) matrix {
		return entries(n, func() float64 {
			return ifElse(r.IntN(2) == 0, p.huge/float64(n), p.smallest*100) * (2*r.Float64() - 1)
		})
	}},
}

func ifElse(c bool, a, b float64) float64 {
	if c {
		return a
	}
	return b
}

func withEntries(n int, f func(i, j int) float64) matrix {
	m := newMatrix(n, n)
	for i := range n {
		for j := range n {
			m.set(i, j, f(i, j))
		}
	}
	return m
}

func entries(n int, f func() float64) matrix {
	return withEntries(n, func(int, int) float64 { return f() })
}

func add(a, b matrix) matrix {
	return withEntries(a.rows, func(i, j int) float64 { return a.at(i, j) + b.at(i, j) })
}

// lowRank returns a product of n×k and k×n.
func lowRank(r *rand.Rand, n, k int) matrix {
	a, b := newMatrix(n, k), newMatrix(k, n)
	for i := range a.a {
		a.a[i], b.a[i] = r.NormFloat64(), r.NormFloat64()
	}
	return a.times(b)
}

// withValues returns a matrix with those singular values.
func withValues(r *rand.Rand, n int, s func(i int) float64) matrix {
	d := make([]float64, n)
	for i := range d {
		d[i] = s(i)
	}
	return orthogonal(r, n, 1).times(diagonal(d)).times(orthogonal(r, n, 1))
}

// orthogonal returns a random orthogonal matrix of that determinant.
func orthogonal(r *rand.Rand, n int, det float64) matrix {
	m := entries(n, r.NormFloat64)
	for range 2 { // Gram and Schmidt, twice
		for i := range n {
			row := m.a[i*n : i*n+n]
			for j := range i {
				dot := 0.0
				for k := range n {
					dot += row[k] * m.at(j, k)
				}
				for k := range n {
					row[k] -= dot * m.at(j, k)
				}
			}
			norm := 0.0
			for _, v := range row {
				norm = math.Hypot(norm, v)
			}
			for k := range row {
				row[k] /= norm
			}
		}
	}
	if determinant(m)*det < 0 {
		for k := range n {
			m.a[k] = -m.a[k]
		}
	}
	return m
}
