package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
)

// All that is done with large values.
const large = `package p
type Pair struct { X [N][N-1]f32; K i32 }
var A, B field[[N][N]f32, D1]
var V field[[N*N]f32, D1]
func mixed(x, y [N][N]f32) (p, q [N][N]f32) { return y + x*2, transpose(x) }
func short(x [N][N]f32) (y [N][N-1]f32) {
	for i, j := range ndrange(N, N-1) {
		y[i][j] = x[i][j]
	}
	return
}
func F(s i32) f32 {
	t := f32(0)
	for i := range A {
		a, b := A[i], B[i]
		a += 1
		c := a * transpose(b) - hadamard(a, sin(b))
		c[s%N] = b[i%N]
		c[1], c[s%N] = c[s%N], c[1]
		p, q := mixed(c, a)
		x := Pair{X: short(p), K: s}
		y := x
		y.X[2][s%N] += q[s%N][3]
		if x == y {
			A[i] = ifelse(a < b, p, q)
		}
		A[i] += [N][N]f32{1: {2: 3}} + [N][N]f32(1) + outer(a[1], b[2]) + diag(c[3])
		u := normalize(V[i]) + random([N*N]f32)
		V[i] = reflect(u, V[i])
		t += sum(c) + dot(u, V[i]) + maxOf(abs(p)) + f32([N][N]i32(q)[1][2]) + trace(p) + determinant(a)
		svdU, svdS, svdV := svd(a)
		B[i] = svdU * diag(svdS) * transpose(svdV) + inverse(b)
	}
	return t
}
`

// The code grows with the source and not with the number of components.
func TestLargeSize(t *testing.T) {
	size := func(n int) int {
		prog, err := source(strings.ReplaceAll(large, "N", fmt.Sprint(n)), "A 4\nB 4\nV 4")
		if err != nil {
			t.Fatal(err)
		}
		k := Kernel(&prog.Program, prog.Kernel("F"), Options{Options: option.Options{MaxUnrolled: 8}})
		if err := ir.Verify(k); err != nil {
			t.Fatal(err)
		}
		return k.Body.Size()
	}
	few, many := size(11), size(256)
	if many > few+few/50 {
		t.Errorf("for matrices of 11 rows there are %d ops, for those of 256 there are %d", few, many)
	}
}

// An index out of range is reported where the place is, also if the value that is stored there was computed in a function.
func TestLargePlace(t *testing.T) {
	prog, err := source(`package p
func g(a [4]f32) (b [4]f32) {
	b = a
	return b
}
func F(k i32) f32 {
	var t [3][4]f32
	a := [4]f32{1, 2, 3, 4}
	t[k] = g(a)
	t[k] += a
	return t[0][0]
}`, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 2} {
		k := Kernel(&prog.Program, prog.Kernel("F"), Options{Options: option.Options{MaxUnrolled: n}})
		res, err := oracle.Run(t.Context(), k, &oracle.Env{Args: []uint64{7}})
		if err != nil {
			t.Fatal(err)
		}
		if f := res.Failure; f == nil || f.Pos.Line != 9 || f.Pos.Col != 4 {
			t.Errorf("taken apart up to %d components, the launch fails first at %+v", n, f)
		}
	}
}
