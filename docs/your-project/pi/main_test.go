package main

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// Random numbers follow from key and place, so that every machine gives the same.
func TestPi(t *testing.T) {
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		var out strings.Builder
		if err := run(ti.Config{Arch: arch}, 5000, &out); err != nil || out.String() != "π is about 3.179\n" {
			t.Errorf("%v: it prints %q, error %v", arch, &out, err)
		}
	}
}
