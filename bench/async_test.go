package main

import (
	"testing"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// TestAsync runs the cases async/… in batches, one by one, and merged by hand: the checksums are the same.
func TestAsync(t *testing.T) {
	for name, cases := range map[string][]suite.Case{
		"batches": asyncCases(batchSize, false),
		"sync":    asyncCases(1, false),
		"merged":  asyncCases(1, true),
	} {
		t.Run(name, func(t *testing.T) {
			for i := range cases {
				b := &cases[i]
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
		})
	}
}

// TestTakeVariants: names of variants are no names of programs.
func TestTakeVariants(t *testing.T) {
	variants, others := takeVariants("merged,limits,sync")
	if len(variants) != 2 || variants[0].Name() != "merged" || variants[1].Name() != "sync" || others != "limits" {
		t.Errorf("got %v and %q", variants, others)
	}
	if variants, others := takeVariants(""); variants != nil || others != "" {
		t.Errorf("no names give %v and %q", variants, others)
	}
}

// TestAsyncSelected: the cases async/… run only if -run asks for them.
func TestAsyncSelected(t *testing.T) {
	var o options
	if n := len(o.cases()); n != len(benchmarks) {
		t.Errorf("%d cases run without -run, want %d", n, len(benchmarks))
	}
	o.Run = "async/"
	if n := len(o.cases()); n != len(benchmarks)+len(async)+len(applications) {
		t.Errorf("-run selects from %d cases, want %d", n, len(benchmarks)+len(async)+len(applications))
	}
}
