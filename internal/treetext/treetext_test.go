package treetext

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
)

// TestBuild describes trees, and reads how the runtime describes what was built.
func TestBuild(t *testing.T) {
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	for text, want := range map[string]string{
		"pointer(ij,4).dense(ij,16,8).place(X,Y)":                                            "pointer i:4 j:4|dense i:16 j:8|X|Y",
		" pointer ( ji , 4 ) . { bitmasked(ij,2).place(X) ; dense(ij,3).place(Y) } ":         "pointer j:4 i:4|bitmasked i:2 j:2|X|dense i:3 j:3|Y",
		"{B=hash(ij).dense(ij,4).place(X); C=pointer(i,8).dynamic(k,100).chunk(7).place(Y)}": "hash i j|dense i:4 j:4|X|pointer i:8|dynamic k:100|Y",
		"dense(ij,8).morton().place(X)":                                                      "dense i:8 j:8, Morton order|X",
		"origin(ij,-4,-8).dense(i,8).dense(j,16).place(X).pointer(k,2).place(Y)":             "dense i:8|dense j:16|X|pointer k:2|Y",
		"place(X)": "X",
	} {
		tree, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		fields := map[string]ti.AnyField{}
		b, err := tree.Build(rt, func(path string) (ti.AnyField, error) {
			fields[path] = ti.FieldOf(path, reflect.TypeFor[float32]())
			return fields[path], nil
		})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := outline(tree.Root, b); got != want {
			t.Errorf("%q is\n%s, not\n%s", text, got, want)
		}
		for name, f := range fields {
			home := tree.Home(name)
			if f.Node() != b.Nodes[home] || len(f.Shape()) != len(home.PathAxes()) {
				t.Errorf("%q: %s has the shape %v, its path the axes %q", text, name, f.Shape(), home.PathAxes())
			}
			if tree.Origin != nil && len(f.Origin()) > 1 && fmt.Sprint(f.Origin()[:2]) != "[-4 -8]" {
				t.Errorf("%q: the origin of %s is %v", text, name, f.Origin())
			}
		}
		if err := b.Tree.Describe(new(strings.Builder)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// outline writes the nodes as they were built, with the fields of the description.
func outline(n *Node, b *Built) string {
	var parts []string
	if n.Kind != "" {
		var w strings.Builder
		if err := b.Tree.Describe(&w); err != nil {
			return err.Error()
		}
		for line := range strings.Lines(w.String()) {
			head, _, _ := strings.Cut(strings.TrimSpace(line), ", ")
			if kind, rest, _ := strings.Cut(head, " "); kind == n.Kind && sameAxes(rest, n) {
				if n.Morton && strings.Contains(line, ", Morton order") {
					head += ", Morton order"
				}
				parts = append(parts, head)
				break
			}
		}
	}
	for _, f := range n.Fields {
		parts = append(parts, f.Path)
	}
	for _, c := range n.Nodes {
		parts = append(parts, outline(c, b))
	}
	return strings.Join(parts, "|")
}

func sameAxes(described string, n *Node) bool {
	axes := ""
	for part := range strings.FieldsSeq(described) {
		axes += part[:1]
	}
	return axes == n.Axes
}

func TestMistakes(t *testing.T) {
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	for _, c := range []struct {
		text   string
		column int
		says   string
	}{
		{"", 1, "a node, or what is to be done with one, is missing"},
		{"pointer", 8, `"(" is missing after pointer`},
		{"pointer()", 9, "the axes of the node"},
		{"pointer(4)", 9, "the axes of the node"},
		{"pointer(ij,)", 12, "a number is missing"},
		{"pointer(ij,4).", 15, "is missing"},
		{"pointer(ij,4)x", 14, `"x" follows the end`},
		{"pointer(ij,4}", 13, `")" is missing after what pointer is given`},
		{"{dense(ij,4)", 13, `"}" is missing`},
		{"{dense(ij,4)}.dense(ij,2)", 14, "follows the end"},
		{"pointer(ij,4).origin(ij,1)", 15, "origin is about the tree as a whole"},
		{"morton()", 1, "morton is about the node before it, and there is none"},
		{"dense(ij,4).place(3)", 19, "the name of a field is missing"},
		{"B=place(X)", 3, `"place" is no node`},
		{"größe(ij,4)", 1, `"größe" is nothing that a tree can have`},
		{"dense(ij,4).place(Größe).x", 27, `"(" is missing after x`},
		// What the runtime says.
		{"dense(ij,0).place(X)", 1, "[TI0801]"},
		{"dense(ij,4).dynamic(k,5,6)", 13, "a list has one axis"},
		{"dense(ij,6).morton()", 13, "[TI0"},
		{"pointer(ij,4).hash(ij)", 15, "[TI0"},
		{"dynamic(i,9).chunk(0)", 14, "[TI0"},
		{"dense(ij,4).place(X,X)", 21, "X is placed already [TI0804]"},
		{"dense(ij,4).place(Nothing)", 19, "there is no Nothing"},
		{"pointer(ij,1000000000).pointer(ij,1000000000).pointer(ij,1000000000).place(X)", 24, "[TI0803]"},
	} {
		x := ti.FieldOf("X", reflect.TypeFor[float32]())
		tree, err := Parse(c.text)
		if err == nil {
			_, err = tree.Build(rt, func(path string) (ti.AnyField, error) {
				if path == "Nothing" {
					return nil, errors.New("there is no Nothing")
				}
				return x, nil
			})
		}
		var e *Error
		switch {
		case !errors.As(err, &e):
			t.Errorf("%q gives the error %v", c.text, err)
		case e.Column != c.column || !strings.Contains(err.Error(), c.says):
			t.Errorf("%q gives %v, and not %q at column %d", c.text, err, c.says, c.column)
		}
	}
}

// FuzzParse reads anything without a panic, and what it takes it takes again.
func FuzzParse(f *testing.F) {
	f.Add("origin(ij,-4,-8).B=pointer(ij,4).{dense(ij,16).morton().place(X,Y.Z[1]); dynamic(k,9).chunk(3).place(L)}")
	f.Add("hash(ij).{")
	f.Add("}=")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := Parse(text)
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Column < 1 || e.Offset > len(text)) {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil && tree.Root == nil {
			t.Fatal("no root")
		}
	})
}
