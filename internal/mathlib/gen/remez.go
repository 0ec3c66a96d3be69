package main

import (
	"fmt"
	"math"
	"math/big"
)

const prec = 320 // bits of the computation

func newFloat() *big.Float           { return new(big.Float).SetPrec(prec) }
func float(v float64) *big.Float     { return newFloat().SetFloat64(v) }
func add(a, b *big.Float) *big.Float { return newFloat().Add(a, b) }
func sub(a, b *big.Float) *big.Float { return newFloat().Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return newFloat().Mul(a, b) }
func quo(a, b *big.Float) *big.Float { return newFloat().Quo(a, b) }
func toFloat64(a *big.Float) float64 { f, _ := a.Float64(); return f }
func absLess(a, b *big.Float) bool   { return newFloat().Abs(a).Cmp(newFloat().Abs(b)) < 0 }
func horner(c []*big.Float, z *big.Float) *big.Float {
	s := newFloat()
	for i := len(c) - 1; i >= 0; i-- {
		s = add(mul(s, z), c[i])
	}
	return s
}

// A sample is a point of the grid on which a polynomial is fitted: the wanted
// value g at z, and the weight w of the error there.
type sample struct{ z, g, w *big.Float }

// grid returns n points of [lo, hi], denser at the ends, as Chebyshev's.
func grid(lo, hi float64, n int) []*big.Float {
	zs := make([]*big.Float, n)
	for i := range zs {
		t := -math.Cos(math.Pi * (float64(i) + 0.5) / float64(n))
		zs[i] = float((lo+hi)/2 + (hi-lo)/2*t)
	}
	return zs
}

// fit returns n coefficients, each rounded by round, of the polynomial whose
// greatest weighted error on the samples is least, and that error. Coefficients
// are rounded from the lowest on, and those above fitted anew each time, so that
// they make up for the rounding.
func fit(samples []sample, n int, round func(float64) float64) (coefs []float64, err float64, e error) {
	rest := append([]sample(nil), samples...)
	for len(coefs) < n {
		c, e := remez(rest, n-len(coefs))
		if e != nil {
			return nil, 0, e
		}
		c0 := round(toFloat64(c[0]))
		coefs = append(coefs, c0)
		for i, s := range rest {
			rest[i] = sample{s.z, quo(sub(s.g, float(c0)), s.z), mul(s.w, s.z)}
		}
	}
	// What is left of g, unexplained by any coefficient, is the error.
	for _, s := range rest {
		err = math.Max(err, math.Abs(toFloat64(mul(s.g, s.w))))
	}
	return coefs, err, nil
}

// remez finds the polynomial with n coefficients by exchange: on n+1 points it
// solves for coefficients that make the error alternate between ±E, moves the
// points to where the error is greatest, and repeats until the greatest error is
// E. The best polynomial seen is the result.
func remez(samples []sample, n int) ([]*big.Float, error) {
	points := make([]int, n+1)
	for i := range points {
		points[i] = (2*i + 1) * len(samples) / (2 * (n + 1))
	}
	var best []*big.Float
	var bestErr *big.Float
	for range 40 {
		c, err := solve(samples, points)
		if err != nil {
			return nil, err
		}
		next, worst := extrema(samples, c[:n], n+1)
		if best == nil || absLess(worst, bestErr) {
			best, bestErr = c[:n], worst
		}
		if next == nil || absLess(mul(worst, float(0.999)), c[n]) {
			break
		}
		points = next
	}
	return best, nil
}

// extrema returns the indices of want points at which the weighted error of c
// is greatest, with alternating signs, or nil if there are not so many, and the
// greatest error.
func extrema(samples []sample, c []*big.Float, want int) (at []int, worst *big.Float) {
	var errs []*big.Float
	for i, s := range samples {
		e := mul(sub(horner(c, s.z), s.g), s.w)
		switch last := len(at) - 1; {
		case last < 0 || errs[last].Sign() != e.Sign():
			at, errs = append(at, i), append(errs, e)
		case absLess(errs[last], e):
			at[last], errs[last] = i, e
		}
	}
	worst = newFloat()
	for _, e := range errs {
		if absLess(worst, e) {
			worst = e
		}
	}
	for len(at) > want {
		if absLess(errs[0], errs[len(errs)-1]) {
			at, errs = at[1:], errs[1:]
		} else {
			at, errs = at[:len(at)-1], errs[:len(errs)-1]
		}
	}
	if len(at) < want {
		return nil, worst
	}
	return at, worst
}

// solve returns the coefficients, and then E, of the polynomial whose error at
// the points is ±E by turns: Gaussian elimination with pivoting.
func solve(samples []sample, points []int) ([]*big.Float, error) {
	n := len(points)
	m := make([][]*big.Float, n)
	for i, p := range points {
		s := samples[p]
		row := make([]*big.Float, n+1)
		zj := float(1)
		for j := range n - 1 {
			row[j] = zj
			zj = mul(zj, s.z)
		}
		row[n-1] = quo(float(float64(1-2*(i%2))), s.w)
		row[n] = s.g
		m[i] = row
	}
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if absLess(m[best][k], m[i][k]) {
				best = i
			}
		}
		m[k], m[best] = m[best], m[k]
		if m[k][k].Sign() == 0 {
			return nil, fmt.Errorf("the equations of a fit with %d coefficients are singular", n-1)
		}
		for i := k + 1; i < n; i++ {
			f := quo(m[i][k], m[k][k])
			for j := k; j <= n; j++ {
				m[i][j] = sub(m[i][j], mul(f, m[k][j]))
			}
		}
	}
	x := make([]*big.Float, n)
	for k := n - 1; k >= 0; k-- {
		s := m[k][n]
		for j := k + 1; j < n; j++ {
			s = sub(s, mul(m[k][j], x[j]))
		}
		x[k] = quo(s, m[k][k])
	}
	return x, nil
}
