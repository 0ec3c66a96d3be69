package autodiff_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
)

// TestBatches has loops with more iterations than the square of the states that they keep, so that parts of their segments run again several times.
func TestBatches(t *testing.T) {
	for _, c := range []struct{ name, source string }{
		{"for", "func K() { for i := range X { z := X[i]; for range N[i] + %d { z = z*0.9 + 0.1*sin(z) }; Y[i] = z } }"},
		{"while", "func K() { for i := range X { z, k := X[i], 0; for k < int(N[i]) + %d { z = z*0.9 + 0.1*sin(z); k++ }; Y[i] = z } }"},
		{"array", "func K() { for i := range X { var a [3]f64; a[0] = X[i]; for k := range N[i] + %d { a[(k+1)%%3] = a[k%%3]*0.9 + 0.1*sin(a[k%%3]) }; Y[i] = a[0] + a[1]*a[2] } }"},
		{"values", "func K() { for i := range X { z := X[i]; for range N[i] + %d { s := 0.0; for k := range 3 { s += sin(exp(0.1*M[k][1]*z)) }; z = s*0.3 }; Y[i] = z } }"},
		{"nest", "func K() { for i := range X { z := X[i]; for j := range N[i] + %d { for range j/4 { z = z*0.9 + 0.1*sin(z) } }; Y[i] = z } }"},

		// The backward pass does not want what is added up by itself, but what follows from it.
		{"a number that follows from another", "func K() { for i := range X { p, q := X[i], X[i]*0.3; for range N[i] + %d { Z[i] += p*X[1]; p += q*0.2; q *= 0.9 }; Y[i] = q } }"},
		{"a number that follows from an array", "func K() { for i := range X { var a [3]f64; a[0] = X[i]; p := X[i]; for k := range N[i] + %d { Z[i] += p*X[1]; p += a[k%%3]*0.1; a[(k+1)%%3] += a[k%%3]*0.3 }; Y[i] = a[1] } }"},
		{"a condition", "func K() { for i := range X { p := X[i]; for k := range N[i] + %d { if p > 0.4 { Z[i] += X[k%%6] }; p = ifelse(p > 1, p-0.9, p+X[2]*0.1) }; Y[i] = p } }"},
		{"bounds", "func K() { for i := range X { n := N[i]; for range N[i] + %d { for k := range n { Z[i] += X[(k+n)%%6] }; n = (n*3+1)%%5 } } }"},
		{"a place", "func K() { for i := range X { n := N[i]; for range N[i] + %d { Z[n] += X[(n*2+i)%%6]*X[n]; n = (n*3+1)%%5 } } }"},
		{"an element of an array", "func K() { for i := range X { n := N[i]; var a [5]f64; for range N[i] + %d { a[n] += X[(n*2+i)%%6]; n = (n*3+1)%%5 }; Y[i] = a[0]*a[1] + a[2]*a[3] + a[4] } }"},
		{"a loop in it", "func K() { for i := range X { p := X[i]; for k := range N[i] + %d { for t := p; t > 0.23; t *= 0.6 { Z[i] += X[k%%6] }; p = ifelse(p > 1, p-0.9, p+X[2]*0.1) }; Y[i] = p } }"},
		{"what a loop in it reads", "func K() { for i := range X { var a [3]f64; a[0] = 1; p := X[i]; for k := range N[i] + %d { for n := 0; f64(n) < a[k%%3]; n++ { Z[i] += X[(k+n)%%6] }; a[(k+1)%%3] = ifelse(a[k%%3] > 2, 0.5, a[k%%3]+1) }; Y[i] = p } }"},
		{"what an array is filled with", "func K() { for i := range X { var a [3]f64; q := X[i]; m := N[i]; for k := range N[i] + %d { a[m%%3] = q; Z[i] += a[k%%3]*X[1]; q += X[2]*0.1; m += N[1] }; Y[i] = a[0] } }"},
		{"an array that changes later", "func K() { for i := range X { var a [3]f64; for k := range 3 { a[k] = X[k]+X[i]*f64(k) }; z := X[i]; for k := range N[i] + %d { z = z*0.9 + 0.1*sin(z*a[k%%3]) }; for k := range 3 { a[k] = z*X[k] }; Y[i] = a[0]*a[1] + a[2]*z } }"},
		// With other numbers, these loops in loops would not end.
		{"a loop of which nothing is wanted", "func K() { for i := range X { n, p := N[i]+1, X[i]; for range N[i] + %d { t := n; for t != 1 { t = ifelse(t%%2 == 0, t/2, t*3+1) }; p = p*0.9 + 0.1*sin(p); n++ }; Y[i] = p } }"},
		{"what such a loop takes from outside", "func K() { for i := range X { m, p := N[i]+1, X[i]; for range N[i] + %d { t := N[1] + 11; for t > 0 { t -= m }; p = p*0.9 + 0.1*sin(p); m++ }; Y[i] = p } }"},
		{"what such a loop reads", "func K() { for i := range X { var b [2]int; b[0], b[1] = 1, 2; p := X[i]; for k := range int(N[i]) + %d { t := int(N[1]) + 11; for t > 0 { if t > 5 { t -= b[k%%2] } else { t -= b[(k+t)%%2] } }; b[(k+1)%%2] = b[k%%2]%%3 + 1; p = p*0.9 + 0.1*sin(p) }; Y[i] = p } }"},
	} {
		for _, n := range []int{0, 1, 3, 4, 5, 15, 16, 17, 31, 40} {
			t.Run(fmt.Sprint(c.name, n), func(t *testing.T) {
				s := newSubject(t, fmt.Sprintf(c.source, n), manner{entries: 2}, manner{entries: 4}, manner{entries: 2, without: option.DynamicMinCut})
				x := []float64{0.3, 0.7, -0.4, 1.1, 0.9, -0.8}
				s.agree(t, x, rand.New(rand.NewPCG(1, uint64(n))), 1e-10)
			})
		}
	}
}

// TestSteps counts the ops that a backward pass runs. A loop of as many iterations as the square of the states that it keeps takes no more
// for each iteration than a loop that keeps them all: that one, too, runs forward twice.
func TestSteps(t *testing.T) {
	for _, loop := range []string{"for range N[i] + %d", "for k := 0; k < int(N[i]) + %d; k++"} {
		steps := func(n int, entries int64) int {
			k := lowered(t, "func K() { for i := range 1 { z := X[i]; "+fmt.Sprintf(loop, n)+" { z = z*0.9 + 0.1*sin(z) }; Y[i] = z } }")
			back, err := adjointIn(t, k, manner{entries: entries})
			if err != nil {
				t.Fatal(err)
			}
			p := prepared(t, back)
			return sort.Search(1e6, func(most int) bool {
				m := newMemory([]float64{0.3, 0.7, -0.4, 1.1, 0.9, -0.8})
				env := &oracle.Env{Args: make([]uint64, 8), MaxSteps: int64(most) + 1}
				for _, f := range back.Fields {
					env.Fields = append(env.Fields, m[f.Name])
				}
				_, err := p.Run(context.Background(), env)
				return err == nil
			})
		}
		few, many := steps(16, 16), steps(256, 16)
		if many > 256/16*few {
			t.Errorf(loop+": %d steps for 16 iterations, and %d for 256", 16, few, many)
		}
	}
}
