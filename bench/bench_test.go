package main

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// TestChecks runs every case once and compares its checksum.
func TestChecks(t *testing.T) {
	for i := range benchmarks {
		b := &benchmarks[i]
		t.Run(b.Name, func(t *testing.T) {
			rt, err := ti.New(ti.Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer rt.Close()
			trial, err := b.Start(rt)
			if err != nil {
				t.Fatal(err)
			}
			if err := trial.Launch(); err != nil {
				t.Fatal(err)
			}
			got, err := trial.Check()
			if err != nil {
				t.Fatal(err)
			}
			if err := suite.Disagree(got, b.Want, b.Tol); err != nil {
				t.Error(err)
			}
		})
	}
}
