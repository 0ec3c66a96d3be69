package bind

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/diag"
)

// Library is the library that sources import as importPath: the files of a source, and beside them the libraries
// that are joined to it.
func Library(importPath string, source Source) Source {
	out := Source{errs: slices.Clone(source.errs)}
	for _, f := range source.files {
		if f.library == "" {
			f.library = importPath
			switch {
			case f.name == "":
				f.name = importPath
			case f.embedded:
				f.name = path.Join(importPath, f.name)
			}
		}
		out.files = append(out.files, f)
	}
	switch {
	case importPath == "" || path.Clean(importPath) != importPath || strings.ContainsAny(importPath, " \\"):
		out.wrong("name it as sources import it, such as example.com/rng", "the import path of a library is "+strconv.Quote(importPath))
	case len(out.ofLibrary(importPath)) == 0 && len(out.errs) == 0:
		out.wrong("give it a source with files, such as ti.Files(files, \"*.ti\")", "library "+importPath+" has no files")
	}
	return out
}

// wrong adds a mistake of the host in making libraries.
func (s *Source) wrong(help, msg string) {
	s.errs = append(s.errs, &diag.Error{Code: diag.BadLibrary, Pos: diag.User(), Msg: msg, Help: help})
}

// add adds the files of a source. Libraries that both have are the same.
func (s *Source) add(more Source) {
	s.errs = append(s.errs, more.errs...)
	s.aside = s.aside || more.aside
	for _, path := range more.libraries() {
		had, gets := s.ofLibrary(path), more.ofLibrary(path)
		switch {
		case path == "" || len(had) == 0:
			s.files = append(s.files, gets...)
		case !slices.Equal(had, gets):
			s.wrong("join one of them", "there are two libraries with the import path "+path+", and their files differ")
		}
	}
}

// libraries are the paths of the libraries of s, and "" for its own files, in the order of their files.
func (s *Source) libraries() (paths []string) {
	for _, f := range s.files {
		if !slices.Contains(paths, f.library) {
			paths = append(paths, f.library)
		}
	}
	return paths
}

// ofLibrary are the files of a library, or those of the source itself.
func (s *Source) ofLibrary(path string) (files []sourceFile) {
	for _, f := range s.files {
		if f.library == path {
			files = append(files, f)
		}
	}
	return files
}

// nameApart gives files of libraries that are called as others before them names with their import paths: positions
// identify files by their names.
func nameApart(texts []File) {
	taken := map[string]string{} // the packages of names
	for i := range texts {
		t := &texts[i]
		if of, ok := taken[t.Name]; ok && of != t.Library {
			t.Name = path.Join(t.Library, path.Base(t.Name))
		}
		taken[t.Name] = t.Library
	}
}
