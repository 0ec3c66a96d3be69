package llvm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/llvm"
)

// seldomKernel has an if whose first region has n additions, and hands a value of each kind on.
func seldomKernel(n int, local bool) string {
	var b strings.Builder
	b.WriteString(`
kernel Seldom() {
	int i32
	field @X [f32] [64]
	field @Y [f32] [64]
	bases [0 1]
	frame 0 done -1
	task 0 "loop" loop 1 i32 [0, 64) {
		prologue {
			%0 = base 0 : ptr
			%1 = base 1 : ptr
			%2 = const 4 : i64
			%3 = const 0x1p+00 : f32
			%4 = const 60 : i32
			%5 = alloc 1 x f32 : ptr
			yield
		}
		body(%6: i32) {
			%7 = convert %6 : i64
			%8 = mul.nowrap %7, %2 : i64
			%9 = offset %0, %8 : ptr
			%10 = load %9 : f32 alias 1
			%11 = ge %6, %4 : bool
			%12, %13 = if.seldom %11 : f32, i32 {
				%14 = add %10, %3 : f32
`)
	for i := range n {
		fmt.Fprintf(&b, "				%%%d = add %%%d, %%3 : f32\n", 15+i, 14+i)
	}
	if local {
		fmt.Fprintf(&b, "				store %%5, %%%d\n", 14+n)
	}
	fmt.Fprintf(&b, "				yield %%%d, %%6\n			} else {\n				yield %%10, %%4\n			}\n", 14+n)
	fmt.Fprintf(&b, `			%%%[1]d = convert %%13 : f32
			%%%[2]d = add %%12, %%%[1]d : f32
			%%%[3]d = offset %%1, %%8 : ptr
			store %%%[3]d, %%%[2]d alias 2
			continue
		}
		epilogue {
			yield
		}
	}
}
`, 15+n, 16+n, 17+n)
	return b.String()
}

// TestAside runs code that is seldom run out of line, within the task where it is short, and where
// it has the address of a local array.
func TestAside(t *testing.T) {
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		for _, c := range []struct {
			n            int
			local, aside bool
		}{{3, false, false}, {50, false, true}, {50, true, false}} {
			k := parse(t, seldomKernel(c.n, c.local))
			text := sources(t, k, Options{})[0].Text
			if got := strings.Contains(text, "optnone"); got != c.aside {
				t.Errorf("%d ops, local %v: out of line is %v\n%s", c.n, c.local, got, text)
			}
			m := build(t, l, k, level, false)
			x, y := memory[float32](64), memory[float32](64)
			for i := range x {
				x[i] = float32(i) / 2
			}
			m.bases[0], m.bases[1] = addr(x), addr(y)
			m.run(0, 0, 64)
			for i := range y {
				want := x[i] + 60
				if i >= 60 {
					want = x[i] + float32(1+c.n) + float32(i)
				}
				if y[i] != want {
					t.Fatalf("%d ops, local %v: y[%d] is %v, want %v", c.n, c.local, i, y[i], want)
				}
			}
		}
	})
}
