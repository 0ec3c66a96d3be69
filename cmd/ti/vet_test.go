package main

import (
	"github.com/gotaichi/ti/internal/script"

	"path/filepath"
	"testing"
)

// The examples have nothing suspicious, and all of them can be vetted.
func TestVetExamples(t *testing.T) {
	names, err := filepath.Glob("../../examples/*/*.ti")
	if err != nil || len(names) == 0 {
		t.Fatal("no examples", err)
	}
	sources, errs, err := readSources(names, &script.Libraries{})
	if err != nil || len(errs) > 0 {
		t.Fatal(err, errs)
	}
	for _, files := range sources {
		warnings, err := vetSource(files, nil)
		if err != nil || len(warnings) > 0 {
			t.Error(err, warnings)
		}
	}
}
