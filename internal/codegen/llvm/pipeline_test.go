package llvm

import (
	"slices"
	"testing"
)

// TestPipeline looks at what each level asks of LLVM: nothing but inlining at 0, what
// comes behind late inlining at the others.
func TestPipeline(t *testing.T) {
	for level, pass := range []string{"always-inline", "default<O1>", "default<O2>", "default<O3>", "default<O3>"} {
		o := Pipeline(level)
		if !slices.Equal(o.Passes, []string{pass}) || o.NoVector != (level == 0) || (o.LatePasses == "") != (level == 0) || o.InlineLate != Late {
			t.Errorf("level %d has %+v", level, o)
		}
	}
}
