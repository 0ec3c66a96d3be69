package superword

import (
	"encoding/binary"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A pack is a vector and the way to compute it.
type pack struct {
	lanes []*ir.Value
	how   how
	of    *ir.Op // apply: the operation of a lane that is not padded
	args  []*pack
	own   int  // its cost, without its args
	saves int  // the number of scalar operations that it replaces, with its args
	at    int  // the position for which it was planned
	used  bool // by a planned job
	value *ir.Value
}

// A how is the way to compute a pack.
type how uint8

const (
	gathered how = iota // from single numbers
	alike               // the same number in all lanes
	literal             // from constants
	loaded              // by one load
	applied             // by an operation on packs
)

// Limits of the search for one vector.
const mostDeep, mostPacks = 12, 600

// pack plans the vector of these lanes for the job at position at.
func (w *worker) pack(lanes []*ir.Value, at, deep int) *pack {
	key := w.key(lanes)
	if p := w.packs[key]; p != nil && (p.used || p.at == at) {
		return p
	}
	p := &pack{lanes: lanes, at: at}
	w.packs[key] = p
	w.choose(p, deep)
	return p
}

// choose decides how p is computed.
func (w *worker) choose(p *pack, deep int) {
	values := distinct(p.lanes)
	switch {
	case len(values) == 1:
		if p.how = alike; !isConstant(values[0]) {
			p.own = 1
		}
		return
	case !slices.ContainsFunc(values, func(v *ir.Value) bool { return !isConstant(v) }):
		p.how = literal
		return
	case w.together(p):
		p.how, p.own, p.saves = loaded, w.width(p), len(p.lanes)
		return
	}
	computed := 0
	for _, v := range values {
		if !isConstant(v) {
			p.own++
		}
		if w.here(v) && v.Def.Code.Is(ir.Pure) && len(v.Def.Regions) == 0 {
			computed++
		}
	}
	if len(values) < len(p.lanes) {
		p.own++
	}
	if deep >= mostDeep || computed == 0 || len(w.packs) > mostPacks {
		return
	}
	if of, args := w.operation(p, values, deep); of != nil {
		cost, saves := w.width(p), computed
		for _, a := range args {
			cost += a.cost()
			saves += a.saves
		}
		if cost <= p.own+saves {
			p.how, p.of, p.args, p.own, p.saves = applied, of, args, w.width(p), saves
		}
	}
}

// cost is the cost of p and its args, without packs that are computed anyway.
func (p *pack) cost() int {
	if p.used {
		return 0
	}
	n := p.own
	for _, a := range p.args {
		n += a.cost()
	}
	return n
}

// use marks p and its args as used.
func (p *pack) use() {
	if p.used {
		return
	}
	p.used = true
	for _, a := range p.args {
		a.use()
	}
}

// width is the number of vectors of the target that p takes.
func (w *worker) width(p *pack) int {
	bits := len(p.lanes) * p.lanes[0].Type.Kind.Bits()
	return (bits + w.bits - 1) / w.bits
}

// key identifies lanes.
func (w *worker) key(lanes []*ir.Value) string {
	var key []byte
	for _, v := range lanes {
		n, ok := w.numbers[v]
		if !ok {
			n = len(w.numbers)
			w.numbers[v] = n
		}
		key = binary.AppendUvarint(key, uint64(n))
	}
	return string(key)
}

// distinct returns each lane's value once, in order.
func distinct(lanes []*ir.Value) []*ir.Value {
	var values []*ir.Value
	for _, v := range lanes {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

func isConstant(v *ir.Value) bool {
	_, ok := ir.ConstOf(v)
	return ok
}

// together reports whether the lanes are loaded from one run, and can be loaded at the position of p.
func (w *worker) together(p *pack) bool {
	first, ok := w.inRow[p.lanes[0].Def]
	if !ok || first.i+len(p.lanes) > len(first.row) {
		return false
	}
	for i, v := range p.lanes {
		o := first.row[first.i+i]
		if v.Def != o || !w.moves(w.refs[o], false, w.at[o], p.at, w.job.stores) {
			return false
		}
	}
	return true
}

// neutral has the operations for which a lane may be padded: with this second operand they return the first one, exactly.
var neutral = map[ir.Code]float64{ir.OpAdd: negativeZero, ir.OpSub: 0, ir.OpMul: 1}

// lanewise reports whether o does the same in each lane of a vector.
func lanewise(o *ir.Op) bool {
	switch o.Code {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpMin, ir.OpMax, ir.OpFma, ir.OpNeg, ir.OpAbs, ir.OpSqrt:
		return o.Results[0].Type.Kind.IsFloat()
	}
	return false
}

// operation returns an operation on the lanes, and the packs of its operands: the operation of most lanes, if the others can be padded.
func (w *worker) operation(p *pack, values []*ir.Value, deep int) (of *ir.Op, args []*pack) {
	of, alike := w.common(p.lanes, values)
	if of == nil {
		return nil, nil
	}
	n := len(of.Args)
	lists := make([][]*ir.Value, n)
	for i := range lists {
		lists[i] = make([]*ir.Value, len(p.lanes))
	}
	var first []*ir.Value
	firstLane := 0
	for i, v := range p.lanes {
		if !alike[i] {
			lists[0][i], lists[1][i] = v, w.neutral(of.Code, v.Type)
			continue
		}
		list := v.Def.Args
		if first == nil {
			first, firstLane = list, i
		} else if of.Code.Is(ir.Commutative) && w.crossed(first, list, i-firstLane) {
			list = []*ir.Value{list[1], list[0]}
		}
		for j, a := range list {
			lists[j][i] = a
		}
	}
	for _, list := range lists {
		args = append(args, w.pack(list, p.at, deep+1))
	}
	return of, args
}

// common returns the operation of most lanes, at least half, and the lanes that have it. A value from which another lane is computed
// does not count, even if it is the result of such an operation.
func (w *worker) common(lanes, values []*ir.Value) (of *ir.Op, alike []bool) {
	fits := func(v *ir.Value) bool {
		return w.here(v) && lanewise(v.Def) && !slices.ContainsFunc(values, func(u *ir.Value) bool {
			return u != v && w.here(u) && u.Def.Code == v.Def.Code && slices.Contains(u.Def.Args, v)
		})
	}
	same := func(a, b *ir.Op) bool { return a.Code == b.Code && a.Flags == b.Flags }
	most := 0
	for _, v := range values {
		if !fits(v) || of != nil && same(of, v.Def) {
			continue
		}
		n := 0
		for _, u := range lanes {
			if fits(u) && same(u.Def, v.Def) {
				n++
			}
		}
		if n > most {
			of, most = v.Def, n
		}
	}
	if of == nil || 2*most < len(lanes) {
		return nil, nil
	}
	if _, padded := neutral[of.Code]; most < len(lanes) && !padded {
		return nil, nil
	}
	for _, v := range lanes {
		alike = append(alike, fits(v) && same(v.Def, of))
	}
	return of, alike
}

// crossed reports whether two operands of a lane match better with those of an earlier lane if they are swapped.
func (w *worker) crossed(first, list []*ir.Value, apart int) bool {
	straight := w.likeness(first[0], list[0], apart) + w.likeness(first[1], list[1], apart)
	return w.likeness(first[0], list[1], apart)+w.likeness(first[1], list[0], apart) > straight
}

// likeness measures how well two values of lanes at this distance go into one vector.
func (w *worker) likeness(x, y *ir.Value, apart int) int {
	switch {
	case x == y:
		return 4
	case isConstant(x) || isConstant(y):
		if isConstant(x) && isConstant(y) {
			return 3
		}
		return 0
	case !w.here(x) || !w.here(y):
		if !w.here(x) && !w.here(y) {
			return 1
		}
		return 0
	case x.Def.Code != y.Def.Code:
		return 0
	}
	p, ok1 := w.inRow[x.Def]
	q, ok2 := w.inRow[y.Def]
	if ok1 && ok2 && p.row[0] == q.row[0] && q.i-p.i == apart {
		return 4
	}
	return 2
}
