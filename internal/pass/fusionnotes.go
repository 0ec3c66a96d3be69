package pass

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file says why the loops of launches that follow each other stay apart. Nothing depends on it but what people read.

// sayApart adds a note for each loop of a linked kernel whose neighbour is a loop of an earlier part.
func (f *fuser) sayApart() {
	if f.k.Parts == nil || f.o.Notes == nil {
		return
	}
	var before *ir.Op
	linked, between := false, false
	for _, o := range f.k.Body.Ops {
		switch {
		case o.Code == ir.OpPart:
			linked = true
			continue
		case o.Code.Is(ir.Pure) && len(o.Regions) == 0:
			continue
		case !o.IsParallel():
			between = between || o.Code != ir.OpReturn
			continue
		}
		if before != nil && linked {
			f.o.Notes.Say(o.Pos, note.LaunchesApart, f.place(before.Pos), f.whyApart(before, o, between))
		}
		before, linked, between = o, false, false
	}
}

func (f *fuser) place(p ir.Pos) string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// whyApart is the first condition of fusible that two loops break, or what stands between them.
func (f *fuser) whyApart(a, b *ir.Op, between bool) string {
	one, two := f.accesses(a), f.accesses(b)
	switch {
	case !f.sameRange(a, b, true):
		return "their ranges differ; loop over the same field, the same constant range, or one that follows from equal arguments"
	case a.Bits != b.Bits || a.Flags != b.Flags || !alikeHints(a.Hints, b.Hints):
		return "the source configures them differently"
	case !one.ok:
		return "the first does more than compute, load and store at places that are proved to exist: it may fail, change which cells are active, or store packed numbers"
	case !two.ok:
		return "the second does more than compute, load and store at places that are proved to exist: it may fail, change which cells are active, or store packed numbers"
	case a.Code == ir.OpParFor && !f.certain(a):
		return "their range may be too long; bound it by constants"
	case f.late[a]:
		return "a return before the first may skip it"
	case f.late[b]:
		return "a return before the second may skip it"
	case one.ops+two.ops > maxFusedOps || one.locals+two.locals > maxFusedLocals:
		return "they would be too large as one"
	case (f.o.Strict || f.o.Deterministic) && (one.rounds || two.rounds):
		return "one sums floats, whose order StrictMath and Deterministic keep"
	}
	if p := f.uncovered(one, two); p != nil {
		return fmt.Sprintf("the second may activate cells of %s that the same iteration of the first does not activate in any case (%s)", f.what(p), f.place(p.at.Pos))
	}
	if p := f.copied(one, two); p != nil {
		return fmt.Sprintf("the second adds to %s (%s), for which Deterministic may need memory that the first does not need", f.what(p), f.place(p.at.Pos))
	}
	for i := range one.places {
		for j := range two.places {
			p, q := &one.places[i], &two.places[j]
			if (p.write || q.write) && p.memory.Overlaps(q.memory) && !p.disjoint(q) && !f.sums(p, q) {
				return fmt.Sprintf("an iteration of the second needs elements of %s that another iteration of the first accesses (%s and %s)", f.what(p), f.place(p.at.Pos), f.place(q.at.Pos))
			}
		}
	}
	if between {
		return "the serial code between them has to run in between"
	}
	return "a loop between them, which was fused with another, has to run in between"
}

// what names the field of a place.
func (f *fuser) what(p *loopPlace) string {
	if p.at.Code == ir.OpPtr {
		return p.at.Field.Name
	}
	return "a local array"
}
