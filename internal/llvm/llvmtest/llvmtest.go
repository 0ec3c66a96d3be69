// Package llvmtest gives tests the libLLVM of this machine.
//
// In: a test. Out: the library. A test that needs one is left out where kernels are tested on another target because there is none:
// where the environment says so (TI_INSTEAD), as ti test does. Elsewhere it fails.
//
// Tests: internal/mathlib uses it (TestNative).
package llvmtest

import (
	"os"
	"testing"

	"github.com/gotaichi/ti/internal/llvm"
)

// Library returns the default library.
func Library(tb testing.TB) *llvm.Lib {
	tb.Helper()
	lib, err := llvm.Default()
	if err == nil {
		return lib
	}
	if target := os.Getenv("TI_INSTEAD"); target != "" {
		tb.Skipf("there is no libLLVM, and tests run on the target %s: %v", target, err)
	}
	tb.Fatal(err)
	return nil
}
