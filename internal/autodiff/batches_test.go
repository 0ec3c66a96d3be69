package autodiff_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestBatches has loops with more iterations than the square of the states that they keep, so that parts of their segments run again several times.
func TestBatches(t *testing.T) {
	for _, c := range []struct{ name, source string }{
		{"for", "func K() { for i := range X { z := X[i]; for range N[i] + %d { z = z*0.9 + 0.1*sin(z) }; Y[i] = z } }"},
		{"while", "func K() { for i := range X { z, k := X[i], 0; for k < int(N[i]) + %d { z = z*0.9 + 0.1*sin(z); k++ }; Y[i] = z } }"},
		{"array", "func K() { for i := range X { var a [3]f64; a[0] = X[i]; for k := range N[i] + %d { a[(k+1)%%3] = a[k%%3]*0.9 + 0.1*sin(a[k%%3]) }; Y[i] = a[0] + a[1]*a[2] } }"},
		{"values", "func K() { for i := range X { z := X[i]; for range N[i] + %d { s := 0.0; for k := range 3 { s += sin(exp(0.1*M[k][1]*z)) }; z = s*0.3 }; Y[i] = z } }"},
		{"nest", "func K() { for i := range X { z := X[i]; for j := range N[i] + %d { for range j/4 { z = z*0.9 + 0.1*sin(z) } }; Y[i] = z } }"},
	} {
		for _, n := range []int{0, 1, 3, 4, 5, 15, 16, 17, 31, 40} {
			t.Run(fmt.Sprint(c.name, n), func(t *testing.T) {
				s := newSubject(t, fmt.Sprintf(c.source, n), manner{entries: 2}, manner{entries: 4})
				x := []float64{0.3, 0.7, -0.4, 1.1, 0.9, -0.8}
				s.agree(t, x, rand.New(rand.NewPCG(1, uint64(n))), 1e-10)
			})
		}
	}
}
