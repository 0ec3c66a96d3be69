package main

import (
	"github.com/gotaichi/ti/internal/script"

	"fmt"

	"github.com/gotaichi/ti/internal/syntax"
)

type tokensCmd struct {
	File string `arg:"" type:"path" help:"The source."`
}

// Run prints a line for each token: its position, its kind and its text, as a quoted string
// where it has several lines. It fails for a source with characters that begin none.
func (c *tokensCmd) Run(std *stdio) error {
	text, err := script.ReadSource(c.File)
	if err != nil {
		return err
	}
	wrong := 0
	for _, t := range syntax.Tokens(script.Display(c.File), string(text)) {
		fmt.Fprintf(std.out, "%d:%d\t%s\t%s\n", t.Pos.Line, t.Pos.Column, t.Kind, oneLine(t.Text))
		if t.Kind == "illegal" {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%s has characters that begin no token, %d in all; they are marked as illegal", script.Display(c.File), wrong)
	}
	return nil
}

// oneLine quotes a text that a line cannot show as it is.
func oneLine(text string) string {
	if hasControl(text) {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// hasControl reports whether a text has line breaks, tabs or other control characters.
func hasControl(text string) bool {
	for _, r := range text {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return true
		}
	}
	return false
}
