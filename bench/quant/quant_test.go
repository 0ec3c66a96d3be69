package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
)

// TestCases has packed and plain cases, small ones, compute the same.
func TestCases(t *testing.T) {
	t.Setenv("TI_OPT", "0") // which compiles faster
	tiny := size{1 << 12, 100, 13, -1}
	packed, plain := casesOf(tiny, true), casesOf(tiny, false)
	for i, c := range packed {
		var checks [2]float64
		for k, start := range []func(*ti.Runtime) (*suite.Trial, error){c.Start, plain[i].Start} {
			rt, err := ti.New(ti.Config{})
			if err != nil {
				t.Fatal(err)
			}
			trial, err := start(rt)
			if err != nil {
				t.Fatal(err)
			}
			if err := trial.Launch(); err != nil {
				t.Fatal(err)
			}
			if checks[k], err = trial.Check(); err != nil {
				t.Fatal(err)
			}
			if err := rt.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if checks[0] != checks[1] || checks[0] == 0 {
			t.Errorf("%s: the packed case gives %v, the plain one %v", c.Name, checks[0], checks[1])
		}
		if c.Expect != nil && c.Expect() != checks[0] {
			t.Errorf("%s: %v, not %v", c.Name, checks[0], c.Expect())
		}
		if targets[c.Name] == "" {
			t.Errorf("%s has no target", c.Name)
		}
	}
}

// TestDocument writes the table into a document.
func TestDocument(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "benchmarks.md")
	if err := os.WriteFile(path, []byte("before\n<!-- from go run ./bench/quant -->\nold\n<!-- end -->\nafter\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	rows := []*suite.Row{{Name: "halves", MedianUs: 2000, Beside: map[string]suite.Beside{"plain": {MedianUs: 4000, Ratio: 2}}}}
	if err := document(dir, rows); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "| halves | 2.00 | 4.00 | - | - | - | - | - | 0.50 | 1.0 |") {
		t.Errorf("%v\n%s", err, text)
	}
}
