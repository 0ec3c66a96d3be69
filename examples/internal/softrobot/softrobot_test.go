package softrobot

import (
	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
	"strings"
	"testing"
)

// TestLines checks that the simulator has the lines that the READMEs of its examples quote.
func TestLines(t *testing.T) {
	text, err := files.ReadFile("softrobot.ti")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	if n != 110 {
		t.Errorf("softrobot.ti has %d lines of code, the READMEs say 110", n)
	}
}
