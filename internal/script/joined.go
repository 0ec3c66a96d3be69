package script

import (
	"fmt"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
)

// Pages have one text for all files of a source and of the libraries that it imports, each behind a line with its name:
//
//	-- table.ti --
//	package table
//	…
//	-- example.com/rng/rng.ti --
//
// A name with a slash is that of a file of the library with the path before it. A text without such a line at its beginning is one file.

// Files are those of a source, and of its libraries.
type Files struct {
	Sources   []SourceText
	Libraries []LibraryFile
	Before    map[string]int // how many lines of the text are before a file, by its name
}

var fileLine = regexp.MustCompile(`^-- (\S+) --\r?$`)

// Joined reports whether a text has several files.
func Joined(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return fileLine.MatchString(first)
}

// Split takes a text apart. One without names is a file that has the given one.
func Split(name, text string) Files {
	f := Files{Before: map[string]int{name: 0}}
	if !Joined(text) {
		f.Sources = []SourceText{{name, text}}
		return f
	}
	var rest []string // the lines of the file
	end := func() {
		switch content := strings.Join(rest, ""); {
		case rest == nil:
		case strings.Contains(name, "/"):
			f.Libraries = append(f.Libraries, LibraryFile{path.Dir(name), name, content})
		default:
			f.Sources = append(f.Sources, SourceText{name, content})
		}
	}
	for i, line := range strings.SplitAfter(text, "\n") {
		m := fileLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			rest = append(rest, line)
			continue
		}
		end()
		name, rest = m[1], []string{}
		f.Before[name] = i + 1
	}
	end()
	return f
}

// Open reads the files of a source, and of the libraries that they import. One that cannot be parsed imports nothing. A library that is not found is an error.
func (l *Libraries) Open(names []string) (f Files, err error) {
	var files []*syntax.File
	for _, name := range names {
		text, err := ReadSource(name)
		if err != nil {
			return f, err
		}
		f.Sources = append(f.Sources, SourceText{filepath.Base(name), string(text)})
		if file, _ := syntax.Parse(name, string(text), token.Position{}); file != nil {
			files = append(files, file)
		}
	}
	if len(names) == 1 && Joined(f.Sources[0].Text) {
		return Split(f.Sources[0].Name, f.Sources[0].Text), nil
	}
	if len(names) == 0 || len(files) == 0 {
		return f, nil
	}
	if f.Libraries, _, _, err = l.Read(files, filepath.Dir(names[0])); err != nil {
		return f, err
	}
	missing := files[0].Missing
	for _, importPath := range slices.Sorted(maps.Keys(missing)) {
		if !slices.ContainsFunc(f.Libraries, func(of LibraryFile) bool { return of.Path == importPath }) {
			return f, fmt.Errorf("%s imports %q: %s", Display(names[0]), importPath, missing[importPath])
		}
	}
	return f, nil
}

// Join is the text of which Split makes the files.
func (f *Files) Join() string {
	if len(f.Sources) == 1 && len(f.Libraries) == 0 {
		return f.Sources[0].Text
	}
	var b strings.Builder
	add := func(name, text string) {
		fmt.Fprintf(&b, "-- %s --\n%s", name, text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	}
	for _, s := range f.Sources {
		add(path.Base(filepath.ToSlash(s.Name)), s.Text)
	}
	for _, l := range f.Libraries {
		add(path.Join(l.Path, path.Base(filepath.ToSlash(l.Name))), l.Text)
	}
	return b.String()
}
