package main

import (
	"testing"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// TestChecks runs every case once and compares its checksum.
func TestChecks(t *testing.T) {
	t.Setenv("TI_VERIFY_TASKS", "1") // the code of a task must not depend on the others
	for i := range benchmarks {
		b := &benchmarks[i]
		t.Run(b.Name, func(t *testing.T) {
			got, err := b.Once()
			if err != nil {
				t.Fatal(err)
			}
			if err := suite.Disagree(got, b.Want, b.Tol); err != nil {
				t.Error(err)
			}
		})
	}
}
