package session

import (
	"slices"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
)

// noteTopology adds a use while the derivative is lowered.
func (inst *instance) noteTopology(field string, p launch.Place, changes bool) {
	u := job.TopologyUse{Field: field, Place: p, Changes: changes}
	if !slices.Contains(inst.asks, u) {
		inst.asks = append(inst.asks, u)
	}
}

// A topologyVersion is that of the cells of a field at a launch.
type topologyVersion struct {
	field         string
	before, after int64
	cells         [2]uint64 // before and after the launch, as cellSum has them; in a checkpoint
}

// topologyOf is the number of changes so far of the node that a field of the kernel lies in, or is, and of those above it.
func (inst *instance) topologyOf(field string) int64 {
	c := inst.coreOf(field)
	n := int64(0)
	for _, t := range c.uses {
		if t.sparse == nil {
			continue
		}
		for at := c.layoutNode(); at != nil && at.Tree() == t.plan && at.Parent() != nil; at = at.Parent() {
			n += t.sparse.Version(at)
		}
	}
	return n
}

// topologies notes the versions of the sparse fields of the kernel before a launch under t. The caller holds the launch lock.
func (inst *instance) topologies(t *tape) (all []topologyVersion, err error) {
	for _, name := range inst.plan().sparse {
		v := topologyVersion{field: name, before: inst.topologyOf(name)}
		if t.compares() {
			if v.cells[0], err = inst.coreOf(name).cellSum(v.before); err != nil {
				return nil, err
			}
		}
		all = append(all, v)
	}
	return all, nil
}

// launched notes the versions after the launch.
func (inst *instance) launched(all []topologyVersion, t *tape) (err error) {
	for i := range all {
		v := &all[i]
		if v.after = inst.topologyOf(v.field); t.compares() {
			if v.cells[1], err = inst.coreOf(v.field).cellSum(v.after); err != nil {
				return err
			}
		}
	}
	return nil
}

// A cellSum stands for the active cells of a node at a version.
type cellSum struct {
	version int64
	sum     uint64
}

// cellSum is a number that is the same for the same active cells of the node that c lies in, or is. Versions do not tell
// that: they count changes, and a step that is made twice changes the topology twice. It is found once for each
// version. The caller holds the launch lock.
func (c *Field) cellSum(version int64) (uint64, error) {
	n, sum := c.layoutNode(), uint64(0)
	for n.Kind() == layout.Dense && n.Parent() != nil { // dense cells are active if the one that they lie in is
		n = n.Parent()
	}
	for _, t := range c.uses {
		if t.sparse == nil || n.Tree() != t.plan || n.Parent() == nil {
			continue
		}
		k, ok := t.cellSums[n]
		if !ok || k.version != version {
			k = cellSum{version: version}
			var err error
			for idx := range t.sparse.Cells(n, &err) {
				h := uint64(len(idx))
				for _, i := range idx {
					h = (h ^ uint64(i)) * 0x9e3779b97f4a7c15
					h ^= h >> 29
				}
				k.sum += h*0xbf58476d1ce4e5b9 | 1 // in any order
			}
			if err != nil {
				return 0, diag.Errorf(diag.ErrMemory, "the active cells of %s: %w", c.Name(), err)
			}
			if t.cellSums == nil {
				t.cellSums = map[*layout.Node]cellSum{}
			}
			t.cellSums[n] = k
		}
		sum += k.sum
	}
	return sum, nil
}

// sameTopology reports what a derivative finds changed since the launch. The caller holds the launch lock.
func (inst *instance) sameTopology(s *step) error {
	if s.held == nil {
		return nil
	}
	for _, u := range inst.asks {
		i := slices.IndexFunc(s.held.topology, func(v topologyVersion) bool { return v.field == u.Field })
		if i < 0 {
			continue // it was no kernel's launch
		}
		v := s.held.topology[i]
		want, when := v.after, "since"
		if u.Changes {
			want = v.before
			if v.before != v.after {
				when = "by the launch itself, after"
			}
		}
		fail := func(msg string) error {
			return &RuntimeError{Kernel: inst.k.name, Pos: placeOf(u.Place), Err: diag.ErrAccess, Count: 1, Msg: msg}
		}
		if inst.topologyOf(u.Field) != want {
			return fail("the active cells of " + u.Field + " have changed " + when + " this, and the way back would find others; " +
				"activate them before the tape, or launch what changes them apart")
		}
		at := 1
		if u.Changes {
			at = 0
		}
		if first := s.held.first; i < len(first) && first[i].cells[at] != v.cells[at] {
			return fail("the second run of a checkpoint finds other active cells of " + u.Field + " here than the first: a checkpoint keeps what fields hold, and not which cells are active; " +
				"activate them before the tape, or make the function of the checkpoint activate and deactivate all that its loops run over")
		}
	}
	return nil
}
