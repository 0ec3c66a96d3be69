package session

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
)

// Bindings binds vars of a source without a struct.
type Bindings map[string]any

// A Source is the text of a kernel package.
type Source struct {
	files []sourceFile
	errs  SourceErrors
}

type sourceFile struct {
	name, text string
	library    string // the path of the library that it belongs to, "" for the source itself
	embedded   bool   // in a file system, which the name alone does not tell
}

// Text is a source of one file, named in error messages.
func Text(name, text string) Source {
	return Source{files: []sourceFile{{name: name, text: text}}}
}

// Join is the source of all files of some sources, which have to be of one package, and of their libraries.
func Join(sources ...Source) Source {
	var all Source
	for _, s := range sources {
		all.add(s)
	}
	return all
}

// Files is the source in the files that match the patterns (see path.Match), all of one
// package, in order of their names.
func Files(fsys fs.FS, patterns ...string) Source {
	var s Source
	unreadable := func(name, format string, args ...any) {
		s.errs = append(s.errs, &SourceError{Code: diag.UnreadableFile, Pos: token.Position{Filename: name}, Msg: fmt.Sprintf(format, args...)})
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
		s.files = append(s.files, sourceFile{name: name, text: string(text), embedded: true})
	}
	if len(patterns) == 0 {
		unreadable("", "a source of no files")
	}
	return s
}

// texts are all files, with the places where they stand: those of the source, and then those of its libraries.
func (s Source) texts() (all []sourceText) {
	for _, f := range s.files {
		all = append(all, located(f))
	}
	slices.SortStableFunc(all, func(a, b sourceText) int { return cmp.Compare(a.library, b.library) })
	nameApart(all)
	return all
}

// Compile checks a source, binds it to host, a pointer to a struct or [Bindings], and fills in
// the kernel functions of the struct.
func (rt *Runtime) Compile(source Source, host any) (*Program, error) {
	if err := rt.usable("loading a source"); err != nil {
		return nil, err
	}
	if len(source.files) > 0 && len(source.ofLibrary("")) == 0 {
		source.wrong("join it to the source that imports it", "this is a library, and no source")
	}
	texts := source.texts()
	if len(source.errs) > 0 {
		errs := slices.Clone(source.errs)
		if _, more := parse(texts); compilerLinked {
			errs = append(errs, more...)
		}
		return nil, errs.Sort()
	}
	at := diag.User()
	p, err := rt.newProgram(texts, host, at)
	if err != nil {
		return nil, err
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
		return SourceErrors{e.At(pos)}
	}
	out := &SourceError{Pos: pos, Msg: err.Error(), Cause: err, Code: diag.LayoutParts}
	switch {
	case errors.Is(err, diag.ErrPlace):
		out.Code = diag.NotPlaced
	case errors.Is(err, diag.ErrClosed):
		out.Code = diag.ClosedField
	case errors.Is(err, diag.ErrMemory):
		out.Code = diag.LayoutMemory
	}
	return SourceErrors{out}
}
