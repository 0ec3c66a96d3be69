package session

import (
	"slices"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
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

// topologies notes the versions of the sparse fields of the kernel before a launch. The caller holds the launch lock.
func (inst *instance) topologies() (all []topologyVersion) {
	for _, name := range inst.plan().sparse {
		all = append(all, topologyVersion{field: name, before: inst.topologyOf(name)})
	}
	return all
}

// launched notes the versions after the launch.
func (inst *instance) launched(all []topologyVersion) {
	for i := range all {
		all[i].after = inst.topologyOf(all[i].field)
	}
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
		if inst.topologyOf(u.Field) != want {
			return &RuntimeError{Kernel: inst.k.name, Pos: placeOf(u.Place), Err: ErrAccess, Count: 1,
				Msg: "the active cells of " + u.Field + " have changed " + when + " this, and the way back would find others; " +
					"activate them before the tape, or launch what changes them apart"}
		}
	}
	return nil
}
