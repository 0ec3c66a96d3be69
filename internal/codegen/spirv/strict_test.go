package spirv

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// TestStrict: a module says of which floats it computes under strict maths, and no other module does.
func TestStrict(t *testing.T) {
	for _, c := range []struct {
		sample string
		strict bool
		want   string
	}{
		{"%10 = sqrt %6 : f32", true, "[f32]"}, {"%10 = sqrt %6 : f32", false, "[]"}, {"%10 = add %6, %6 : f32", true, "[f32]"},
		{"%20 = convert %6 : f64\n%21 = div %20, %20 : f64\n%10 = convert %21 : f32", true, "[f32 f64]"},
	} {
		words, err := Module(sampled(t, c.sample, "i32 [0, 10)"), nil, c.strict)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(Strict(words)); got != c.want {
			t.Errorf("%s, strict: %t: of %s, want %s", c.sample, c.strict, got, c.want)
		}
		if calls := strings.Count(disassemble(words), "OpFunctionCall"); (calls > 0) != (c.strict && !strings.Contains(c.sample, "add")) {
			t.Errorf("%s, strict: %t: there are %d calls", c.sample, c.strict, calls)
		}
	}
}

// TestWithModes: modes are added with their capabilities, once each, and the rest of a module stays as it is.
func TestWithModes(t *testing.T) {
	words, err := Probe(ir.F64)
	if err != nil {
		t.Fatal(err)
	}
	if got := WithModes(words, nil); !slices.Equal(got, words) {
		t.Error("without modes the module differs")
	}
	got := WithModes(words, []FloatMode{{KeepSubnormals, 32}, {KeepSubnormals, 64}, {RoundToNearest, 32}})
	text := disassemble(got)
	for want, n := range map[string]int{"DenormPreserve 32": 1, "DenormPreserve 64": 1, "RoundingModeRTE 32": 1, "OpCapability": len(Capabilities(words)) + 2} {
		if strings.Count(text, want) != n {
			t.Errorf("%q is not there %d times in\n%s", want, n, text)
		}
	}
	if len(got) != len(words)+2*2+3*4 {
		t.Errorf("it has %d words, and had %d", len(got), len(words))
	}
}
