package option

import (
	"strings"
	"testing"
)

// TestSwitchNames reads names.
func TestSwitchNames(t *testing.T) {
	all := strings.Join(SwitchNames(), ", ")
	if s, err := ParseSwitches(all); err != nil || s.String() != strings.ReplaceAll(all, " ", "") || s != 1<<len(SwitchNames())-1 {
		t.Errorf("%v, %v", s, err)
	}
	if s, err := ParseSwitches("access"); err != nil || s.String() != "ranges,lookups,ancestors,proof,border,scratch" {
		t.Errorf("%v, %v", s, err)
	}
	if s, err := ParseSwitches(""); s != 0 || err != nil || s.String() != "" {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := ParseSwitches("cse,warp"); err == nil || !strings.Contains(err.Error(), `"warp" cannot be left out; these parts can: simplify, cse,`) {
		t.Error(err)
	}
}
