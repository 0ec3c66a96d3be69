package runtest

import "testing"

// TestDeterminism compiles programs twice.
func TestDeterminism(t *testing.T) {
	var cases []func(r *run)
	for _, p := range programs() {
		cases = append(cases, func(r *run) { p.run(r, "package p\n"+p.src) })
	}
	sameObjects(t, cases)
}
