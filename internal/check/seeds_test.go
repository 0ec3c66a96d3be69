package check

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sourceFolders have kernel sources and documents with pieces of them.
var sourceFolders = []string{"../../docs", "../../examples", "../../bench", "../porttest", "../vet", "../driver"}

var leftOut = map[string]bool{
	"errors.md": true, // has the code of [syntax.Explanations]
	"mpm3d.ti":  true, // in the 8 dimensions that fittingHost gives it costs as much as all others
}

// allSources returns the kernel sources of the repository, whole files and what
// stands in documents.
func allSources(t testing.TB) (files, pieces []string) {
	for _, folder := range sourceFolders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			ext := filepath.Ext(path)
			if err != nil || ext != ".ti" && ext != ".md" || leftOut[d.Name()] {
				return err
			}
			data, err := os.ReadFile(path)
			if ext == ".ti" {
				files = append(files, ranked(string(data)))
			} else {
				pieces = append(pieces, blocks(string(data))...)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files, pieces
}

var wrongRank = regexp.MustCompile(`(\w+) has 1 axis, and this gives ([23])`)

// ranked adds the ranks of fields that a source leaves open, for fittingHost, as far
// as they follow from indices.
func ranked(text string) string {
	_, errs := checkSource("seed.ti", text, true)
	for _, m := range wrongRank.FindAllStringSubmatch(errs.Error(), -1) {
		text += "// rank " + m[1] + " " + m[2] + "\n"
	}
	return text
}

// blocks returns the code of a document as sources.
func blocks(text string) (texts []string) {
	for i, part := range strings.Split("\n"+text, "\n```") {
		code, is := strings.CutPrefix(part, "go\n")
		if !is || i%2 == 0 {
			continue
		}
		decls, stmts, piece := "", "", ""
		for _, p := range strings.SplitAfter(code, "\n\n") {
			piece += p // an empty line within braces does not end a piece
			if parses(withPackage(piece)) {
				decls, piece = decls+piece, ""
			} else if parses("package p\nfunc _() {\n" + piece + "\n}") {
				stmts, piece = stmts+piece, ""
			}
		}
		stmts += piece
		if stmts != "" {
			decls += "\n\nfunc Main() {\n" + stmts + "\n}\n"
		}
		texts = append(texts, withPackage(decls))
	}
	return texts
}

func parses(text string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	return err == nil
}

// TestSeeds sees that allSources finds sources, and most of them as they are meant.
func TestSeeds(t *testing.T) {
	good := func(texts []string) (n int) {
		for _, text := range texts {
			if prog, _ := checkSource("seed.ti", text, true); prog != nil {
				n++
			}
		}
		return n
	}
	files, pieces := allSources(t)
	if f, p := good(files), good(pieces); f < 40 || p < 50 {
		t.Errorf("%d files and %d pieces have no errors, of %d and %d", f, p, len(files), len(pieces))
	}
}
