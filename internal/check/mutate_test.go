package check

import (
	"flag"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var mutations = flag.Int("mutations", 300, "number of sources that TestMutations tries")

// split cuts a source into tokens with the space before them.
func split(text string) []string {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	var parts []string
	last := 0
	for {
		pos, tok, lit := s.Scan()
		end := file.Offset(pos) + max(len(lit), len(tok.String()))
		if lit != "" {
			end = file.Offset(pos) + len(lit)
		}
		if tok == token.EOF {
			return parts
		}
		if lit == "\n" || end <= last || end > len(text) {
			continue
		}
		parts = append(parts, text[last:end])
		last = end
	}
}

// Programs with a few tokens exchanged are mostly wrong in interesting ways. None
// may panic, and a tree that is accepted must keep its promises.
func TestMutations(t *testing.T) {
	names, _ := filepath.Glob("testdata/good/*.ti")
	var sources [][]string
	var pool []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		parts := split(string(text))
		sources = append(sources, parts)
		pool = append(pool, parts...)
	}
	for seed := range *mutations {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		parts := append([]string{}, sources[r.IntN(len(sources))]...)
		for range 1 + r.IntN(4) {
			i := r.IntN(len(parts))
			switch r.IntN(3) {
			case 0:
				parts[i] = pool[r.IntN(len(pool))]
			case 1:
				j := r.IntN(len(parts))
				parts[i], parts[j] = parts[j], parts[i]
			default:
				parts[i] = ""
			}
		}
		text := ""
		for _, p := range parts {
			text += p
		}
		tryText(t, text)
	}
}

func tryText(t *testing.T, text string) {
	defer func() {
		if e := recover(); e != nil {
			t.Fatalf("panic: %v\n%s", e, text)
		}
	}()
	checkSource("m.ti", text, false)
	prog, errs := checkSource("m.ti", text, true)
	_ = errs.Error()
	if prog == nil {
		return
	}
	if err := verify(prog); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}
