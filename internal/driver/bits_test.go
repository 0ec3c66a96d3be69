package driver_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/typed"
)

// bitKernels are loops over arrays of single bits, X, Y and H, of which H has other words; P and N are plain, Q is
// sparse, and the words of T have tiles. Each has what is said of it when it must run on words, nothing if it can.
var bitKernels = []struct{ loop, why string }{
	{"for i, j := range X {\n\t\tY[i][j] = X[i][j] ^ X[i][(j+1)%64]\n\t}", ""},
	{"for i, j := range X {\n\t\tif X[i][j] == 1 {\n\t\t\tsum += 1\n\t\t}\n\t}", ""},
	{"for i, j := range ndrange(span(1, 63), span(1, 63)) {\n\t\tn := X[i-1][j] + X[i+1][j] + X[i][j-1] + X[i][j+1]\n\t\tY[i][j] = ifelse(n > N[i], 1, 0)\n\t}", ""},
	{"for i, j := range X {\n\t\tY[i][j] = X[i][63-j]\n\t}", "an index of X is not the loop's plus a constant"},
	{"for i, j := range X {\n\t\tY[i][j] = X[j][i]\n\t}", "the loop's index counts elements of X that lie in different words"},
	{"for i, j := range X {\n\t\tY[i][j] = H[i][j]\n\t}", "the words of H do not hold 32 elements"},
	{"for i, j := range ndrange(63, 64) {\n\t\tX[i][j] = X[i+1][j]\n\t}", "the loop writes to X, at other elements than those of its own index or beside reading others"},
	{"for i, j := range X {\n\t\tP[i][j] = X[i][j]\n\t}", "P, accessed by the loop's index, is no array of single bits"},
	{"for i, j := range T {\n\t\tT[i][j] ^= 1\n\t}", "the bit array of T is along two axes"},
	{"for i, j := range X {\n\t\tX[i][j] = T[i][j]\n\t}", "the bit array of T is along two axes"},
	{"for i, j := range X {\n\t\tX[i][j] |= T[0][0]\n\t}", ""},
	{"for i, j := range P {\n\t\tX[i][P[i][j]] |= 1\n\t}", "an index of X is not the loop's plus a constant"},
	{"for i, j := range Q {\n\t\tX[i][j] = 1\n\t}", "the loop is over Q, which is sparse and has its cells elsewhere"},
	{"for i, j := range X {\n\t\tif X[i][j] == 1 {\n\t\t\tY[i][j] = N[i]\n\t\t}\n\t}", "N is read under a condition"},
	{"for i, j := range X {\n\t\tX[i][j] = random(i32) & 1\n\t}", "it draws random numbers"},
	{"for i, j := range X {\n\t\tfor k := range N[0] {\n\t\t\tX[i][j] ^= k\n\t\t}\n\t}", "there is a loop inside"},
	{"for i, j := range X {\n\t\tY[i][j] = i32(f32(X[i][j]) > 0.5)\n\t}", "there is a floating-point number that differs from one iteration to the next"},
	{"for i, j := range X {\n\t\tY[i][j] = i32(i64(X[i][j])<<45 > 1)\n\t}", "an integer may be large"},
	{"for i, j := range X {\n\t\tY[i][j] = i32(i64(j)*3 > 5)\n\t}", "the loop's index is used in arithmetic"},
	{"for i, j := range X {\n\t\tY[i][j] = (X[i][j] + 5) / 3\n\t}", "an operation, div, is not one of single bits and small integers"},
	{"for i, j := range P {\n\t\tP[i][j] = 1\n\t}", "it accesses no array of single bits"},
}

// bitsProgram compiles a source on the fields of bitKernels.
func bitsProgram(t *testing.T, source string) (*check.Program, driver.Layout) {
	t.Helper()
	elem, err := layout.ElemOf(reflect.TypeFor[int32]())
	if err != nil {
		t.Fatal(err)
	}
	host, lay := &check.Host{Fields: map[string]check.HostField{}}, driver.Layout{}
	must := func(errs ...error) {
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"X", "Y", "H", "P", "N", "Q", "T"} {
		f, root := layout.NewField(elem), layout.NewTree(i).Root()
		shape, sparse := []int{64, 64}, false
		switch name {
		case "P", "N":
			if name == "N" {
				shape = shape[:1]
			}
			n, err := root.Dense("ij"[:len(shape)], shape...)
			must(err, n.Place(f, 0, 1))
		case "Q":
			sparse = true
			n, err := root.Pointer("ij", 8, 8)
			must(err)
			cells, err := n.Dense("ij", 8, 8)
			must(err, cells.Place(f, 0, 1))
		case "T":
			n, err := root.Dense("ij", 16, 16)
			must(err)
			w, err := n.BitArray(16, "ij", 4, 4)
			must(err, w.Place(f, 0, 1, quant.Format{Class: quant.Int, Bits: 1, Unsigned: true}))
		default:
			bits := map[string]int{"X": 32, "Y": 32, "H": 16}[name]
			n, err := root.Dense("ij", 64, 64/bits)
			must(err)
			w, err := n.BitArray(bits, "j", bits)
			must(err, w.Place(f, 0, 1, quant.Format{Class: quant.Int, Bits: 1, Unsigned: true}))
		}
		must(f.Ready())
		h := check.HostField{Elem: typed.I32, Shape: shape, Origin: make([]int, len(shape))}
		if sparse {
			h.Sparse = true
		}
		host.Fields[name] = h
		lay[name] = driver.Place{Field: f}
	}
	return checked(t, "b.ti", "package b\n\nvar (\n\tX, Y, H, P, Q, T field[i32, D2]\n\tN field[i32]\n)\n"+source, host), lay
}

// bitKernel is a kernel with a loop of bitKernels, maybe with the hint.
func bitKernel(name, loop string, hint bool) string {
	if hint {
		head, body, _ := strings.Cut(loop, " {")
		before, over, _ := strings.Cut(head, "range ")
		loop = before + "range config(" + over + ", bitVectorize(32)) {" + body
	}
	return "\nfunc " + name + "() (sum i32) {\n\t" + loop + "\n\treturn\n}\n"
}

// TestBitVectorize has loops that must run on words by their hint do so, or say what is in the way and where.
func TestBitVectorize(t *testing.T) {
	for _, c := range bitKernels {
		p, lay := bitsProgram(t, bitKernel("F", c.loop, true))
		o := driver.TestOptions(t, 3)
		text, err := driver.Dump(&p.Program, "F", lay, o, "bits")
		switch {
		case c.why == "":
			if err != nil || !strings.Contains(text, "word @X.0 [1 32]") {
				t.Errorf("%s\nis not run on words: %v", c.loop, err)
			}
		case err == nil || !strings.Contains(err.Error(), "bitVectorize: the loop cannot run on words, because "+c.why) || !strings.Contains(err.Error(), "b.ti:"):
			t.Errorf("%s\nis refused by %v, not because %s", c.loop, err, c.why)
		}
		o.Debug = true
		if _, err := driver.Dump(&p.Program, "F", lay, o, "ir"); err != nil {
			t.Errorf("%s\nin debug mode: %v", c.loop, err)
		}
	}
}

// TestBitsGolden compares the loop on words of a small kernel with the text of testdata.
func TestBitsGolden(t *testing.T) {
	p, lay := bitsProgram(t, bitKernel("F", "for i, j := range ndrange(64, span(1, 64)) {\n\t\tY[i][j] = i32(X[i][j]+X[i][j-1] == 1)\n\t\tsum += X[i][j]\n\t}", false))
	got, err := driver.Dump(&p.Program, "F", lay, driver.TestOptions(t, 3), "bits")
	if err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "testdata/bits.ir", got)
}
