package packet

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/target"
)

// This file is the part of packets for bodies without loops, whose index checks prevent LLVM's vectoriser.

// MakeChecked makes packets of a task whose body has no loop, but index checks.
func MakeChecked(t *ir.Task, machine target.Traits, opts option.Options, notes *note.Notes) {
	vectorBits := machine.VectorBits
	if machine.Provides(target.Alone) || !isCountable(t, vectorBits) || !isChecked(t.Body) {
		return
	}
	body := t.Body
	t.Body = separated(t)
	a := surveyPacket(t, vectorBits, opts)
	a.checked = true
	if !a.makeChecked(machine, opts, notes) {
		t.Body = body
	}
}

// makeChecked writes the task for packets, and reports whether it did.
func (a *packetInfo) makeChecked(machine target.Traits, opts option.Options, notes *note.Notes) bool {
	if !a.fits(a.t.Body, nil, false) { // the reasons of LLVM's vectoriser are among the remarks on the task
		return false
	}
	if opts.ForceVectors == 0 && !a.computesEnough(a.t.Body, machine.VectorBits) {
		notes.Say(a.t.Pos, note.NoPackets, note.FewOpsPerGather.With())
		return false
	}
	return a.make(machine, opts, notes, nil)
}

// isChecked reports whether a body has index checks, but no loop.
func isChecked(b *ir.Block) bool {
	loops, checks := false, false
	ir.Visit(b, func(o *ir.Op) bool {
		loops = loops || o.Code.Is(ir.Loop)
		checks = checks || o.Code == ir.OpFail
		return !loops
	})
	return checks && !loops
}
