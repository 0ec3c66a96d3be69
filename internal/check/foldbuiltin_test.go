package check

import (
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/typed"
)

// notFolded are the elementwise builtins whose value is not known while a source is checked, with the reason.
var notFolded = map[typed.Fn]string{}

// TestBuiltinsFold folds every builtin that is elementwise: a constant of a source may be made by any of them.
func TestBuiltinsFold(t *testing.T) {
	kinds := []typed.Scalar{typed.I32, typed.U8, typed.F32, typed.F64}
	for _, fn := range typed.Fns() {
		if !fn.Info().Same {
			continue
		}
		folds := slices.ContainsFunc(kinds, func(s typed.Scalar) bool { return isElementwise(fn, s) })
		if why := notFolded[fn]; folds == (why != "") {
			t.Errorf("%v of constants is folded: %v; the reason not to: %q", fn, folds, why)
		}
	}
}
