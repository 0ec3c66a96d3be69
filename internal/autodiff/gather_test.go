package autodiff_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// stencils are kernels whose way back has this number of atomics on fields, besides those on the loss.
var stencils = []struct {
	name, source string
	atomics      int
}{
	{"neighbours", "func K() { for i := range span(1, 5) { Y[i] = X[i-1]*X[i] - sin(X[i+1]) } }", 0},
	{"remainder", "func K() { for i := range X { Y[i] = X[i]*X[(i+1)%6] + X[(i+4)%6] } }", 0},
	{"modulo", "func K() { for i := range 6 { Y[i] = X[i]*X[mod(i-2, 6)]*X[(i+13)%6] } }", 0},
	{"inc", "func inc(i int) int { r := i+1; if r >= 6 { r = 0 }; return r }\nfunc K() { for i := range 6 { Y[i] = X[i]*X[inc(i)] } }", 0},
	{"dec", "func dec(i int) int { r := i-1; if r < 0 { r = 5 }; return r }\nfunc K() { for i := range X { Y[i] = X[i]*X[dec(i)] } }", 0},
	{"last", "func K() { for i := range 6 { Y[i] = X[i]*X[ifelse(i == 5, 0, i+1)]*X[ifelse(i != 0, i-1, 5)]*X[ifelse(i < 5, i+1, 0)]*X[ifelse(i >= 1, i-1, 5)] } }", 0},
	{"not the border", "func K() { for i := range 6 { Y[i] = X[i]*X[ifelse(i >= 4, 0, i+1)] } }", 1},
	{"clamped", "func K() { for i := range 6 { Y[i] = X[i]*X[min(i+1, 5)]*X[max(i-1, 0)] } }", 0},
	{"guarded", "func at(i int) f64 { if i < 0 || i >= 6 { return 0 }; return X[i] }\nfunc K() { for i := range 6 { Y[i] = at(i-1)*at(i) + at(i+2)*at(i) } }", 0},
	{"beyond the loop", "func K() { for i := range 4 { Y[i] = X[i+2]*X[i+1] } }", 0},
	{"short loop", "func K() { for i := range N[0] + 2 { if i+1 < 6 { Y[i] = X[i+1]*X[i] } } }", 0},
	{"two axes", "func K() { for i, j := range ndrange(3, 4) { if i > 0 && j > 1 { Y[i] += M[i-1][j-2]*M[i][j]*M[i][(j+1)%4] } } }", 0},
	{"exchanged axes", "func K() { for j, i := range ndrange(4, 3) { L += M[i][j]*M[(i+1)%3][j] } }", 0},
	{"a row", "func K() { r := N[0]+1; for j := range 4 { L += M[1][j]*M[r][(j+1)%4] + M[2][j] } }", 0},
	{"a row whose number is computed in the loop", "func K() { r := N[0]; for j := range 4 { Y[j] = M[r+1][j]*M[r+1][(j+1)%4]*M[2-r][j] } }", 1},
	{"a row whose number is read in the loop", "func K() { for j := range 4 { Y[j] = M[N[2]][j]*M[N[2]][(j+1)%4] } }", 2},
	{"one neighbour", "func K() { for i := range 5 { Y[i] = sin(X[i+1]) } }", 0},
	{"remainder by a power of two", "func K() { for j := range 4 { Y[j] = M[1][j]*M[1][(j+1)&3] } }", 0},
	{"diagonal", "func K() { for i := range 3 { L += M[i][i]*M[i][i+1] } }", 1},
	{"diagonal of two axes", "func K() { for i, j := range ndrange(3, 4) { L += M[i][i+1]*X[j] } }", 1},
	{"transposed", "func K() { for i, j := range ndrange(3, 3) { L += M[i][j+1]*M[j][i+1] } }", 0},
	{"data", "func K() { for i := range 6 { Y[i] = X[i]*X[N[i]] } }", 1},
	{"read again", "func K() { for i := range 6 { Y[i] = X[i]*X[(i+1)%6]; Z[i] = Y[i]*Y[i] } }", 0},
	{"read and written", "func K() { for i := range 6 { if X[i] > 0 { Y[i] = X[i] }; Z[i] = Y[i]*X[(i+1)%6] } }", 1},
	{"values of the kernel", "func K() { a := X[2]; for i := range 6 { Y[i] = a*X[i]*X[(i+1)%6] } }", 0},
	{"with and without the border", "func K() { for i := range 6 { if i+2 < 6 { Y[i] = X[i+2]*X[(i+1)%6] } } }", 0},
	{"stored and added to", "func K() { for i := range 6 { Z[i] = X[i]; Z[i] += X[i]*X[(i+1)%6]; Y[i] = Z[i]*Z[i] } }", 1},
	{"a slice that is not there", "func K() { t := N[0]-1; for i := range 4 { y := X[i]; if t >= 3 { y += M[t][i]*M[t][(i+1)%4] }; Y[i] = y*y } }", 0},
	{"a slice beyond the end", "func K() { t := N[0]+3; for i := range 4 { y := X[i]; if t < 3 { y += M[t][i]*M[t][(i+1)%4] }; Y[i] = y*y } }", 0},

	// Elements that are written to, and read by other words.
	{"read again by a remainder", "func K() { for i := range 6 { Y[i] = X[i]*X[i]; Z[i] = Y[(i+6)%6]*X[(i+1)%6] } }", 2},
	{"read again by a minimum", "func K() { for i := range 6 { Y[i] = X[i]*X[i]; Z[i] = Y[min(i, 5)]*X[(i+1)%6] } }", 2},
	{"read again by a product", "func K() { for i := range 6 { Y[i*2/2] = X[i]*X[i]; Z[i] = Y[i]*X[(i+1)%6] } }", 1},
	{"read again by data", "func K() { for i := range 6 { Y[N[i]/9+i] = X[i]*X[i]; Z[i] = Y[N[i]/9+i]*X[(i+1)%6] } }", 2},
	{"a component by data, of a vector that was stored", "func K() { for i := range 6 { V[i].x = X[i]*X[i]; V[i].y = X[i]; Z[i] = V[i][N[i]%2]*X[(i+1)%6] } }", 2},
	{"a component that was stored by data", "func K() { for i := range 6 { k := N[i]%2; V[i][k] = X[i]*X[i]; Z[i] = V[i].x*X[(i+1)%6] } }", 1},
	{"another component", "func K() { for i := range 6 { V[i].x = X[i]*X[i] }; for i := range 6 { V[i].y = X[i]*V[(i+1)%6].x*V[i].x } }", 0},
	{"the other elements", "func K() { for i := range 6 { if i%2 == 0 { Y[i] = X[i] } }; for i := range span(1, 5) { if i%2 == 1 { Y[i] += Y[i-1]*Y[i+1] } } }", 0},
	{"the other elements, across the border", "func K() { for i := range 6 { if i%2 == 0 { Y[i] = X[i] } }; for i := range 6 { if i%2 == 1 { Y[i] += Y[(i+1)%6]*Y[i-1] } } }", 0},
	{"the next plane", "func K(t int) { a := t%2; for j := range 3 { M[a+1][j] += M[a][j]*M[a][j+1] } }", 0},
	{"the plane before", "func K(t int) { a := t%2; for j := range 3 { M[a][j] += M[a+1][j]*M[a+1][j+1] } }", 0},
	{"the other plane of two", "func K(t int) { a := t%2; b := 1-a; for j := range 3 { M[b][j] += M[a][j]*M[a][j+1] } }", 0},
	{"planes in turn", "func K(t int) { a, b := t%2, (t+1)%2; for j := range 3 { M[b][j] += M[a][j]*M[a][j+1] } }", 0},
	{"three planes in turn", "func K(t int) { a, b := t%3, (t+2)%3; for j := range 3 { M[b][j] += M[a][j]*M[a][j+1] } }", 0},
	{"planes in turn by a mask", "func K(t int) { a, b := t&1, (t+1)&1; for j := range 3 { M[b][j] += M[a][j]*M[a][j+1] } }", 0},
	{"unsigned planes in turn", "func K(t int) { u := u32(t); a, b := u%2, (u-1)%2; for j := range 3 { M[b][j] += M[a][j]*M[a][j+1] } }", 0},
	{"written by a remainder, and read", "func K() { for i := range 6 { Y[(i+6)%6] = X[i]*X[i]; Z[i] = Y[i]*X[(i+1)%6] } }", 1},
	{"written and read by remainders", "func K() { for i := range 6 { Y[(i+1)%6] = X[i]*X[i]; Z[i] = Y[(i+7)%6]*X[(i+1)%6] } }", 2},
	{"written at times, and read one on", "func K() { for i := range 5 { if X[i] > 0 { Y[i+1] = X[i] }; Z[i] = Y[i+1]*X[(i+1)%5] } }", 2},
	{"the other elements, of a length of the launch", "func K() { for i := range 6 { if i%2 == 0 { Y[i] = X[i] } }; n := max(N[0], 5); for i := range n { if i%2 == 1 { Y[i] += Y[i-1]*Y[i+1] } } }", 0},
	{"the other elements, across a border of the launch", "func K() { for i := range 6 { if i%2 == 0 { Y[i] = X[i] } }; n := max(N[0], 6); for i := range n { if i%2 == 1 { Y[i] += Y[(i+1)%n]*Y[i-1] } } }", 2},
	{"a plane that may be the same of two", "func K(t int) { a := t%3; b := 2-a; for j := range 3 { T[0][b][j] = M[1][j]; Y[j] = T[0][a][j]*M[0][j]*M[0][j+1] } }", 2},
	{"a plane that may be the first", "func K(t int) { a := t%2; for j := range 3 { T[0][a][j] = M[1][j]; Y[j] = T[0][0][j]*M[0][j]*M[0][j+1] } }", 1},
	{"one plane by other words", "func K(t int) { a, b := t%2, (t+2)%2; for j := range 3 { L += M[b][j]*0.5; T[0][a][j] = M[a][j]; Y[j] = T[0][b][j]*M[0][j]*M[0][j+1] } }", 4},

	{"one plane, by sums of a short type", "func K(t int) { k := i8(t); for i := range 3 { s := 0.0; for d := i8(100); d < i8(102); d++ { if d == 100 { T[0][k+d+d+(d-44)][i] = X[i]*X[i+1]; s += T[0][k][i]*X[i] } }; Y[i] = s } }", 2},
	{"one plane, by remainders of sums of a short type", "func K() { k := i8(N[1]) + 126; a, b := mod(k, 3), mod(k+1, 3); for j := range 3 { T[0][a][j] = X[j]*X[j+1]; Y[j] = T[0][b][j]*X[j] } }", 2},
	{"one plane, by remainders of sums of which one is too large", "func K() { u := N[1]; a, b := mod(u+2147483647, 3), mod(u+2147483646, 3); for j := range 3 { T[0][a][j] = X[j]*X[j+1]; Y[j] = T[0][b][j]*X[j] } }", 2},
	{"one plane, by sums of which one is too small", "func K() { u := 0-N[1]; a, b := mod(u-2147483647, 3), mod(u-2147483647-1, 3); for j := range 3 { T[0][a][j] = X[j]*X[j+1]; Y[j] = T[0][b][j]*X[j] } }", 2},
	{"one plane, by remainders of remainders", "func K(t int) { a, b := t%4%2, (t+2)%4%2; for j := range 3 { T[0][a][j] = X[j]*X[j+1]; Y[j] = T[0][b][j] } }", 2},
	{"one plane, by remainders below zero", "func K(t int) { u := t-1; a, b := 1+u%3, 1-(u+2)%3; for j := range 3 { T[0][a][j] = X[j]*X[j+1]; Y[j] = T[0][b][j] } }", 2},
	{"one plane, by remainders plus other numbers", "func K(t int) { a, b := t%2, (t+1)%2-1; for j := range 3 { T[0][a][j] = X[j]*X[j+1]; Y[j] = T[0][b][j] } }", 2},
	{"one plane, by a sum and a difference", "func K(t int) { a := t%2; for j := range 3 { s, k := 0.0, 0; for d := range serial(3) { if k == 1 { T[0][1-a][j] = X[j]*X[j+1]; s += T[0][(0-a)+d][j]*X[j] }; k++ }; Y[j] = s } }", 0},
	{"one plane, by two differences", "func K(t int) { a := t%2; for j := range 3 { s, k := 0.0, 0; for d := range serial(3) { if k == 1 { T[0][1-a][j] = X[j]*X[j+1]; s += T[0][(2-a)-d][j]*X[j] }; k++ }; Y[j] = s } }", 2},
	{"one plane, by the difference of a sum", "func K(t int) { a := t%2; for j := range 3 { s, k := 0.0, 0; for d := range serial(3) { if k == 1 { T[0][1-a][j] = X[j]*X[j+1]; s += T[0][2-(a+d)][j]*X[j] }; k++ }; Y[j] = s } }", 2},
	{"one plane, by a mask that is no remainder", "func K(t int) { a, b := t&2, (t+1)&2; for j := range 3 { T[0][a][j] = X[j]*X[j+1]; Y[j] = T[0][b][j] } }", 2},
	{"one plane, by products", "func K() { u := N[1]-2; for j := range 3 { T[0][u*2+2][j] = X[j]*X[j+1]; Y[j] = T[0][u*3+3][j] } }", 2},
	{"one plane, by data and by its number", "func K() { a := N[1]; for j := range 3 { T[0][a][j] = X[j]*X[j+1]; Y[j] = T[0][1][j] } }", 1},
	{"two planes by their numbers", "func K() { for j := range 3 { M[1][j] += M[0][j]*M[0][j+1] } }", 0},
	{"planes in turn by a modulus", "func K(t int) { a, b := mod(t, 3), mod(t+1, 3); for j := range 3 { M[b][j] += M[a][j]*M[a][j+1] } }", 0},
	{"planes whose numbers are computed twice", "func K(t int) { for j := range 3 { if N[j] >= 0 { T[0][t*3+1][j] = X[j] }; s := 1.0; if N[j] < 9 { s = T[0][t*3][j] }; Y[j] = s*X[j]*X[j+1] } }", 1},
	{"written and read across the diagonal", "func K() { for i, j := range ndrange(3, 3) { if i < j { T[0][i][j] = X[i]*X[j+1]; L += T[0][j][i] } } }", 1},
	{"written beside a length of the launch, and read", "func K() { n := min(N[1], 1); for i := range n { Y[i+n] = X[i]*X[i+1]; Z[i] = Y[i+1]*X[i] } }", 2},
	{"written by a minimum, where one iteration is", "func K() { n := min(N[1], 1); for i := range n { Y[min(i+1, n-1)] = X[i]*X[i+1]; Z[i] = Y[i]*X[i] } }", 1},
	{"written by a maximum, where one iteration is", "func K() { n := min(N[1], 1); for i := range n { Y[max(i-1, 0)] = X[i]*X[i+1]; Z[i] = Y[i]*X[i] } }", 1},
	{"read by a minimum, where one iteration is", "func K() { n := min(N[1], 1); for i := range n { Y[i] = X[i]*X[i+1]; Z[i] = Y[min(i+1, n-1)]*X[i] } }", 2},
	{"read by a maximum, where one iteration is", "func K() { n := min(N[1], 1); for i := range n { Y[i] = X[i]*X[i+1]; Z[i] = Y[max(i-1, 0)]*X[i] } }", 2},

	// Lengths that are known at launch.
	{"a length of the launch", "func K() { n := N[0]+6; for i := range n { Y[i] = X[i%n]*X[(i+1)%n] + X[mod(i-2, n)] } }", 0},
	{"borders of a length of the launch", "func K() { n := max(N[0], 6); for i := range n { Y[i] = X[i]*X[ifelse(i < n-1, i+1, 0)] + X[ifelse(i > 0, i-1, n-1)] } }", 0},
	{"the last index of a length of the launch", "func K() { n := max(N[0], 6); for i := range n { Y[i] = X[i]*X[ifelse(i+1 < n, i+1, 0)]*X[ifelse(i != n-1, i+1, 0)] } }", 0},
	{"borders by all comparisons", "func K() { for i := range 6 { Y[i] = X[i]*X[ifelse(i > 4, 0, i+1)]*X[ifelse(i <= 4, i+1, 0)]*X[ifelse(i+1 > 5, 0, i+1)]*X[ifelse(i > 0, i-1, 5)]*X[ifelse(i < 1, 5, i-1)]*X[ifelse(i <= 0, 5, i-1)]*X[ifelse(i == 0, 5, i-1)] } }", 0},
	{"borders by all comparisons, one off", "func K() { for i := range 6 { Y[i] = X[i]*X[ifelse(i > 3, 0, i+1)]*X[ifelse(i <= 3, i+1, 0)]*X[ifelse(i > 1, i-1, 5)]*X[ifelse(i <= 1, 5, i-1)] } }", 4},
	{"a length of the launch, passed", "func K() { n := max(N[0], 6); for i := range n { Y[i] = X[i]*X[ifelse(i <= n-2, i+1, 0)]*X[ifelse(i+1 > n-1, 0, i+1)] } }", 0},
	{"the length of another loop", "func K() { n := max(N[0], 6); m := max(N[0], 5); for i := range m { Y[i] = X[i]*X[(i+1)%n] } }", 1},
	{"a border before the end", "func K() { n := max(N[0], 6); for i := range n { Y[i] = X[i]*X[ifelse(i < n-2, i+1, 0)] } }", 1},
	{"a border beyond the end", "func at(i int) f64 { if i < 0 || i >= 6 { return 0 }; return X[i] }\nfunc K() { n := max(N[0], 6); for i := range n { Y[i] = X[i]*at(ifelse(i < n+1, i+1, 0)) } }", 1},
	{"the last element of another loop", "func K() { n := max(N[0], 6); m := max(N[0], 5); for i := range n { Y[i] = X[i]*X[ifelse(i > 0, i-1, m-1)] } }", 1},
	{"the last element but one", "func K() { n := max(N[0], 6); for i := range n { Y[i] = X[i]*X[ifelse(i > 0, i-1, n-2)] } }", 1},
	{"a mask of a length of the launch", "func K() { n := max(N[0], 6); for i := range n { Y[i] = X[i]*X[(i+1)&(n-1)] } }", 1},
	{"a mask of a length that is no power of two", "func K() { for i := range 6 { Y[i] = X[i]*X[(i+1)&5] } }", 1},
	{"written on one side of a length of the launch, and read on the other", "func K() { n := min(N[1], 1); for i := range n { Y[i-n+2] = X[i]*X[i+1]; Z[i] = Y[i+n]*X[i] } }", 2},
	{"a length of the launch beyond a border", "func K() { n := max(N[0], 3); for i := range n { Y[i] = X[i]*X[ifelse(i < n-1, i+1+n, 0)] } }", 1},
	{"a border that a length of the launch is beyond", "func K() { n := max(N[0], 5); for i := range n { Y[i] = X[i]*X[ifelse(i+n < n-1, i+1, 0)] } }", 1},
	{"one of two neighbours, of a length of the launch", "func K() { n := max(N[0], 5); for i := range n { Y[i] = X[i]*X[ifelse(N[i] > 1, i, i+1)] } }", 1},

	// Indices that are no neighbours, and look like some.
	{"an odd length", "func K() { for i := range 5 { Y[i] = X[i]*X[(i+1)%5]*X[mod(i-2, 5)]*X[(i+7)%5] } }", 0},
	{"a loop shorter than the field", "func K() { for i := range 4 { Y[i] = X[i]*X[(i+1)%4] } }", 0},
	{"a loop shorter than the field, with the border and without", "func K() { for i := range 4 { Y[i] = X[i+2]*X[(i+1)%4] } }", 0},
	{"a shorter length of the launch, with the border and without", "func K() { n := max(N[0], 3); for i := range n { Y[i] = X[i+2]*X[(i+1)%n]*X[mod(i-1, n)] } }", 0},
	{"no iteration, with the border and without", "func K() { n := min(N[0], 3); for i := range n { Y[i] = X[i+2]*X[(i+1)%n]*X[mod(i-1, n)] } }", 0},
	{"two axes, shorter than the field along both", "func K() { for i, j := range ndrange(2, 3) { L += M[i+1][(j+1)%3]*M[(i+1)%2][j+1]*M[mod(i-1, 2)][j] } }", 0},
	{"one distance, with the border and without", "func K() { for i := range 6 { y := X[(i+1)%6]; if i+1 < 6 { y += X[i+1]*X[i] }; Y[i] = y*y } }", 0},
	{"one distance, without the border and with it", "func K() { for i := range 6 { y := X[i]; if i+1 < 6 { y += X[i+1]*X[i] }; y *= X[(i+1)%6]; Y[i] = y } }", 0},
	{"a loop shorter than the field, and nothing but remainders", "func K() { for i := range 4 { Y[i] = X[(i+1)%4]*X[(i+2)%4] } }", 0},
	{"a border that no iteration has, of a length of the launch", "func K() { n := max(N[0], 4); for i := range n { Y[i] = X[i]*X[ifelse(i == 0-1, 0, i+1)] } }", 1},
	{"a remainder of a remainder", "func K() { for j := range 4 { Y[j] = M[1][j]*M[1][((j+1)%4+1)%4]*M[1][((j+2)%4+3)&3] } }", 0},
	{"a remainder below zero", "func at(i int) f64 { if i < 0 || i >= 6 { return 0 }; return X[i] }\nfunc K() { for i := range 6 { Y[i] = X[i]*at((i-1)%6) } }", 0},
	{"a remainder below zero, from an origin", "func K() { for i := range X { O[i-2] = X[i]*X[i] }; for i := range 4 { Y[i] = O[i]*O[(i-1)%4] } }", 1},
	{"a remainder below zero of an index above", "func K() { for i := range 4 { y := X[i]; if i > 0 { y *= X[(i-1)%4+1] }; Y[i] = y } }", 1},
	{"a distance that is data", "func K() { for i := range 4 { Y[i] = X[i+1]*X[i+N[i]%2]*X[i] } }", 1},
	{"a distance that is data, across the border", "func K() { t := N[2]; for i := range 6 { Y[i] = X[i]*X[mod(i+t, 6)] } }", 1},
	{"data, across the border", "func K() { for i := range 6 { Y[i] = X[i]*X[N[i]%6] } }", 1},
	{"two rows that one condition chooses", "func K() { r, q := 0, 2; if N[1] > 0 { r, q = 2, 1 }; for j := range 4 { Y[j] = M[r][j]*M[q][(j+1)%4] } }", 1},
	{"a condition across the border", "func K() { for i := range 6 { Y[i] = X[i]*X[ifelse(mod(i-1, 6) < 4, i+1, 0)] } }", 1},
	{"a condition that is no comparison", "func K() { for i := range 6 { c := false; if N[i] > 1 { c = i < 5 }; Y[i] = X[i]*X[ifelse(c, i+1, 0)] } }", 1},
	{"a condition on the other axis", "func K() { for i, j := range ndrange(3, 3) { L += M[i][j]*M[i][ifelse(i < 2, j+1, 0)] } }", 1},
	{"a condition on data", "func K() { for i := range 6 { Y[i] = X[i]*X[ifelse(N[i] < 2, (i+1)%6, 0)] } }", 1},
	{"another first element", "func K() { t := N[1]; for i := range 6 { Y[i] = X[i]*X[ifelse(i < 5, i+1, t)] } }", 1},
	{"a border two on", "func at(i int) f64 { if i < 0 || i >= 6 { return 0 }; return X[i] }\nfunc K() { for i := range 6 { Y[i] = X[i]*at(ifelse(i < 5, i+2, 0)) } }", 1},
	{"another last element", "func at(i int) f64 { if i < 0 || i >= 6 { return 0 }; return X[i] }\nfunc K() { for i := range 6 { Y[i] = X[i]*at(ifelse(i == 1, 5, i-1)) } }", 1},
	{"a border that no iteration has", "func K() { for i := range span(1, 5) { Y[i] = X[i]*X[ifelse(i < 0, i+1, 0)] } }", 1},
	{"a border of one iteration", "func K() { t := N[1]; for i := range 1 { Y[i] = X[i]*X[ifelse(i < t, i+1, 0)] } }", 1},
	{"two rows that the loop computes", "func K() { r := N[0]; for j := range 4 { Y[j] = M[r+1][j]*M[r+2][(j+1)%4]*M[r+1][(j+1)%4] } }", 0},

	// Elements of several numbers, and fields that do not begin at 0.
	{"vectors", "func K() { for i := range X { V[i] = dvec2(X[i], X[i]*0.5) }; for i := range 6 { Y[i] = dot(V[i], V[(i+1)%6]) + V[(i+5)%6].y } }", 0},
	{"a component that is data", "func K() { for i := range X { V[i] = dvec2(X[i], X[i]*0.5) }; for i := range 6 { Y[i] = V[i].x*V[(i+1)%6][N[i]%2] } }", 1},
	{"a component that an argument chooses", "func K(t int) { for i := range X { V[i] = dvec2(X[i], X[i]*0.5) }; for i := range 6 { Y[i] = V[i].x*V[(i+1)%6][t] } }", 1},
	{"an origin", "func K() { for i := range X { O[i-2] = X[i]*X[i] }; for i := range O { if i < 3 { Y[i+2] = O[i]*O[i+1] } } }", 0},
	{"an origin, and a loop over a range", "func K() { for i := range X { O[i-2] = X[i]*X[i] }; for i := range span(-1, 3) { Y[i+2] = O[i-1]*O[i+1] } }", 0},
	{"an origin, and a remainder", "func K() { for i := range X { O[i-2] = X[i]*X[i] }; for i := range 4 { Y[i] = O[i]*O[(i+1)%4] } }", 0},
	{"an origin, and a remainder of its length", "func K() { for i := range X { O[i-2] = X[i]*X[i] }; for i := range O { if i >= 0 { Y[i] = O[i]*O[(i+1)%6-1] } } }", 1},
	{"an origin, and a border that no iteration has", "func K() { for i := range X { O[i-2] = X[i]*X[i] }; for i := range O { if i < 3 { Y[i+2] = O[i]*O[ifelse(i < 5, i+1, 0)] } } }", 1},
	{"a row of a field with an origin", "func K(t int) { for i, j := range P { P[i][j] = X[0]*f64(i) + X[1]*X[2]*f64(j) }; for j := range span(-1, 2) { Y[j+1] = P[t-4][j]*P[t-4][j+1] } }", 0},
	{"a row of a field with an origin, whose number is read", "func K() { for i, j := range P { P[i][j] = X[0]*f64(i) + X[1]*X[2]*f64(j) }; t := N[1]-4; for j := range span(-1, 2) { Y[j+1] = P[t][j]*P[t][j+1] } }", 0},

	{"a remainder of a sum that is too large", "func K() { for i := range 6 { Y[i] = X[i]*X[mod(i+2147483647, 6)] } }", 1},
	{"a remainder of a sum that is too small", "func K() { for i := range 6 { Y[i] = X[i]*X[mod(i-2147483647-1, 6)] } }", 1},
	{"a remainder of a sum that is as large as they may be", "func K() { for i := range 6 { Y[i] = X[i]*X[mod(i+1073741823, 6)]*X[mod(i-1073741823, 6)] } }", 0},
	{"a maximum of a sum that is too large", "func K() { for i := range span(1, 6) { Y[i] = X[i]*X[max(i+2147483647, 1)] } }", 1},

	// Indices of other types.
	{"64 bits", "func K() { for i := range i64(6) { Y[i] = X[i]*X[(i+1)%6]; if i+2 < 6 { Z[i] = X[i+2]*X[i] } } }", 0},
	{"32 and 64 bits", "func K() { for i, j := range ndrange(i64(3), 4) { L += M[i][j]*M[(i+1)%3][j]; if j > 0 { L += M[i][j]*M[i][j-1] } } }", 0},
	{"unsigned", "func K() { for i := range u32(6) { Y[i] = X[i]*X[(i+5)%6]; if i < 4 { Z[i] = X[i+2]*X[i] } } }", 0},
	{"unsigned, below", "func K() { for i := range u32(6) { if i > 0 { Y[i] = X[i]*X[i-1] } } }", 0},
	{"unsigned, below and nothing else", "func K() { for i := range u32(6) { if i > 0 { Y[i] = sin(X[i-1]) } } }", 0},
	{"unsigned, both sides", "func K() { for i := range u64(6) { if i > 1 && i < 5 { Y[i] = X[i-2]*X[i+1]*X[i] } } }", 0},
	{"unsigned, with the border", "func K() { for i := range u32(6) { Y[i] = X[i]*X[ifelse(i > 0, i-1, 5)]*X[ifelse(i < 5, i+1, 0)] } }", 0},
	{"a short type", "func K() { for i := range i8(6) { Y[i] = X[i]*X[(i+1)%6]; if i > 0 { Z[i] = X[i-1] } } }", 2},
	{"unsigned, a remainder below", "func K() { for i := range u32(6) { if i > 0 { Y[i] = X[i]*X[(i-1)%6]*X[mod(i-1, 6)] } } }", 2},
	{"unsigned, of a length of the launch", "func K() { n := u32(max(N[0], 5)); for i := range n { Y[i] = X[i]*X[(i+1)%n]*X[(i+7)%n]*X[ifelse(i > 0, i-1, n-1)] } }", 0},
	{"unsigned, a border that iteration 0 is beyond", "func K() { for i := range u32(6) { Y[i] = X[i]*X[ifelse(i-1 >= 4, 0, i+1)] } }", 1},
	{"unsigned, a border that iteration 0 is beyond, the other way", "func K() { for i := range u32(6) { Y[i] = X[i]*X[ifelse(i-1 <= 3, i+1, 0)] } }", 1},
	{"unsigned, a border below 0 where one iteration is", "func K() { n := u32(N[0]+1); for i := range n { Y[i] = X[i]*X[ifelse(i > n-2, 0, i+1)] } }", 1},
	{"unsigned, borders by all comparisons", "func K() { for i := range u32(6) { Y[i] = X[i]*X[ifelse(i > 4, 0, i+1)]*X[ifelse(i <= 4, i+1, 0)]*X[ifelse(i+1 > 5, 0, i+1)]*X[ifelse(i+2 < 7, i+1, 0)]*X[ifelse(i < 1, 5, i-1)]*X[ifelse(i+1 <= 1, 5, i-1)]*X[ifelse(i-1 == 4, 0, i+1)] } }", 0},
	{"unsigned, borders of a length of the launch", "func K() { n := u32(N[0]+1); for i := range n { Y[i] = X[i]*X[ifelse(i+1 > n-1, 0, i+1)]*X[ifelse(i < n-1, i+1, 0)] } }", 0},
	{"unsigned, below an origin", "func K() { for i := range X { O[i-2] = X[i]*X[i] }; for i := range u32(4) { if i > 0 { Y[i] = O[i]*O[i-1] } } }", 0},

	// Indices that are wrapped by hand, and clamped ones.
	{"wrapped by hand", "func wrap(k int) int { r := k; if r < 0 { r += 6 } else if r >= 6 { r -= 6 }; return r }\nfunc K() { for i := range 6 { Y[i] = X[i]*X[wrap(i+2)]*X[wrap(i-3)] } }", 0},
	{"wrapped by hand, twice", "func wrap(k int) int { r := k; if r < 0 { r += 6 }; if r >= 6 { r -= 6 }; return r }\nfunc K() { for i := range 6 { Y[i] = X[i]*X[wrap(wrap(i+2)+1)] } }", 0},
	{"wrapped by hand in a shorter loop", "func wrap(k int) int { r := k; if r < 0 { r += 4 } else if r >= 4 { r -= 4 }; return r }\nfunc K() { for i := range 4 { Y[i] = X[i]*X[wrap(i+2)] } }", 1},
	{"wrapped by half the length", "func wrap(k int) int { r := k; if r >= 6 { r -= 3 }; return r }\nfunc K() { for i := range 6 { Y[i] = X[i]*X[wrap(i+2)] } }", 1},
	{"wrapped by twice the length", "func wrap(k int) int { r := k - 12; if r < 0 { r += 12 }; return r%6 }\nfunc K() { for i := range 6 { Y[i] = X[i]*X[wrap(i+2)] } }", 0},
	{"a length of the launch, added", "func K() { n := max(N[0], 6); for i := range n { y := X[i]; for d := -2; d <= 2; d++ { y += X[(i+d+n)%n]*X[i] }; Y[i] = y*X[(i-1+n)%n] } }", 0},
	{"twice a length of the launch", "func K() { n := max(N[0], 6); for i := range n { Y[i] = X[i]*X[(i+n-4+n)%n]*X[(i+n)%n] } }", 0},
	{"a length of the launch, added, from an origin", "func K() { for i := range X { O[i-2] = X[i]*X[i] }; n := max(N[0], 4); for i := range n { Y[i] = O[i]*O[(i+n-1)%n] } }", 1},
	{"a length of the launch, not taken away", "func at(i int) f64 { if i < 0 || i >= 6 { return 0 }; return X[i] }\nfunc K() { n := max(N[0], 3); for i := range n { Y[i] = X[i]*at(i+n) } }", 1},
	{"unsigned, a length of the launch, added", "func K() { n := u32(max(N[0], 5)); for i := range n { Y[i] = X[i]*X[(i+n-1)%n] } }", 1},
	{"clamped by two", "func K() { for i := range 6 { Y[i] = X[i]*X[min(i+2, 5)]*X[max(i-3, 0)] } }", 0},
	{"clamped on both sides", "func K() { for i := range 6 { y := X[i]; for d := -2; d <= 2; d++ { y += X[min(max(i+d, 0), 5)]*0.5 + X[clamp(i-d, 0, 5)]*f64(d) }; Y[i] = y } }", 0},
	{"clamped beyond the loop", "func K() { for i := range 4 { Y[i] = X[i]*X[min(i+9, 3)]*X[max(i-7, 0)]*X[i+2] } }", 0},
	{"clamped and not clamped", "func K() { for i := range 6 { y := X[min(i+1, 5)]; if i < 5 { y *= X[i+1]*X[max(i-1, 0)] }; if i > 1 { y += X[i-2] }; Y[i] = y*y } }", 0},
	{"clamped in a loop from 1", "func K() { for i := range span(1, 5) { Y[i] = X[i]*X[min(i+1, 4)]*X[max(i-2, 1)] } }", 0},
	{"clamped to the field, not the loop", "func K() { for i := range span(1, 5) { Y[i] = X[i]*X[min(i+2, 5)]*X[max(i-2, 0)] } }", 2},
	{"clamped before the end", "func K() { for i := range 6 { Y[i] = X[i]*X[min(i+1, 4)] } }", 1},
	{"clamped at the other side", "func K() { for i := range 6 { y := X[i]; if i > 0 { y *= X[min(i-1, 5)] }; if i < 5 { y += X[max(i+1, 0)]*X[i] }; Y[i] = y } }", 0},
	{"clamped to a length of the launch", "func K() { n := max(N[0], 3); for i := range n { Y[i] = X[i]*X[min(i+1, n-1)]*X[max(i-1, 0)] } }", 0},
	{"clamped to another length", "func K() { n := max(N[0], 3); m := max(N[0], 4); for i := range n { Y[i] = X[i]*X[min(i+1, m-1)] } }", 1},
	{"clamped where one iteration is", "func K() { n := max(N[0], 1); for i := range n { Y[i] = X[i]*X[min(i+2, n-1)]*X[max(i-1, 0)]*X[i+1] } }", 0},
	{"clamped to where a launch begins", "func K() { m := N[0]+1; for i := range span(m, 5) { Y[i] = X[i]*X[max(i-2, m)] } }", 0},
	{"clamped along two axes", "func K() { for i, j := range ndrange(3, 4) { Z[i] += M[min(i+1, 2)][max(j-1, 0)]*M[max(i-1, 0)][j]*M[i][j] } }", 0},
	{"clamped and wrapped", "func K() { for i, j := range ndrange(3, 4) { Z[i] += M[min(i+2, 2)][(j+1)%4]*M[i][min(j+1, 3)]*M[i][j] } }", 0},
	{"clamped, then moved", "func K() { for i := range 5 { Y[i] = X[i]*X[min(i+1, 4)+1] } }", 1},
	{"clamped, from an origin", "func K() { for i := range X { O[i-2] = X[i]*X[i] }; for i := range O { Y[i+2] = O[i]*O[min(i+1, 3)]*O[max(i-1, -2)] } }", 0},
	{"clamped, then across the border", "func K() { for i := range 6 { Y[i] = X[i]*X[mod(min(i+1, 5), 6)]*X[mod(max(i-1, 0), 6)] } }", 2},
	{"clamped above the beginning of a field", "func K() { for i := range X { Y[i] = X[i]*X[max(i-1, 1)] } }", 1},
	{"clamped below the end of a field", "func K() { for i := range X { Y[i] = X[i]*X[min(i+1, 4)] } }", 1},
	{"clamped to data", "func K() { t := N[2]; for i := range 6 { Y[i] = X[i]*X[max(i-1, t)] } }", 1},
	{"clamped to data, where one iteration is", "func K() { t := N[2]; for i := range 1 { Y[i] = X[i]*X[min(i+4, t)] } }", 1},
	{"clamped to 0, from where a launch begins", "func K() { m := N[1]; for i := range span(m, 6) { Y[i] = X[i]*X[max(i-3, 0)] } }", 1},
	{"clamped to -1, up to where a launch ends", "func K() { for i := range X { O[i-2] = X[i]*X[i] }; m := N[1]+1; for i := range span(-2, m) { Y[i+2] = O[i]*O[min(i+1, 0-1)] } }", 1},
	{"one of two, of which one is clamped at the end", "func K() { for i := range 6 { Y[i] = X[i]*X[ifelse(N[i] > 1, i, min(i+6, 5))] } }", 1},
	{"one of two, of which one is clamped at the beginning", "func K() { for i := range 6 { Y[i] = X[i]*X[ifelse(N[i] > 1, i, max(i-6, 0))] } }", 1},
	{"one of two, of which the first is clamped", "func K() { for i := range 6 { Y[i] = X[i]*X[ifelse(N[i] > 1, min(i+6, 5), i)]*X[ifelse(N[i] > 1, max(i-6, 0), i)] } }", 2},
	{"unsigned and clamped", "func K() { for i := range u32(6) { Y[i] = X[i]*X[min(i+1, 5)] } }", 1},
	{"clamped at corners", "func K() { for i, j := range ndrange(3, 4) { s := 0.0; for a, b := range ndrange(span(-1, 2), span(-1, 2)) { s += M[clamp(i+a, 0, 2)][clamp(j+b, 0, 3)]*f64(a+2*b) }; Z[i] += s } }", 0},
	{"clamped at corners, and squared", "func K() { for i, j := range ndrange(3, 4) { s := 0.0; for a, b := range ndrange(span(-1, 2), span(-1, 2)) { s += M[clamp(i+a, 0, 2)][clamp(j+b, 0, 3)]*f64(a+2*b) }; Z[i] += s*s } }", 1},
	{"clamped by a lot", "func K() { for i := range 6 { Y[i] = X[i]*X[min(i+1000000000, 5)] } }", 1},
	{"clamped by as much as a gather takes", "func K() { for i := range 6 { Y[i] = X[min(i+31, 5)] } }", 0},
	{"clamped by one more than a gather takes", "func K() { for i := range 6 { Y[i] = X[min(i+32, 5)] } }", 1},
	{"clamped along two axes by a little more than a gather takes", "func K() { for i, j := range ndrange(3, 4) { Z[i] += M[min(i+3, 2)][min(j+9, 3)] } }", 1},
	{"clamped by more than a gather takes", "func K() { for i, j := range ndrange(3, 4) { Z[i] += M[min(i+7, 2)][min(j+7, 3)]*M[i][j] } }", 1},

	// Serial loops over neighbours.
	{"a loop over neighbours", "func K() { for i := range 6 { s := 0.0; for d := range serial(3) { s += X[(i+d)%6]*f64(d+1) }; Y[i] = s*s } }", 0},
	{"a loop from below", "func K() { for i := range 6 { s := 0.0; for d := -1; d <= 1; d++ { s += X[mod(i+d, 6)]*f64(d+2) }; Y[i] = sin(s) } }", 0},
	{"a loop far from 0", "func K() { for i := range 6 { s := 0.0; for d := range span(20, 23) { s += X[(i+d)%6]*f64(d-20) }; Y[i] = s*s } }", 0},
	{"a loop down", "func K() { for i := range 6 { s := X[i]; for d := 2; d > 0; d-- { s = sin(s*X[(i+d)%6]) }; Y[i] = s } }", 0},
	{"steps of two", "func K() { for i := range 6 { s := 0.0; for d := -2; d <= 2; d += 2 { s += X[mod(d+i, 6)]*X[i] }; Y[i] = s } }", 0},
	{"two loops over neighbours", "func K() { for i, j := range ndrange(3, 4) { s := 0.0; for a := range serial(3) { for b := -1; b <= 1; b++ { if a == 1 && b == 0 { continue }; s += M[(i+a+2)%3][(j+b+4)%4]*f64(a-b) } }; Z[i] += s*M[i][j] } }", 0},
	{"neighbours of one ndrange", "func K() { for i, j := range ndrange(3, 4) { s := 0.0; for a, b := range ndrange(span(-1, 2), 2) { if i+a >= 0 && i+a < 3 { s += M[i+a][mod(j-b, 4)]*M[i][j] } }; Z[i] += s } }", 0},
	{"an inner loop as long as the outer index", "func K() { for i := range 6 { s := X[i]; for a := range serial(3) { for b := range serial(a) { s *= X[(i+a+2*b)%6] } }; Y[i] = s } }", 0},
	{"a loop that constants end", "func K() { for i := range 6 { s := X[i]; for d := range serial(5) { if d == 3 { break }; s *= X[(i+d)%6] }; Y[i] = s } }", 0},
	{"a loop over updates", "func K() { for i := range 6 { for d := range serial(3) { Y[i] += X[(i+d)%6]*X[i]*f64(d) } } }", 0},
	{"a loop beside a stencil", "func K() { for i := range 6 { s := X[i]; for range serial(2) { s = sin(s) }; Y[i] = s*X[(i+1)%6] } }", 0},
	{"a loop within a condition", "func K() { for i := range 6 { s := X[i]; if s > 0 { for d := range serial(3) { s += X[(i+d)%6]*s } }; Y[i] = s } }", 0},
	{"a loop without iterations", "func K() { for i := range 6 { s := X[i]; for d := range serial(0) { s += X[(i+d)%6] }; Y[i] = s*X[(i+1)%6] } }", 0},
	{"distances in a table of the loop", "func K() { for i := range 6 { s, d := X[i], 1; for k := range serial(3) { s += X[(i+d)%6]*f64(k); d = 3 - d }; Y[i] = s*s } }", 0},
	{"weights", "func K() { for i := range 6 { s := 0.0; for d := range serial(3) { s += X[(i+d)%6]*M[1][d] }; Y[i] = s*s } }", 0},
	{"unsigned distances", "func K() { for i := range u32(6) { s := 0.0; for d := range serial(u32(3)) { s += X[(i+d)%6]*X[i] }; Y[i] = s } }", 0},
	{"read again in a loop over neighbours", "func K() { for i := range 5 { Y[i+1] = X[i]*X[i+1]; s := 0.0; for d := range serial(2) { if d == 1 { s += Y[i+d] }; s += X[i+d] }; Z[i] = s*s } }", 0},
	{"read again in a loop over neighbours, across the border", "func K() { for i := range 6 { Y[(i+1)%6] = X[i]*X[(i+1)%6]; s := 0.0; for d := range serial(2) { if d == 1 { s += Y[(i+d)%6] }; s += X[(i+d)%6] }; Z[i] = s*s } }", 0},
	{"read again in a loop over neighbours, across a border by a condition", "func K() { for i := range 6 { Y[ifelse(i+1 >= 6, 0, i+1)] = X[i]*X[(i+1)%6]; s := 0.0; for d := range serial(2) { if d == 1 { s += Y[ifelse(i+d >= 6, 0, i+d)] }; s += X[(i+d)%6] }; Z[i] = s*s } }", 0},
	{"two stencils of loops", "func K() { for i := range 6 { s := 0.0; for d := range serial(2) { s += X[(i+d)%6]*X[i] }; Y[i] = s }; for i := range 6 { s := 0.0; for d := range N[i] { s += X[(i+d)%6]*X[i] }; Z[i] = s } }", 1},

	// Serial loops that stay, and what is just short enough.
	{"many operations", "func K() { for i := range 6 { s := 0.0; for d := range serial(2) { s += X[(i+d)%6]; " + strings.Repeat("s = s*0.5 + 0.25; ", 370) + "}; Y[i] = -s } }", 0},
	{"too many operations", "func K() { for i := range 6 { s := 0.0; for d := range serial(2) { s += X[(i+d)%6]; " + strings.Repeat("s = s*0.5 + 0.25; ", 370) + "}; Y[i] = s*0.5 } }", 1},
	{"a loop that data ends", "func K() { for i := range 6 { s := 1.0; for d := range serial(5) { if s > 1.5 { break }; s += X[(i+d)%6]*X[i] }; Y[i] = s } }", 1},
	{"a loop whose length is data", "func K() { for i := range 6 { s := 0.0; for d := range N[i] { s += X[(i+d)%6]*X[i] }; Y[i] = s } }", 1},
	{"one loop of two whose length is data", "func K() { for i := range 6 { s := 0.0; for d := range serial(3) { s += X[(i+d)%6]*X[i] }; for range N[i] { s = sin(s) }; Y[i] = s } }", 1},
	{"a loop with the most iterations", "func K() { for i := range 6 { s := 0.0; for d := range serial(32) { s += X[(i+d)%6] }; Y[i] = s*s } }", 0},
	{"too long a loop", "func K() { for i := range 6 { s := 0.0; for d := range serial(33) { s += X[(i+d)%6] }; Y[i] = s*s } }", 1},
	{"a counter with the most iterations", "func K() { for i := range 6 { s := 0.0; for d := 0; d < 32; d++ { s += X[(i+d)%6] }; Y[i] = s*s } }", 0},
	{"a counter of one more", "func K() { for i := range 6 { s := 0.0; for d := 0; d < 33; d++ { s += X[(i+d)%6] }; Y[i] = s*s } }", 1},
	{"a loop that constants end after the most iterations", "func K() { for i := range 6 { s := 0.0; for d := range serial(40) { if d == 32 { break }; s += X[(i+d)%6] }; Y[i] = s*s } }", 0},
	{"a loop that constants end after one more", "func K() { for i := range 6 { s := 0.0; for d := range serial(40) { if d == 33 { break }; s += X[(i+d)%6] }; Y[i] = s*s } }", 1},
	{"a costly branch of a loop", "func K() { for i := range 6 { s := X[i]; for d := range serial(2) { if N[i] >= 0 { s = sin(sin(sin(sin(s)))) }; s *= X[(i+d)%6] }; Y[i] = s } }", 1},
	{"a loop that gains nothing", "func K() { for i := range 6 { s := X[i]; for d := range serial(3) { s += X[N[d]] }; Y[i] = s*s } }", 1},
	{"a loop that returns old values", "func K() { for i := range 6 { s := X[i]; for d := range serial(2) { k := atomicAdd(&N[0], 1); s *= X[(i+d)%6]*f64(k+1) }; Y[i] = s } }", 1},

	// What is in the way of a gather.
	{"a loop beside", "func K() { for i := range 6 { Y[i] = X[i]*X[(i+1)%6]; for k := range N[i] { Z[i] += f64(k)*X[i] } } }", 1},
	{"a loop in a branch", "func K() { for i := range 6 { if N[i] > 0 { for k := range N[i] { Z[i] += X[(i+k)%6] } }; Y[i] = X[i]*X[(i+1)%6] } }", 2},
	{"an array beside", "func K() { for i := range 6 { var a [2]f64; a[N[i]%2] = X[i]; Y[i] = a[1]*X[(i+1)%6] } }", 1},
	{"a maximum beside", "func K() { for i := range 6 { Z[0] = max(Z[0], X[i]*X[i]); Y[i] = X[i]*X[(i+1)%6] } }", 1},
	{"a long iteration", "func K() { for i := range 6 { y := X[i]; " + strings.Repeat("y = y*0.5 + 0.25; ", 300) + "Y[i] = y + X[(i+1)%6] + X[(i+2)%6] + X[(i+3)%6] + X[(i+4)%6] + X[(i+5)%6] } }", 0},
	{"too long an iteration", "func K() { for i := range 6 { y := X[i]; " + strings.Repeat("y = y*0.5 + 0.25; ", 350) + "Y[i] = y + X[(i+1)%6] + X[(i+2)%6] + X[(i+3)%6] + X[(i+4)%6] + X[(i+5)%6] } }", 5},
	{"a costly iteration", "func K() { for i := range 6 { y := X[i]; " + strings.Repeat("y = sin(y); ", 3) + "Y[i] = y*X[(i+1)%6] } }", 0},
	{"too costly an iteration", "func K() { for i := range 6 { y := X[i]; " + strings.Repeat("y = sin(y); ", 4) + "Y[i] = y*X[(i+1)%6] } }", 1},
	{"a costly iteration, and the element itself by a remainder", "func K() { for i := range 6 { y := X[i]; " + strings.Repeat("y = sin(y); ", 3) + "Y[i] = y*X[(i+1)%6] + X[(i+6)%6] } }", 0},
	{"too costly an iteration under a condition", "func K() { for i := range 6 { if N[i] >= 0 { y := X[i]; " + strings.Repeat("y = sin(y); ", 4) + "Y[i] = y*X[(i+1)%6] } } }", 1},
	{"too costly a branch", "func K() { for i := range 6 { y := X[i]; if N[i] >= 0 { " + strings.Repeat("y = sin(y); ", 4) + "}; Y[i] = y*X[(i+1)%6] } }", 1},
	{"a costly part of quotients", "func K() { for i := range 6 { w, y := f64(N[i]+2), X[(i+1)%6]; " + strings.Repeat("y = y/w; ", 25) + "Y[i] = y + X[i] } }", 1},
	{"a costly condition", "func K() { for i := range 6 { c, y := Z[i], X[(i+1)%6]; " + strings.Repeat("c = sin(c); ", 7) + "if c > 0.5 { y *= 2 }; Y[i] = y + X[i] } }", 1},
	{"a costly part behind a condition", "func K() { for i := range 6 { y := X[(i+1)%6]; if N[i] > 0 { y *= 2 }; " + strings.Repeat("y = sin(y); ", 4) + "Y[i] = y + X[i] } }", 1},
	{"a costly part that derivatives do not go through", "func K() { for i := range 6 { y := X[(i+1)%6]; c := y; " + strings.Repeat("c = sin(c); ", 10) + "if c > 2 { assert(false, \"large\") }; Y[i] = y*X[i] } }", 0},
	{"a costly part beside a gather", "func K() { for i := range 6 { y := X[i]; " + strings.Repeat("y = sin(y); ", 10) + "Y[i] = y + X[(i+1)%6] } }", 1},
	{"a costly part that is no neighbour's", "func K() { for i := range 6 { y := Z[i]; " + strings.Repeat("y = sin(y); ", 10) + "Y[i] = y + X[(i+1)%6]*X[i] } }", 0},
	{"a sum that a later loop changes", "func K() { s := f64(0); for i := range X { s += X[i] }; for i := range X { Y[i] = s*X[i]*X[(i+1)%6] }; for i := range X { s += X[i]*X[i] }; L += s*s }", 0},
	{"accumulated", "func K() { for i := range span(1, 5) { Y[i-1] += X[i]*X[i+1]; Y[i+1] -= X[i-1] } }", 0},
}

// TestGather sees that the way back through a stencil is right, and that atomics are left where they have to be.
func TestGather(t *testing.T) {
	for _, c := range stencils {
		t.Run(c.name, func(t *testing.T) {
			k := lowered(t, fromX(c.source))
			back, err := adjoint(t, k)
			if err != nil {
				t.Fatal(err)
			}
			x := []float64{0.3, 0.7, -0.4, 1.1, 0.9, -0.8}
			compare(t, k, back, x, rand.New(rand.NewPCG(1, 1)))
			autodiff.DropLoads(back)
			atomics := 0
			ir.Visit(back.Body, func(o *ir.Op) bool {
				if o.Code == ir.OpAtomic && o.Args[0].Def.Field != nil && !isOwn(o) {
					atomics++
				}
				return true
			})
			if atomics != c.atomics {
				t.Errorf("the way back has %d atomics and not %d\n%s", atomics, c.atomics, back)
			}
		})
	}
}

// fromX lets a kernel that reads M compute it from X first, since only derivatives by X are compared.
func fromX(source string) string {
	if !strings.Contains(source, "M[") {
		return source
	}
	return strings.Replace(source, "func K() {", "func K() { for i, j := range M { M[i][j] = X[i]*(X[j]+0.3) };", 1)
}

// TestSlices sees that the number of a slice is brought into the field, unless the launch has loaded from that slice for certain.
func TestSlices(t *testing.T) {
	for _, c := range []struct {
		source string
		limits int // one of the range of each axis, one of the slice
	}{
		{"func K(r int) { for j := range 4 { Y[j] = M[r][j]*M[r][(j+1)%4] } }", 1},
		{"func K(r int) { for j := range 4 { if N[j] > 0 { Y[j] = M[r][j]*M[r][(j+1)%4] } } }", 2},
		{"func K(r int) { for j := range 4 { if j > r + 9 { continue }; Y[j] = M[r][j]*M[r][(j+1)%4] } }", 2},
		{"func K(r int) { for j := range 4 { if r < 3 { Y[j] = M[r][j]*M[r][(j+1)%4] }; Z[j] = M[r][j] } }", 1},
		{"func K(r int) { for j := range 4 { y := M[r][j]; if r > 5 { y = M[r][(j+1)%4] }; Y[j] = y*y } }", 1},
		{"func K(r int) { for j := range N[3] { Y[j] = M[r][j]*M[r][j+1] } }", 2},
		{"func K(r, n int) { for j := range n { Y[j] = M[r-4][j]*M[r-4][j+1] } }", 2},
		{"func K(r, n int) { for j := range span(n, 0) { Y[j] = M[r-4][j]*M[r-4][j+1] } }", 2},
		{"func K(r int) { for j := range span(2, 2) { Y[j] = M[r-4][j]*M[r-4][j+1] } }", 2},
		{"func K() { r := N[2]; for j := range 4 { Y[j] = M[r][j]*M[r][(j+1)%4] } }", 2},
		{"func K(r int) { for i, j := range ndrange(3, 3) { L += T[r][i][j]*T[r][(i+1)%3][j] } }", 2},
		{"func K(r, n int) { for i, j := range ndrange(3, n) { L += T[r-4][i][j]*T[r-4][(i+1)%3][j] } }", 3},
	} {
		t.Run(c.source, func(t *testing.T) {
			k := lowered(t, fromX(c.source))
			back, err := adjoint(t, k)
			if err != nil {
				t.Fatal(err)
			}
			if limits := count(back, ir.OpMin); limits != c.limits {
				t.Errorf("%d limits, want %d\n%s", limits, c.limits, back)
			}
			compare(t, k, back, []float64{0.3, 0.7, -0.4, 1.1, 0.9, -0.8}, rand.New(rand.NewPCG(1, 1)))
		})
	}
}

// TestGatherOrder sees that the way back through vectors is the same each time.
func TestGatherOrder(t *testing.T) {
	k := lowered(t, "func K() { for i := range 6 { Y[i] = dot(V[i], V[(i+1)%6])*V[(i+5)%6].y } }")
	want := ""
	for range 20 {
		back, err := adjoint(t, k)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = back.String()
		}
		if back.String() != want {
			t.Fatalf("first\n%s, then\n%s", want, back)
		}
	}
}

// TestGatherSparse sees that loops over active cells gather where the loop and the adjoint are sparse and of one size, and no others.
func TestGatherSparse(t *testing.T) {
	for _, c := range []struct {
		source, sparse  string
		atomics, checks int
	}{
		{"func K() { for i := range Y { Y[i] = X[(i+1)%6] + 2*X[i] } }", "X Y X.grad", 0, 2},
		{"func K() { for i := range Y { Y[i] = X[(i+1)%6] + 2*X[i] } }", "Y X.grad", 0, 2},
		{"func K() { for i := range Y { Y[i] = X[(i+1)%6] + 2*X[i] } }", "X Y", 2, 0},
		{"func K() { for i := range Y { Y[i] = X[(i+1)%6] + 2*X[i] } }", "X X.grad", 2, 2},
		{"func K() { for i := range Y { Y[i] = X[(i+1)%6] + 2*X[i] } }", "Y", 2, 0},
		{"func K() { for i := range 6 { Y[i] = X[(i+1)%6] + 2*X[i] } }", "X Y X.grad", 2, 2},
		{"func K() { for i := range Y { Y[i] = M[1][i%4] } }", "M Y M.grad", 1, 1},
	} {
		k := lowered(t, c.source)
		grad := adjointsOf(k)
		for f, g := range grad {
			for _, x := range []*ir.Field{f, g} {
				x.Sparse = slices.Contains(strings.Fields(c.sparse), x.Name)
			}
		}
		back, err := autodiff.Reverse(k, grad, autodiff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n, m := count(back, ir.OpAtomic), count(back, ir.OpIsActive); n != c.atomics || m != c.checks {
			t.Errorf("%s, of which %s are sparse: %d atomics and %d questions, want %d and %d\n%s", c.source, c.sparse, n, m, c.atomics, c.checks, back)
		}
		gathers := false // only elements of active cells are stored to
		for _, o := range back.Body.Ops {
			gathers = gathers || o.Code == ir.OpFieldFor && o.Field.Name == "X.grad"
		}
		if want := c.atomics == 0; gathers != want {
			t.Errorf("%s, of which %s are sparse: loops over active elements of the adjoint %v, and not %v\n%s", c.source, c.sparse, gathers, want, back)
		}
	}
}

// TestNoGather sees that a switch leaves all to atomics.
func TestNoGather(t *testing.T) {
	k := lowered(t, stencils[0].source)
	back, err := adjointIn(t, k, manner{without: option.Gather})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(back, ir.OpAtomic); n != 3 {
		t.Errorf("%d atomics, want those of 3 loads\n%s", n, back)
	}
}

// isOwn reports whether an atomic is on the element of the iteration, which later passes find out too.
func isOwn(o *ir.Op) bool {
	for _, a := range o.Args[0].Def.Args {
		if a.Def != nil && a.Def.Code != ir.OpConst {
			return false
		}
	}
	return true
}

// TestChecks sees that the way back leaves out an index check only where nothing from memory decides about the access.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		source  string
		checked bool
	}{
		{"func K(t int) { for i := range X { Y[i] = X[(i+t)%6]*X[i] } }", false},
		{"func K(t int) { for i := range X { if i+t < 6 { Y[i] = X[i+t]*X[i] } } }", false},
		{"func K(n int) { for i := range n { Y[i] = X[i]*X[i] } }", false},
		{"func K(n int) { for i := range X { for k := range n { Y[i] += X[k]*X[i] } } }", false},
		{"func K(t int) { for i := range X { k := i; if t > 2 { k = 5 - i }; Y[i] = X[k]*X[i] } }", false},
		{"func K() { for i := range X { y := X[(i+1)%6]; if i+2 < 6 { y *= X[i+2] }; Y[i] = y } }", false},
		{"func K() { for i := range X { k := 0; for range 3 { Y[i] += X[k%6]*X[i]; k = N[i] } } }", true},
		{"func K() { for i := range X { k := i; if N[i] > 2 { k = 5 - i }; Y[i] = X[k]*X[i] } }", true},
		{"func K() { for i := range X { Y[i] = X[N[i]]*X[i] } }", true},
		{"func K() { for i := range X { if N[i] > 2 { Y[i] = X[i+2]*X[i] } } }", true},
		{"func K() { for i := range X { if X[i] > 0.1 { Y[i] = X[i+2]*X[i] } } }", true},
		{"func K() { for i := range N[0] { Y[i] = X[i]*X[i] } }", true},
		{"func K() { for i := range X { for k := range N[i] { Y[i] += X[k]*X[i] } } }", true},
		{"func K() { for i := range X { k := 0; for k*k < N[i] { Y[i] += X[i+2]*X[i]; k++ } } }", true},
		{"func K(t f64) { for i := range X { if t > 0.1 { Y[i] = X[i+2]*X[i] } } }", true},
		{"func K() { for i := range X { k := 0; for k*k < N[i] { k++ }; Y[i] = X[k]*X[i] } }", true},
	} {
		k := lowered(t, c.source)
		back, err := adjoint(t, k)
		if err != nil {
			t.Fatal(err)
		}
		checked := false
		ir.Visit(back.Body, func(o *ir.Op) bool {
			checked = checked || o.Code == ir.OpPtr && !o.Flags.Has(ir.InBounds) && (o.Field.Name == "X" || o.Field.Name == "X.grad")
			return true
		})
		if checked != c.checked {
			t.Errorf("%s: checks %v, and not %v\n%s", c.source, checked, c.checked, back)
		}
	}
}
