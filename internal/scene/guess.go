package scene

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/script"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// Guess makes a scene for a source that has none, for people to go on from: a shape for each field, a number for each constant, a call of each kernel without parameters, and the first field that can be a
// picture, or else points. What cannot be guessed is a line with a comment.
func Guess(title, source string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title %s\n", title)
	file, _ := syntax.Parse("kernels.ti", source, token.Position{})
	if file == nil {
		return b.String() + "show  Pixels\n"
	}
	pkg, _ := check.DeclareWith([]*syntax.File{file}, typed.WidthsOf(32, 32))
	show, points := "", ""
	for _, v := range pkg.Vars {
		f, isField := v.Type.(typed.FieldType)
		if !isField {
			if value, err := script.ConstGuess(v.Type); err == nil {
				fmt.Fprintf(&b, "bind  %s=%s\n", v.Name, value)
			} else {
				fmt.Fprintf(&b, "# bind %s: %v\n", v.Name, err)
			}
			continue
		}
		fmt.Fprintf(&b, "bind  %s=%s\n", v.Name, extents[min(max(f.Rank, 0), len(extents)-1)])
		if f.Rank == 2 && show == "" {
			show = v.Name
		}
		if points == "" && isPlace(f.Elem) {
			points = v.Name
		}
	}
	for _, k := range pkg.Kernels {
		if len(k.Params) == 0 {
			fmt.Fprintf(&b, "call  %s()\n", k.Name)
		}
	}
	if show == "" && points != "" {
		return b.String() + "points " + points + " radius=0.01\n"
	}
	if show == "" {
		return b.String() + "# show a field with two axes, or points at a field of vec2 or vec3\n"
	}
	return b.String() + "show  " + show + "\n"
}

// extents are those that are guessed, by the number of axes.
var extents = []string{"scalar", "1024", "256x256", "32x32x32", "16x16x16x16"}

// isPlace reports whether elements are positions.
func isPlace(t typed.Type) bool {
	v, isArray := t.(typed.Array)
	return isArray && (v.Len == 2 || v.Len == 3) && (v.Elem == typed.Type(typed.F32) || v.Elem == typed.Type(typed.F64))
}
