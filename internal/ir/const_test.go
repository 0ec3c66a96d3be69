package ir_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

func TestHalf(t *testing.T) {
	for h := range uint64(1 << 16) {
		v := ir.FloatValue(ir.F16, h)
		if v != v {
			continue
		}
		if got := ir.FloatBits(ir.F16, v); got != h {
			t.Fatalf("%#x is %v and comes back as %#x", h, v, got)
		}
	}
	for _, c := range []struct{ v, want float64 }{
		{65519.9, 65504}, {65520, math.Inf(1)}, {0x1p-25, 0}, {0x1.8p-25, 0x1p-24}, {1 + 0x1p-11, 1}, {1 + 0x1.8p-11, 1 + 0x1p-10}, {2047.5, 2048},
	} {
		if got := ir.FloatValue(ir.F16, ir.FloatBits(ir.F16, c.v)); got != c.want {
			t.Errorf("%v rounds to %v, want %v", c.v, got, c.want)
		}
	}
}

// A kernel is built with a Builder and printed.
func ExamplePrint() {
	k := &ir.Kernel{Name: "Twice", Int: ir.I32, Results: []ir.Kind{ir.I32}, Body: &ir.Block{}}
	k.Params = []*ir.Param{{Name: "n", Kind: ir.I32, Comps: 1}}
	b := ir.NewBuilder(k.Body)
	n := b.Emit(ir.NewOp(ir.OpParam, ir.Pos{}, []ir.Type{ir.Scalar(ir.I32)}))
	n.Name = "n"
	b.Return(b.Op(ir.OpMul, n, b.Int(n.Type, 2)))
	if err := ir.Verify(k); err != nil {
		fmt.Println(err)
	}
	fmt.Print(k)
	// Output:
	// kernel Twice(n: i32) i32 {
	// 	int i32
	// 	body {
	// 		%0.n = param 0 : i32
	// 		%1 = const 2 : i32
	// 		%2 = mul %0, %1 : i32
	// 		return %2
	// 	}
	// }
}
