package doctest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fileName matches what names a Go file, with folders or a * in it.
var fileName = regexp.MustCompile(`[\w*/.-]*[\w*]\.go\b`)

// userFiles are names that pages give to files of their readers.
var userFiles = []string{"plate.go"}

// TestFileNames finds names of Go files, in comments and documents, that no file has: those that a move left behind.
func TestFileNames(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	named := map[string][]string{} // places by name
	note := func(place, text string) {
		for _, name := range fileName.FindAllString(text, -1) {
			named[name] = append(named[name], place)
		}
	}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "out"):
			return filepath.SkipDir
		case filepath.Ext(file) != ".go" || d.IsDir():
			return nil
		}
		name := filepath.ToSlash(strings.TrimPrefix(file, root))
		files = append(files, name)
		if strings.Contains(name, "/testdata/") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range parsed.Comments {
			note(name, group.Text())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range documents(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		note(strings.TrimPrefix(file, root), reHidden.ReplaceAllString(reFence.ReplaceAllString(string(data), ""), ""))
	}
	for name, places := range named {
		if !slices.Contains(userFiles, name) && !nameOf(name, files) {
			t.Errorf("no file is called %s, as %s has it", name, strings.Join(places, ", "))
		}
	}
	if len(named) < 100 {
		t.Errorf("only %d names of files are found", len(named))
	}
}

// reHidden matches comments of documents.
var reHidden = regexp.MustCompile(`(?s)<!--.*?-->`)

// nameOf reports whether a name, with as many folders as it has, is that of one of the files.
func nameOf(name string, files []string) bool {
	elems := strings.Split(path.Clean("/" + name)[1:], "/")
	return slices.ContainsFunc(files, func(file string) bool {
		of := strings.Split(file[1:], "/")
		if len(of) < len(elems) {
			return false
		}
		is, err := path.Match(path.Join(elems...), path.Join(of[len(of)-len(elems):]...))
		return err == nil && is
	})
}

func TestNames(t *testing.T) {
	files := []string{"/a/b/walk.go", "/a/conform_x_test.go"}
	for name, want := range map[string]bool{
		"walk.go": true, "b/walk.go": true, "./walk.go": true, "c/walk.go": false, "/x/a/b/walk.go": false, "alk.go": false,
		"conform_*_test.go": true, "b/conform_*_test.go": false,
	} {
		if nameOf(name, files) != want {
			t.Errorf("%s is found: %v", name, !want)
		}
	}
}
