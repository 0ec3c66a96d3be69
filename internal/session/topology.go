package session

import (
	"slices"

	"github.com/gotaichi/ti/internal/diag"
)

// A topologyVersion is that of the cells of a field at a launch.
type topologyVersion struct {
	field         string
	before, after int64
	cells         [2]uint64 // before and after the launch, as Field.CellSum has them; in a checkpoint
}

// topologies notes the versions of the sparse fields of the kernel before a launch under t. The caller holds the launch lock.
func (t *tape) topologies(inst *instance) (all []topologyVersion, err error) {
	for _, name := range inst.plan().sparse {
		v := topologyVersion{field: name, before: inst.scope.Named(name).Topology()}
		if t.compares() {
			if v.cells[0], err = inst.scope.Named(name).CellSum(v.before); err != nil {
				return nil, err
			}
		}
		all = append(all, v)
	}
	return all, nil
}

// launched notes the versions after the launch.
func (t *tape) launched(inst *instance, all []topologyVersion) (err error) {
	for i := range all {
		v := &all[i]
		if v.after = inst.scope.Named(v.field).Topology(); t.compares() {
			if v.cells[1], err = inst.scope.Named(v.field).CellSum(v.after); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameTopology reports what a derivative finds changed since the launch. The caller holds the launch lock.
func (s *step) sameTopology(inst *instance) error {
	if s.held == nil {
		return nil
	}
	d := inst.role.derivative()
	if d == nil {
		return nil
	}
	for _, u := range d.asks {
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
		if inst.scope.Named(u.Field).Topology() != want {
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
