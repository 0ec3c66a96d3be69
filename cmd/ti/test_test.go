package main

import (
	"errors"
	"testing"
)

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
