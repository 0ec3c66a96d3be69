package superword

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// A ref is the place of an access: size bytes at the address root + terms + c.
type ref struct {
	class   int32 // alias class, 0 for any
	root    *ir.Value
	terms   string
	c, size int64
	kind    ir.Kind
}

// A base is the common part of refs that lie at known distances from each other.
type base struct {
	class int32
	root  *ir.Value
	terms string
	kind  ir.Kind
}

func (x *ref) base() base { return base{x.class, x.root, x.terms, x.kind} }

// local reports whether x is in a local array of the iteration.
func (x *ref) local() bool { return x.root.Def != nil && x.root.Def.Code == ir.OpAlloc }

// meets reports whether both may overlap.
func (x *ref) meets(y *ref) bool {
	switch {
	case x.root == y.root && x.terms == y.terms:
		return x.c < y.c+y.size && y.c < x.c+x.size
	case x.local() || y.local():
		return x.root == y.root
	}
	return x.class == y.class || x.class == 0 || y.class == 0
}

// refOf splits the place of an access to a value of type t.
func refOf(r *analysis.RangeInfo, o *ir.Op, t ir.Type) ref {
	x := ref{class: o.Alias, root: o.Args[0], size: int64(t.Kind.Size()) * int64(t.Lanes), kind: t.Kind}
	var at analysis.Linear
	for x.root.Def != nil && x.root.Def.Code == ir.OpOffset {
		at = at.Plus(r.LinearOf(x.root.Def.Args[1]), 1)
		x.root = x.root.Def.Args[0]
	}
	x.c, at.C = at.C, 0
	x.terms = at.Key()
	return x
}

// An event is an access, or another effect, of the op at a position of a block or in its regions.
type event struct {
	at     int
	op     *ir.Op
	ref    ref
	writes bool
	wall   bool // nothing moves past it
}

// events lists the events of b in order.
func events(r *analysis.RangeInfo, b *ir.Block) []event {
	var list []event
	for i, o := range b.Ops {
		within(o, func(o *ir.Op) {
			switch {
			case o.Code == ir.OpLoad:
				list = append(list, event{at: i, op: o, ref: refOf(r, o, o.Results[0].Type)})
			case o.Code == ir.OpStore:
				list = append(list, event{at: i, op: o, ref: refOf(r, o, o.Args[1].Type), writes: true})
			case o.Code == ir.OpAtomic:
				list = append(list, event{at: i, op: o, ref: refOf(r, o, o.Results[0].Type), writes: true})
			case o.Effects().Writes&^(ir.Host|ir.Local|ir.Random) != 0 || o.Code == ir.OpBreak || o.Code == ir.OpContinue || o.Code == ir.OpReturn:
				list = append(list, event{at: i, op: o, wall: true})
			}
		})
	}
	return list
}

// within calls f for o and the ops in it.
func within(o *ir.Op, f func(*ir.Op)) {
	unit.Within(o, func(o *ir.Op) bool { f(o); return true })
}

// moves reports whether the access x at one position may be moved right before a later one, given that some stores are moved after it.
func (w *worker) moves(x *ref, writes bool, from, to int, after run) bool {
	i, _ := slices.BinarySearchFunc(w.events, from+1, func(e event, at int) int { return e.at - at })
	for ; i < len(w.events) && w.events[i].at < to; i++ {
		if e := &w.events[i]; e.wall || (writes || e.writes) && e.ref.meets(x) && !slices.Contains(after, e.op) {
			return false
		}
	}
	return true
}

// A run is a row of accesses to contiguous numbers, in the order of memory.
type run []*ir.Op

// runs finds the runs among accesses to places, in the order of their first ops. It excludes repeated accesses to one number.
func (w *worker) runs(ops []*ir.Op) []run {
	var bases []base
	of := map[base][]*ir.Op{}
	for _, o := range ops {
		b := w.refs[o].base()
		if of[b] == nil {
			bases = append(bases, b)
		}
		of[b] = append(of[b], o)
	}
	var list []run
	for _, b := range bases {
		list = append(list, w.rows(of[b])...)
	}
	return list
}

// rows splits accesses at known distances into runs of contiguous numbers.
func (w *worker) rows(ops []*ir.Op) []run {
	at := func(o *ir.Op) int64 { return w.refs[o].c }
	slices.SortStableFunc(ops, func(a, b *ir.Op) int { return int(at(a) - at(b)) })
	var list []run
	for i := 0; i < len(ops); {
		j := i + 1
		for j < len(ops) && at(ops[j]) == at(ops[j-1])+w.refs[ops[j]].size {
			j++
		}
		if again := j < len(ops) && at(ops[j]) == at(ops[j-1]); !again {
			list = append(list, parts(ops[i:j])...)
			i = j
			continue
		}
		for j < len(ops) && at(ops[j]) <= at(ops[j-1])+w.refs[ops[j]].size {
			j++
		}
		i = j
	}
	return list
}

// mostBytes is the largest number of bytes of a vector in memory.
const mostBytes = 64

// parts splits a run that is longer than a vector, into equal parts if possible.
func parts(ops run) []run {
	most := mostBytes / int(valueOf(ops[0]).Type.Kind.Size())
	n := min(len(ops), most)
	for d := n; d > most/2; d-- {
		if len(ops)%d == 0 {
			n = d
			break
		}
	}
	var list []run
	for part := range slices.Chunk(ops, n) {
		if len(part) >= fewestLanes {
			list = append(list, part)
		}
	}
	return list
}

// valueOf returns the value that an access loads or stores.
func valueOf(o *ir.Op) *ir.Value {
	if o.Code == ir.OpLoad {
		return o.Results[0]
	}
	return o.Args[1]
}
