package check

import (
	"os"
	"testing"
)

// BenchmarkCheck parses and checks a program that has a bit of everything.
func BenchmarkCheck(b *testing.B) {
	text, err := os.ReadFile("testdata/good/statements.ti")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, errs := checkSource("s.ti", string(text), true); errs != nil {
			b.Fatal(errs)
		}
	}
}
