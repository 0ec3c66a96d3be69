package gradient

import (
	"slices"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/variant"
)

// topologies notes the versions of the sparse fields of the kernel before a launch under t. The caller holds the
// launch lock.
func (t *tape) topologies(v *variant.Variant) (all []topologyVersion, err error) {
	for _, name := range v.Plan().Sparse {
		at := topologyVersion{field: name, before: v.Scope.Named(name).Topology()}
		if t.compares() {
			if at.cells[0], err = v.Scope.Named(name).CellSum(at.before); err != nil {
				return nil, err
			}
		}
		all = append(all, at)
	}
	return all, nil
}

// launched notes the versions after the launch.
func (t *tape) launched(v *variant.Variant, all []topologyVersion) (err error) {
	for i := range all {
		at := &all[i]
		if at.after = v.Scope.Named(at.field).Topology(); t.compares() {
			if at.cells[1], err = v.Scope.Named(at.field).CellSum(at.after); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameTopology reports what a derivative finds changed since the launch. The caller holds the launch lock.
func (s *step) sameTopology(v *variant.Variant) error {
	if s.held == nil {
		return nil
	}
	d := v.Role.AsDerivative()
	if d == nil {
		return nil
	}
	for _, u := range d.Asks {
		i := slices.IndexFunc(s.held.topology, func(at topologyVersion) bool { return at.field == u.Field })
		if i < 0 {
			continue // it was no kernel's launch
		}
		was := s.held.topology[i]
		want, when := was.after, "since"
		if u.Changes {
			want = was.before
			if was.before != was.after {
				when = "by the launch itself, after"
			}
		}
		fail := func(msg string) error {
			return &variant.RuntimeError{Kernel: v.Kernel.Name, Pos: variant.PlaceOf(u.Place), Err: diag.ErrAccess, Count: 1, Msg: msg}
		}
		if v.Scope.Named(u.Field).Topology() != want {
			return fail("the active cells of " + u.Field + " have changed " + when + " this, and the backward pass would find others; " +
				"activate them before the tape, or launch what changes them apart")
		}
		at := 1
		if u.Changes {
			at = 0
		}
		if first := s.held.first; i < len(first) && first[i].cells[at] != was.cells[at] {
			return fail("the second run of a checkpoint finds other active cells of " + u.Field + " here than the first: a checkpoint keeps what fields hold, and not which cells are active; " +
				"activate them before the tape, or make the function of the checkpoint activate and deactivate all that its loops run over")
		}
	}
	return nil
}
