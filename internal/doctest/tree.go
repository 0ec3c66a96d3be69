package doctest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/document"
	"github.com/gotaichi/ti/internal/treetext"
	"github.com/gotaichi/ti/internal/typed"
)

// plant makes the trees that the comment above a block describes, with the fields and
// nodes of the source in them.
func (b *binder) plant(pkg *check.Package, trees []string) error {
	for _, text := range trees {
		t, err := treetext.Parse(text)
		if err != nil {
			return fmt.Errorf("the tree %s: %w", text, err)
		}
		built, err := t.Build(b.rt, func(path string) (ti.AnyField, error) { return b.planted(pkg, path) })
		if err != nil {
			return fmt.Errorf("the tree %s: %w", text, err)
		}
		for _, n := range t.Named() {
			b.nodes[n.Name], b.used[n.Name] = built.Nodes[n], true
		}
	}
	return nil
}

// planted makes the field that a tree places.
func (b *binder) planted(pkg *check.Package, path string) (ti.AnyField, error) {
	i := slices.IndexFunc(pkg.Vars, func(v *check.VarDecl) bool { return v.Name == path })
	if i < 0 {
		return nil, fmt.Errorf("the source has no %s", path)
	}
	t, ok := pkg.Vars[i].Type.(typed.FieldType)
	if !ok {
		return nil, fmt.Errorf("%s is no field", path)
	}
	elem, err := goType(t.Elem)
	if err != nil {
		return nil, err
	}
	f := ti.FieldOf(path, elem)
	b.fields[path], b.used[path] = f, true
	return f, nil
}

var treeComment = regexp.MustCompile(`(?m)^// ` + document.TreeWord + ` (.*)$`)

// treesIn returns the trees that comments in an example of an error describe.
func treesIn(code string) (items string) {
	for _, m := range treeComment.FindAllStringSubmatch(code, -1) {
		items += " " + document.TreeWord + strings.ReplaceAll(m[1], " ", "")
	}
	return items
}
