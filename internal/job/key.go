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
	var areas []Area
	var words []*layout.Word
	for _, f := range q.Fields {
		at := q.Layout[f.Name]
		fmt.Fprintf(h, "field %q of %d\n", f.Name, f.Comps)
		if at.Field == nil {
			continue
		}
		open := q.Late[f.Name] != ""
		for c := range max(1, f.Comps) {
			a := q.area(f.Name, c, open)
			if !slices.Contains(areas, a) {
				areas = append(areas, a)
			}
			fmt.Fprintln(h, "area", slices.Index(areas, a))
		}
		if lead := q.Layout.Lead(f.Name); lead < 0 {
			a, _ := q.Layout.Area(Region{f.Name, lead, Tree})
			if !slices.Contains(areas, a) {
				areas = append(areas, a)
			}
			fmt.Fprintln(h, "active by a cell in area", slices.Index(areas, a))
		}
		words = at.Field.Describe(h, at.First, f.Comps, open, words)
	}
	h.Sum(key[:0])
	return key
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
