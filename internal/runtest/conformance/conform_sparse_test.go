package conformance

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Blocks behind pointers: what activates, what is visited.
//
//conform:theme sparse structures
func TestConformPointers(t *testing.T) {
	sparseRules(t, grove{trees: []string{"B=pointer(ij,8).dense(ij,4).place(X,Y)"}, decl: "var X, Y field[i32, D2]\nvar B node"}, []rule{
		{"an inactive element is zero", "X[4][6] = 2; return X[5][6] + 10*X[20][6] + X[4][6]", 2},
		{"reading activates nothing", "s := X[5][6] + 7; n := 0; for range B { n++ }; return s*10 + n", 70},
		{"reading in a loop activates nothing", "X[0][0] = 1; s := 0; for i, j := range X { s += X[i+8][j] }; n := 0; for range B { n++ }; return s*10 + n", 1},
		{"writing activates", "X[5][6] = 3; n := 0; for range B { n++ }; return n*10 + X[5][6]", 13},
		{"writing zero activates", "X[5][6] = 0; n := 0; for range B { n++ }; return n", 1},
		{"an atomic operation activates", "for i := range 100 { X[31][i%4] += 1 }; n := 0; for range B { n++ }; return n*100 + X[31][2]", 125},
		{"writing activates for all fields of the block", "X[5][6] = 3; n := 0; for range Y { n++ }; return n", 16},
		{"all of a dense block is visited", "X[5][6] = 3; n, s := 0, 0; for i, j := range X { n++; s += i*100 + j }; return s + n", 8888 + 16},
		{"a loop over nothing", "n := 7; for range X { n++ }; for range B { n++ }; return n", 7},
		{"a loop over inner cells", "X[5][6] = 1; X[31][31] = 1; s := 0; for i, j := range B { s += i*10 + j }; return s", 88},
		{"a loop with the grouped index", "X[5][6] = 1; X[31][31] = 1; s := 0; for p := range B { s += p.x*10 + p.y }; return s", 88},
		{"a serial loop follows the memory", "X[31][31] = 1; X[0][31] = 1; X[4][0] = 1; s := 0; for i, j := range serial(B) { s = s*100 + i*10 + j }; return s", 71077},
		{"a serial loop can be left", "X[31][31] = 1; X[0][31] = 1; n := 0; for range serial(B) { n++; break }; return n", 1},
		{"a loop visits what was active when it began", "X[0][0] = 1; n, m := 0, 0; for i, j := range B { n++; if i < 7 { X[4*i+4][4*j] = 1 } }; for range B { m++ }; return n*10 + m", 12},
		{"a loop over elements visits what was active when it began", "X[0][0] = 1; n, m := 0, 0; for i, j := range X { n++; X[i+4][j] = 1 }; for range X { m++ }; return n*100 + m", 1632},
		{"the next loop visits more", "X[0][0] = 1; for i, j := range B { X[4*i+4][4*j] = 1 }; for i, j := range B { X[4*i+8][4*j] = 1 }; n := 0; for range B { n++ }; return n", 4},
		{"activate", "activate(B, 1, 2); n, s := 0, 0; for i, j := range B { n++; s += i*10 + j }; return n*100 + s", 112},
		{"activate with a vector", "activate(B, ivec2(1, 2)); s := 0; for i, j := range B { s += i*10 + j }; return s", 12},
		{"activate by a field stands for its node", "activate(X, 5, 6); n := 0; for range X { n++ }; return n + X[5][6]", 16},
		{"activate what is active changes nothing", "X[5][6] = 3; activate(B, 1, 1); activate(B, 1, 1); n := 0; for range B { n++ }; return n*10 + X[5][6]", 13},
		{"isActive", "X[5][6] = 3; n := 0; if isActive(B, 1, 1) { n += 1 }; if isActive(B, 1, 0) { n += 10 }; return n", 1},
		{"isActive of a field", "X[5][6] = 3; n := 0; if isActive(X, 4, 7) { n += 1 }; if isActive(Y, 5, 6) { n += 10 }; if isActive(X, 8, 6) { n += 100 }; return n", 11},
		{"isActive activates nothing", "n := 0; if isActive(X, 8, 6) { n += 100 }; for range B { n++ }; return n + 3", 3},
		{"active from the write on, not before", "n := 0; for i := range 2 { for k := range 3 { if isActive(X, 4*i, k) { n++ }; X[4*i][k] = 1 } }; return n", 4},
		{"a loop fills a block", "for i := range 3 { for j, k := range ndrange(4, 4) { X[4*i+j][8+k] = 10*j + k } }; n, s := 0, 0; for range B { n++ }; for p := range X { s += X[p] }; return n*1000 + s", 3792},
		{"deactivate", "X[5][6] = 3; X[20][6] = 4; for i, j := range B { if i == 1 { deactivate(B, i, j) } }; n := 0; for range B { n++ }; return n*100 + X[5][6]*10 + X[20][6]", 104},
		{"deactivate takes effect when the loop has ended", "X[5][6] = 3; n := 0; for p := range B { deactivate(B, p); if isActive(B, p) { n += X[5][6] } }; m := 0; for range B { m++ }; return n*10 + m", 30},
		{"deactivate twice", "X[5][6] = 3; X[20][6] = 4; for p := range X { deactivate(B, rescaleIndex(X, B, p)) }; n := 5; for range B { n++ }; return n", 5},
		{"deactivate what is inactive", "X[5][6] = 3; for i := range 8 { deactivate(B, i, 7) }; return X[5][6]", 3},
		{"a cell that is active again is zero", "X[5][6] = 3; Y[5][7] = 4; for p := range B { deactivate(B, p) }; X[5][5] = 1; return X[5][6]*100 + Y[5][7]*10 + X[5][5]", 1},
		{"activated and deactivated in one loop", "for i := range 8 { activate(B, i, i); deactivate(B, i, i) }; n := 4; for range B { n++ }; return n", 4},
		{"rescaleIndex to a node", "q := rescaleIndex(X, B, ivec2(13, 6)); return q.x*10 + q.y", 31},
		{"rescaleIndex from a node", "q := rescaleIndex(B, X, ivec2(3, 1)); return q.x*100 + q.y", 1204},
		{"neighbours in blocks that are not there", "X[4][4] = 5; X[8][8] = 6; s := 0; for i, j := range X { s += X[i-1][j] + X[i][j-1] }; n := 0; for range B { n++ }; return s*10 + n", 222},
		{"neighbours in blocks that are there", "X[7][4] = 5; X[8][4] = 6; for i, j := range X { Y[i][j] = X[i-1][j] }; return Y[8][4]*100 + Y[9][4]*10 + Y[7][4]", 560},
		{"an element of the loop's own cell", "X[5][6] = 3; for p := range X { Y[p] = 2 * X[p]; X[p] += 1 }; return X[5][6]*100 + Y[5][6]*10 + X[4][4]", 461},
		{"a range of elements is of the domain", "n := 0; for i, j := range ndrange(X.shape) { if isActive(X, i, j) { n += 1000 }; n += 1 }; return n", 1024},
		{"many threads activate one cell", "for i := range 4000 { X[i%4][i/4%4] += 1 }; n, s := 0, 0; for range B { n++ }; for p := range X { s += X[p] }; return n*10000 + s", 14000},
		{"a cell for each iteration", "for i := range 64 { X[i/8*4][i%8*4] = i }; n, s := 0, 0; for range B { n++ }; for p := range X { s += X[p] }; return n*10000 + s", 642016},
	})
}

// Several levels, and bits that say which cells are active.
//
//conform:theme sparse structures
func TestConformSparseLevels(t *testing.T) {
	const decl = "var X field[i32, D2]\nvar A, B, C node"
	const count = "a, b, c, x := 0, 0, 0, 0; for range A { a++ }; for range B { b++ }; for range C { c++ }; for range X { x++ }; return a*1000 + b*100 + c*10 + x"
	sparseRules(t, grove{trees: []string{"A=pointer(ij,2).B=pointer(ij,4).C=bitmasked(ij,2).dense(ij,2).place(X)"}, decl: decl}, []rule{
		{"writing activates all of the path", "X[9][9] = 1; " + count, 1114},
		{"writing beside it shares the path", "X[9][9] = 1; X[8][10] = 1; X[12][8] = 1; " + count, 1242},
		{"activating below what is inactive activates the path", "activate(C, 3, 3); " + count, 1114},
		{"activating a node activates nothing below", "activate(A, 1, 1); " + count, 1000},
		{"deactivating takes all below with it", "X[9][9] = 1; X[31][31] = 1; for p := range A { if p.x == 0 { deactivate(A, p) } }; " + count, 1114},
		{"what was below is not there when a node is active again", "X[9][9] = 1; for p := range A { deactivate(A, p) }; activate(A, 0, 0); " + count, 1000},
		{"deactivating leaves what is above", "X[9][9] = 1; for p := range B { deactivate(B, p) }; " + count, 1000},
		{"a bit can be cleared by itself", "X[9][9] = 1; X[8][10] = 2; for i, j := range C { if j == 4 { deactivate(C, i, j) } }; return X[9][9]*10 + X[8][10]", 2},
		{"what has no bit is zero", "X[9][9] = 1; for p := range C { deactivate(C, p) }; X[8][8] = 5; return X[9][9]*10 + X[8][8]", 5},
		{"rescaleIndex over several levels", "q := rescaleIndex(X, A, ivec2(17, 3)); p := rescaleIndex(C, B, ivec2(15, 5)); return q.x*1000 + q.y*100 + p.x*10 + p.y", 1072},
		{"loops of all levels have their own indices", "X[9][20] = 1; a, b, c := 0, 0, 0; for i, j := range A { a += i*10 + j }; for i, j := range B { b += i*10 + j }; for i, j := range C { c += i*10 + j }; return a*10000 + b*100 + c", 1*10000 + 25*100 + 50},
	})
	sparseRules(t, grove{trees: []string{"bitmasked(ij,10,7).place(X)"}, decl: "var X field[i32, D2]"}, []rule{
		{"a bit for each element", "X[3][4] = 1; X[9][6] = 2; X[0][0] = 0; n, s := 0, 0; for i, j := range X { n++; s += i*10 + j }; return n*1000 + s", 3130},
		{"what a loop sets it does not visit", "X[0][0] = 1; n, m := 0, 0; for i, j := range X { n++; if j < 6 { X[i][j+1] = 1 } }; for range X { m++ }; return n*10 + m", 12},
		{"what a loop clears it visits", "for i := range 10 { X[i][3] = i }; n, m := 0, 0; for i, j := range X { n++; deactivate(X, 9-i, j) }; for range X { m++ }; return n*10 + m + X[5][3]", 100},
		{"rows of bits that are all set", "for i, j := range ndrange(10, 7) { X[i][j] = i + j }; s := 0; for p := range X { s += X[p] }; return s", 525},
		{"many threads set bits of one word", "for i := range 700 { X[i%10][i/10%7] += 1 }; n, s := 0, 0; for p := range X { n++; s += X[p] }; return n*1000 + s", 70700},
		{"a bit that is set again has zero below", "X[3][4] = 9; for p := range X { deactivate(X, p) }; activate(X, 3, 4); n := 0; for range X { n++ }; return n*10 + X[3][4]", 10},
	})
}

// One source on dense and on sparse data.
//
//conform:theme sparse structures
func TestConformOneSource(t *testing.T) {
	decl := "var X field[i32, D2]\nvar B node"
	// Blocks of which all is zero are given up; the others, and what is read of both, are the same everywhere.
	prune := "for i, j := range ndrange(16, 16) { if i >= 8 || i == j { X[i][j] = i*16 + j } }; " +
		"for p := range X { if p.x < 8 { X[p] = 0 } }; for p := range B { if p.x < 2 { deactivate(B, p) } }; activate(B, 0, 1); X[1][1] += 3; " +
		"s := 0; for p := range X { s += X[p] }; return s + X[0][0] + X[1][1]"
	ask := "n := 0; if static(X.sparse) { n += 100 }; if static(X.list || B.list) { n += 10 }; if static(X.bounded && B.bounded) { n++ }; if static(B.sparse) { n += 1000 }; return n"
	for _, c := range []struct {
		tree string
		is   int
	}{
		{"B=dense(ij,4).dense(ij,4).place(X)", 1},
		{"B=pointer(ij,4).dense(ij,4).place(X)", 1101},
		{"B=bitmasked(ij,4).dense(ij,4).place(X)", 1101},
		{"B=hash(ij).dense(ij,4).place(X)", 1100},
		{"B=pointer(ij,4).bitmasked(ij,4).place(X)", 1101},
	} {
		sparseRules(t, grove{trees: []string{c.tree}, decl: decl}, []rule{
			{"zero blocks are given up", prune, 24518},
			{"what a node is", ask, c.is},
			{"a dense cell stays as it is", "X[5][5] = 7; for p := range B { if static(!B.sparse) { deactivate(B, p) } }; for range 1 { activate(B, 1, 1) }; return X[5][5]", 7},
			{"a dense cell is always active", "n := 0; for i, j := range ndrange(4, 4) { if isActive(B, i, j) { n++ } }; if static(B.sparse) { n += 16 }; return n", 16},
		})
	}
	sparseRules(t, grove{trees: []string{"C=dense(i,8).dynamic(j,100).place(L)"}, decl: "var L field[i32, D2]\nvar C node"}, []rule{
		{"what a list is", "n := 0; if static(L.list) { n += 10 }; if static(L.sparse) { n++ }; if static(C.list) { n += 1000 }; if static(C.sparse) { n += 100 }; return n", 11},
	})
}

// Lists: append, len, clear, loops over their elements.
//
//conform:theme sparse structures
func TestConformLists(t *testing.T) {
	sparseRules(t, grove{trees: []string{"C=pointer(i,8).dynamic(j,100).chunk(4).place(L)"}, decl: "var L field[i32, D2]\nvar C node"}, []rule{
		{"append gives the index", "a := append(L[2], 7); b := append(L[2], 8); return a*1000 + b*100 + L[2][0]*10 + L[2][1]", 178},
		{"append activates the cell", "append(L[2], 7); n := 0; for i := range C { n += i }; return n", 2},
		{"len", "append(L[2], 7); append(L[2], 8); append(L[3], 8); return len(L[2])*10 + len(L[3])", 21},
		{"len of a list that is not there", "n := len(L[5]); for range C { n++ }; return n + 6", 6},
		{"a loop over the elements", "for i := range 10 { append(L[i%2], i) }; s, n := 0, 0; for i, j := range L { s += L[i][j]; n++ }; return n*100 + s", 1045},
		{"a loop over the elements knows the list", "append(L[6], 1); append(L[6], 1); append(L[7], 1); s := 0; for i, j := range L { s += i*10 + j }; return s", 191},
		{"every append has an index of its own", "for i := range 90 { append(L[3], i) }; s := 0; for i, j := range L { s += L[i][j] }; return len(L[3])*10000 + s", 904005},
		{"append to a list that is full", "n := 0; for i := range 105 { if append(L[0], i) < 0 { n++ } }; return n*1000 + len(L[0])", 5100},
		{"clear", "append(L[1], 7); append(L[1], 8); clear(L[1]); n := 0; for range L { n++ }; return n*10 + len(L[1]) + L[1][0]", 0},
		{"append after clear", "append(L[1], 7); append(L[1], 8); clear(L[1]); k := append(L[1], 5); return k*1000 + len(L[1])*100 + L[1][0]*10 + L[1][1]", 150},
		{"clear leaves other lists", "append(L[1], 7); append(L[2], 8); clear(L[1]); return len(L[1])*10 + len(L[2])", 1},
		{"resize", "for i := range serial(9) { append(L[1], i + 1) }; resize(L[1], 6); n := 0; for i, j := range L { n += L[i][j] }; return n*10 + len(L[1])", 216},
		{"what resize takes is zero", "for i := range serial(9) { append(L[1], i + 1) }; resize(L[1], 5); L[1][8] = 7; n := 0; for i, j := range L { n += L[i][j] }; return n*10 + len(L[1])", 229},
		{"append after resize", "for i := range serial(9) { append(L[1], i + 1) }; resize(L[1], 7); k := append(L[1], 3); return k*100 + L[1][6]*10 + L[1][7]", 773},
		{"resize to the length", "append(L[1], 7); append(L[1], 8); resize(L[1], len(L[1])); resize(L[5], 0); return len(L[1])*10 + L[1][1]", 28},
		{"resize to nothing", "append(L[1], 7); append(L[1], 8); resize(L[1], 0); L[1][1] = 2; return len(L[1])*10 + L[1][0]", 20},
		{"resize leaves other lists", "append(L[1], 7); append(L[2], 8); resize(L[1], 0); return len(L[1])*10 + len(L[2])", 1},
		{"resize to lengths of other types", "for i := range serial(9) { append(L[1], i + 1) }; resize(L[1], u8(6)); a := len(L[1]); resize(L[1], i64(3)); return a*10 + len(L[1])", 63},
		{"resize in parallel", "for i, _ := range ndrange(7, 50) { append(L[i], 1) }; for i := range C { resize(L[i], i * 3) }; s := 0; for i, j := range L { s += L[i][j] * (j + 1) }; return s", 441},
		{"resizing a list in each iteration", "for k := range serial(5) { L[4][7] = k + 1; resize(L[4], 4 + k); L[4][k]++ }; s := 0; for i, j := range serial(L) { s = s*10 + L[i][j] }; return s % 100000000", 11111005},
		{"reading an element that resize took", "i := len(L[5]) + 6; p := &L[4][i]; *p = 5; L[4][2] = 3; q := &L[4][2]; resize(L[4], i - 1); return *p*100 + *q*10 + len(L[4])", 35},
		{"writing an element makes the list as long", "L[4][9] = 5; n := 0; for range L { n++ }; return len(L[4])*100 + n*10 + L[4][9] + L[4][3]", 1105},
		{"writing within the list", "append(L[4], 1); append(L[4], 2); L[4][0] = 6; return len(L[4])*100 + L[4][0]*10 + L[4][1]", 262},
		{"writing an element of a list that was emptied", "i := len(L[5]) + 2; p := &L[4][i]; *p = 5; clear(L[4]); *p += 6; return len(L[4])*10 + *p", 36},
		{"emptying a list in each iteration", "i := len(L[5]) + 2; for k := range serial(3) { L[4][k] = k; clear(L[4]); L[4][i] = 6 + k }; return len(L[4])*10 + L[4][2]", 38},
		{"emptying a list under a condition", "i := len(L[5]) + 2; p := &L[4][i]; *p = 5; if i == 2 { clear(L[4]) }; *p += 1; return len(L[4])*10 + *p", 31},
		{"reading an element before it is made", "i := len(L[5]) + 9; p := &L[4][i]; s := *p; *p = 5; return s*10 + *p", 5},
		{"reading an element that a condition makes", "i := len(L[5]) + 9; p := &L[4][i]; s := *p; if s == 0 { *p = 5 }; return s*10 + *p", 5},
		{"reading an element that the iteration before has made", "i := len(L[5]) + 9; p := &L[4][i]; s := *p; for k := range serial(3) { s = s*10 + *p; *p = k + 1 }; return s*10 + *p", 123},
		{"an element beyond the list is zero", "append(L[4], 1); s := L[4][50]; return s*10 + len(L[4])", 1},
		{"what a loop appends it does not visit", "append(L[0], 1); n := 0; for i, j := range L { n += L[i][j]; append(L[i], 2) }; return n*10 + len(L[0])", 12},
		{"a serial loop in order", "for i := range serial(5) { append(L[0], i) }; s := 0; for i, j := range serial(L) { s = s*10 + L[i][j] }; return s + 10000", 11234},
		{"deactivating the cell empties the list", "append(L[1], 7); append(L[2], 8); deactivate(C, 1); for range 1 { activate(C, 1) }; return len(L[1])*10 + len(L[2]) + L[1][0]", 1},
		{"an element as a target", "append(L[1], 7); L[1][0] += 3; L[1][0] *= 2; return L[1][0]", 20},
	})
	sparseRules(t, grove{trees: []string{"dynamic(i,50).place(S)", "H=hash(i).dynamic(j,10).chunk(3).place(L)"}, decl: "var S field[i32, D1]\nvar L field[i32, D2]\nvar H node"}, []rule{
		{"a list without cells above", "append(S, 5); append(S, 6); s := 0; for i := range S { s += S[i] * (i + 1) }; return len(S)*100 + s", 217},
		{"lists in a table", "append(L[-5], 3); append(L[70000], 4); append(L[-5], 5); s := 0; for i, j := range L { s += i + j + L[i][j] }; return s - 70000 + len(L[-5])*1000", 2003},
		{"loops over the cells with lists", "append(L[-5], 3); append(L[7], 4); n := 0; for i := range H { n += len(L[i]) * i }; return n", 2},
	})
}

// Cells in a table, whose coordinates have no bounds.
//
//conform:theme sparse structures
func TestConformHash(t *testing.T) {
	sparseRules(t, grove{trees: []string{"H=hash(ij).dense(ij,4).place(X)"}, decl: "var X field[i32, D2]\nvar H node"}, []rule{
		{"negative indices", "X[-100][-7] = 3; return X[-100][-7]*10 + X[-100][-8] + X[100][7]", 30},
		{"far indices", "X[1000000][-2000000] = 5; X[-1000000][2000000] = 6; return X[1000000][-2000000]*10 + X[-1000000][2000000]", 56},
		{"a cell left of zero", "X[-1][-1] = 1; s := 0; for i, j := range H { s += i*10 + j }; return s", -11},
		{"elements left of zero", "X[-1][-1] = 1; n, s := 0, 0; for i, j := range X { n++; s += i*10 + j }; return n*1000 + s", 16000 - 440},
		{"reading enters nothing", "s := X[5][5]; for range H { s++ }; return s + 4", 4},
		{"writing in a cell again enters nothing", "X[5][5] = 1; X[4][7] = 2; n := 0; for range H { n++ }; return n*10 + X[5][5] + X[4][7]", 13},
		{"a table that grows", "for i := range 1000 { X[i*37-5000][i*i%777] = 1 }; n := 0; for p := range X { n += X[p] }; return n", 1000},
		{"deactivate", "X[-5][5] = 1; X[50][5] = 2; for i, j := range H { if i < 0 { deactivate(H, i, j) } }; n := 0; for range H { n++ }; return n*100 + X[-5][5]*10 + X[50][5]", 102},
		{"a cell that is active again is zero", "X[-5][5] = 7; for p := range H { deactivate(H, p) }; X[-5][6] = 1; return X[-5][5]*10 + X[-5][6]", 1},
		{"isActive", "X[-5][5] = 7; n := 0; if isActive(X, -8, 4) { n += 1 }; if isActive(X, -9, 4) { n += 10 }; if isActive(H, -2, 1) { n += 100 }; return n", 101},
		{"neighbours in other cells", "X[-1][0] = 5; X[0][0] = 6; s := 0; for i, j := range X { if X[i-1][j] == 5 { s += X[i][j] } }; return s", 6},
		{"rescaleIndex rounds down", "q := rescaleIndex(X, H, ivec2(-1, 7)); return q.x*10 + q.y", -9},
	})
}

// Several children, structures of arrays, origins, orders, sizes.
//
//conform:theme sparse structures
func TestConformSparseLayouts(t *testing.T) {
	sparseRules(t, grove{trees: []string{"B=pointer(i,8).{dense(j,4).place(X); bitmasked(j,6).place(Y); dynamic(k,50).place(L)}"}, decl: "var X, Y field[i32, D2]\nvar L field[i32, D2]\nvar B node"}, []rule{
		{"children are allocated together", "X[2][1] = 1; n, m, l := 0, 0, 0; for range X { n++ }; for range Y { m++ }; for range L { l++ }; return n*100 + m*10 + l", 400},
		{"any child activates the cell", "append(L[3], 5); Y[3][2] = 1; Y[4][0] = 1; n, m := 0, 0; for range B { n++ }; for range X { m++ }; return n*10 + m", 28},
		{"all children are deactivated", "X[2][1] = 1; append(L[2], 5); Y[2][3] = 7; for p := range B { deactivate(B, p) }; X[2][0] = 4; return X[2][1]*1000 + Y[2][3]*100 + len(L[2])*10 + X[2][0]", 4},
		{"children of other extents", "X[7][3] = 1; Y[7][5] = 2; s := 0; for i, j := range Y { s += i*10 + j }; return s", 75},
	})
	type item struct {
		N int32
		P ti.Vec2
	}
	for _, tree := range []struct{ name, text string }{
		{"array of structures", "B=pointer(ij,4).dense(ij,4).place(Q)"},
		{"structure of arrays", "B=pointer(ij,4).{dense(ij,4).place(Q.N); dense(ij,4).morton().place(Q.P)}"},
		{"members in trees of their own", "B=pointer(ij,4).dense(ij,4).place(Q.N)"},
	} {
		g := grove{trees: []string{tree.text}, decl: "type Item struct { N i32; P vec2 }\nvar Q field[Item, D2]\nvar B node", elems: map[string]reflect.Type{"Q": reflect.TypeFor[item]()}}
		if tree.name == "members in trees of their own" {
			g.trees = append(g.trees, "dense(ij,16).place(Q.P)")
		}
		t.Run(tree.name, func(t *testing.T) {
			sparseRules(t, g, []rule{
				{"members of structs", "Q[5][6].N = 3; Q[5][6].P = vec2(1, 2); Q[5][6].P.y += 4; s := 0; for p := range Q { s += Q[p].N }; return s*100 + i32(Q[5][6].P.x*10 + Q[5][6].P.y)", 316},
				{"a whole struct", "Q[5][6] = Item{7, vec2(1, 2)}; e := Q[5][6]; z := Q[9][9]; return e.N*100 + i32(e.P.x*10+e.P.y) + z.N", 712},
			})
		})
	}
	sparseRules(t, grove{trees: []string{"B=pointer(ij,4).morton().dense(ij,4).morton().place(X)", "C=pointer(ijk,3,5,2).dense(ijk,3,1,7).place(Z)"}, decl: "var X field[i32, D2]\nvar Z field[i32, D3]\nvar B, C node"}, []rule{
		{"Z-order", "for i, j := range ndrange(16, 16) { if (i+j)%3 == 0 { X[i][j] = i*16 + j } }; s, n := 0, 0; for i, j := range X { n++; if X[i][j] != 0 { s += X[i][j] - i*16 - j + 1 } }; return n*1000 + s", 256084 + 1},
		{"a serial loop in Z-order", "for i, j := range ndrange(8, 8) { X[i][j] = 1 }; s := 0; for i, j := range serial(B) { s = s*100 + i*10 + j }; return s", 11011},
		{"three axes, sizes that are no powers of two", "Z[8][4][13] = 1; n, s := 0, 0; for p := range Z { n++; s += p.x*100 + p.y*10 + p.z }; return n*100000 + s", 21*100000 + 100*7*21 + 40*21 + 10*21},
		{"inner cells of three axes", "Z[8][4][13] = 1; s := 0; for p := range C { s += p.x*100 + p.y*10 + p.z }; return s", 241},
	})
	sparseRules(t, grove{trees: []string{"origin(ij,-16,-8).B=pointer(ij,8).dense(ij,4).place(X)"}, decl: "var X field[i32, D2]\nvar B node"}, []rule{
		{"the lowest index", "X[-16][-8] = 5; s := 0; for i, j := range B { s += i*10 + j }; return s*10 + X[-16][-8]", -42*10 + 5},
		{"elements count from the origin", "X[-1][0] = 5; s := 0; for i, j := range X { s += i*10 + j }; return s", -40*10 + 1*0 + 24},
		{"rescaleIndex below zero", "q := rescaleIndex(X, B, ivec2(-1, -5)); return q.x*10 + q.y", -12},
		{"activate below zero", "activate(B, -4, 5); s := 0; for i, j := range X { s += i*10 + j }; return s", -2320 + 344},
	})
	sparseRules(t, grove{trees: []string{"origin(ij,-64).B=pointer(ij,8).{dense(ij,16).place(X); dynamic(k,64).place(L); dense(ij,4).place(C)}"},
		decl: "var X, C field[i32, D2]\nvar L field[i32, D3]\nvar B node"}, []rule{
		{"an origin counts the finest cells", "activate(B, -4, 3); s := 0; for i, j := range X { s += i*100 + j }; return s", -1432192},
		{"a list begins with the indices of its block", "append(L[-4][3], 7); append(L[-4][3], 8); s := 0; for p := range L { s += p.x*100 + p.y*10 + p.z*L[p] }; return s + len(L[-4][3])", -730},
		{"coarser elements begin with coarser indices", "activate(B, 3, -4); s := 0; for i, j := range C { s += i*100 + j }; return s", 21368},
		{"rescaleIndex from a grid to a list", "p := rescaleIndex(X, L, ivec2(-1, -64)); q := rescaleIndex(X, L, ivec2(63, 16)); return p.x*1000 + p.y*100 + q.x*10 + q.y + p.z", -1369},
		{"rescaleIndex from a list to a grid", "p := rescaleIndex(L, X, ivec2(-4, 3)); q := rescaleIndex(L, X, ivec3(-1, 2, 5)); return p.x*1000 + p.y*100 + q.x + q.y", -64*1000 + 4800 + 16},
		{"rescaleIndex between coarse and fine elements", "p := rescaleIndex(X, C, ivec2(-1, 5)); q := rescaleIndex(C, X, p); r := rescaleIndex(C, B, ivec2(-16, -1)); return p.x*1000 + p.y*100 + q.x*10 + q.y + r.x*10000 + r.y", -40937},
		{"particles of a grid in the lists of its blocks", "for i, j := range ndrange(span(-64, 64), span(-8, 8)) { if (i+j)%16 == 0 { X[i][j] = 1 } }; for p := range X { if X[p] != 0 { append(L[rescaleIndex(X, L, p).xy], X[p]) } }; n, s := 0, 0; for p := range B { n++; s += len(L[p])*(p.x+5) + L[p.x][p.y][0] }; return n*10000 + s", 160592},
	})
}

// What the host sees of sparse structures.
//
//conform:theme sparse structures
func TestConformSparseHost(t *testing.T) {
	type sim struct {
		X    ti.Field[int32]
		B    *ti.Node
		Put  func(i, j int32) error
		Drop func() error
		Sum  func() (int32, error)
	}
	check := func(f func(r *runtest.Run, tree *ti.Tree, s *sim)) func(r *runtest.Run) {
		return func(r *runtest.Run) {
			s := &sim{}
			tree := r.RT.NewTree()
			r.Trees = append(r.Trees, tree)
			s.B = tree.Pointer(ti.IJ, 8)
			s.B.Dense(ti.IJ, 4).Place(&s.X)
			r.Load(`package p
var X field[i32, D2]
var B node
func Put(i, j i32) { X[i][j] = i*100 + j }
func Drop() { for p := range B { deactivate(B, p) } }
func Sum() i32 { s := 0; for p := range X { s += X[p] }; return s }
`, s)
			f(r, tree, s)
		}
	}
	hostRules(t, []hostRule{
		{"what kernels activate", check(func(r *runtest.Run, _ *ti.Tree, s *sim) {
			runtest.OK(r, s.Put(5, 6))
			runtest.Eq(r, "Count", s.B.Count(), 1)
			runtest.Eq(r, "Active", s.B.Active(1, 1), true)
			runtest.Eq(r, "Active beside it", s.B.Active(1, 2), false)
			runtest.Eq(r, "the elements of All", len(slices.Collect(keys(&s.X))), 16)
			runtest.Eq(r, "an element", s.X.At(5, 6), 506)
		})},
		{"what the host activates", check(func(r *runtest.Run, _ *ti.Tree, s *sim) {
			s.X.Set(7, 31, 31)
			n, err := s.Sum()
			runtest.OK(r, err)
			runtest.Eq(r, "the sum", n, 7)
		})},
		{"reading from the host activates nothing", check(func(r *runtest.Run, _ *ti.Tree, s *sim) {
			runtest.Eq(r, "an element", s.X.At(9, 9), 0)
			runtest.Eq(r, "Count", s.B.Count(), 0)
		})},
		{"an index outside of the domain", check(func(r *runtest.Run, _ *ti.Tree, s *sim) {
			if err := s.Put(32, 0); !errors.Is(err, ti.ErrRange) {
				r.Errorf("it gives the error %v", err)
			}
			runtest.Eq(r, "Count", s.B.Count(), 0)
		})},
		{"Clear", check(func(r *runtest.Run, _ *ti.Tree, s *sim) {
			runtest.OK(r, s.Put(5, 6))
			s.B.Clear()
			n, err := s.Sum()
			runtest.OK(r, err)
			runtest.Eq(r, "Count and sum", []int{s.B.Count(), int(n)}, []int{0, 0})
		})},
		{"memory is used again", check(func(r *runtest.Run, tree *ti.Tree, s *sim) {
			most := int64(0)
			for i := range int32(200) {
				runtest.OK(r, s.Put(i%32, i/7%32))
				runtest.OK(r, s.Drop())
				if i == 20 {
					most = tree.Bytes()
				}
			}
			if got := tree.Bytes(); got > most {
				r.Errorf("%d bytes are in use, and %d were before", got, most)
			}
		})},
	})
}

// keys are the indices of the active elements.
func keys(f *ti.Field[int32]) func(yield func(ti.Index) bool) {
	return func(yield func(ti.Index) bool) {
		for idx := range f.All() {
			if !yield(idx) {
				return
			}
		}
	}
}
