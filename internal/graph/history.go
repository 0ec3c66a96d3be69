package graph

import "github.com/gotaichi/ti/internal/launch"

// A History says who wrote each resource last, and who has read it since, in all batches so far. The zero value says that nobody did.
type History struct {
	batch int
	of    map[Resource]*latest
}

// A Ref names a segment of an earlier batch.
type Ref struct {
	Batch   int // Graph.Batch, from 1
	Segment int // number in Graph.Segments

	kernel *launch.Kernel
	task   int
	number uint64 // of the launch
}

// Name is how people call the segment.
func (r *Ref) Name() string { return nameOf(r.kernel, r.task, r.number) }

// A latest is the last writer of a resource, and its readers since. A batch has ended when the next one begins, so only the
// readers of the last batch that read it are kept: else the readers of what never changes would be more and more.
type latest struct {
	writer  Ref // the zero Ref if it is not known
	readers []Ref
}

// latest returns who wrote and read a resource last; nil if that is not known.
func (h *History) latest(r Resource) *latest {
	if r.Kind == Frame || r.Kind == Everything {
		return nil
	}
	return h.of[r]
}

// Forget forgets all resources of something that has been closed: a memory, node, tree or exponent.
func (h *History) Forget(of any) {
	for r := range h.of {
		if r.Of == of {
			delete(h.of, r)
		}
	}
}

// note takes over what a graph ends with.
func (h *History) note(g *Graph, b *builder) {
	if h.of == nil {
		h.of = map[Resource]*latest{}
	}
	ref := func(n int32) Ref {
		s := &g.Segments[n]
		l := &g.Launches[s.Launch]
		return Ref{Batch: g.Batch, Segment: int(n), kernel: l.Kernel, task: s.Tasks[0], number: l.Number}
	}
	for i := range b.states {
		c, r := &b.states[i], g.Resources[i]
		if !c.known || r.Kind == Frame || r.Kind == Everything {
			continue
		}
		at := h.of[r]
		if at == nil {
			at = &latest{}
			h.of[r] = at
		}
		if c.writer > 0 {
			at.writer, at.readers = ref(c.writer-1), nil
		}
		if c.reader > 0 {
			at.readers = nil
		}
		for n := c.reader; n > 0; n = b.readers[n-1].next {
			at.readers = append(at.readers, ref(b.readers[n-1].segment))
		}
	}
}
