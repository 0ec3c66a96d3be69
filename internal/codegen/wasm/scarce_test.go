package wasm

import (
	"regexp"
	"testing"
)

// TestNothingMiscompiled: modules have no instruction of which wazero makes several, between which it may lose a register; see scarce.go.
func TestNothingMiscompiled(t *testing.T) {
	wrong := regexp.MustCompile(`v128\.bitselect|i8x16\.shuffle|i64x2\.mul\b|f(32|64)\.copysign|f(32|64)\.convert_i64_u|f64x2\.convert_low_i32x4_u|i32x4\.trunc_sat_(f32x4_u|f64x2)|i\d+x\d+\.(ne|[gl]t_u)|i64x2\.[lg]e_s`)
	for _, m := range sampleModules(t) {
		text := disassemble(m)
		if at := wrong.FindString(text); at != "" {
			t.Errorf("a module has %s:\n%s", at, text)
		}
	}
}
