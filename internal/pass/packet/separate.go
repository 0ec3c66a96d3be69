package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file is the part of packets that takes apart what forwarding has made of several updates of an element. Where an
// iteration updates an element of a copy twice, the second update has the number that the first one stored, and loads nothing:
//
//	load p; add; store p; add; store p
//
// That is right for one iteration after the other. For lanes that meet in the element it is not, unless they go through the whole
// one after the other. Updates that nothing keeps apart become one, as here, with the first store gone; where the
// second stands under a condition, or what is in between may access the element, it loads the number again. Updates of a copy are
// of one kind, which commute, and nobody sees the numbers in between: lanes may take turns after each of them.
//
// The variables of the prologue that sums are made in (sum.go) are alike, but that each of their updates stays one.

// separated returns a copy of the body of t in which updates stand for themselves; the body itself if there are none.
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
	variables map[*ir.Op]bool    // that sums are made in
	reloads   map[*ir.Value]bool // numbers that are loaded from a copy or a variable, or computed from such
	users     map[*ir.Value][]*ir.Op
}

// accumulates reports whether a place is one that the task only updates.
func (s *separator) accumulates(p *ir.Value) bool {
	return s.variables[rootOf(p).Def] || isCopy(s.t, p)
}

// reload undoes forwarding: an op that uses what was stored in such a place loads it from there. Stored are the stores whose numbers lie
// in memory at the start of b.
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
			if o.Code.Is(ir.Loop) { // an iteration begins after the one before
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

// note notes whether o loads from such a place, or computes from what was loaded.
func (s *separator) note(o *ir.Op) {
	of := o.Code == ir.OpLoad && s.accumulates(o.Args[0]) ||
		o.Code.Is(ir.Pure) && slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return s.reloads[v] })
	for _, r := range o.Results {
		s.reloads[r] = of
	}
}

// after returns the stores whose numbers are still there after o, which may be one of them.
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

// join makes one update of those that a block makes at one place, where no other access may be to that place in between. It takes the
// place of the last of them.
func (s *separator) join(b *ir.Block) {
	var ops []*ir.Op
	var open []*update // which another may join
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

// follow makes u begin with an update of the same place that came before it.
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
		case p.Code == ir.OpIf || p.Code == ir.OpYield:
		default:
			found = !p.Code.Is(ir.Pure)
		}
		return !found
	})
	return found
}

// isApart reports whether an access is to other memory than an update: of another alias class, or some bytes before or behind.
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
