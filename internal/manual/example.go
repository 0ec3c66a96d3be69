package manual

import (
	"errors"
	"fmt"
	"go/token"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/document"
	"github.com/gotaichi/ti/internal/script"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/treetext"
	"github.com/gotaichi/ti/internal/typed"
)

// An Example is a program of the playground.
type Example struct {
	Source, Scene string
}

// settings are the words of comments above examples, and those of scenes.
var settings = map[string]string{"debug": "debug", "nan": "check-nan", "wide": "int=64 float=64", "strict": "strict"}

// mostPrinted is how many elements a field has at most that is printed.
const mostPrinted = 256

// An exampleMaker writes the lines of an example's scene.
type exampleMaker struct {
	bound   document.Bound
	trees   []*treetext.Tree
	extents map[string]string // of fields, by path
	nodes   map[string]string // the name of the node in which a field lies, by the path of the field
	lines   strings.Builder
	prints  []string // fields
}

// exampleOf makes a program of a block; ok is false if nothing in it can be launched, or be wrong.
func exampleOf(b *document.Block) (e Example, ok bool, err error) {
	m := &exampleMaker{extents: map[string]string{}, nodes: map[string]string{}}
	if m.bound, err = b.Bound(); err != nil {
		return e, false, err
	}
	for _, word := range m.bound.Words {
		m.line("config", settings[word])
	}
	if err := m.readTrees(); err != nil {
		return e, false, err
	}
	e.Source = b.Source()
	wrong := b.Below != nil && (strings.HasPrefix(b.Below.Text, "error TI") || strings.Contains(b.Below.Text, "[TI")) // the mistakes are what there is to see
	file, errs := syntax.Parse("kernels.ti", e.Source, token.Position{})
	start := ""
	if len(errs) == 0 {
		pkg, _ := check.DeclareWith([]*syntax.File{file}, typed.WidthsOf(32, 32))
		if err := m.vars(pkg); err != nil {
			return e, false, err
		}
		start = launch(pkg)
	}
	if start == "" {
		if !wrong {
			return e, false, nil
		}
		start = "Main()"
	}
	m.line("start", start)
	for _, name := range m.prints {
		m.line("print", name)
	}
	e.Scene = m.lines.String()
	return e, true, nil
}

func (m *exampleMaker) line(word, text string) { fmt.Fprintf(&m.lines, "%s %s\n", word, text) }

// readTrees reads the trees of the comment, and which nodes are those of fields.
func (m *exampleMaker) readTrees() error {
	for _, text := range m.bound.Trees {
		t, err := treetext.Parse(text)
		if err != nil {
			return err
		}
		m.trees = append(m.trees, t)
		m.line("tree", text)
	}
	for _, b := range m.bound.Binds {
		if field, isNode := strings.CutSuffix(b.What, ":"); isNode {
			m.nodes[field] = b.Path
		}
	}
	return nil
}

// vars binds what the source declares, as the comment says, and fields of which it says nothing to a few elements.
func (m *exampleMaker) vars(pkg *check.Package) error {
	given := map[string]bool{}
	for _, b := range m.bound.Binds {
		given[b.Path] = true
		if strings.HasSuffix(b.What, ":") || m.placed(b.Path) {
			continue
		}
		if node := m.nodes[b.Path]; node != "" { // its tree is written out, so that the node has a name
			text, err := treeOf(node, b.Path, b.What)
			if err != nil {
				return err
			}
			m.line("tree", text)
		} else {
			m.line("bind", b.Path+"="+b.What)
		}
		m.extents[b.Path] = b.What
	}
	for _, v := range pkg.Vars {
		m.rest(v.Name, v.Type, given)
	}
	for _, v := range pkg.Vars {
		if what := m.extents[v.Name]; what != "" && isField(v.Type) && elements(what) <= mostPrinted {
			m.prints = append(m.prints, v.Name)
		}
	}
	return nil
}

func isField(t typed.Type) bool {
	_, is := t.(typed.FieldType)
	return is
}

// rest binds the fields in a var that the comment does not name.
func (m *exampleMaker) rest(path string, t typed.Type, given map[string]bool) {
	switch t := t.(type) {
	case typed.FieldType:
		if given[path] || m.placed(path) {
			return
		}
		what := "scalar"
		if n := max(t.Rank, -t.Rank); n > 0 {
			what = strings.TrimSuffix(strings.Repeat("8x", n), "x")
		}
		m.line("bind", path+"="+what)
		m.extents[path] = what
	case typed.Array:
		for i := range t.Len {
			m.rest(fmt.Sprintf("%s[%d]", path, i), t.Elem, given)
		}
	case *typed.Struct:
		for _, f := range t.Fields {
			m.rest(path+"."+f.Name, f.Type, given)
		}
	}
}

// placed reports whether a tree of the comment places a field.
func (m *exampleMaker) placed(path string) bool {
	for _, t := range m.trees {
		if t.Places(path) {
			return true
		}
	}
	return false
}

// treeOf is the tree of a field that is placed by itself, with a name for its node.
func treeOf(node, field, extents string) (string, error) {
	parts := strings.Split(extents, "x")
	axes := "ijklmnop"
	if len(parts) > len(axes) {
		return "", errors.New("a field has at most eight axes")
	}
	return fmt.Sprintf("%s=dense(%s,%s).place(%s)", node, axes[:len(parts)], strings.Join(parts, ","), field), nil
}

// launch is the call of the kernel that a document means: Main, or the only one. Numbers are made up for parameters, if there are no fields, whose shapes they have to suit.
func launch(pkg *check.Package) string {
	for _, k := range pkg.Kernels {
		if k.Name != "Main" && len(pkg.Kernels) > 1 {
			continue
		}
		var args []string
		for _, p := range k.Params {
			text, err := script.ConstGuess(p.Type)
			if _, isSlice := p.Type.(typed.Slice); err != nil || isSlice || len(pkg.Vars) > 0 {
				return ""
			}
			args = append(args, text)
		}
		return k.Name + "(" + strings.Join(args, ", ") + ")"
	}
	return ""
}

// elements is how many a field of some extents has, as the comment has them: scalar, 8 or 4x4.
func elements(extents string) int {
	n := 1
	for part := range strings.SplitSeq(extents, "x") {
		if x, err := strconv.Atoi(part); err == nil {
			n *= x
		}
	}
	return n
}
