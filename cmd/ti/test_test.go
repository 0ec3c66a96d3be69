package main

import (
	"errors"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/gotaichi/ti/internal/randtest"
)

// The command does not import randtest, which would link package testing into it.
func TestEnvAll(t *testing.T) {
	if envAll != randtest.EnvAll {
		t.Errorf("the command sets %s, and tests read %s", envAll, randtest.EnvAll)
	}
}

func TestFuzzTargets(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	got, err := fuzzTargets(fstest.MapFS{
		"b/b_test.go":          file("package b\n\nfunc FuzzB(f *testing.F) {\n}\n\nfunc FuzzC(f *testing.F) {}\n"),
		"a/in/a_test.go":       file("package a\n\nfunc TestA(t *testing.T) {}\nfunc FuzzA(tf *testing.F) {}\n// func FuzzOut(f *testing.F)\n"),
		"a/a.go":               file("package a\n\nfunc FuzzNot(f *testing.F) {}\n"),
		"a/testdata/a_test.go": file("package a\n\nfunc FuzzNot(f *testing.F) {}\n"),
		".git/a_test.go":       file("package a\n\nfunc FuzzNot(f *testing.F) {}\n"),
	})
	want := []fuzzTarget{{"a/in", "FuzzA"}, {"b", "FuzzB"}, {"b", "FuzzC"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

func TestInTime(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, c := range []struct {
		out  string
		err  error
		want bool // whether the step passes
	}{
		{"ok \tpkg\t10.2s", nil, true},
		{"--- FAIL: FuzzParse (10.11s)\n    context deadline exceeded\nFAIL", failed, true},
		{"--- FAIL: FuzzParse (3.1s)\n    --- FAIL: FuzzParse (0.00s)\n    Failing input written to testdata/fuzz/x", failed, false},
		{"panic: boom\ncontext deadline exceeded", failed, false},
		{"build failed", failed, false},
	} {
		_, err := inTime(func() (string, error) { return c.out, c.err })()
		if (err == nil) != c.want {
			t.Errorf("%q: %v", c.out, err)
		}
	}
}
