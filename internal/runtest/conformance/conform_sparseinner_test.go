package conformance

import "testing"

// Serial loops over sparse fields inside other loops, which pass over what is inactive.
//
//conform:theme sparse structures
func TestConformSparseInner(t *testing.T) {
	const decl = "var X field[i32, D2]"
	for _, tree := range []struct{ name, text string }{
		{"blocks", "pointer(ij,4,5).dense(ij,4,12).place(X)"},
		{"two levels", "pointer(ij,2,5).pointer(ij,2,4).dense(ij,4,3).place(X)"},
		{"bits in blocks", "pointer(ij,4,5).bitmasked(ij,4,12).place(X)"},
		{"blocks with bits", "bitmasked(ij,8,10).dense(ij,2,6).place(X)"},
		{"a table", "hash(ij,4,5).dense(ij,4,12).place(X)"},
		{"columns", "pointer(ji,5,4).dense(ji,12,4).place(X)"},
	} {
		t.Run(tree.name, func(t *testing.T) {
			sparseRules(t, grove{trees: []string{tree.text}, decl: decl}, []rule{
				{"a loop inside a loop goes row by row", "X[3][50] = 1; X[3][7] = 2; X[9][0] = 3; X[2][59] = 4; s := 0; for range 1 { c := 0; for i, j := range X { if X[i][j] > 0 { c = c*10 + X[i][j] } }; s += c }; return s", 4213},
				{"a loop inside a loop over nothing", "n := 3; for t := range 4 { c := t; for p := range X { c += 1 + p.x }; n += c }; return n", 9},
				{"it sees what it has activated before it", "X[3][0] = 1; n := 0; for range 1 { c := 0; for i, j := range X { if X[i][j] > 0 { c++; if j < 59 { X[i][j+1] = 1 } } }; n += c }; return n", 60},
				{"it sees what it has activated in the rows below", "X[0][31] = 1; n := 0; for range 1 { c := 0; for i, j := range X { if X[i][j] > 0 { c++; if i < 15 { X[i+1][59-j] = 1 } } }; n += c }; return n", 16},
				{"it has gone by what it activates behind it", "X[5][5] = 1; n := 0; for range 1 { c := 0; for i, j := range X { if X[i][j] > 0 { c++; X[i-1][j] = 1 } }; n += c }; for p := range X { n += 10 * X[p] }; return n", 21},
				{"it can be left", "for k := range 50 { X[k%16][k] = 1 }; n := 0; for t := range 3 { c := 0; for i, j := range X { if i >= 8 { break }; c += X[i][j] }; n += c * (t + 1) }; return n", 156},
				{"iterations of it can be left", "for k := range 50 { X[k%16][k] = k }; n := 0; for range 2 { c := 0; for p := range X { if X[p]%2 == 1 { continue }; c += X[p] }; n += c }; return n", 1200},
				{"it lies under a condition", "for k := range 50 { X[k%16][k] = k }; n := 0; for t := range 9 { c := 0; if t%2 == 0 { for i, j := range X { if X[i][j] > t { c += i } } }; n += c }; return n", 1735},
			})
		})
	}
}
