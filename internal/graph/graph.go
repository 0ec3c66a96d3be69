package graph

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/launch"
)

// A Graph is the state-flow graph of a batch. One goroutine at a time uses it.
type Graph struct {
	Batch     int // number of the batch in its history, from 1
	Launches  []Launch
	Segments  []Segment // in program order
	Resources []Resource
	Edges     []Edge   // by To, which is behind From in program order
	Before    []Inward // edges from earlier batches, by To

	first []int   // number of the first segment of each launch, and of all segments
	last  []int32 // by resource: who wrote it last in the batch; -1 for nobody

	reach *reach // nil until somebody asks
}

// An Edge says that a segment runs before another one, for the sake of a resource.
type Edge struct {
	From, To int // numbers in Graph.Segments
	Resource int
	Kind     Edges
}

// Edges is a set of kinds of edges, which two segments may have for one resource.
type Edges uint8

// The kinds of edges.
const (
	Flow   Edges = 1 << iota // written, then read
	Anti                     // read, then written
	Output                   // written, then written
)

// An Inward is an edge from an earlier batch. From is the zero Ref for what was there before all batches, or is not known.
type Inward struct {
	From     Ref
	To       int
	Resource int
	Kind     Edges
}

// New returns the graph of launches, which are in program order. The history says who wrote and read resources before; from then on it
// says so of the time behind these launches. It may be nil.
func New(launches []Launch, history *History) *Graph {
	if history == nil {
		history = &History{}
	}
	history.batch++
	g := &Graph{Batch: history.batch, Launches: launches}
	g.cut()
	b := builder{g: g, history: history, states: make([]chain, len(g.Resources))}
	b.build()
	history.note(g, &b)
	return g
}

// cut makes the segments.
func (g *Graph) cut() {
	c := collector{}
	c.names.init()
	cuts := map[*launch.Kernel]*cut{}
	for i := range g.Launches {
		l := &g.Launches[i]
		of := cuts[l.Kernel]
		if of == nil {
			of = cutOf(l.Kernel)
			cuts[l.Kernel] = of
		}
		g.first = append(g.first, len(g.Segments))
		for n := range of.parts {
			p := &of.parts[n]
			s := Segment{Launch: i, Tasks: p.tasks, Loop: l.Kernel.Tasks[p.tasks[0]].Loop, Keep: p.keep, certain: p.certain}
			uses, known := c.segment(l, p)
			s.Uses, s.barrier = uses, !known || l.External
			switch {
			case l.External:
				s.Keep = "it works with memory of the caller"
			case !known:
				s.Keep = "it is not known where its fields are stored"
			}
			g.Segments = append(g.Segments, s)
		}
	}
	g.first = append(g.first, len(g.Segments))
	g.Resources = c.names.all
}

// Of returns the numbers of the segments of a launch: from first to the one before end.
func (g *Graph) Of(launch int) (first, end int) { return g.first[launch], g.first[launch+1] }

// Meets reports whether a launch may write what another one writes.
func (g *Graph) Meets(launch, other int) bool {
	written := map[int]bool{}
	g.eachUse(other, func(u *Use) {
		if u.writes() {
			written[u.Resource] = true
		}
	})
	meets := false
	g.eachUse(launch, func(u *Use) { meets = meets || u.writes() && written[u.Resource] })
	first, end := g.Of(launch)
	return meets || slices.ContainsFunc(g.Segments[first:end], func(s Segment) bool { return s.barrier })
}

// eachUse calls f with what the segments of a launch do.
func (g *Graph) eachUse(launch int, f func(*Use)) {
	first, end := g.Of(launch)
	for n := first; n < end; n++ {
		for i := range g.Segments[n].Uses {
			f(&g.Segments[n].Uses[i])
		}
	}
}

// Name is how people call a segment: its task, kernel and launch.
func (g *Graph) Name(segment int) string {
	s := &g.Segments[segment]
	l := &g.Launches[s.Launch]
	return nameOf(l.Kernel, s.Tasks[0], l.Number)
}

func nameOf(k *launch.Kernel, task int, number uint64) string {
	name := "a task"
	if task < len(k.Names) {
		name = k.Names[task].Task
	}
	return fmt.Sprintf("%s of %s (launch %d)", name, k.Name, number)
}

// place is where a segment stands in the source.
func (g *Graph) place(segment int) launch.Place {
	s := &g.Segments[segment]
	k := g.Launches[s.Launch].Kernel
	if n := s.Tasks[0]; n < len(k.Names) {
		return k.Names[n].Place
	}
	return launch.Place{}
}

// A chain is the state-flow chain of a resource as far as it is built.
type chain struct {
	known  bool  // the history was asked
	writer int32 // 1 + the last writer; 0 for one of an earlier batch
	reader int32 // 1 + the number in builder.readers of the last reader since; 0 for none
	before *latest
}

// A reader is in the list of those that read a resource since its last writer, the last one first.
type reader struct{ segment, next int32 }

// A builder makes edges.
type builder struct {
	g       *Graph
	history *History
	states  []chain // by resource
	readers []reader
}

func (b *builder) build() {
	for n := range b.g.Segments {
		uses := b.g.Segments[n].Uses
		for i := range uses {
			b.use(int32(n), &uses[i])
		}
	}
	b.g.last = make([]int32, len(b.states))
	for r := range b.states {
		b.g.last[r] = b.states[r].writer - 1
	}
}

// use adds the edges to a segment for a resource, and what the segment does to the chain.
func (b *builder) use(n int32, u *Use) {
	c := &b.states[u.Resource]
	if !c.known {
		c.known, c.before = true, b.history.latest(b.g.Resources[u.Resource])
	}
	kind := Edges(0)
	if u.reads() {
		kind |= Flow
	}
	if u.writes() {
		kind |= Output
	}
	if c.writer > 0 {
		b.add(c.writer-1, n, u.Resource, kind)
	} else {
		b.addBefore(c, n, u, kind)
	}
	if !u.writes() {
		b.readers = append(b.readers, reader{n, c.reader})
		c.reader = int32(len(b.readers))
		return
	}
	for at := c.reader; at > 0; at = b.readers[at-1].next {
		b.add(b.readers[at-1].segment, n, u.Resource, Anti)
	}
	c.writer, c.reader = n+1, 0
}

func (b *builder) add(from, to int32, resource int, kind Edges) {
	b.g.Edges = append(b.g.Edges, Edge{From: int(from), To: int(to), Resource: resource, Kind: kind})
}

// addBefore adds the edges from earlier batches.
func (b *builder) addBefore(c *chain, n int32, u *Use, kind Edges) {
	k := b.g.Resources[u.Resource].Kind
	if k == Frame || k == Everything { // the batches before have ended
		return
	}
	from := Ref{}
	if c.before != nil {
		from = c.before.writer
	}
	if kind&Flow != 0 || from != (Ref{}) {
		b.g.Before = append(b.g.Before, Inward{From: from, To: int(n), Resource: u.Resource, Kind: kind})
	}
	if c.before == nil || !u.writes() {
		return
	}
	for _, from := range c.before.readers {
		b.g.Before = append(b.g.Before, Inward{From: from, To: int(n), Resource: u.Resource, Kind: Anti})
	}
}
