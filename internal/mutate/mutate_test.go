package main

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Every mutant that is chosen can be compiled, and two choices with one seed agree.
func TestRewrite(t *testing.T) {
	p, err := load("github.com/gotaichi/ti/internal/half")
	if err != nil {
		t.Fatal(err)
	}
	c := choice{perUnit: 3, perFile: 100, seed: 1}
	all := p.sites()
	var chosen []*site
	for {
		chosen = c.choose(all)
		bad, err := p.recheck(p.rewrite(chosen, 1))
		if err != nil {
			t.Fatal(err)
		}
		if len(bad) == 0 {
			break
		}
		all = without(all, bad)
	}
	if len(chosen) < 5 {
		t.Errorf("%d mutants", len(chosen))
	}
	again := c.choose(p.sites())
	for i, s := range c.choose(p.sites()) {
		if s.String() != again[i].String() || s.old == s.new {
			t.Errorf("%v, then %v", s, again[i])
		}
	}
}

// Every function of the packages that the check is about has a mutant to try, the
// sources in the kernel language included.
func TestUnits(t *testing.T) {
	for _, path := range []string{"internal/half", "internal/prelude"} {
		p, err := load("github.com/gotaichi/ti/" + path)
		if err != nil {
			t.Fatal(err)
		}
		has := map[string]bool{}
		for _, s := range p.sites() {
			has[s.key()] = true
		}
		units := p.units()
		if len(units) < 5 {
			t.Errorf("%s has %d units", path, len(units))
		}
		for _, u := range units {
			if _, isFunc := u.node.(*ast.FuncDecl); isFunc && !has[u.key()] {
				t.Errorf("%s has no mutant", u.key())
			}
		}
	}
}

// Rules for ops are units of their own, and the innermost one owns a mutant.
func TestRules(t *testing.T) {
	p, err := load("github.com/gotaichi/ti/internal/codegen/llvm")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		"llvm/arith.go function.unary":               false,
		"llvm/arith.go function.unary[Neg]":          false,
		"llvm/arith.go var unaryIntrinsics[Sqrt]":    false,
		"llvm/arith.go function.binary[And Or Xor]":  false,
		"llvm/memory.go function.load":               false,
		"llvm/arith.go function.arithmetic[Bitcast]": false,
	}
	for _, s := range p.sites() {
		if _, ok := want[s.key()]; ok {
			want[s.key()] = true
		}
	}
	for key, ok := range want {
		if !ok {
			t.Errorf("no mutant of %s", key)
		}
	}
}

// A result takes the place of an earlier one of its mutant, and says which units and
// mutants are left.
func TestResults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.txt")
	for _, r := range []result{
		{"survives", "b/b.go g", "x < y → x <= y", ""},
		{"found", "a/a.go f", "1 → 1+1", "internal/a TestF"},
		{"equivalent", "b/b.go g", "x < y → x <= y", "never equal"},
		{"unreached", "b/b.go h", "true → false", ""},
	} {
		if err := setResult(file, r); err != nil {
			t.Fatal(err)
		}
	}
	all, err := readResults(file)
	if err != nil || len(all) != 3 || all[1].verdict != "equivalent" || all[1].note != "never equal" {
		t.Fatalf("%v, %v", all, err)
	}
	h := &site{file: "/x/b/b.go", unit: "h", old: "true", new: "false"}
	k := &site{file: "/x/b/b.go", unit: "k", old: "true", new: "false"}
	f := &site{file: "/x/a/a.go", unit: "f", old: "2", new: "2+1"}
	g := &site{file: "/x/b/b.go", unit: "g", old: "2", new: "2+1"}
	if !unnoticed(all)(h) || unnoticed(all)(k) || unnoticed(all)(g) {
		t.Error("the wrong mutants are not noticed")
	}
	// Of f one was found, h was tried; g has had one of no use.
	if missing(all)(f) || missing(all)(h) || !missing(all)(g) || !missing(all)(k) {
		t.Error("the wrong mutants are missing")
	}
	// The one of f that was found is not the one that is tried now.
	if !fresh(all)(f) || fresh(all)(h) || !fresh(all)(g) || !fresh(all)(k) {
		t.Error("the wrong mutants are fresh")
	}
	if only := fresh(all).in(regexp.MustCompile(`^b/b\.go k`)); only(f) || only(h) || only(g) || !only(k) {
		t.Error("the wrong units match")
	}
}

// TestNoCache sees that tests keep no compiled kernels on disk: what one mutant has compiled would be run for another, as they are one program.
func TestNoCache(t *testing.T) {
	t.Setenv("TI_CACHE", "lru")
	dir := t.TempDir()
	script := filepath.Join(dir, "test")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho cache $TI_CACHE, mutant $MUTANT\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := &runner{binaries: map[string]string{dir: script}}
	text, _, err := r.exec(&stage{pkg: dir}, 10, "MUTANT=3")
	if want := "cache off, mutant 3\n"; err != nil || text != want {
		t.Errorf("%q and %v, want %q", text, err, want)
	}
}
