package check

import (
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/typed"
)

var mutations = randtest.New("mutations", "firstmutation", "sources that are changed at random", 100, 100)

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
	for n := range mutations.Count() {
		seed := mutations.First() + uint64(n)
		r := rand.New(rand.NewPCG(seed, 1))
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
	instantiateAll(t, prog, text)
}

// instantiateAll instantiates the kernels with compile-time parameters for fields.
func instantiateAll(t *testing.T, prog *Program, text string) {
	for _, k := range prog.source.Kernels {
		var args []TemplateArg
		for i, p := range k.Params {
			switch u := p.Type.(type) {
			case *typed.Struct, typed.Array:
				if typed.IsBundle(u) {
					for range typed.Parts(u) {
						args = append(args, TemplateArg{Field: &HostField{Elem: typed.F32, Shape: []int{4}}})
					}
				}
			case typed.TemplateType:
				if len(text)%3 == 0 {
					args = append(args, TemplateArg{Memory: typed.View{Elem: typed.F32, Rank: 1 + i%2}})
					continue
				}
				args = append(args, TemplateArg{Field: &HostField{Elem: typed.F64, Shape: []int{4, 8}[:1+i%2]}})
			case typed.FieldType:
				if isUnknown(u.Elem) {
					u.Elem = typed.Array{Elem: typed.F32, Len: 3}
				}
				args = append(args, TemplateArg{Field: &HostField{Elem: u.Elem, Shape: []int{8, 4, 2, 2, 2, 2, 2, 2}[:min(8, abs(u.Rank))]}})
			case typed.NodeType:
				args = append(args, TemplateArg{Field: &HostField{Shape: []int{4}}})
			case typed.FuncType:
				args = append(args, TemplateArg{Const: &HostConst{Vals: []typed.Num{typed.IntNum(1)}}})
			}
		}
		if prog.Kernel(k.Name) != nil {
			continue
		}
		q, errs := prog.Instantiate(k.Name, args)
		if (q == nil) != (len(errs) > 0) {
			t.Fatalf("an instance and errors, or neither: %v\n%s", errs, text)
		}
		_ = errs.Error()
		if q == nil {
			continue
		}
		if err := verify(q); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
}

func abs(n int) int { return max(n, -n) }
