package session

import (
	"fmt"
	"go/token"

	"github.com/gotaichi/ti/internal/launch"
)

// placeOf is a place in a file.
func placeOf(p launch.Place) token.Position {
	if p.Line == 0 {
		return token.Position{}
	}
	return token.Position{Filename: p.File, Line: p.Line, Column: p.Column}
}

// place formats a position; a source without a name has line and column only.
func place(p token.Position) string {
	if p.Filename == "" {
		return fmt.Sprintf("source:%d:%d", p.Line, p.Column)
	}
	return p.String()
}
