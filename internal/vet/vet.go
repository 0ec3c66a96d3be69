package vet

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// Check returns the warnings about a program, sorted; files are its sources, and those of its libraries. Assumed says
// that extents and constants of the host are made up, so that nothing follows from their values.
func Check(p *typed.Program, files []*syntax.File, assumed bool) syntax.ErrorList {
	v := &vetter{files: own(files), assumed: assumed, visited: map[*typed.Func]bool{}, marked: map[token.Position]*marked{}}
	for _, f := range v.files {
		v.almostDirectives(f)
		v.comments(f)
	}
	for _, k := range p.Kernels {
		v.function(k)
	}
	v.idleNoInline(p.Kernels)
	inLibrary := func(w *syntax.Error) bool {
		return !slices.ContainsFunc(v.files, func(f *syntax.File) bool { return f.Name == w.Pos.Filename })
	}
	return slices.DeleteFunc(v.list, inLibrary).Sort()
}

// own are the files of a source without those of its libraries, which are for their authors to look at. Libraries by
// themselves are all looked at.
func own(files []*syntax.File) []*syntax.File {
	own := slices.DeleteFunc(slices.Clone(files), func(f *syntax.File) bool { return f.Library != "" })
	if len(own) == 0 {
		return files
	}
	return own
}

type vetter struct {
	files   []*syntax.File
	visited map[*typed.Func]bool
	list    syntax.ErrorList
	assumed bool // see Check

	marked map[token.Position]*marked // by declaration: functions with //ti:noinline that are called
}

// warn adds a warning.
func (v *vetter) warn(code syntax.Code, pos token.Position, help, format string, args ...any) {
	e := &syntax.Error{Code: code, Pos: pos, Msg: fmt.Sprintf(format, args...), Help: help}
	for _, f := range v.files {
		if f.Name == pos.Filename {
			e.Line = f.LineAt(pos)
		}
	}
	v.list = append(v.list, e)
}

// function looks at a function and those that it calls.
func (v *vetter) function(f *typed.Func) {
	if v.visited[f] {
		return
	}
	v.visited[f] = true
	v.serialLoops(f)
	typed.Visit(f.Body.List, func(s typed.Stmt) {
		v.races(s)
		v.neverSet(s)
		v.noEffect(s)
		for _, e := range typed.Expressions(s) {
			inspect(e, func(e typed.Expr) {
				v.floatEqual(e)
				if c, ok := e.(*typed.Call); ok {
					v.noteCall(c.Func)
					v.function(c.Func)
				}
			})
		}
	})
}

// inspect calls f for an expression and its parts, the whole before them.
func inspect(e typed.Expr, f func(typed.Expr)) {
	if e == nil {
		return
	}
	f(e)
	for _, x := range typed.Operands(e) {
		inspect(x, f)
	}
}

// nameOf is the name of what an access is of.
func nameOf(object any) string {
	switch o := object.(type) {
	case *typed.Field:
		return o.Name
	case *typed.Var:
		return o.Name
	}
	return "it"
}
