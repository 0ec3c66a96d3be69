package main

import (
	"github.com/gotaichi/ti/internal/script"

	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/hostgen"
	sessions "github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/treetext"
	"github.com/gotaichi/ti/internal/typed"
)

// A plan is what the flags say of fields, as far as it is not for the source to say.
type plan struct {
	binds  []string // as ti run has them
	fields []hostgen.Field
	consts []string // paths
	paths  []string // of all that is bound, in the order of the flags
	trees  []*treetext.Tree
	sizes  map[string]int    // numbers instead of those that may change
	groups map[string]string // fields with free sizes: equal for equal ones
	elems  []elemOf
}

// An elemOf is an element type that a flag says of a field.
type elemOf struct{ path, elem string }

// shapeOf is a shape, or a number of axes, behind an element type or without.
var shapeOf = regexp.MustCompile(`^(?:([\w\[\]]+):)?(?:D(\d)|([\dx]+|scalar))$`)

// Sizes that stand for those that stay free. Code does not depend on them.
const (
	someExtent = 64
	someSize   = 72
)

func newPlan(trees, binds []string) (*plan, error) {
	p := &plan{sizes: map[string]int{}, groups: map[string]string{}}
	for _, text := range trees {
		t, err := treetext.Parse(text)
		if err != nil {
			return nil, script.TreeError(text, err)
		}
		for _, name := range t.OpenSizes() {
			if p.sizes[name] == 0 {
				p.sizes[name] = someSize + 8*len(p.sizes)
			}
		}
		p.trees = append(p.trees, t)
		for _, f := range t.Fields() {
			if group := sizesOf(t.Home(f)); group != "" {
				p.groups[f] = group
			}
		}
	}
	for _, b := range binds {
		name, what, _ := strings.Cut(b, "=")
		p.paths = append(p.paths, name)
		m := shapeOf.FindStringSubmatch(what)
		if m != nil && m[1] != "" {
			p.elems = append(p.elems, elemOf{name, m[1]})
			_, what, _ = strings.Cut(what, ":")
			b = name + "=" + what
		}
		if m != nil && m[2] != "" {
			rank, _ := strconv.Atoi(m[2])
			f := hostgen.Field{Path: name, Open: rank}
			if rank == 0 {
				f.Shape, what = []int{}, "scalar"
			} else {
				what = strings.TrimSuffix(strings.Repeat(fmt.Sprint(someExtent, "x"), rank), "x")
				p.groups[name] = "field " + name
			}
			p.fields, p.binds = append(p.fields, f), append(p.binds, name+"="+what)
			continue
		}
		if shape, ok := script.ParseShape(what); ok {
			p.fields = append(p.fields, hostgen.Field{Path: name, Shape: shape})
		} else {
			p.consts = append(p.consts, name)
		}
		p.binds = append(p.binds, b)
	}
	return p, nil
}

// sizesOf names the sizes on the way to a node if some are free; fields with equal names have
// equal extents.
func sizesOf(n *treetext.Node) string {
	free, text := false, ""
	for _, m := range n.Path() {
		text += m.Axes + fmt.Sprint(m.Sizes, m.Open)
		free = free || slices.ContainsFunc(m.Open, func(name string) bool { return name != "" })
	}
	if !free {
		return ""
	}
	return "tree " + text
}

// group is the group of a field or of a member of one, as sessions name them.
func (p *plan) group(field string) string { return p.groups[field] }

// describe fills in what the flags and the source say of the host.
func (p *plan) describe(h *hostgen.Host, s *script.Session, files []string) error {
	for _, f := range files {
		h.Sources = append(h.Sources, filepath.Base(f))
	}
	for _, f := range s.Imported {
		n := len(h.Libraries) - 1
		if n < 0 || h.Libraries[n].Path != f.Path {
			h.Libraries = append(h.Libraries, hostgen.Library{Path: f.Path})
			n++
		}
		h.Libraries[n].Files = append(h.Libraries[n].Files, path.Base(f.Name))
	}
	h.Trees = p.trees
	vars(h, s.Package)
	for _, k := range s.Program.Kernels() {
		d := (*sessions.Program)(s.Program).Declaration(k.Name())
		if hasStatic(d) {
			h.Left = append(h.Left, hostgen.Left{Kernel: d.Name, Why: "it is not compiled, since what it is launched with is not known"})
		} else {
			h.Kernels = append(h.Kernels, hostgen.Kernel{Name: d.Name, Params: d.Params, Results: d.Results})
		}
	}
	for _, f := range p.fields {
		if b := s.Fields[f.Path]; b != nil || isField(s, f.Path) {
			h.Fields = append(h.Fields, f)
		} else {
			p.consts = append(p.consts, f.Path) // a whole number looks like a shape
		}
	}
	for _, path := range p.consts {
		v := s.Host[path]
		if v == nil {
			v = s.Parts[path]
		}
		if b := s.Fields[path]; b != nil || isField(s, path) {
			return fmt.Errorf("-bind %s: a package has fields of a shape, and no contents: give it one, such as D2 or 1024x512", path)
		}
		text, err := goLiteral(reflect.ValueOf(v))
		if err != nil {
			return fmt.Errorf("-bind %s: %w", path, err)
		}
		h.Consts = append(h.Consts, hostgen.Const{Path: path, Value: text})
	}
	slices.SortFunc(h.Consts, func(a, b hostgen.Const) int {
		return cmp.Or(order(h, a.Path)-order(h, b.Path), slices.Index(p.paths, a.Path)-slices.Index(p.paths, b.Path))
	})
	return p.checkElems(s)
}

// order is the number of the var that a path leads into.
func order(h *hostgen.Host, path string) int {
	n := strings.IndexAny(path+".", ".[")
	return slices.IndexFunc(h.Vars, func(v hostgen.Var) bool { return v.Name == path[:n] })
}

// isField reports whether a path is bound to a field.
func isField(s *script.Session, path string) bool {
	_, is := s.Host[path].(ti.AnyField)
	if !is {
		_, is = s.Parts[path].(ti.AnyField)
	}
	return is
}

// checkElems compares the element types of bindings such as f32:D2 with the source.
func (p *plan) checkElems(s *script.Session) error {
	for _, e := range p.elems {
		t, err := typeOfPath(s, e.path)
		if err != nil {
			return fmt.Errorf("-bind %s: %w", e.path, err)
		}
		if f, is := t.(typed.FieldType); is && f.Elem.String() != e.elem {
			return fmt.Errorf("-bind %s=%s:…: the source declares %[1]s with elements of type %[3]s", e.path, e.elem, f.Elem)
		}
	}
	return nil
}

// typeOfPath is the type of a var, or of a part of one.
func typeOfPath(s *script.Session, path string) (typed.Type, error) {
	n := strings.IndexAny(path+".", ".[")
	i := s.VarNamed(path[:n])
	if i < 0 {
		return nil, fmt.Errorf("the source has no var %s; it has %s", path[:n], s.VarNames())
	}
	return script.PartOf(s.Package.Vars[i].Type, path, n)
}

// vars lists the vars of a source.
func vars(h *hostgen.Host, pkg *check.Package) {
	for _, v := range pkg.Vars {
		h.Vars = append(h.Vars, hostgen.Var{Name: v.Name, Type: v.Type})
	}
}

// goLiteral writes the value of a constant in Go.
func goLiteral(v reflect.Value) (string, error) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); f != f || f-f != 0 {
			return "", fmt.Errorf("there is no constant %v in Go", f)
		}
	case reflect.Array:
		for i := range v.Len() {
			if _, err := goLiteral(v.Index(i)); err != nil {
				return "", err
			}
		}
	case reflect.Struct:
		return "", fmt.Errorf("constants that are structs cannot be given on the command line")
	}
	if v.CanUint() {
		return fmt.Sprint(v.Uint()), nil
	}
	return strings.ReplaceAll(fmt.Sprintf("%#v", v.Interface()), "main.", ""), nil
}
