package llvm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/target"
)

// loneText is a task that stores two numbers of an element, so many bytes apart, and loads two that lie side by side and one that
// does not.
func loneText(property string, apart int) string {
	return fmt.Sprintf(`kernel Lone() {
	int i32
	field @X [f32] [4096]
	field @Y [f32] [4096]
	bases [0 1]
	frame 0 done -1
	task 0 "for i := range X" loop 1 i32 [1, 100) %s {
		prologue {
			%%0 = base 0 : ptr
			%%1 = base 1 : ptr
			%%2 = const 80 : i64
			%%3 = const 4 : i64
			%%4 = const 40 : i64
			%%5 = const %d : i64
			yield
		}
		body(%%6: i32) {
			%%7 = convert %%6 : i64
			%%8 = mul.nowrap %%7, %%2 : i64
			%%9 = offset %%0, %%8 : ptr
			%%10 = load %%9 : f32 alias 1
			%%11 = offset %%9, %%3 : ptr
			%%12 = load %%11 : f32 alias 1
			%%13 = offset %%9, %%4 : ptr
			%%14 = load %%13 : f32 alias 1
			%%15 = add %%10, %%12 : f32
			%%16 = mul %%15, %%14 : f32
			%%17 = offset %%1, %%8 : ptr
			store %%17, %%15 alias 2
			%%18 = offset %%17, %%5 : ptr
			store %%18, %%16 alias 2
			continue
		}
		epilogue {
			yield
		}
	}
}
`, property, apart)
}

// TestLoneLoads counts the loads that LLVM is to leave alone: the one that is beside no other, in a strided task that stores numbers
// side by side.
func TestLoneLoads(t *testing.T) {
	for _, c := range []struct {
		name, property string
		apart, want    int
	}{
		{"a strided task", "strided independent", 4, 1},
		{"stores apart", "strided independent", 16, 0},
		{"no strided task", "independent", 4, 0},
	} {
		text := sources(t, parse(t, loneText(c.property, c.apart)), Options{Traits: target.Traits{VectorBits: 512, Has: target.CPU}})[0].Text
		if got := strings.Count(text, "load atomic float"); got != c.want {
			t.Errorf("%s: %d lone loads, want %d in\n%s", c.name, got, c.want, text)
		}
	}
}
