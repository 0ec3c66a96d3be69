package job

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/target"
)

// A Question is all that the code of a kernel depends on, but for what compiles it and for which machine.
type Question struct {
	Outline outline.Key // of the check that has the kernel
	Kernel  string
	Fields  []Field // that the kernel uses, in order, and those with its derivatives
	Layout  Layout

	// Late has the fields whose extents are read at launch, each with the one whose extents it has.
	Late map[string]string

	Options    option.Options
	Gradient   bool        // it is lowered as for differentiation
	Accesses   bool        // each access to a field is recorded
	Derivative *Derivative // nil for the kernel itself
}

// A Field is one of a kernel, with the number of its components, none for a node.
type Field struct {
	Name  string
	Comps int
}

// Key identifies the question.
func (q *Question) Key() (key target.Key) {
	h := sha256.New()
	(&keyWriter{h: h}).question(q)
	h.Sum(key[:0])
	return key
}

// LinkKey identifies what comes of linking launches that are answers to these questions, in the order of launches, which has their numbers. Beside each
// question it tells what memory their fields have in common. same has the arguments of each launch that are the same; it may be nil.
func LinkKey(all []*Question, launches []int, same [][]SameArg) (key target.Key) {
	h := sha256.New()
	w := &keyWriter{h: h}
	fmt.Fprintln(h, "linked 1")
	for _, q := range all {
		w.question(q)
		for _, f := range q.Fields {
			w.storage(q.Layout[f.Name])
		}
	}
	fmt.Fprintln(h, "launches", launches, same)
	h.Sum(key[:0])
	return key
}

// A keyWriter writes questions. It numbers what they name in the order in which it comes first, whatever the host calls it.
type keyWriter struct {
	h      io.Writer
	areas  []Area
	words  []*layout.Word
	fields []*layout.Field
	nodes  []*layout.Node
}

func (w *keyWriter) question(q *Question) {
	h := w.h
	fmt.Fprintf(h, "job 2 %x %q %+v accesses %v gradient %v\n", q.Outline, q.Kernel, q.Options, q.Accesses, q.Gradient)
	if d := q.Derivative; d != nil {
		fmt.Fprintf(h, "derivative %d\n", d.Mode)
		texts(h, d.Of)
		texts(h, d.Keys)
		texts(h, d.Dual)
		fmt.Fprintf(h, "record %q %d\n", d.Record, d.RecordSize)
		for _, name := range slices.Sorted(maps.Keys(d.Sparse)) {
			fmt.Fprintf(h, "sparse %q %d\n", name, d.Sparse[name])
		}
	}
	texts(h, q.Late)
	for _, f := range q.Fields {
		at := q.Layout[f.Name]
		fmt.Fprintf(h, "field %q of %d\n", f.Name, f.Comps)
		if at.Field == nil {
			continue
		}
		open := q.Late[f.Name] != ""
		for c := range max(1, f.Comps) {
			fmt.Fprintln(h, "area", number(&w.areas, q.area(f.Name, c, open)))
		}
		if lead := q.Layout.Lead(f.Name); lead < 0 {
			a, _ := q.Layout.Area(Region{f.Name, lead, Tree})
			fmt.Fprintln(h, "active by a cell in area", number(&w.areas, a))
		}
		w.words = at.Field.Describe(h, at.First, f.Comps, open, w.words)
	}
}

// storage writes which memory a field of one question has in common with those of others.
func (w *keyWriter) storage(at Place) {
	if at.Field == nil {
		return
	}
	fmt.Fprintln(w.h, "memory", number(&w.fields, at.Field), at.First)
	if node := at.Field.CellsOf(); node != nil {
		fmt.Fprintln(w.h, "node", number(&w.nodes, node))
	}
}

// number is the place of v among all, where it is put unless it is there.
func number[T comparable](all *[]T, v T) int {
	i := slices.Index(*all, v)
	if i < 0 {
		i, *all = len(*all), append(*all, v)
	}
	return i
}

// area is the one that code takes for a component: the array where extents are read at launch, since where
// an array begins depends on the extents of those before it.
func (q *Question) area(field string, c int, open bool) Area {
	if len(q.Late) > 0 {
		if a, ok := q.Layout.Area(Region{field, c, Array}); ok {
			return a
		}
		if a, ok := q.Layout.Area(Region{field, c, Outermost}); ok && open {
			return a
		}
	}
	a, _ := q.Layout.Area(Region{field, c, Tree})
	return a
}

// texts writes a map in the order of its keys.
func texts(w io.Writer, m map[string]string) {
	fmt.Fprintln(w, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(w, "%q %q\n", k, m[k])
	}
}
