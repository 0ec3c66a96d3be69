package doctest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEnvironment: each environment variable that the code reads stands in a document, and
// each that stands in a document is read.
func TestEnvironment(t *testing.T) {
	read := names(t, ".go", regexp.MustCompile(`"(TI_[A-Z_]+)"`))
	documented := names(t, ".md", regexp.MustCompile(`\b(TI_[A-Z_]+)\b`))
	for _, name := range read {
		if !slices.Contains(documented, name) {
			t.Errorf("no document has %s", name)
		}
	}
	for _, name := range documented {
		if !slices.Contains(read, name) {
			t.Errorf("%s stands in a document, and nothing reads it", name)
		}
	}
}

// names returns the matches in the files of the module with an ending, without tests.
func names(t *testing.T, ending string, re *regexp.Regexp) (all []string) {
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2:
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ending) || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range re.FindAllStringSubmatch(string(text), -1) {
			all = append(all, m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
