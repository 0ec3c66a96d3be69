package check

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
)

// directivePrefix is how a directive begins. As in Go, no space is in it.
const directivePrefix = "//ti:"

// A directive is a row of the table of directives.
type directive struct {
	name     string
	argument string // what it takes; "" for nothing
	where    string // the declaration that it must stand above
}

var directives = []directive{
	{name: "noinline", where: "a function"},
	{name: "grad", argument: "the function that this is the derivative of", where: "a function"},
}

const noInlineDirective = directivePrefix + "noinline"

// noInline reports whether a function is marked //ti:noinline.
func noInline(d *ast.FuncDecl) bool {
	if d.Doc == nil {
		return false
	}
	for _, l := range d.Doc.List {
		if strings.TrimSpace(l.Text) == noInlineDirective {
			return true
		}
	}
	return false
}

// directives reports directives of the current file that are unknown, or misplaced so
// that they have no effect.
func (c *checker) directives() {
	above := map[token.Pos]bool{} // comments directly above functions
	for _, d := range c.file.Tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
			for _, l := range fn.Doc.List {
				above[l.Pos()] = true
			}
		}
	}
	for _, g := range c.file.Tree.Comments {
		for _, l := range g.List {
			if text, ok := strings.CutPrefix(l.Text, directivePrefix); ok {
				c.directive(l.Pos(), strings.TrimRight(text, " \t"), above[l.Pos()])
			}
		}
	}
}

// directive checks the directive at p: text is what follows the prefix.
func (c *checker) directive(p token.Pos, text string, aboveFunc bool) {
	name, args := text, ""
	if i := strings.IndexAny(text, " \t("); i >= 0 {
		name, args = text[:i], argumentOf(text[i:])
	}
	for _, d := range directives {
		switch {
		case d.name != name:
			continue
		case !aboveFunc:
			c.errorf(syntax.BadDirective, p, "move it directly above the func that it is meant for, without an empty line between", "%s%s changes nothing here: it stands above %s", directivePrefix, name, d.where)
		case d.argument != "" && args == "":
			c.errorf(syntax.BadDirective, p, "write "+directivePrefix+name+" NAME", "%s%s takes an argument, %s", directivePrefix, name, d.argument)
		case d.argument != "":
		case args != "":
			c.errorf(syntax.BadDirective, p, "write "+directivePrefix+name+" on a line of its own", "%s%s takes no argument, and this gives %s", directivePrefix, name, args)
		}
		return
	}
	help := "the directives are " + directiveNames()
	if d := NearDirective(name); d != "" {
		help = "did you mean " + directivePrefix + d + "?"
	}
	if name == "" {
		c.errorf(syntax.BadDirective, p, help, "%s names no directive", directivePrefix)
		return
	}
	c.errorf(syntax.BadDirective, p, help, "there is no directive %s%s", directivePrefix, name)
}

// argumentOf returns what follows the name of a directive, up to a comment.
func argumentOf(text string) string {
	text, _, _ = strings.Cut(text, "/*")
	return strings.TrimSpace(text)
}

func directiveNames() string {
	var names []string
	for _, d := range directives {
		names = append(names, directivePrefix+d.name)
	}
	return strings.Join(names, ", ")
}

// NearDirective returns the name of the directive that is spelled most like word; "" if
// none is similar.
func NearDirective(word string) string {
	best, least := "", 4 // no_inline and dontinline are meant for noinline
	for _, d := range directives {
		n := distance(strings.ToLower(word), d.name, least)
		if n < least && n < len(d.name)/2 {
			best, least = d.name, n
		}
	}
	return best
}
