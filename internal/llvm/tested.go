package llvm

import (
	"fmt"
	"slices"
	"strings"
)

// A Tested is a version of libLLVM with which the tests of programs and the random ones have passed.
type Tested struct {
	Version    Version
	Processors []string // for which code was run: levels of x86-64, "arm64" under an emulator
}

// tested is kept by whoever runs them: docs/testing.md, "Processors and libraries", says how. Version 15 does not report more than
// 15.0.0.
var tested = []Tested{
	{Version{15, 0, 0}, []string{"x86-64-v2", "x86-64-v3", "x86-64-v4", "arm64"}},
	{Version{16, 0, 6}, []string{"x86-64-v2", "x86-64-v3", "x86-64-v4"}},
	{Version{19, 1, 7}, []string{"x86-64-v2", "x86-64-v3", "x86-64-v4"}},
}

// TestedVersions lists the versions with which the tests have passed, the oldest first.
func TestedVersions() []Tested { return slices.Clone(tested) }

// Standing says, for people, whether a version was tested.
func (v Version) Standing() string {
	var all []string
	for _, t := range tested {
		switch {
		case t.Version == v:
			return "tested with this version: " + strings.Join(t.Processors, ", ")
		case t.Version.Major == v.Major:
			return fmt.Sprintf("tested with version %s, not with this one", t.Version)
		}
		all = append(all, t.Version.String())
	}
	return fmt.Sprintf("no test was run with version %d; they were with %s, which %s can name", v.Major, strings.Join(all, ", "), EnvPath)
}
