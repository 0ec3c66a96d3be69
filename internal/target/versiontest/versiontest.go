// Package versiontest tests that a compiler whose code has changed says so, by which caches know old code.
//
// In: the version that a compiler states, and a sum of what it makes of samples. Out: the verdict of a test. testdata/version.txt of the
// compiler's package has both; -update rewrites it, for another version alone.
//
// Tests: internal/codegen/wasm and internal/codegen/spirv use it (TestVersion).
package versiontest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/version.txt")

// Check fails if sum is another one than with this version before.
func Check(t *testing.T, version string, sum []byte) {
	t.Helper()
	const file = "testdata/version.txt"
	got := fmt.Sprintf("%s %x\n", version, sum)
	kept, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	switch was := string(kept); {
	case got == was:
	case strings.HasPrefix(was, version+" "):
		t.Errorf("modules differ from those of %s: raise the version in compiler.go, and run the test with -update", version)
	case !*update:
		t.Errorf("%s has another version than %s; run the test with -update", file, version)
	default:
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
