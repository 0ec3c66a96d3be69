package check

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// The README says about how many builtins there are.
func TestReadmeCountsBuiltins(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`about (\d+) builtins`).FindSubmatch(text)
	if m == nil {
		t.Fatal("the README does not count the builtins")
	}
	said, _ := strconv.Atoi(string(m[1]))
	if n := len(builtinTable()); n < said-5 || n > said+5 {
		t.Errorf("there are %d builtins, and the README says about %d", n, said)
	}
}
