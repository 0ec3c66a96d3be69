package llvm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/target"
)

// rows is a kernel with a loop of so many independent iterations, on numbers of 32 bits, in each row.
const rows = `
kernel Rows() {
	int i32
	field @X [f32] [8000]
	bases [0]
	frame 0 done -1
	task 0 "rows" loop 1 i32 [0, 1000) {
		prologue {
			%%0 = base 0 : ptr
			yield
		}
		body(%%1: i32) {
			%%2 = convert %%1 : i64
			%%3 = const 32 : i64
			%%4 = mul.nowrap %%2, %%3 : i64
			%%5 = offset %%0, %%4 : ptr
			%%6 = const 4 : i64
			%%lo = const 0 : i64
			%%hi = const %d : i64
			^1: for.independent %%lo, %%hi { (%%7: i64)
				%%8 = mul.nowrap %%7, %%6 : i64
				%%9 = offset %%5, %%8 : ptr
				%%10 = load %%9 : f32 alias 1
				%%11 = add %%10, %%10 : f32
				store %%9, %%11 alias 1
				continue ^1
			}
			continue
		}
		epilogue {
			yield
		}
	}
}
`

// TestVectorWidth checks that no vector is asked for that is wider than its loop is long: LLVM would make none.
func TestVectorWidth(t *testing.T) {
	for _, c := range []struct{ iterations, want int }{{100, 16}, {16, 16}, {15, 8}, {8, 8}, {7, 4}, {2, 2}, {1, 1}} {
		k := parse(t, fmt.Sprintf(rows, c.iterations))
		text := generate(t, k, Options{Traits: target.Traits{VectorBits: 512}})
		if hint := fmt.Sprintf(`!"llvm.loop.vectorize.width", i32 %d}`, c.want); !strings.Contains(text, hint) {
			t.Errorf("%d iterations: no %s in\n%s", c.iterations, hint, text)
		}
	}
}
