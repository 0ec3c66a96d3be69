package check

import (
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// checkSource checks one file against a host that fits its declarations: shapes
// are powers of two, constants 8. Bound or not is the caller's choice.
func checkSource(name, text string, bound bool) (*Program, syntax.ErrorList) {
	f, errs := syntax.Parse(name, text, token.Position{})
	if errs != nil {
		if f != nil {
			errs = append(errs, Mistakes([]*syntax.File{f})...)
		}
		return nil, errs.Sort()
	}
	p, _ := Declare([]*syntax.File{f})
	if !bound {
		return p.Check(nil)
	}
	return p.Check(fittingHost(p, text))
}

// hostCodes is the first code of binding a source in Go: their examples are Go, and
// their tests are those of the host API.
const hostCodes syntax.Code = 710

var reRank = regexp.MustCompile(`rank (\w+) (\d)`)

// fittingHost binds what a package declares; a comment `rank X 2` in the source
// gives field X, of open rank, two axes rather than one.
func fittingHost(p *Package, text string) *Host {
	ranks := map[string]int{}
	for _, m := range reRank.FindAllStringSubmatch(text, -1) {
		ranks[m[1]], _ = strconv.Atoi(m[2])
	}
	h := &Host{Fields: map[string]HostField{}, Consts: map[string]HostConst{}}
	for _, v := range p.Vars {
		fit(h, v.Name, v.Type, ranks)
	}
	for _, m := range rePlaced.FindAllStringSubmatch(text, -1) {
		placeIn(h, m[1], m[2])
	}
	for _, m := range reTree.FindAllStringSubmatch(text, -1) {
		plant(h, m[1])
	}
	return h
}

var (
	reTree  = regexp.MustCompile(`(?m)^// tree: (.*)$`)
	reNamed = regexp.MustCompile(`(\w+)=(\w+)\(`)
	reLast  = regexp.MustCompile(`(\w+)\([^)]*\)\.place\(([^)]*)\)`)
	reFree  = regexp.MustCompile(`hash\([a-p]+\)`)
)

// plant is placeIn for the tree that an example describes, of one chain of nodes.
func plant(h *Host, tree string) {
	kind := func(node string) string {
		switch {
		case reFree.MatchString(tree):
			return "unbounded"
		case node == "dynamic":
			return "list"
		case node == "dense":
			return "under"
		}
		return node
	}
	for _, m := range reNamed.FindAllStringSubmatch(tree, -1) {
		placeIn(h, kind(m[2]), m[1])
	}
	for _, m := range reLast.FindAllStringSubmatch(tree, -1) {
		for name := range strings.SplitSeq(m[2], ",") {
			placeIn(h, kind(m[1]), name)
		}
	}
}

var rePlaced = regexp.MustCompile(`// (pointer|bitmasked|list|hash|unbounded|under) ([\w\[\]]+)`)

// placeIn gives a field or node the kind of node that a comment says: `// list X`.
// Under is a dense node below a sparse one.
func placeIn(h *Host, kind, name string) {
	f := h.Fields[name]
	f.Sparse = true
	switch kind {
	case "pointer":
		f.Node = typed.NodePointer
	case "bitmasked":
		f.Node = typed.NodeBitmasked
	case "list":
		f.Node, f.List = typed.NodeDynamic, true
	case "unbounded":
		f.Unbounded = true
		f.Shape, f.Origin = slices.Clone(f.Shape), make([]int, len(f.Shape))
		for a := range f.Shape {
			f.Shape[a], f.Origin[a] = f.Shape[a]<<28, -f.Shape[a]<<27
		}
		fallthrough
	case "hash":
		f.Node = typed.NodeHash
	}
	h.Fields[name] = f
}

// fit binds what has a path, and the parts of a bundle.
func fit(h *Host, path string, t typed.Type, ranks map[string]int) {
	switch t := t.(type) {
	case typed.FieldType:
		rank := max(t.Rank, 0)
		if t.Rank < 0 {
			rank = 1
			if r, ok := ranks[path]; ok {
				rank = r
			}
		}
		h.Fields[path] = HostField{Elem: t.Elem, Shape: []int{16, 8, 4, 2, 2, 2, 2, 2}[:min(rank, 8)]}
		return
	case typed.NodeType:
		h.Fields[path] = HostField{Shape: []int{4, 4}}
		return
	case *typed.Struct:
		for _, f := range t.Fields {
			fit(h, path+"."+f.Name, f.Type, ranks)
		}
		return
	case typed.Array:
		if typed.HasParts(t) {
			for i := range t.Len {
				fit(h, path+"["+strconv.Itoa(i)+"]", t.Elem, ranks)
			}
			return
		}
	}
	k := HostConst{Dims: typed.Dims(t)}
	for range typed.Components(t) {
		n := typed.IntNum(8)
		if typed.ScalarOf(t) == typed.Bool {
			n = typed.BoolNum(true)
		}
		k.Vals = append(k.Vals, n)
	}
	h.Consts[path] = k
}

func withPackage(text string) string {
	if strings.HasPrefix(text, "package ") {
		return text
	}
	return "package p\n\n" + text + "\n"
}

// Each explanation's wrong source gives its code and no other, the right one none.
func TestExplanations(t *testing.T) {
	last := syntax.Code(0)
	for _, e := range syntax.Explanations() {
		if e.Code <= last || e.Title == "" || e.Text == "" {
			t.Errorf("%s: out of order, or without words", e.Code)
		}
		last = e.Code
		if e.Code >= hostCodes {
			continue
		}
		if e.Wrong != "" {
			_, errs := checkSource("wrong.ti", withPackage(e.Wrong), true)
			found := false
			for _, err := range errs {
				found = found || err.Code == e.Code
				if err.Code != e.Code && err.Code != syntax.Unused {
					t.Errorf("%s: the wrong example gives another error:\n%s", e.Code, errs)
				}
			}
			if !found {
				t.Errorf("%s: the wrong example does not give the error:\n%s\n%v", e.Code, e.Wrong, errs)
			}
		}
		if _, errs := checkSource("right.ti", withPackage(e.Right), true); len(errs) > 0 {
			t.Errorf("%s: the right example has errors:\n%s", e.Code, errs)
		}
	}
}

var reExpect = regexp.MustCompile(`/\* ERROR (TI\d{4}) "((?:[^"\\]|\\.)*)" \*/`)

// The sources in testdata say in comments what errors are found on their lines,
// and there is one for each code.
func TestErrors(t *testing.T) {
	names, err := filepath.Glob("testdata/*.ti")
	if err != nil || len(names) == 0 {
		t.Fatal("no test sources", err)
	}
	visited := map[string]bool{}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".ti"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, errs := checkSource(name, string(text), true)
			compareErrors(t, string(text), errs, visited)
		})
	}
	for _, h := range hostTests {
		visited[h.code.String()] = true
	}
	libraries, _ := filepath.Glob("testdata/library/*.txtar") // see TestLibraries
	for _, name := range libraries {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range reExpect.FindAllStringSubmatch(string(text), -1) {
			visited[m[1]] = true
		}
	}
	for _, c := range []syntax.Code{syntax.Empty, syntax.TooDeep, syntax.NotText, syntax.PackageName, syntax.FloorDivision, syntax.KernelTooLarge, syntax.LocalsTooLarge} { // tested below, in TestExplanations, and in package driver
		visited[c.String()] = true
	}
	for _, e := range syntax.Explanations() {
		if !visited[e.Code.String()] && e.Code < hostCodes {
			t.Errorf("no test gives error %s, %s", e.Code, e.Title)
		}
	}
}

type expectation struct {
	line int
	code string
	re   string
}

func compareErrors(t *testing.T, text string, errs syntax.ErrorList, visited map[string]bool) {
	var want []expectation
	for i, line := range strings.Split(text, "\n") {
		for _, m := range reExpect.FindAllStringSubmatch(line, -1) {
			want = append(want, expectation{i + 1, m[1], m[2]})
			visited[m[1]] = true
		}
	}
	for _, e := range errs {
		found := false
		for i, w := range want {
			ok, err := regexp.MatchString(w.re, e.Msg+" "+e.Help)
			if err != nil {
				t.Fatal(err)
			}
			if w.line == e.Pos.Line && w.code == e.Code.String() && ok {
				want = append(want[:i], want[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			t.Errorf("unexpected: %s", e)
		}
	}
	for _, w := range want {
		t.Errorf("line %d: no error %s %q", w.line, w.code, w.re)
	}
}
