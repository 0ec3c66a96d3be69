package outline

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/binform"
	"github.com/gotaichi/ti/internal/typed"
)

// A Key tells what was checked against what from all else.
type Key [sha256.Size]byte

// A Question is what an outline answers: what a source is, checked against a host.
type Question struct {
	Source Key // of its text, and of its positions where they matter
	Host   *Host

	// Of an instance, the kernel and its compile-time arguments.
	Kernel string
	Args   []TemplateArg

	Symbolic bool // extents are read at launch wherever that can be

	// Free are the fields whose extents do not matter, and arguments as [FreeArg] names them.
	Free []string
}

// FreeArg is the name of a compile-time argument among those that are free.
func FreeArg(i int) string { return fmt.Sprintf("#%d", i) }

// Key is that of the answer.
func (q *Question) Key() (key Key) {
	h := sha256.New()
	fmt.Fprintf(h, "outline 1 %x %d %d %v\n", q.Source, q.Host.Widths.Int, q.Host.Widths.Float, q.Symbolic)
	for _, name := range slices.Sorted(maps.Keys(q.Host.Fields)) {
		f := q.Host.Fields[name]
		fmt.Fprintf(h, "field %q ", name)
		f.describe(h, memberText, slices.Contains(q.Free, name))
	}
	for _, name := range slices.Sorted(maps.Keys(q.Host.Consts)) {
		k := q.Host.Consts[name]
		fmt.Fprintf(h, "const %q ", name)
		k.describe(h)
	}
	fmt.Fprintf(h, "kernel %q\n", q.Kernel)
	for i, a := range q.Args {
		fmt.Fprintf(h, "arg %q ", a.Var)
		switch {
		case a.Field != nil:
			// Arguments with the same Field are the same field.
			same := slices.IndexFunc(q.Args, func(b TemplateArg) bool { return b.Field == a.Field })
			fmt.Fprintf(h, "field like %d ", same)
			a.Field.describe(h, typeText, slices.Contains(q.Free, FreeArg(same)))
		case a.Const != nil:
			a.Const.describe(h)
		case a.Memory != nil:
			fmt.Fprintf(h, "memory %s\n", typeText(a.Memory))
		}
		fmt.Fprintln(h, i)
	}
	h.Sum(key[:0])
	return key
}

// typeText is a type with all of its structs written out.
func typeText(t typed.Type) string {
	return fmt.Sprintf("%x", binform.Append(nil, func(c *binform.Codec) { (&types{}).code(c, &t) }))
}

// memberText is typeText without the names of structs. The elements of a var are those that the source declares, and the
// host's structs are compared with them by their members: what Go calls the host's says nothing, and differs between a
// program and the command that compiled for it. An argument of a template may be declared by that name alone.
func memberText(t typed.Type) string { return typeText(nameless(t)) }

// nameless is a type of the host without the names of its structs.
func nameless(t typed.Type) typed.Type {
	switch t := t.(type) {
	case typed.Array:
		return typed.Array{Elem: nameless(t.Elem), Len: t.Len}
	case *typed.Struct:
		fields := slices.Clone(t.Fields)
		for i, f := range fields {
			fields[i].Type = nameless(f.Type)
		}
		return &typed.Struct{Fields: fields}
	}
	return t
}

func (f *HostField) describe(w io.Writer, text func(typed.Type) string, free bool) {
	if f == nil {
		fmt.Fprintln(w, "none")
		return
	}
	fmt.Fprintf(w, "%s rank %d ", text(f.Elem), len(f.Shape))
	if !free {
		fmt.Fprint(w, f.Shape)
	}
	fmt.Fprintln(w, f.Origin, f.Symbolic, f.Node, f.Sparse, f.List, f.Unbounded)
	f.Grad.describe(w, text, free)
	f.Dual.describe(w, text, free)
}

func (k *HostConst) describe(w io.Writer) {
	fmt.Fprint(w, k.Dims)
	for _, v := range k.Vals {
		fmt.Fprintf(w, " %v %v %v %s", v.Known(), v.IsBool(), v.IsInt(), v.Exact())
	}
	fmt.Fprintln(w)
}

// FreeShape is the shape that the host gives to a field that is free, nil for one that is not. o answers the
// question, and has the fields that arguments stand for.
func (q *Question) FreeShape(field string, free []string, o *Program) []int {
	if h, ok := q.Host.Fields[field]; ok && slices.Contains(free, field) {
		return h.Shape
	}
	for i, a := range q.Args {
		if a.Field == nil || i >= len(o.Args) || o.Args[i] == nil || o.Args[i].Name != field {
			continue
		}
		same := slices.IndexFunc(q.Args, func(b TemplateArg) bool { return b.Field == a.Field })
		if slices.Contains(free, FreeArg(same)) {
			return a.Field.Shape
		}
	}
	return nil
}

// Open names the fields and arguments whose extents are read at launch, and that o, the answer, does not need
// as constants.
func (q *Question) Open(o *Program) (free []string) {
	fixed := map[string]bool{}
	for _, k := range o.Kernels {
		for _, f := range k.Fixed {
			fixed[f.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q.Host.Fields)) {
		if q.Host.Fields[name].Symbolic && !fixed[name] {
			free = append(free, name)
		}
	}
	for i, a := range q.Args {
		if a.Field != nil && a.Field.Symbolic && i < len(o.Args) && o.Args[i] != nil && !fixed[o.Args[i].Name] {
			free = append(free, FreeArg(i))
		}
	}
	return free
}
