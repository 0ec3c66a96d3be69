package script

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/library"
	"github.com/gotaichi/ti/internal/syntax"
)

// Libraries say where libraries are that are not where Go would find them.
type Libraries struct {
	Lib []string `name:"lib" sep:"none" placeholder:"PATH=FOLDER" help:"The folder of a library that sources import as PATH; others are found in the module of the source and in those that it requires."`

	ByPath  bool // name files of libraries by import path rather than by folder
	Folders bool // a folder among the sources is a library

	texts []LibraryFile // in place of what is on the disk, if only is set
	only  bool
}

// OnlyThese are libraries of which the files are given, so that none is looked for.
func OnlyThese(files []LibraryFile) Libraries { return Libraries{texts: files, only: true} }

// given finds the files of a library among those that are given.
func (l *Libraries) given(importPath string) (files []LibraryFile) {
	for _, f := range l.texts {
		if f.Path == importPath {
			files = append(files, f)
		}
	}
	return files
}

// find reads the files of a library.
func (l *Libraries) find(finder *library.Finder, importPath string) (files []LibraryFile, missing string, err error) {
	if l.only {
		if files = l.given(importPath); len(files) == 0 {
			missing = "its files are not here; put them behind the source, each behind a line as -- " + importPath + "/name.ti --"
		}
		return files, missing, nil
	}
	names, wrong := finder.Files(importPath)
	if wrong != nil {
		return nil, wrong.Error(), nil
	}
	for _, name := range names {
		text, err := ReadSource(name)
		if err != nil {
			return nil, "", err
		}
		shown := Display(name)
		if l.ByPath {
			shown = path.Join(importPath, filepath.Base(name))
		}
		files = append(files, LibraryFile{importPath, shown, string(text)})
	}
	return files, "", nil
}

// A LibraryFile is a file of a library that a source imports.
type LibraryFile struct {
	Path string // of the library
	Name string // of the file, for messages
	Text string
}

// Read reads the libraries that the files of a source import, and those that these import. It sets what a file
// misses.
func (l *Libraries) Read(source []*syntax.File, dir string) (texts []LibraryFile, files []*syntax.File, errs syntax.ErrorList, err error) {
	given, err := library.ParseGiven(l.Lib)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("-lib: %w", err)
	}
	finder := &library.Finder{Dir: dir, Given: given}
	missing := map[string]string{}
	files = syntax.Libraries(source, func(importPath string) (files []*syntax.File) {
		found, why, wrong := l.find(finder, importPath)
		if wrong != nil {
			err = wrong
			return nil
		}
		if why != "" {
			missing[importPath] = why
			return nil
		}
		for _, f := range found {
			texts = append(texts, f)
			file, more := syntax.Parse(f.Name, f.Text, token.Position{})
			if errs = append(errs, more...); file == nil {
				missing[importPath] = "correct the errors in its files"
				return nil // the others may need its declarations
			}
			file.Library = importPath
			files = append(files, file)
		}
		return files
	})
	for _, f := range slices.Concat(source, files) {
		f.Missing = missing
	}
	return texts, files, errs, err
}

// Folder parses a library that is given by its folder, and the libraries that it imports.
func (l *Libraries) Folder(dir string) (files []*syntax.File, errs syntax.ErrorList, err error) {
	importPath, err := library.PathOf(dir)
	if err != nil {
		return nil, nil, err
	}
	itself := Libraries{Lib: append(slices.Clone(l.Lib), importPath+"="+dir)}
	of := &syntax.File{Tree: &ast.File{Imports: []*ast.ImportSpec{{Path: &ast.BasicLit{Value: strconv.Quote(importPath)}}}}}
	_, files, errs, err = itself.Read([]*syntax.File{of}, dir)
	if why := of.Missing[importPath]; err == nil && why != "" && len(errs) == 0 {
		err = fmt.Errorf("%s is no library: %s", Display(dir), why)
	}
	return files, errs, err
}

// joined is a source with libraries.
func joined(sources []ti.Source, libraries []LibraryFile) ti.Source {
	for len(libraries) > 0 {
		importPath := libraries[0].Path
		var files []ti.Source
		for len(libraries) > 0 && libraries[0].Path == importPath {
			files = append(files, ti.Text(libraries[0].Name, libraries[0].Text))
			libraries = libraries[1:]
		}
		sources = append(sources, ti.Library(importPath, ti.Join(files...)))
	}
	return ti.Join(sources...)
}
