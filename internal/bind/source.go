package bind

import (
	"cmp"
	"fmt"
	"go/token"
	"io/fs"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
)

// A Source is the text of a kernel package.
type Source struct {
	files []sourceFile
	errs  diag.ErrorList
	aside bool
}

type sourceFile struct {
	name, text string
	library    string // the path of the library that it belongs to, "" for the source itself
	embedded   bool   // in a file system, which the name alone does not show
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

// Aside is s for a program that works for others: see ti.Source.Aside.
func (s Source) Aside() Source {
	s.aside = true
	return s
}

// IsAside reports whether Aside has made s, or a source that it was joined of.
func (s Source) IsAside() bool { return s.aside }

// Files is the source in the files that match the patterns (see path.Match), all of one
// package, in order of their names.
func Files(fsys fs.FS, patterns ...string) Source {
	var s Source
	unreadable := func(name, format string, args ...any) {
		s.errs = append(s.errs, &diag.Error{Code: diag.UnreadableFile, Pos: token.Position{Filename: name}, Msg: fmt.Sprintf(format, args...)})
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

// A File is a file of a source, and where it stands.
type File struct {
	Name, Text string
	Library    string         // the path of the library that it belongs to, "" for the source itself
	Base       token.Position // where the text of a file without a name begins
}

// Files are all files, with the places where they stand: those of the source, and then those of its libraries.
// Locate finds the place of a text without a name.
func (s Source) Files(locate func(text string) (name string, base token.Position)) (all []File) {
	for _, f := range s.files {
		file := File{Name: f.name, Text: f.text, Library: f.library}
		if f.name == "" {
			file.Name, file.Base = locate(f.text)
		}
		all = append(all, file)
	}
	slices.SortStableFunc(all, func(a, b File) int { return cmp.Compare(a.Library, b.Library) })
	nameApart(all)
	return all
}

// Mistakes are those that the host has made in putting s together, to be loaded. They are not sorted.
func (s Source) Mistakes() diag.ErrorList {
	s.errs = slices.Clone(s.errs)
	if len(s.files) > 0 && len(s.ofLibrary("")) == 0 {
		s.wrong("join it to the source that imports it", "this is a library, and no source")
	}
	return s.errs
}
