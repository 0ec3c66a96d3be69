package check

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/syntax"
)

// FuzzCheck feeds any text to the front end: it must neither panic nor hang, and a
// tree that it accepts must keep its promises.
func FuzzCheck(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.ti")
	good, _ := filepath.Glob("testdata/good/*.ti")
	names = append(names, good...)
	for _, name := range names {
		if name == "testdata/unrolled.ti" {
			continue // costs as much as a thousand others
		}
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, e := range syntax.Explanations() {
		if e.Code == syntax.TooManyUnrolled {
			continue
		}
		f.Add(withPackage(e.Wrong))
		f.Add(withPackage(e.Right))
	}
	files, pieces := allSources(f)
	for _, text := range slices.Concat(files, pieces) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 20_000 {
			return
		}
		checkSource("fuzz.ti", text, false)
		prog, errs := checkSource("fuzz.ti", text, true)
		if (prog == nil) != (len(errs) > 0) {
			t.Fatal("a program and errors, or neither")
		}
		_ = errs.Error()
		if prog == nil {
			return
		}
		if err := verify(prog); err != nil {
			t.Fatal(err)
		}
		instantiateAll(t, prog, text)
	})
}
