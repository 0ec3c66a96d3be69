package script

import (
	"errors"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/diag"
)

// A Report is what became of a call.
type Report struct {
	Call    string `json:"call"`
	Results []any  `json:"results"`
	Error   string `json:"error,omitempty"`

	Kernel  string `json:"-"`
	Err     error  `json:"-"`
	Excerpt string `json:"-"` // the source line of the error, with a caret
}

// PlainList is results for people.
func PlainList(results []any) string {
	parts := make([]string, len(results))
	for i, v := range results {
		parts[i] = Plain(v)
	}
	return strings.Join(parts, ", ")
}

// excerptOf is the source line that a failed launch names, "" if it cannot be read.
func excerptOf(err error) string {
	var e *ti.RuntimeError
	if !errors.As(err, &e) {
		return ""
	}
	text, err := readFile(e.Pos.Filename, MostSource)
	if err != nil {
		return ""
	}
	lines := strings.Split(string(text), "\n")
	if e.Pos.Line < 1 || e.Pos.Line > len(lines) {
		return ""
	}
	return diag.Excerpt(strings.TrimRight(lines[e.Pos.Line-1], "\r"), e.Pos.Column)
}
