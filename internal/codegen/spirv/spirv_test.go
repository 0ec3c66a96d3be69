package spirv

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// kernel has a loop with most kinds of constructs.
const kernel = `kernel K(n: i32) {
	int i32
	bases [0]
	frame 0 done -1
	task 0 "for i := range n" loop 1 i32 [0, 10) {
		prologue {
			%0 = base 0 : ptr
			%1 = const 4 : i64
			yield
		}
		body(%2: i32) {
			%3 = convert %2 : i64
			%4 = mul %3, %1 : i64
			%5 = offset %0, %4 : ptr
			%6 = load %5 : f32
			%7 = const 0 : f32
			%8 = lt %6, %7 : bool
			%9 = if %8 : f32 {
				%10 = sqrt %6 : f32
				yield %10
			} else {
				yield %7
			}
			store %5, %9
			continue
		}
		epilogue {
			yield
		}
	}
}
`

// TestModule: each instruction has a name and its length, each id is below the bound and is defined once, and equal tasks have equal modules.
func TestModule(t *testing.T) {
	k, err := ir.Parse(kernel)
	if err != nil {
		t.Fatal(err)
	}
	words, err := Module(k.Tasks[0], nil, false)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Module(k.Tasks[0], nil, false)
	if err != nil || !slices.Equal(words, again) {
		t.Errorf("the module differs the second time, %v", err)
	}
	if words[0] != Magic || !slices.Contains(Capabilities(words), uint32(CapAddresses)) {
		t.Errorf("it begins with %x, and declares %v", words[:header], Capabilities(words))
	}
	if text := disassemble(words); strings.Contains(text, "Op \n") || strings.Contains(text, "Op\n") || !strings.Contains(text, "OpLoopMerge") || !strings.Contains(text, "OpFOrdLessThan") {
		t.Errorf("it is\n%s", text)
	}
	labels := map[uint32]bool{}
	for rest := words[header:]; len(rest) > 0; {
		n, op := int(rest[0]>>16), rest[0]&0xffff
		if n == 0 || n > len(rest) || names[op] == "" {
			t.Fatalf("instruction %d has %d words of %d, and the name %q", op, n, len(rest), names[op])
		}
		if op == opLabel {
			if id := rest[1]; labels[id] || id >= words[3] {
				t.Errorf("label %d is there twice, or beyond the bound of %d", id, words[3])
			}
			labels[rest[1]] = true
		}
		rest = rest[n:]
	}
}

// TestRefused names what has no translation, with its place.
func TestRefused(t *testing.T) {
	for change, what := range map[string]string{
		"%10 = sqrt %6 : f32":                       "",
		"%10 = rem %6, %7 : f32":                    "",
		"%10 = fma %6, %6, %7 : f32":                "fma",
		"%10 = sin %6 : f32":                        "sin",
		"record #0 %3\n\t\t\t\t%10 = sqrt %6 : f32": "",
	} {
		k, err := ir.Parse(strings.Replace(kernel, "%10 = sqrt %6 : f32", change, 1))
		if err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		_, err = Module(k.Tasks[0], nil, true)
		refused, is := errors.AsType[*target.Unsupported](err)
		if is != (what != "") || is && !strings.Contains(refused.What, what) || !is && err != nil {
			t.Errorf("%s: the error is %v, want %q", change, err, what)
		}
	}
}
