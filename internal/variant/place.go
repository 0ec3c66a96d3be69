package variant

import (
	"fmt"
	"go/token"

	"github.com/gotaichi/ti/internal/launch"
)

// PlaceOf is a place in a file.
func PlaceOf(p launch.Place) token.Position {
	if p.Line == 0 {
		return token.Position{}
	}
	return token.Position{Filename: p.File, Line: p.Line, Column: p.Column}
}

// Place formats a position; a source without a name has line and column only.
func Place(p token.Position) string {
	if p.Filename == "" {
		return fmt.Sprintf("source:%d:%d", p.Line, p.Column)
	}
	return p.String()
}
