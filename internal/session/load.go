package session

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/syntax"
)

// Bindings binds vars of a source without a struct.
type Bindings map[string]any

// A Source is the text of a kernel package.
type Source struct {
	files []sourceFile
	errs  SourceErrors
}

type sourceFile struct{ name, text string }

// Text is a source of one file, named in error messages.
func Text(name, text string) Source {
	return Source{files: []sourceFile{{name, text}}}
}

// Join is the source of all files of some sources, which have to be of one package.
func Join(sources ...Source) Source {
	var all Source
	for _, s := range sources {
		all.files = append(all.files, s.files...)
		all.errs = append(all.errs, s.errs...)
	}
	return all
}

// Files is the source in the files that match the patterns (see path.Match), all of one
// package, in order of their names.
func Files(fsys fs.FS, patterns ...string) Source {
	var s Source
	unreadable := func(name, format string, args ...any) {
		s.errs = append(s.errs, &SourceError{Code: syntax.UnreadableFile, Pos: token.Position{Filename: name}, Msg: fmt.Sprintf(format, args...)})
	}
	var names []string
	for _, p := range patterns {
		found, err := fs.Glob(fsys, p)
		switch {
		case err != nil:
			unreadable(p, "the pattern %q is malformed", p)
		case len(found) == 0:
			unreadable(p, "no file matches %q", p)
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			unreadable(name, "%v", err)
			continue
		}
		s.files = append(s.files, sourceFile{name, string(text)})
	}
	if len(patterns) == 0 {
		unreadable("", "a source of no files")
	}
	return s
}

// parse parses all files.
func (s Source) parse() ([]*syntax.File, SourceErrors) {
	errs := slices.Clone(s.errs)
	var files []*syntax.File
	for _, f := range s.files {
		var base token.Position
		name := f.name
		if name == "" {
			name, base = locate(f.text)
		}
		file, more := syntax.Parse(name, f.text, base)
		if file != nil {
			files = append(files, file)
		}
		errs = append(errs, more...)
	}
	return files, errs
}

// locate finds the file that a source text comes from: a raw string in the Go file
// of the caller, or a .go or .ti file beside it. The names are as short as
// possible. It finds nothing in a program that runs far from its sources.
func locate(text string) (name string, base token.Position) {
	caller := userFrame().File
	if caller == "" || strings.TrimSpace(text) == "" {
		return "", base
	}
	dir := filepath.Dir(caller)
	candidates := []string{caller}
	for _, pattern := range []string{"*.ti", "*.go"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err == nil && len(found) < 200 {
			candidates = append(candidates, found...)
		}
	}
	for _, path := range candidates {
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), text) {
			continue
		}
		short := shortPath(path)
		if len(data) == len(text) {
			return short, base
		}
		if base, ok := syntax.FindRaw(short, string(data), text); ok {
			return short, base
		}
	}
	return "", base
}

// shortPath names a file relative to the working directory where that is shorter.
func shortPath(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || len(rel) >= len(path) {
		return path
	}
	return rel
}

// Compile checks a source, binds it to host, a pointer to a struct or [Bindings], and fills in
// the kernel functions of the struct.
func (rt *Runtime) Compile(source Source, host any) (*Program, error) {
	if err := rt.usable("loading a source"); err != nil {
		return nil, err
	}
	files, errs := source.parse()
	if len(errs) > 0 {
		return nil, append(errs, beside(files, len(source.files))...).Sort()
	}
	at := user()
	p, errs := rt.newProgram(files, host, at)
	if len(errs) > 0 {
		return nil, errs.Sort()
	}
	if err := p.startCoverage(at.Filename); err != nil {
		return nil, err
	}
	if err := rt.adopt(p); err != nil {
		return nil, err
	}
	p.compileAhead()
	return p, nil
}

// beside returns the errors that the checker finds in a source that does not parse, of which
// files are the parts that do. There are none if one of its files is missing altogether:
// the others may need its declarations.
func beside(files []*syntax.File, all int) SourceErrors {
	if len(files) < all {
		return nil
	}
	return check.Mistakes(files)
}

// adopt adds a program to those that Close frees. It fails if the runtime has been closed.
func (rt *Runtime) adopt(p *Program) error {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if err := rt.usable("loading a source"); err != nil {
		return err
	}
	rt.programs = append(rt.programs, p)
	return nil
}

// asSourceErrors makes a list out of the errors that binding a field can give.
func asSourceErrors(err error, pos token.Position) SourceErrors {
	if l, ok := errors.AsType[SourceErrors](err); ok {
		return l
	}
	if e, ok := errors.AsType[*SourceError](err); ok {
		return SourceErrors{atPlace(e, pos)}
	}
	out := &SourceError{Pos: pos, Msg: err.Error(), Cause: err, Code: syntax.LayoutParts}
	switch {
	case errors.Is(err, ErrPlace):
		out.Code = syntax.NotPlaced
	case errors.Is(err, ErrClosed):
		out.Code = syntax.ClosedField
	case errors.Is(err, ErrMemory):
		out.Code = syntax.LayoutMemory
	}
	return SourceErrors{out}
}
