package lower

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// The code of decompositions grows with the entries of a matrix, and not with the products of two matrices: libLLVM
// takes far longer for a block of thousands of ops than for loops.
func TestDecompositionSize(t *testing.T) {
	for name, call := range map[string]string{
		"svd":    "u, s, v := svd(a); B[0] = u + v; B[0][0] += s",
		"symEig": "w, q := symEig(a); B[0] = q; B[0][0] += w",
		"polar":  "r, s := polar(a); B[0] = r + s",
		"qr":     "q, r := qr(a); B[0] = q + r",
	} {
		size := func(n string) int {
			src := strings.ReplaceAll("package p\nvar A, B field[[N][N]f32, D1]\nfunc F() { a := A[0]; "+call+" }", "N", n)
			prog, err := source(src, "A 4\nB 4")
			if err != nil {
				t.Fatal(err)
			}
			k := Kernel(&prog.Program, prog.Kernel("F"), Options{})
			if err := ir.Verify(k); err != nil {
				t.Fatal(err)
			}
			return k.Body.Size()
		}
		few, many := size("6"), size("12")
		if many > 4*few {
			t.Errorf("%s: for matrices of 6 rows there are %d ops, for those of 12 there are %d", name, few, many)
		}
	}
}
