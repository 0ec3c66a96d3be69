package conformance

import (
	"math"
	"testing"
)

// Derivatives of decompositions and systems of equations, by formulas for two rows.
//
//conform:theme derivatives
func TestConformGradientMatrices(t *testing.T) {
	x := gradientX
	det := x[0]*x[3] - x[1]*x[2]
	cofactors := []float64{x[3], -x[2], -x[1], x[0]}
	// quotient has the derivatives of n/det, where dn are those of n.
	quotient := func(n float64, dn ...float64) func([]float64) []float64 {
		d := make([]float64, 4)
		for i := range d {
			d[i] = dn[i]/det - n*cofactors[i]/(det*det)
		}
		return constants(d...)
	}

	// Of the symmetric matrix with rows x0 x1 and x1 x2, the eigenvalues are their mean plus and minus h.
	e := (x[0] - x[2]) / 2
	h := math.Hypot(e, x[1])

	// The matrix with rows x0 x1 and x2 x3 is a rotation and scaling by p, q plus a reflection and scaling by r, s, whose sizes are the sum
	// of the singular values and their difference.
	p, q, r, s := x[0]+x[3], x[1]-x[2], x[0]-x[3], x[1]+x[2]
	sum, difference := math.Hypot(p, q), math.Hypot(r, s)

	n := math.Hypot(x[0], x[2]) // of the first column
	const symmetric, full = "dmat2(X[0], X[1], X[1], X[2])", "dmat2(X[0], X[1], X[2], X[3])"
	conformGradients(t, []gradientRule{
		{"symEig: a value", "w, _ := symEig(" + symmetric + "); L = maxOf(w)", constants(0.5+e/(2*h), x[1]/h, 0.5-e/(2*h), 0)},
		{"symEig: the product of the values", "w, _ := symEig(" + symmetric + "); L = product(w)", constants(x[2], -2*x[1], x[0], 0)},
		{"symEig: a vector", "w, q := symEig(" + symmetric + "); L = sqr(ifelse(w[0] > w[1], q[0][0], q[0][1]))",
			constants(x[1]*x[1]/(4*h*h*h), -e*x[1]/(2*h*h*h), -x[1]*x[1]/(4*h*h*h), 0)},
		{"svd: the sum of the values", "_, s, _ := svd(" + full + "); L = s[0] + s[1]", constants(p/sum, q/sum, -q/sum, p/sum)},
		{"svd: the largest value", "_, s, _ := svd(" + full + "); L = s[0]",
			constants((p/sum+r/difference)/2, (q/sum+s/difference)/2, (-q/sum+s/difference)/2, (p/sum-r/difference)/2)},
		{"svd: the vectors", "u, _, v := svd(" + full + "); L = (u * transpose(v))[0][0]",
			constants(q*q/(sum*sum*sum), -p*q/(sum*sum*sum), p*q/(sum*sum*sum), q*q/(sum*sum*sum))},
		{"polar: the rotation", "a, _ := polar(" + full + "); L = a[0][0]",
			constants(q*q/(sum*sum*sum), -p*q/(sum*sum*sum), p*q/(sum*sum*sum), q*q/(sum*sum*sum))},
		{"polar: the trace of the stretch", "_, b := polar(" + full + "); L = trace(b)", constants(p/sum, q/sum, -q/sum, p/sum)},
		{"qr: the length of a column", "_, b := qr(" + full + "); L = abs(b[0][0])", constants(x[0]/n, 0, x[2]/n, 0)},
		{"qr: the rest of the next one", "_, b := qr(" + full + "); L = abs(b[1][1])",
			constants(-cofactors[0]/n+det*x[0]/(n*n*n), -cofactors[1]/n, -cofactors[2]/n+det*x[2]/(n*n*n), -cofactors[3]/n)},
		{"qr: a direction", "a, _ := qr(" + full + "); L = sqr(a[0][0])",
			constants(2*x[0]/(n*n)-2*x[0]*x[0]*x[0]/(n*n*n*n), 0, -2*x[0]*x[0]*x[2]/(n*n*n*n), 0)},
		{"solve: the matrix", "y := solve(" + full + ", dvec2(1, 2)); L = y.x + 3*y.y", quotient(x[3]-2*x[1]+3*(2*x[0]-x[2]), 6, -2, -3, 1)},
		{"solve: the right side", "y := solve(dmat2(2, 1, 1, 3), dvec2(X[0], X[1])); L = y.x", constants(0.6, -0.2, 0, 0)},
		{"solve: several right sides", "y := solve(dmat2(2, 1, 1, 3), " + full + "); L = y[0][0] + y[1][1]", constants(0.6, -0.2, -0.2, 0.4)},
		{"inverse", "L = inverse(" + full + ")[0][1]", quotient(-x[1], 0, -1, 0, 0)},
		{"determinant", "L = determinant(" + full + ")", constants(cofactors...)},
	})
}
