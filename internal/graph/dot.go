package graph

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// A Picture is a graph to be drawn, with what was decided.
type Picture struct {
	Graph   *Graph
	Removed []Removal // drawn grey, with the reason as tooltip
	Groups  []Group   // drawn in boxes; no segment is in two
	Notes   []string  // drawn beside, a line each
}

// A Group is segments that run as one, or together.
type Group struct {
	Label    string
	Segments []int   // numbers in Graph.Segments
	Groups   []Group // of other segments, drawn within
}

// WriteDOT writes graphs of successive batches, a cluster for each, in the language of Graphviz. Segments are nodes, and edges have the
// names of resources. Flow edges are solid, anti edges dashed, output edges dotted. States that were there before, and those that
// are left behind, are small nodes. The same pictures give the same bytes.
func WriteDOT(w io.Writer, pictures ...Picture) error {
	d := &drawing{pictures: pictures, numbers: map[state]int{}, drawn: map[string]bool{}}
	d.printf("digraph \"state flow\" {\n")
	d.printf("\tnode [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\", fontsize=10];\n")
	d.printf("\tedge [fontname=\"sans-serif\", fontsize=8];\n")
	for i := range pictures {
		d.batch(i)
	}
	for i := range pictures {
		d.edges(i)
	}
	d.ends()
	d.printf("}\n")
	_, err := w.Write(d.text.Bytes())
	return err
}

// A drawing is the state of WriteDOT.
type drawing struct {
	pictures []Picture
	text     bytes.Buffer
	numbers  map[state]int
	drawn    map[string]bool // small nodes
}

// A state is what a small node stands for: a resource with all its components.
type state struct {
	kind Kind
	of   any
}

// number returns a number for what a small node stands for, since names may be equal.
func (d *drawing) number(r Resource) int {
	s := state{r.Kind, r.Of}
	if d.numbers[s] == 0 {
		d.numbers[s] = len(d.numbers) + 1
	}
	return d.numbers[s]
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.text, format, args...) }

// batch draws the segments of a batch.
func (d *drawing) batch(i int) {
	p := &d.pictures[i]
	reasons := map[int]string{}
	for _, r := range p.Removed {
		for _, n := range r.Segments {
			reasons[n] = p.Graph.Reason(&r)
		}
	}
	d.printf("\tsubgraph \"cluster_%d\" {\n\t\tlabel=%s;\n\t\tcolor=grey;\n", p.Graph.Batch, quoted(fmt.Sprintf("batch %d", p.Graph.Batch)))
	boxed := map[int]bool{}
	d.boxes(p.Groups, fmt.Sprintf("cluster_%d", p.Graph.Batch), "\t\t", func(n int, indent string) {
		boxed[n] = true
		d.segment(p.Graph, n, reasons, indent)
	})
	for n := range p.Graph.Segments {
		if !boxed[n] {
			d.segment(p.Graph, n, reasons, "\t\t")
		}
	}
	if len(p.Notes) > 0 {
		d.printf("\t\t\"notes%d\" [shape=note, label=%s];\n", p.Graph.Batch, quoted(strings.Join(p.Notes, "\n")))
	}
	d.printf("\t}\n")
}

// boxes draws groups. The names of their clusters begin as that around them.
func (d *drawing) boxes(groups []Group, around, indent string, segment func(n int, indent string)) {
	for k, group := range groups {
		name := fmt.Sprintf("%s_%d", around, k)
		d.printf("%ssubgraph %q {\n%s\tlabel=%s;\n%s\tcolor=black;\n", indent, name, indent, quoted(group.Label), indent)
		for _, n := range group.Segments {
			segment(n, indent+"\t")
		}
		d.boxes(group.Groups, name, indent+"\t", segment)
		d.printf("%s}\n", indent)
	}
}

// segment draws a segment.
func (d *drawing) segment(g *Graph, n int, reasons map[int]string, indent string) {
	label := g.Name(n)
	if at := g.place(n); at.Line > 0 {
		label += "\n" + placeText(at)
	}
	d.printf("%s%s [label=%s", indent, node(g.Batch, n), quoted(label))
	reason, removed := reasons[n]
	switch keep := g.Segments[n].Keep; {
	case removed:
		d.printf(", fillcolor=grey, fontcolor=grey30, tooltip=%s", quoted("removed: "+reason))
	case keep != "":
		d.printf(", tooltip=%s", quoted("runs in any case: "+keep))
	}
	d.printf("];\n")
}

// node is the name of a segment's node.
func node(batch, segment int) string { return fmt.Sprintf("\"b%ds%d\"", batch, segment) }

// A line is what is drawn between two nodes: an edge for each of the resources.
type line struct {
	from, to string
	style    string // "" for a solid one
	grey     bool   // one of the ends is removed
}

// lines are edges in the order of their first resources.
type lines struct {
	order []line
	names map[line][]Resource
}

func (s *lines) add(l line, r Resource) {
	if s.names == nil {
		s.names = map[line][]Resource{}
	}
	if s.names[l] == nil {
		s.order = append(s.order, l)
	}
	s.names[l] = append(s.names[l], r)
}

// styleOf is how edges of these kinds are drawn. An edge along which values flow shows that, whatever else it is.
func styleOf(k Edges) string {
	switch {
	case k&Flow != 0:
		return ""
	case k&Output != 0:
		return "dotted"
	}
	return "dashed"
}

// edges draws the edges to the segments of a batch.
func (d *drawing) edges(i int) {
	p, s := &d.pictures[i], &lines{}
	g := p.Graph
	removed := map[int]bool{}
	for _, r := range p.Removed {
		for _, n := range r.Segments {
			removed[n] = true
		}
	}
	for _, e := range g.Before {
		r := g.Resources[e.Resource]
		if from, segment := d.from(e.From, r); segment || e.Kind&Flow != 0 {
			s.add(line{from, node(g.Batch, e.To), styleOf(e.Kind), removed[e.To]}, r)
		}
	}
	for _, e := range g.Edges {
		s.add(line{node(g.Batch, e.From), node(g.Batch, e.To), styleOf(e.Kind), removed[e.From] || removed[e.To]}, g.Resources[e.Resource])
	}
	d.lines(s)
}

// from returns the node of an edge from an earlier batch: its segment, if that is drawn, else a small node, which it draws.
func (d *drawing) from(from Ref, r Resource) (name string, segment bool) {
	for i := range d.pictures {
		if d.pictures[i].Graph.Batch == from.Batch {
			return node(from.Batch, from.Segment), true
		}
	}
	name = fmt.Sprintf("\"from%d b%ds%d\"", d.number(r), from.Batch, from.Segment)
	if !d.drawn[name] {
		d.drawn[name] = true
		label := whole(r)
		if from != (Ref{}) {
			label += "\n" + from.Name()
		}
		d.small(name, label)
	}
	return name, false
}

// small draws a small node.
func (d *drawing) small(name, label string) {
	d.printf("\t%s [label=%s, shape=ellipse, height=0.2, fontsize=8];\n", name, quoted(label))
}

// whole is what a resource is of, with all components.
func whole(r Resource) string {
	if m, is := r.Of.(*Memory); is {
		return m.Name
	}
	return r.String()
}

// ends draws who wrote each resource last.
func (d *drawing) ends() {
	written := map[Resource]bool{}
	s := &lines{}
	for i := len(d.pictures) - 1; i >= 0; i-- {
		g := d.pictures[i].Graph
		for n, r := range g.Resources {
			if g.last[n] < 0 || r.Kind == Frame || r.Kind == Everything || written[r] {
				continue
			}
			written[r] = true
			name := fmt.Sprintf("\"to%d\"", d.number(r))
			s.add(line{from: node(g.Batch, int(g.last[n])), to: name}, r)
		}
	}
	for _, l := range s.order {
		if !d.drawn[l.to] {
			d.drawn[l.to] = true
			d.small(l.to, whole(s.names[l][0]))
		}
	}
	d.lines(s)
}

// lines draws edges.
func (d *drawing) lines(s *lines) {
	for _, l := range s.order {
		d.printf("\t%s -> %s [label=%s", l.from, l.to, quoted(list(s.names[l])))
		if l.style != "" {
			d.printf(", style=%s", l.style)
		}
		if l.grey {
			d.printf(", color=grey, fontcolor=grey")
		}
		d.printf("];\n")
	}
}

// list names resources, adjacent components as one range: "X.0 to 2, mask of B".
func list(all []Resource) string {
	var parts []string
	for i := 0; i < len(all); i++ {
		from, name := i, all[i].String()
		for i+1 < len(all) && all[i].Kind == Values && all[i+1].Of == all[i].Of && all[i+1].Kind == Values && all[i+1].At == all[i].At+1 {
			i++
		}
		if i > from {
			name = fmt.Sprintf("%s to %d", name, all[i].At)
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ", ")
}

// quoted is a string of the language of Graphviz.
func quoted(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
	return `"` + s + `"`
}
