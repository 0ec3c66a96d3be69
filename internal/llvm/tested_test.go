package llvm

import (
	"strings"
	"testing"
)

func TestStanding(t *testing.T) {
	newest := tested[len(tested)-1].Version
	for v, want := range map[Version]string{
		newest:                          "tested with this version: x86-64-v2",
		{newest.Major, 99, 1}:           "tested with version " + newest.String() + ", not with this one",
		{newest.Major + 50, 1, 0}:       "no test was run with version",
		{tested[0].Version.Major, 0, 0}: "tested with this version",
	} {
		if got := v.Standing(); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %s", v, got)
		}
	}
	last := 0
	for _, v := range TestedVersions() {
		if v.Version.Major < MinMajor || v.Version.Major <= last || len(v.Processors) == 0 {
			t.Errorf("%+v stands after version %d", v, last)
		}
		last = v.Version.Major
	}
}
