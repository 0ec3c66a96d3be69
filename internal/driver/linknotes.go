package driver

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// WhyApart says why loops of linked launches were not fused, each with its place.
func (u *Unit) WhyApart() (all []string, err error) {
	defer guard(u.k.Name, &err)
	with := *u
	with.notes = &note.Notes{}
	b := with.begin()
	if err := b.passes(nil, "loopfusion"); err != nil {
		return nil, err
	}
	for _, n := range b.notes.List {
		if n.Is(note.LaunchesApart) {
			at := placeOf(b.k, n.Pos)
			all = append(all, fmt.Sprintf("%s:%d:%d: %s", at.File, at.Line, at.Column, n.Text))
		}
	}
	return all, nil
}

// Saves reports whether the linked kernel may have fewer tasks than its parts: loops of launches are fused, or launches store what later ones
// overwrite. It takes a fraction of the time of [Unit.Describe].
func (u *Unit) Saves() (saves bool, err error) {
	defer guard(u.k.Name, &err)
	b := u.begin()
	if err := b.passes(nil, "loopfusion"); err != nil {
		return false, u.fault(err)
	}
	return segments(b.k) < segments(u.k), nil
}

// segments is how many loops and pieces of serial code the body of a linked kernel has: the tasks that it is split into, but for loops that become several.
func segments(k *ir.Kernel) (n int) {
	serial := false
	for _, o := range k.Body.Ops {
		switch {
		case o.Code == ir.OpPart:
			serial = false
		case o.IsParallel():
			n++
			serial = false
		case o.Code == ir.OpConst || o.Code == ir.OpParam || o.Code == ir.OpLen || o.Code == ir.OpReturn: // no task by themselves
		case !serial:
			n++
			serial = true
		}
	}
	return n
}
