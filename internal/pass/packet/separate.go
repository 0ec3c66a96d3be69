package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file is the part of packets that undoes store-to-load forwarding between updates of an element. If an iteration updates an
// element of a private copy twice, the second update has the value that the first one stored, and loads nothing:
//
//	load p; add; store p; add; store p
//
// That is right for scalar iterations. If lanes access the same element, it is right only if each lane executes all of it before the
// next. So updates with no other access between them become one, as here, without the first store; if the second is under a condition, or
// ops between them may access the element, it loads again. Updates of a private copy are of one kind, which commutes, and no op reads
// the values between them: lanes may interleave between updates.
//
// The variables of the prologue that hold sums (sum.go) are treated in the same way, but each of their updates stays separate.

// separated returns a copy of the body of t in which each update loads and stores; the body itself if there are no updates.
func separated(t *ir.Task) *ir.Block {
	s := &separator{t: t, reloads: map[*ir.Value]bool{}, variables: map[*ir.Op]bool{}}
	if t.Prologue != nil {
		for _, o := range t.Prologue.Ops {
			if o.Code == ir.OpAlloc {
				s.variables[o] = true
			}
		}
	}
	if len(t.Private)+len(s.variables) == 0 {
		return t.Body
	}
	body := ir.NewCloner(nil).Block(t.Body)
	s.reload(body, nil)
	s.users = map[*ir.Value][]*ir.Op{}
	noteUsers(body, s.users)
	s.join(body)
	return body
}

type separator struct {
	t         *ir.Task
	variables map[*ir.Op]bool    // that hold sums
	reloads   map[*ir.Value]bool // values loaded from a private copy or such a variable, or computed from them
	users     map[*ir.Value][]*ir.Op
}

// accumulates reports whether the task only updates the place.
func (s *separator) accumulates(p *ir.Value) bool {
	return s.variables[rootOf(p).Def] || isCopy(s.t, p)
}

// reload undoes forwarding: an op that uses the value stored in such a place loads it. Stored are the stores whose values are still in
// memory at the start of b.
func (s *separator) reload(b *ir.Block, stored []*ir.Op) {
	var ops []*ir.Op
	for _, o := range b.Ops {
		for i, v := range o.Args {
			at := slices.IndexFunc(stored, func(store *ir.Op) bool { return store.Args[1] == v })
			if at < 0 || !s.reloads[v] {
				continue
			}
			load := ir.NewOp(ir.OpLoad, o.Pos, []ir.Type{v.Type}, stored[at].Args[0])
			load.Alias = stored[at].Alias
			ops = append(ops, load)
			o.Args[i] = load.Results[0]
			s.reloads[o.Args[i]] = true
		}
		for _, r := range o.Regions {
			inside := stored
			if o.Code.Is(ir.Loop) { // stores of earlier iterations do not count
				inside = s.after(stored, o)
			}
			s.reload(r, inside)
		}
		stored = s.after(stored, o)
		s.note(o)
		ops = append(ops, o)
	}
	b.Ops = ops
}

// note records whether o loads from such a place, or computes from such a load.
func (s *separator) note(o *ir.Op) {
	of := o.Code == ir.OpLoad && s.accumulates(o.Args[0]) ||
		o.Code.Is(ir.Pure) && slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return s.reloads[v] })
	for _, r := range o.Results {
		s.reloads[r] = of
	}
}

// after returns the stores whose values are still in memory after o, which may be one of them.
func (s *separator) after(stored []*ir.Op, o *ir.Op) []*ir.Op {
	classes, all := analysis.StoredClasses(o)
	if len(classes) > 0 || all {
		stored = slices.DeleteFunc(slices.Clone(stored), func(store *ir.Op) bool { return all || slices.Contains(classes, store.Alias) })
	}
	if o.Code == ir.OpStore && len(o.Args) == 2 && o.Alias != 0 && s.accumulates(o.Args[0]) {
		stored = append(stored[:len(stored):len(stored)], o)
	}
	return stored
}

// join combines the updates of a place in a block into the last of them, if no other access between them may be to that place.
func (s *separator) join(b *ir.Block) {
	var ops []*ir.Op
	var open []*update // updates that a later one may be combined with
	for i := 0; i < len(b.Ops); i++ {
		o := b.Ops[i]
		for _, r := range o.Regions {
			s.join(r)
		}
		u, n := updateAt(s.t, b.Ops[i:], s.users)
		if u == nil {
			if !o.Code.Is(ir.Pure) || len(o.Regions) > 0 {
				open = slices.DeleteFunc(open, func(u *update) bool { return u.meets(o) })
			}
			ops = append(ops, o)
			continue
		}
		for _, between := range b.Ops[i : i+n] {
			if !slices.Contains(u.ops, between) {
				ops = append(ops, between)
			}
		}
		if at := slices.IndexFunc(open, func(v *update) bool { return v.load().Args[0] == u.load().Args[0] }); at >= 0 {
			before := open[at]
			ops = slices.DeleteFunc(ops, func(o *ir.Op) bool { return slices.Contains(before.ops, o) })
			u.follow(before)
			open = slices.Delete(open, at, at+1)
		}
		open = append(slices.DeleteFunc(open, func(v *update) bool { return v.meets(u.store()) }), u)
		ops = append(ops, u.ops...)
		i += n - 1
	}
	b.Ops = ops
}

// follow prepends an earlier update of the same place to u.
func (u *update) follow(before *update) {
	loaded, stored := u.load().Results[0], before.store().Args[1]
	for _, o := range u.ops {
		for i, v := range o.Args {
			if v == loaded {
				o.Args[i] = stored
			}
		}
	}
	u.ops = append(slices.Clone(before.ops[:len(before.ops)-1]), u.ops[1:]...)
}

// meets reports whether o, or an op in its regions, may access the element of an update, or end the iteration.
func (u *update) meets(o *ir.Op) bool {
	found := false
	unit.Within(o, func(p *ir.Op) bool {
		switch {
		case p.Code == ir.OpLoad || p.Code == ir.OpStore || p.Code == ir.OpAtomic:
			found = !u.isApart(p)
		case p.Code == ir.OpIf || p.Code == ir.OpYield || p.Code == ir.OpTally:
		default:
			found = !p.Code.Is(ir.Pure)
		}
		return !found
	})
	return found
}

// isApart reports whether an access cannot overlap an update, because of its alias class or offset.
func (u *update) isApart(o *ir.Op) bool {
	store := u.store()
	if o.Alias != store.Alias && o.Alias != 0 && store.Alias != 0 {
		return true
	}
	base, at := splitAddress(store.Args[0])
	other, off := splitAddress(o.Args[0])
	size := int64(max(accessKind(o).Size(), accessKind(store).Size()))
	return o.Code != ir.OpAtomic && base == other && (off-at >= size || at-off >= size)
}
