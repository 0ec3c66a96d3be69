package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gotaichi/ti/internal/graph"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// extent is the number of elements of a field in the model.
const extent = 4

// A place is a component of a field.
type place struct {
	memory *graph.Memory
	comp   int
}

// A model runs segments of launches on small arrays. It knows what states mean, and nothing of graphs: what a segment stores is a hash of
// all that its states say it reads.
type model struct {
	world  *world
	values map[place][]uint64
	masks  map[*graph.Node]uint64
	lists  map[*graph.Tree]uint64
	allocs map[*graph.Tree]uint64
	frames map[uint64]map[int64]uint64 // by number of the launch
	ended  map[uint64]bool             // launches for which there was no memory
	inside map[*graph.Node][]place     // of the cells of nodes
	shared map[*graph.Exponent][]place
	order  []place
}

func newModel(w *world) *model {
	m := &model{
		world: w, values: map[place][]uint64{}, masks: map[*graph.Node]uint64{}, lists: map[*graph.Tree]uint64{}, allocs: map[*graph.Tree]uint64{},
		frames: map[uint64]map[int64]uint64{}, ended: map[uint64]bool{}, inside: map[*graph.Node][]place{}, shared: map[*graph.Exponent][]place{},
	}
	for _, s := range w.stored {
		if s.Memory == nil {
			continue
		}
		for c := range s.Memory.Comps {
			at := place{s.Memory, c}
			if m.values[at] != nil {
				continue
			}
			m.order = append(m.order, at)
			m.values[at] = make([]uint64, extent)
			for i := range m.values[at] {
				m.values[at][i] = mix(uint64(len(m.order)), uint64(i))
			}
			for _, n := range s.Nodes {
				m.inside[n] = append(m.inside[n], at)
			}
			if s.Exponents != nil {
				m.shared[s.Exponents[c]] = append(m.shared[s.Exponents[c]], at)
			}
		}
	}
	return m
}

// mix hashes two numbers.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// result is all that the host sees.
func (m *model) result() string {
	text := ""
	for _, at := range m.order {
		text += fmt.Sprintf("%s.%d %x\n", at.memory.Name, at.comp, m.values[at])
	}
	for _, n := range m.world.nodes {
		text += fmt.Sprintf("mask of %s %x\n", n.Name, m.masks[n])
	}
	for _, t := range m.world.trees {
		text += fmt.Sprintf("lists of %s %x, allocator %x\n", t.Name, m.lists[t], m.allocs[t])
	}
	return text
}

// run runs tasks of a launch that are of one segment.
func (m *model) run(l *graph.Launch, tasks []int) {
	k := l.Kernel
	frame := m.frames[l.Number]
	if frame == nil {
		frame = map[int64]uint64{}
		m.frames[l.Number] = frame
	}
	if m.ended[l.Number] || k.Done >= 0 && frame[k.Done] != 0 {
		return
	}
	h := mix(mix(1, l.Number), uint64(tasks[0]))
	complete := true
	for _, n := range tasks {
		t := &k.Tasks[n]
		for _, s := range t.Sites {
			complete = complete && k.Sites[s].Kind == site.Print
		}
		if len(t.Lists) > 0 && mix(l.Number, 5)%2 == 0 { // there is no memory for the list
			complete, m.ended[l.Number] = false, true
		}
		for i := range t.States {
			h = m.read(l, &t.States[i], h)
		}
		for _, at := range frameOf(t) {
			h = mix(h, frame[at])
		}
	}
	unknown := l.Fields[0].Memory == nil && slices.ContainsFunc(tasks, func(n int) bool { return len(k.Tasks[n].States) > 0 })
	if l.External || unknown {
		for _, at := range m.order {
			h = m.readPlace(at, h)
		}
		m.values[m.order[h%uint64(len(m.order))]][h>>8%extent] = h
	}
	for _, n := range tasks {
		t := &k.Tasks[n]
		for i := range t.States {
			m.write(l, &t.States[i], h, complete)
		}
		for _, at := range frameOf(t) {
			frame[at] = mix(h, uint64(at))
			if at == k.Done && h>>17%2 == 0 {
				frame[at] = 0
			}
		}
	}
}

func frameOf(t *launch.Task) (all []int64) {
	for _, s := range t.Slots {
		if s.From == launch.FrameSlot {
			all = append(all, s.At)
		}
	}
	for _, d := range t.Dims {
		if d.Hi.From == launch.Frame {
			all = append(all, d.Hi.At)
		}
	}
	return all
}

func (m *model) readPlace(at place, h uint64) uint64 {
	for _, v := range m.values[at] {
		h = mix(h, v)
	}
	return h
}

// read hashes what a state reads.
func (m *model) read(l *graph.Launch, s *launch.State, h uint64) uint64 {
	f := &l.Fields[s.Field]
	if f.Memory == nil && f.Nodes == nil {
		return h
	}
	for _, v := range s.Values {
		if v.Use&launch.Reads != 0 {
			for c := v.First; c < v.First+v.Comps; c++ {
				h = m.readPlace(place{f.Memory, f.First + c}, h)
			}
		}
	}
	for _, n := range f.Nodes {
		if s.Mask&launch.Reads != 0 {
			h = mix(h, m.masks[n])
		}
		if s.List&launch.Reads != 0 {
			h = mix(h, m.lists[n.Tree])
		}
		if s.Allocation&launch.Reads != 0 {
			h = mix(h, m.allocs[n.Tree])
		}
	}
	return h
}

// write stores what a state writes: of a component that is not wholly written some elements, by the number of the launch.
func (m *model) write(l *graph.Launch, s *launch.State, h uint64, complete bool) {
	f := &l.Fields[s.Field]
	if f.Memory == nil && f.Nodes == nil {
		return
	}
	for _, v := range s.Values {
		if v.Use&launch.Writes == 0 {
			continue
		}
		for c := v.First; c < v.First+v.Comps; c++ {
			at := place{f.Memory, f.First + c}
			for i := range extent {
				if v.Whole && complete || mix(l.Number, uint64(i+c))%2 == 0 {
					m.values[at][i] = mix(h, uint64(i+16*c))
				}
			}
			if f.Exponents != nil {
				m.round(f.Exponents[c], at, h)
			}
		}
	}
	for _, n := range f.Nodes {
		if s.Mask&launch.Writes != 0 {
			m.masks[n] = mix(m.masks[n], h)
		}
		if s.List&launch.Writes != 0 {
			m.lists[n.Tree] = mix(m.lists[n.Tree], h)
		}
		if s.Allocation&launch.Writes != 0 {
			m.allocs[n.Tree] = mix(m.allocs[n.Tree], h)
		}
	}
	if s.Clears {
		for _, at := range m.inside[f.Cells] {
			m.values[at][h%extent] = 0
		}
	}
}

// round changes the other numbers that share an exponent.
func (m *model) round(e *graph.Exponent, but place, h uint64) {
	for _, at := range m.shared[e] {
		if at != but {
			for i := range m.values[at] {
				m.values[at][i] &^= h & 0xff
			}
		}
	}
}

// inOrder runs the segments of a graph in an order, and returns what the host sees then.
func inOrder(w *world, g *graph.Graph, order []int) string {
	m := newModel(w)
	for _, n := range order {
		s := &g.Segments[n]
		m.run(&g.Launches[s.Launch], s.Tasks)
	}
	return m.result()
}

// program is the order of the program, without some segments.
func program(g *graph.Graph, without []graph.Removal) []int {
	var order []int
	for n := range g.Segments {
		if !slices.ContainsFunc(without, func(r graph.Removal) bool { return slices.Contains(r.Segments, n) }) {
			order = append(order, n)
		}
	}
	return order
}

// A dice makes batches.
type dice struct {
	*rand.Rand
	stops bool // launches may end early for lack of memory
}

// batch is the text of a batch, for [world.batch].
func (d dice) batch(launches int) string {
	text := ""
	for i := range launches {
		text += fmt.Sprintf("K%d", i)
		if d.IntN(25) == 0 {
			text += string("!?"[d.IntN(2)])
		}
		text += ":"
		for n := range 1 + d.IntN(3) {
			if n > 0 {
				text += " ;"
			}
			text += d.segment()
		}
		text += "\n"
	}
	return text
}

// segment is the text of a segment.
func (d dice) segment() string {
	text := ""
	dense := []string{"X", "Y", "Z", "S", "A", "D", "D.1", "D1", "D.0", "U", "V"}
	sparse := []string{"P", "Q", "R", "O"}
	used := map[string]bool{}
	for range d.IntN(4) {
		field, op := dense[d.IntN(len(dense))], []string{"r", "r", "w", "W", "W", "rw", "rW"}[d.IntN(7)]
		if d.IntN(4) == 0 {
			field, op = sparse[d.IntN(len(sparse))], []string{"r", "w", "rw"}[d.IntN(3)]
		}
		if name := field[:1]; !used[name] || len(field) == 1 && !used[field] { // a state names a component once
			used[name], used[field] = true, true
			text += " " + op + ":" + field
		}
	}
	if d.IntN(8) == 0 {
		text += " frame:" + []string{"8", "16"}[d.IntN(2)]
	}
	if d.IntN(10) == 0 {
		text += []string{" over:", " over:", " grow:", " clear:"}[d.IntN(4)] + sparse[d.IntN(len(sparse))]
	}
	if d.IntN(15) == 0 {
		text += []string{" fail", " print", " record", " return", " helped", " long"}[d.IntN(6)]
	}
	if d.stops && d.IntN(15) == 0 {
		text += " lists"
	}
	return text
}
