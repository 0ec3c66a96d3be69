package vulkan_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ir"
)

// extended returns a kernel that compares integers that were extended from fewer bits with constants, and how many. The driver sees through a
// function that is not to be inlined, the passes do not.
func extended() (src string, count int) {
	var funcs, body strings.Builder
	kinds := []ir.Kind{ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64}
	for _, to := range kinds {
		fmt.Fprintf(&funcs, "//ti:noinline\nfunc plus%[1]s(x, y %[1]s) %[1]s {\n\treturn x + y\n}\n\n", to)
		for _, from := range kinds {
			for _, c := range limits(from, to) {
				fmt.Fprintf(&body, "\t\tv%[1]d, r%[1]d := %[2]s(%[3]s(X[i])), u64(0)\n", count, to, from)
				fmt.Fprintf(&body, "\t\tw%[1]d := plus%[2]s(v%[1]d, 0)\n", count, to)
				for j, op := range []string{"<", "<=", ">", ">=", "==", "!="} {
					fmt.Fprintf(&body, "\t\tif v%[1]d %[2]s %[3]d {\n\t\t\tr%[1]d |= %[4]d\n\t\t}\n\t\tif %[3]d %[2]s w%[1]d {\n\t\t\tr%[1]d |= %[5]d\n\t\t}\n", count, op, c, 1<<j, 64<<j)
				}
				fmt.Fprintf(&body, "\t\tR[%[1]d][i] = r%[1]d\n", count)
				count++
			}
		}
	}
	return "package p\n\nvar X field[u64]\nvar R field[u64, D2]\n\n" + funcs.String() + "func Run() {\n\tfor i := range X {\n" + body.String() + "\t}\n}\n", count
}

// limits are the least and the greatest number of kind from, their neighbours, and small numbers, as far as kind to has them. There are none if it is not
// the wider one.
func limits(from, to ir.Kind) (all []int64) {
	if from.Bits() >= to.Bits() {
		return nil
	}
	lo, hi := int64(0), int64(1)<<from.Bits()-1
	if from.IsSigned() {
		lo, hi = -1<<(from.Bits()-1), 1<<(from.Bits()-1)-1
	}
	all = []int64{lo - 1, lo, lo + 1, -1, 0, 1, hi - 1, hi, hi + 1}
	return slices.DeleteFunc(all, func(c int64) bool { return to.IsUnsigned() && c < 0 })
}

// TestExtended compares integers that were extended with constants, on either side of what fits into fewer bits.
func TestExtended(t *testing.T) {
	src, count := extended()
	numbers := []uint64{0, 1, 100, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<63 - 1, 1 << 63, math.MaxUint64 - 5, math.MaxUint64}
	run := func(rt *ti.Runtime) []uint64 {
		var h struct {
			X, R ti.Field[uint64]
			Run  func() error
		}
		rt.Place(ti.Shape{len(numbers)}, &h.X)
		rt.Place(ti.Shape{count, len(numbers)}, &h.R)
		must(t, rt.Load(src, &h))
		must(t, h.X.CopyFrom(numbers))
		must(t, h.Run())
		out := make([]uint64, count*len(numbers))
		must(t, h.R.CopyTo(out))
		return out
	}
	cfg := ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}}
	got := run(open(t, cfg))
	cfg.Arch = ti.Oracle
	for i, w := range run(runtime(t, cfg)) {
		if got[i] != w {
			t.Fatalf("comparison %d of %x is %b, want %b", i/len(numbers), numbers[i%len(numbers)], got[i], w)
		}
	}
}
