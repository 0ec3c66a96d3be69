package graph

import "github.com/gotaichi/ti/internal/launch"

// A collector finds what segments do to resources.
type collector struct {
	names names
	uses  []Use   // of all segments so far
	from  int     // of the segment at hand
	at    []int32 // by resource: 1 + its number in uses, of the segment that used it last
}

// touch notes a use of a resource. What is touched twice in a segment is an iteration's own if it is so both times.
func (c *collector) touch(resource int32, use launch.Use, whole, own bool) {
	for int(resource) >= len(c.at) {
		c.at = append(c.at, make([]int32, 64)...)
	}
	if n := int(c.at[resource]) - 1; n >= c.from {
		u := &c.uses[n]
		u.Use, u.Whole, u.Own = u.Use|use, u.Whole || whole, u.Own && own
		return
	}
	c.uses = append(c.uses, Use{Resource: int(resource), Use: use, Whole: whole, Own: own})
	c.at[resource] = int32(len(c.uses))
}

// segment finds the uses of a part of a launch. Known is false if the memory of a field is not known.
func (c *collector) segment(l *Launch, p *part) (uses []Use, known bool) {
	c.from, known = len(c.uses), true
	for _, n := range p.tasks {
		states := l.Kernel.Tasks[n].States
		for i := range states {
			known = c.state(l, &states[i]) && known
		}
	}
	for _, at := range p.frame {
		c.touch(c.names.inFrame(l, at), launch.Reads|launch.Writes, false, false)
	}
	if done := l.Kernel.Done; done >= 0 {
		c.touch(c.names.inFrame(l, done), launch.Reads, false, false)
	}
	use := launch.Reads
	if !known || l.External {
		use |= launch.Writes
	}
	c.touch(c.names.barrier, use, false, false)
	return c.uses[c.from:len(c.uses):len(c.uses)], known
}

// state notes what a state says of a field or node.
func (c *collector) state(l *Launch, s *launch.State) (known bool) {
	if s.Field >= len(l.Fields) {
		return false
	}
	f := &l.Fields[s.Field]
	for i := range s.Values {
		if !c.values(f, &s.Values[i]) {
			return false
		}
	}
	cells := s.Mask | s.List | s.Allocation
	if (cells != 0 || s.Clears) && len(f.Nodes) == 0 || s.Clears && f.Cells == nil {
		return false
	}
	for _, n := range f.Nodes {
		if s.Mask != 0 {
			c.touch(c.names.of(Resource{Kind: Mask, Of: n}), s.Mask, false, false)
		}
		if s.List != 0 {
			c.touch(c.names.of(Resource{Kind: Lists, Of: n.Tree}), s.List, false, false)
		}
		if s.Allocation != 0 {
			c.touch(c.names.of(Resource{Kind: Allocation, Of: n.Tree}), s.Allocation, false, false)
		}
	}
	if s.Clears {
		c.touch(c.names.of(Resource{Kind: Cells, Of: f.Cells}), launch.Writes, false, false)
	}
	return true
}

// values notes the uses of components.
func (c *collector) values(f *Storage, v *launch.Values) (known bool) {
	if f.Memory == nil {
		return false
	}
	for comp := v.First; comp < v.First+v.Comps; comp++ {
		number, ok := c.names.component(f.Memory, f.First+comp)
		if !ok {
			return false
		}
		c.touch(number, v.Use, v.Whole, v.Own)
		if comp < len(f.Exponents) && f.Exponents[comp] != nil {
			c.touch(c.names.of(Resource{Kind: Shared, Of: f.Exponents[comp]}), v.Use, false, false) // of others it is a part
		}
	}
	for _, n := range f.Nodes {
		c.touch(c.names.of(Resource{Kind: Cells, Of: n}), launch.Reads, false, false)
	}
	return true
}
