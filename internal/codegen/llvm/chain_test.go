package llvm

import (
	"fmt"
	"strings"
	"testing"
)

// chained is a kernel whose loop calls a function of steps dependent pairs of ops, and of
// others that nothing waits for, as many times as calls says.
func chained(steps, others, calls int, around string) string {
	var f, body strings.Builder
	v := 1
	fmt.Fprintf(&f, "%%%d = const 3 : u32\n", v)
	last := 0
	op := func(name string, x int) {
		v++
		fmt.Fprintf(&f, "%%%d = %s %%%d, %%1 : u32\n", v, name, x)
	}
	for range steps {
		op("add", last)
		op("xor", v)
		last = v
	}
	for range others {
		op("mul", 0)
	}
	fmt.Fprintf(&f, "return %%%d\n", last)
	for i := range calls {
		fmt.Fprintf(&body, "%%c%d = call @f %%n : u32\n%%p%d = offset %%x, %%o : ptr\nstore %%p%d, %%c%d\n", i, i, i, i)
	}
	return fmt.Sprintf(`kernel Chained() {
	int i32
	field @X [u32] [1000]
	bases [0]
	frame 0 done -1
	func @f(%%0: u32) u32 {
		%s
	}
	task 0 "loop" loop 1 i32 [0, 1000) independent {
		prologue {
			%%x = base 0 : ptr
			yield
		}
		body(%%i: i32) {
			%%n = convert %%i : u32
			%%j = convert %%i : i64
			%%four = const 4 : i64
			%%o = mul.nowrap %%j, %%four : i64
			%s
			%s
			continue
		}
		epilogue {
			yield
		}
	}
}
`, f.String(), body.String(), around)
}

func TestInterleaved(t *testing.T) {
	inner := "%lo = const 0 : i32\n%hi = const 9 : i32\n^1: for %lo, %hi { (%k: i32)\ncontinue ^1\n}\n"
	for _, c := range []struct {
		what          string
		steps, others int
		calls         int
		around        string
		want          int
	}{
		{"a chain", 16, 0, 1, "", 4},
		{"a short one", 15, 0, 1, "", 1},
		{"as many ops beside it", 16, 32, 1, "", 4},
		{"more ops beside it", 16, 33, 1, "", 1},
		{"two chains", 16, 0, 2, "", 2},
		{"many chains", 16, 0, 5, "", 1},
		{"no call", 16, 0, 0, "", 1},
		{"a loop within", 16, 0, 1, inner, 1},
		{"a large body", 16, 0, 1, strings.Repeat("%_ = add %n, %n : u32\n", 50), 1},
	} {
		text := chained(c.steps, c.others, c.calls, c.around)
		for i := range 50 {
			text = strings.Replace(text, "%_ ", fmt.Sprintf("%%many%d ", i), 1)
		}
		k := parse(t, text)
		hint := fmt.Sprintf(`!"llvm.loop.interleave.count", i32 %d`, c.want)
		if got := generate(t, k, Options{}); strings.Contains(got, hint) != (c.want > 1) || strings.Contains(got, "interleave.count") != (c.want > 1) {
			t.Errorf("%s: want %d at once:\n%s", c.what, c.want, got)
		}
	}
}
