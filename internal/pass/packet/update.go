package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets that finds the updates of copies that threads have for themselves: a load and a store at one
// place, and between them arithmetic that makes of the number loaded the one stored. Lanes may meet in an element of a
// copy. So an access to one is part of an update, which is done whole, by one lane after the other or in vectors where each
// lane has a place of its own, or it keeps the task from being done in packets.

// isCopy reports whether a place lies in a copy that a thread of t has for itself.
func isCopy(t *ir.Task, p *ir.Value) bool {
	d := rootOf(p).Def
	return d != nil && d.Code == ir.OpBase && slices.ContainsFunc(t.Private, func(c ir.Private) bool { return int64(c.Base) == d.Aux })
}

// rootOf returns the address that a place is some bytes behind.
func rootOf(p *ir.Value) *ir.Value {
	for p.Def != nil && p.Def.Code == ir.OpOffset {
		p = p.Def.Args[0]
	}
	return p
}

// An update is its load, what is computed from that, and its store.
type update struct{ ops []*ir.Op }

func (u *update) load() *ir.Op  { return u.ops[0] }
func (u *update) store() *ir.Op { return u.ops[len(u.ops)-1] }

// between returns what is computed.
func (u *update) between() []*ir.Op { return u.ops[1 : len(u.ops)-1] }

// updateAt returns the update that begins with the first of ops, and how many of them it spans; nil if none does. Nothing stands
// between its ops but arithmetic, and what is made of the loaded number goes nowhere but into the store.
func updateAt(t *ir.Task, ops []*ir.Op, users map[*ir.Value][]*ir.Op) (u *update, span int) {
	first := ops[0]
	if first.Code != ir.OpLoad || !isCopy(t, first.Args[0]) {
		return nil, 0
	}
	u = &update{ops: ops[:1:1]}
	made := map[*ir.Value]bool{first.Results[0]: true}
	for i, o := range ops[1:] {
		uses := slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return made[v] })
		if o.Code == ir.OpStore && uses {
			u.ops = append(u.ops, o)
			if o.Args[0] != first.Args[0] || !u.keepsTo(users) {
				return nil, 0
			}
			return u, i + 2
		}
		if !o.Code.Is(ir.Pure) || len(o.Regions) > 0 {
			return nil, 0
		}
		if uses {
			u.ops = append(u.ops, o)
			for _, r := range o.Results {
				made[r] = true
			}
		}
	}
	return nil, 0
}

// keepsTo reports whether no other op uses what those of an update make.
func (u *update) keepsTo(users map[*ir.Value][]*ir.Op) bool {
	for _, o := range u.ops {
		for _, r := range o.Results {
			for _, user := range users[r] {
				if !slices.Contains(u.ops, user) {
					return false
				}
			}
		}
	}
	return true
}

// findUpdates notes the updates of the task.
func (a *packetInfo) findUpdates() {
	a.updates = map[*ir.Op]*update{}
	if len(a.t.Private) > 0 {
		a.findUpdatesIn(a.t.Body)
	}
}

func (a *packetInfo) findUpdatesIn(b *ir.Block) {
	for i, o := range b.Ops {
		for _, r := range o.Regions {
			a.findUpdatesIn(r)
		}
		u, _ := updateAt(a.t, b.Ops[i:], a.users)
		if u == nil {
			continue
		}
		for _, part := range u.ops {
			a.updates[part] = u
		}
		a.vary(o.Results...)
	}
}
