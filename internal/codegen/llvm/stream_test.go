package llvm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/target"
)

// streamText is a kernel that computes much for each element of X.
func streamText(extent, stride, ops int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `kernel Much() {
	int i32
	field @X [f32] [%[1]d]
	field @Y [f32] [%[1]d]
	bases [0 1]
	frame 0 done -1
	task 0 "for i := range X" loop 1 i32 [0, %[1]d) {
		prologue {
			%%0 = base 0 : ptr
			%%1 = base 1 : ptr
			%%2 = const %[2]d : i64
			%%3 = const 4 : i64
			yield
		}
		body(%%4: i32) {
			%%5 = convert %%4 : i64
			%%6 = mul.nowrap %%5, %%2 : i64
			%%7 = offset %%0, %%6 : ptr
			%%8 = load %%7 : f32 alias 1
			%%9 = offset %%7, %%3 : ptr
			%%10 = load %%9 : f32 alias 1
`, extent, stride)
	last := 10
	for range ops {
		fmt.Fprintf(&b, "\t\t\t%%%d = mul.strict %%%d, %%8 : f32\n", last+1, last)
		last++
	}
	fmt.Fprintf(&b, `			%%%[1]d = offset %%1, %%6 : ptr
			store %%%[1]d, %%%[2]d alias 2
			continue
		}
		epilogue {
			yield
		}
	}
}
`, last+1, last)
	return b.String()
}

// TestStreams counts the lines that a strip asks for: those of two streams, though three places
// are accessed.
func TestStreams(t *testing.T) {
	wide := target.Traits{VectorBits: 512, Has: target.CPU}
	for _, c := range []struct {
		name                string
		extent, stride, ops int
		without             option.Switches
		traits              target.Traits
		lines               int
	}{
		{"much to compute", 10_000, 4, 100, 0, wide, 2 * 16},
		{"of elements of two numbers", 10_000, 8, 100, 0, wide, 2 * 32},
		{"of elements of a byte", 10_000, 1, 100, 0, wide, 2 * 16},
		{"of elements with too many lines", 10_000, 12, 100, 0, wide, 0},
		{"backwards", 10_000, -4, 100, 0, wide, 0},
		{"in a short row", 1000, 4, 100, 0, wide, 0},
		{"little to compute", 10_000, 4, 10, 0, wide, 0},
		{"left out", 10_000, 4, 100, option.Prefetch, wide, 0},
		{"without vectors", 10_000, 4, 100, 0, target.Traits{}, 0},
	} {
		text := sources(t, parse(t, streamText(c.extent, c.stride, c.ops)), Options{Options: option.Options{Without: c.without}, Traits: c.traits})[0].Text
		if got := strings.Count(text, "call void @llvm.prefetch"); got != c.lines {
			t.Errorf("%s: %d lines are asked for, want %d", c.name, got, c.lines)
		}
	}
	for _, l := range libraries(t) {
		text := sources(t, parse(t, streamText(10_000, 4, 100)), Options{Traits: target.Traits{Version: l.Version().Major, VectorBits: 256}})
		code, err := l.Assembly(Pipeline(3), text...)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(code, "prefetch") && !strings.Contains(code, "prfm") || strings.Contains(code, "mulss") && !strings.Contains(code, "mulps") {
			t.Errorf("%s: no prefetches, or no vectors, in\n%s", l.Version(), code)
		}
	}
}
