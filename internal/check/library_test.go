package check

import (
	"fmt"
	"go/token"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// parseArchive parses the files of an archive: those in a folder are of the library with that path.
func parseArchive(t *testing.T, a *txtar.Archive) (source, libraries []*syntax.File) {
	t.Helper()
	for _, f := range a.Files {
		file, errs := syntax.Parse(f.Name, string(f.Data), token.Position{})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if dir := path.Dir(f.Name); dir != "." {
			file.Library = dir
			libraries = append(libraries, file)
		} else {
			source = append(source, file)
		}
	}
	return source, libraries
}

// The sources in testdata/library say in comments what errors are found on their lines.
func TestLibraries(t *testing.T) {
	names, err := filepath.Glob("testdata/library/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no test sources", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			source, libraries := parseArchive(t, a)
			files := append(source, libraries...)
			p, _ := Declare(files)
			_, bound := p.Check(fittingHost(p, ""))
			for _, errs := range []syntax.ErrorList{bound, Mistakes(files)} {
				for _, f := range a.Files {
					var here syntax.ErrorList
					for _, e := range errs {
						if e.Pos.Filename == f.Name {
							here = append(here, e)
						}
					}
					compareErrors(t, string(f.Data), here, map[string]bool{})
				}
			}
		})
	}
}

// Structs of libraries have distinct names, and so have functions.
func TestLibraryNames(t *testing.T) {
	a, err := txtar.ParseFile("testdata/library/good.txtar")
	if err != nil {
		t.Fatal(err)
	}
	source, libraries := parseArchive(t, a)
	p, errs := Declare(append(source, libraries...))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	prog, errs := p.Check(fittingHost(p, ""))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	own := prog.Fields[1].Elem.(*typed.Struct)
	var got []string
	for _, f := range own.Fields {
		got = append(got, f.Type.String())
	}
	if want := "example.com/rng.State example.com/other/rng.State generic.Pair[vec2]"; strings.Join(got, " ") != want {
		t.Errorf("the structs are called %s, want %s", got, want)
	}
	if len(p.Kernels) != 3 || len(prog.Kernels) != 2 {
		t.Errorf("%d kernels are declared, %d checked: functions of libraries are none", len(p.Kernels), len(prog.Kernels))
	}
}

// A chain of constants through many packages is as good as one within a package.
func TestLibraryChain(t *testing.T) {
	const n = 1000
	var files []*syntax.File
	parse := func(library, text string) {
		f, errs := syntax.Parse(library+"/x.ti", text, token.Position{})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		f.Library = library
		files = append(files, f)
	}
	parse("", fmt.Sprintf("package p\nimport \"l/p%d\"\nvar X field[p%[1]d.T]\nconst C = p%[1]d.C0\nfunc F() i32 {\n\treturn C\n}\n", n))
	for i := range n + 1 {
		text := fmt.Sprintf("package p%d\n", i)
		if i == 0 {
			text += "const D = 1\ntype T f32\n"
		} else {
			text += fmt.Sprintf("import \"l/p%d\"\nconst D = p%[1]d.C0 + 1\ntype T p%[1]d.T\n", i-1)
		}
		for j := range 3 {
			text += fmt.Sprintf("const C%d = C%d\n", j, j+1)
		}
		parse(fmt.Sprintf("l/p%d", i), text+"const C3 = D\n")
	}
	p, errs := Declare(files)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	prog, errs := p.Check(fittingHost(p, ""))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if k := prog.Kernels[0].Body.List[0].(*typed.Return).Values[0].(*typed.Const); k.Vals[0].Int() != n+1 {
		t.Errorf("the constant is %v, want %d", k.Vals[0], n+1)
	}
}

var libraryMutations = randtest.New("library-mutations", "library-mutations.first", "sources with libraries that are changed at random", 40, 40)

// isName reports whether a token with the space before it is a name.
func isName(part string) bool { return token.IsIdentifier(strings.TrimSpace(part)) }

// Sources and libraries with a few tokens exchanged or moved between packages do not panic, and a tree that is accepted
// keeps its promises.
func TestLibraryMutations(t *testing.T) {
	a, err := txtar.ParseFile("testdata/library/good.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var sources [][]string
	var pool []string
	for _, f := range a.Files {
		parts := split(string(f.Data))
		sources = append(sources, parts)
		pool = append(pool, parts...)
	}
	accepted := 0
	for n := range libraryMutations.Count() {
		seed := libraryMutations.First() + uint64(n)
		r := rand.New(rand.NewPCG(seed, 2))
		changed := slices.Clone(sources)
		for range 1 + r.IntN(2) {
			n := r.IntN(len(changed))
			parts := slices.Clone(changed[n])
			i := r.IntN(len(parts))
			switch r.IntN(4) {
			case 0:
				parts[i] = pool[r.IntN(len(pool))]
			case 1:
				parts[i] = ""
			default:
				i = slices.IndexFunc(parts, isName) + r.IntN(3)
				for ; i < len(parts) && (!isName(parts[i]) || r.IntN(10) > 0); i++ {
				}
				if name := pool[r.IntN(len(pool))]; i < len(parts) && isName(name) { // another name, where one stands
					parts[i] = parts[i][:strings.Index(parts[i], strings.TrimSpace(parts[i]))] + strings.TrimSpace(name)
				}
			}
			changed[n] = parts
		}
		var files []*syntax.File
		lost := false
		for n, f := range a.Files {
			file, errs := syntax.Parse(f.Name, strings.Join(changed[n], ""), token.Position{})
			if lost = lost || len(errs) > 0; file == nil {
				continue
			}
			if dir := path.Dir(f.Name); dir != "." {
				file.Library = dir
			}
			files = append(files, file)
		}
		if len(files) == 0 {
			continue
		}
		Mistakes(files)
		p, _ := Declare(files)
		prog, errs := p.Check(fittingHost(p, ""))
		if (prog == nil) != (len(errs) > 0) {
			t.Fatalf("seed %d: a program and errors, or neither", seed)
		}
		if prog == nil || lost {
			continue
		}
		accepted++
		if err := verify(prog); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if accepted*20 < int(libraryMutations.Count()) {
		t.Errorf("%d of %d sources are accepted: the mutations are too wild to tell anything", accepted, int(libraryMutations.Count()))
	}
}
