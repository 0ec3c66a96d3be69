// Package titest has what tests share that use package ti as programs do: runtimes that end with the test, runs on each
// architecture, targets that only tests have, and what the packages below ti let tests see of a runtime.
//
// In: a test and a [ti.Config]. Out: a runtime, or subtests with one runtime each.
//
// These hold in a test binary that this package is linked into:
//
//   - No code comes from the cache on disk, except in tests of the cache, which name a folder.
//   - An error of the compiler ends a launch; see package randtest.
//
// Tests: package ti, internal/gradient and internal/store are some of those that use it.
package titest

import (
	"os"

	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
)

// Most of these tests are about the compiler, which code from the cache would hide.
func init() {
	_ = os.Setenv("TI_CACHE", "off")
}
