package hostgen

import (
	"fmt"
	"go/format"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/treetext"
	"github.com/gotaichi/ti/internal/typed"
)

// WritePackage writes the file with the struct, its constructor and the source, which lies beside it. It returns the kernels
// that the struct lacks, too.
func (h *Host) WritePackage() ([]byte, []Left, error) {
	types, left, err := h.types()
	if err != nil {
		return nil, nil, err
	}
	build, err := h.constructor()
	if err != nil {
		return nil, nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%simport (\n_ \"embed\"\n\n\"github.com/gotaichi/ti\"\n)\n\n", h.header())
	for i, name := range h.Sources {
		fmt.Fprintf(&b, "//go:embed %s\nvar source%d string\n\n", name, i)
	}
	for i, l := range h.Libraries {
		for j, name := range l.Files {
			fmt.Fprintf(&b, "//go:embed %s\nvar library%d_%d string\n\n", path.Join(LibraryDir, l.Path, name), i, j)
		}
	}
	b.WriteString(types + "\n" + build)
	b.WriteString("\n// Code is the kernels, compiled for several levels of processors: give it to [ti.Config].\nfunc Code() []string { return code }\n")
	text, err := format.Source([]byte(b.String()))
	return text, left, err
}

// constructor writes New.
func (h *Host) constructor() (string, error) {
	params, err := h.params()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "// New places the fields of a host in a runtime, and fills in its kernels.\nfunc New(%s) (*%s, error) {\ns := &%s{}\n", strings.Join(append([]string{"rt *ti.Runtime"}, params...), ", "), h.Type, h.Type)
	for _, c := range h.Consts {
		path, _, err := h.find(c.Path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "s.%s = %s\n", path, c.Value)
	}
	nodes := 0
	for _, t := range h.Trees {
		if err := h.tree(&b, t, &nodes); err != nil {
			return "", err
		}
	}
	for _, f := range h.Fields {
		path, _, err := h.find(f.Path)
		if err != nil {
			return "", err
		}
		shape := fmt.Sprintf("ti.Shape{%s}", strings.Trim(fmt.Sprint(f.Shape), "[]"))
		shape = strings.ReplaceAll(shape, " ", ", ")
		if f.Open > 0 {
			shape = "ti.Shape{" + strings.Join(extents(f), ", ") + "}"
		}
		fmt.Fprintf(&b, "rt.Place(%s, &s.%s)\n", shape, path)
	}
	var texts []string
	for i, name := range h.Sources {
		texts = append(texts, fmt.Sprintf("ti.Text(%q, source%d)", name, i))
	}
	for i, l := range h.Libraries {
		var files []string
		for j, name := range l.Files {
			files = append(files, fmt.Sprintf("ti.Text(%q, library%d_%d)", path.Join(l.Path, name), i, j))
		}
		texts = append(texts, fmt.Sprintf("ti.Library(%q, %s)", l.Path, joined(files)))
	}
	fmt.Fprintf(&b, "if _, err := rt.Compile(%s, s); err != nil {\nreturn nil, err\n}\nreturn s, nil\n}\n", joined(texts))
	return b.String(), nil
}

// joined is the source of several.
func joined(sources []string) string {
	if len(sources) == 1 {
		return sources[0]
	}
	return "ti.Join(" + strings.Join(sources, ", ") + ")"
}

// axes is a sequence of axes in Go.
func axes(letters string) string {
	switch letters {
	case "i", "j", "k", "l", "ij", "ji", "ijk", "kji", "ijkl":
		return "ti." + strings.ToUpper(letters)
	}
	return strconv.Quote(letters)
}

// params are the parameters of New behind the runtime: the names of sizes in trees, and then
// the extents of fields.
func (h *Host) params() (all []string, err error) {
	var names []string
	add := func(name string, groups ...string) error {
		if !token.IsIdentifier(name) || name == "rt" || name == "s" || name == "ti" {
			return fmt.Errorf("%s cannot be the name of a size: New has it as a parameter", name)
		}
		if slices.Contains(names, name) {
			return fmt.Errorf("two parameters of New would be called %s; call the size of a tree otherwise", name)
		}
		names = append(names, name)
		all = append(all, name+" int")
		return nil
	}
	var sizes []string
	for _, t := range h.Trees {
		for _, name := range t.OpenSizes() {
			if slices.Contains(sizes, name) {
				continue
			}
			sizes = append(sizes, name)
			if err := add(name); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range h.Fields {
		for _, name := range extents(f) {
			if err := add(name); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// extents are the names of the extents of an open field: nX, or nX0, nX1.
func extents(f Field) (names []string) {
	base := "n" + strings.NewReplacer(".", "", "[", "", "]", "_").Replace(f.Path)
	if f.Open == 1 {
		return []string{base}
	}
	for i := range f.Open {
		names = append(names, fmt.Sprint(base, i))
	}
	return names
}

// tree writes the calls that build a tree. Nodes that something hangs on have a variable.
func (h *Host) tree(b *strings.Builder, t *treetext.Tree, count *int) (err error) {
	next := func() string {
		*count++
		return fmt.Sprintf("node%d", *count)
	}
	root := next()
	origin := ""
	if o := t.Origin; o != nil {
		origin = fmt.Sprintf(".Origin(%s, %s)", axes(o.Axes), listed(o.Lowest))
	}
	fmt.Fprintf(b, "%s := &rt.NewTree()%s.Node\n", root, origin)
	var down func(n *treetext.Node, name string)
	down = func(n *treetext.Node, name string) {
		var placed []string
		for _, p := range n.Fields {
			text, wrong := h.placed(p)
			if wrong != nil && err == nil {
				err = wrong
			}
			placed = append(placed, text)
		}
		if len(placed) > 0 {
			fmt.Fprintf(b, "%s.Place(%s)\n", name, strings.Join(placed, ", "))
		}
		for _, c := range n.Nodes {
			child := next()
			fmt.Fprintf(b, "%s := %s.%s\n", child, name, call(c))
			if c.Name != "" {
				fmt.Fprintf(b, "s.%s = %s\n", exported(c.Name), child)
			}
			if len(c.Fields)+len(c.Nodes) == 0 {
				fmt.Fprintf(b, "_ = %s\n", child)
			}
			down(c, child)
		}
	}
	down(t.Root, root)
	return err
}

// placed is what is placed: a field, or a member of one.
func (h *Host) placed(p treetext.Place) (string, error) {
	name := p.Field()
	path, t, err := h.find(p.Path)
	if err != nil || p.Path == name {
		return "&s." + path, err
	}
	m, err := (&writer{}).typ(t)
	return fmt.Sprintf("ti.Member[%s](&s.%s, %q)", m, exported(name), strings.TrimPrefix(strings.TrimPrefix(p.Path, name), ".")), err
}

// find returns what a path of the source is called in Go, and its type.
func (h *Host) find(path string) (string, typed.Type, error) {
	name, rest := cut(path)
	i := slices.IndexFunc(h.Vars, func(v Var) bool { return v.Name == name })
	if i < 0 {
		return "", nil, fmt.Errorf("the source has no var %s", name)
	}
	t, out := h.Vars[i].Type, exported(name)
	for rest != "" {
		if f, is := t.(typed.FieldType); is {
			t = f.Elem
		}
		switch of := t.(type) {
		case *typed.Struct:
			name, rest = cut(strings.TrimPrefix(rest, "."))
			i := slices.IndexFunc(of.Fields, func(f typed.StructField) bool { return f.Name == name })
			if i < 0 {
				return "", nil, fmt.Errorf("%s has no part %s", path, name)
			}
			t, out = of.Fields[i].Type, out+"."+FieldName(of, i)
		case typed.Array:
			end := strings.IndexByte(rest, ']') + 1
			if end == 0 || rest[0] != '[' {
				return "", nil, fmt.Errorf("%s is an array, whose parts are [0] to [%d]", strings.TrimSuffix(path, rest), of.Len-1)
			}
			t, out, rest = of.Elem, out+rest[:end], rest[end:]
		default:
			return "", nil, fmt.Errorf("%s has no parts", strings.TrimSuffix(path, rest))
		}
	}
	return out, t, nil
}

// cut divides a path behind its first name.
func cut(path string) (name, rest string) {
	if n := strings.IndexAny(path, ".["); n >= 0 {
		return path[:n], path[n:]
	}
	return path, ""
}

// call is the method of a node, with its arguments.
func call(n *treetext.Node) string {
	method := strings.ToUpper(n.Kind[:1]) + n.Kind[1:]
	args := []string{axes(n.Axes)}
	for i, size := range n.Sizes {
		if i < len(n.Open) && n.Open[i] != "" {
			args = append(args, n.Open[i])
		} else {
			args = append(args, fmt.Sprint(size))
		}
	}
	s := method + "(" + strings.Join(args, ", ") + ")"
	if n.Chunk > 0 {
		s += fmt.Sprintf(".Chunk(%d)", n.Chunk)
	}
	if n.Morton {
		s += ".Morton()"
	}
	return s
}

func listed(numbers []int) string {
	var parts []string
	for _, n := range numbers {
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, ", ")
}

// WriteCode writes the file of an architecture, which embeds the code that runs there. Of no architecture is
// the file for all others.
func (h *Host) WriteCode(arch string) ([]byte, error) {
	var b strings.Builder
	var names, archs []string
	var embedded strings.Builder
	for _, f := range h.Files {
		if f.Arch != "" && !slices.Contains(archs, f.Arch) {
			archs = append(archs, f.Arch)
		}
		if f.Arch == "" || f.Arch == arch {
			name := fmt.Sprintf("code%d", len(names))
			fmt.Fprintf(&embedded, "//go:embed %s\nvar %s string\n\n", f.Name, name)
			names = append(names, name)
		}
	}
	if arch == "" && len(archs) > 0 {
		fmt.Fprintf(&b, "//go:build !%s\n\n", strings.Join(archs, " && !"))
	}
	b.WriteString(h.header())
	if len(names) == 0 {
		b.WriteString("var code []string\n")
	} else {
		fmt.Fprintf(&b, "import _ \"embed\"\n\n%svar code = []string{%s}\n", &embedded, strings.Join(names, ", "))
	}
	return format.Source([]byte(b.String()))
}

// WriteRecorded writes the file of a package that has compiled kernels and nothing else.
func (h *Host) WriteRecorded() ([]byte, error) {
	return format.Source([]byte(h.header() + "// Code is compiled kernels, for several levels of processors: give it to ti.Config.\nfunc Code() []string { return code }\n"))
}
