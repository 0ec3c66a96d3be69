package check

import (
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib"
	"github.com/gotaichi/ti/internal/typed"
)

// Each function of the maths library is a builtin, which has its name.
func TestLibraryCodes(t *testing.T) {
	found := map[ir.Code]typed.Fn{}
	for _, fn := range typed.Fns() {
		if code := libraryCode(fn); code != ir.BadCode {
			found[code] = fn
		}
	}
	for _, code := range ir.Codes() {
		if _, ok := found[code]; ok != mathlib.Has(code, ir.Scalar(ir.F64)) {
			t.Errorf("%s of the maths library is a builtin: %v", code, ok)
		}
	}
}
