// Package absent decides what becomes of a test that needs libLLVM on a machine where there is none.
//
// In: a test, and why there is none. Out: nothing; the test ends. It is left out where the environment has tests run on another target (TI_INSTEAD), as ti test
// does on such a machine, and fails elsewhere. It imports nothing of this project, so that the tests of package llvm can use it.
//
// Tests: internal/llvm uses it (TestCompile).
package absent

import (
	"os"
	"testing"
)

// EnvInstead is the variable that names the target which tests run on in place of libLLVM's.
const EnvInstead = "TI_INSTEAD"

// Leave ends a test, for a reason.
func Leave(tb testing.TB, why error) {
	tb.Helper()
	if target := os.Getenv(EnvInstead); target != "" {
		tb.Skipf("it needs libLLVM, which is not there, and tests run on the target %s: %v", target, why)
	}
	tb.Fatal(why)
}
