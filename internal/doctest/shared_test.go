package doctest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// sharers are the oracle, and what makes the kernels that it runs as it makes those that are compiled.
var sharers = []string{"internal/oracle", "internal/oracle/hostmem", "internal/check", "internal/lower", "internal/autodiff"}

// TestSharedCode looks whether docs/testing.md names each package whose code the oracle shares with the compiler, and none
// that there is not.
func TestSharedCode(t *testing.T) {
	document, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(document), "\n## What the oracle shares\n")
	if !ok {
		t.Fatal("docs/testing.md does not say what the oracle shares")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var named []string
	for _, line := range strings.Split(section, "\n") {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			for i, code := range strings.Split(cells[1], "`") {
				if i%2 == 1 {
					named = append(named, code)
				}
			}
		}
	}
	shared := map[string]bool{}
	for _, p := range sharers {
		reachable(t, p, shared)
	}
	for p := range shared {
		if !slices.Contains(named, p) {
			t.Errorf("the oracle and the compiler share %s, and docs/testing.md does not say what judges it", p)
		}
	}
	for _, p := range named {
		if _, err := os.Stat("../../" + p); err != nil {
			t.Errorf("docs/testing.md names %s, and there is no such package", p)
		}
	}
}

// reachable adds pkg and all packages of this module that it imports, also through others.
func reachable(t *testing.T, pkg string, all map[string]bool) {
	if all[pkg] {
		return
	}
	all[pkg] = true
	for _, next := range importsOf(t, pkg) {
		reachable(t, next, all)
	}
}
