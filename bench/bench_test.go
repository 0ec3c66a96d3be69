package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// TestChecks runs every case once and compares its checksum.
func TestChecks(t *testing.T) {
	for i := range benchmarks {
		b := &benchmarks[i]
		t.Run(b.Name, func(t *testing.T) {
			if randtest.All() || randtest.Turn(b.Name)%8 == 0 { // it compiles everything three times
				t.Setenv("TI_VERIFY_TASKS", "1") // the code of a task must not depend on the others
			}
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

// TestCalls looks at what calls from Go cost that do next to nothing: they allocate nothing. Their time has some room
// here, since tests run beside others; -startup compares it with the limits.
func TestCalls(t *testing.T) {
	const room = 10
	shared := titest.Shares(titest.New(t, ti.Config{}))
	unlimited := func(name string) bool { // a separate device starts a goroutine for a launch, and maps memory for At
		return !shared && (name == "allocs" || name == "at")
	}
	for _, c := range startupCases {
		if c.unit != "" && c.unit != "ns" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := startupChild(c.name, 1, &out); err != nil {
				t.Fatal(err)
			}
			var s sampled
			if err := json.Unmarshal(out.Bytes(), &s); err != nil || s.Value > room*c.limit && !unlimited(c.name) {
				t.Errorf("%s: %g %s, limit %g (%v)", c.what, s.Value, c.unit, c.limit, err)
			}
		})
	}
}
