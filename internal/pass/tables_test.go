package pass

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// elsewhere says where passes without a golden file are tested.
var elsewhere = map[string]string{
	"mathexpand": "package mathlib expands calls and runs what comes of them",
	"bits":       "package driver has a golden file, and package quanttest runs random loops on bits, whose words only a layout knows",
	"elements":   "package runtest/program runs programs with members in several nodes, which the fields of golden files cannot have",
}

// TestEveryPass: each pass has a golden file and a switch, or a reason why not.
func TestEveryPass(t *testing.T) {
	for _, r := range pipeline() {
		if r.required != (r.off == 0) {
			t.Errorf("the pass %q is required: %v, and its switches are %q", r.name, r.required, r.off)
		}
		// A pass that runs several times has the golden files of its first run.
		first, _, _ := strings.Cut(r.name, " ")
		tested := slices.ContainsFunc([]string{r.name, first}, func(dir string) bool {
			files, err := filepath.Glob("testdata/" + dir + "/*.ir")
			below, err2 := filepath.Glob("*/testdata/" + dir + "/*.ir") // of a package of its own
			return err == nil && err2 == nil && len(files)+len(below) > 0
		})
		if why := elsewhere[r.name]; tested == (why != "") {
			t.Errorf("the pass %q has golden files: %v; it is tested elsewhere: %q", r.name, tested, why)
		}
	}
}
