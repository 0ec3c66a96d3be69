package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets that finds the updates of private copies: a load and a store of one place, and between them arithmetic
// that computes the stored value from the loaded one. Lanes may access the same element of a private copy. So each access to one must be
// part of an update, which is executed lane by lane, or in vectors if each lane has a place of its own; any other access prevents
// packets.

// isCopy reports whether a place is in a private copy of a thread of t.
func isCopy(t *ir.Task, p *ir.Value) bool {
	d := rootOf(p).Def
	return d != nil && d.Code == ir.OpBase && slices.ContainsFunc(t.Private, func(c ir.Private) bool { return int64(c.Base) == d.Aux })
}

// rootOf returns the address of which a place is an offset.
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

// between returns the arithmetic.
func (u *update) between() []*ir.Op { return u.ops[1 : len(u.ops)-1] }

// updateAt returns the update that begins with the first of ops, and the number of ops that it spans; nil if there is none. Between its
// ops there is only arithmetic, and values computed from the load have no uses outside the update.
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

// keepsTo reports whether no other op uses the values of an update.
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
