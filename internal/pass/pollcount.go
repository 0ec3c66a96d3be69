package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// loopTrips is an upper bound of the trip count of a loop that carries a counter. The loop continues only if the counter is below a
// limit, and each path to the next iteration adds a constant to it:
//
//	for length(z) < 2 && n < 50 { …; n++ }
//
// A packet continues if the conditions hold in some lane. Its counter is the same for all lanes.
func (p *poller) loopTrips(o *ir.Op) int64 {
	n := int64(analysis.Endless)
	for _, q := range o.Regions[0].Ops {
		if q.Code == ir.OpIf && leavesElse(q, o) {
			for _, c := range conjuncts(q.Args[0]) {
				n = min(n, p.countTrips(o, c))
			}
		}
		if ir.Jumps(q, ir.OpContinue, o) { // the following ops do not run in each iteration
			break
		}
	}
	return n
}

// leavesElse reports whether q leaves the loop o where its condition is false.
func leavesElse(q, o *ir.Op) bool {
	t := q.Regions[1].Terminator()
	return t != nil && t.Code == ir.OpBreak && t.Target == o && !ir.Jumps(q, ir.OpContinue, o)
}

// conjuncts returns scalar conditions that are true if v is, or if some lane of it is.
func conjuncts(v *ir.Value) []*ir.Value {
	d := v.Def
	switch {
	case d == nil:
		return nil
	case d.Code == ir.OpAnd:
		return append(conjuncts(d.Args[0]), conjuncts(d.Args[1])...)
	case d.Code == ir.OpSelect && v.Type.Kind == ir.Bool && isFalse(d.Args[2]): // the form of a conjunction in packets
		return append(conjuncts(d.Args[0]), conjuncts(d.Args[1])...)
	case d.Code == ir.OpAny || d.Code == ir.OpSplat:
		return conjuncts(d.Args[0])
	case v.Type.Lanes == 1:
		return []*ir.Value{v}
	}
	return nil
}

// isFalse reports whether v is false in all lanes.
func isFalse(v *ir.Value) bool {
	bits, ok := ir.ConstOf(v)
	return ok && bits == 0
}

// countTrips is an upper bound of the trip count of o, if c is true in all iterations but the last.
func (p *poller) countTrips(o *ir.Op, c *ir.Value) int64 {
	d := c.Def
	if d.Code != ir.OpLt && d.Code != ir.OpGt && d.Code != ir.OpLe && d.Code != ir.OpGe {
		return analysis.Endless
	}
	n, limit, up := d.Args[0], d.Args[1], d.Code == ir.OpLt || d.Code == ir.OpLe
	if n.Def != nil { // the carried value is the other operand
		n, limit, up = limit, n, !up
	}
	i := slices.Index(o.Regions[0].Params, n)
	kind := n.Type.Kind
	if i < 0 || n.Type.Lanes != 1 || !kind.IsInt() || kind == ir.U64 {
		return analysis.Endless
	}
	least, most := p.stepOf(o, i)
	from, to, all := p.interval(o.Args[i]), p.interval(limit), analysis.KindInterval(kind)
	if !up {
		least, most = -most, -least
		from, to, all = analysis.Interval{Lo: -from.Hi}, analysis.Interval{Hi: -to.Lo}, analysis.Interval{Hi: -all.Lo}
	}
	// The last sum must not wrap. Numbers of at most 32 bits, and constants far from the ends, are
	// safe to compute with here.
	if least <= 0 || from.Any || to.Any || from.Lo < -mostCounted || to.Hi > mostCounted || to.Hi > all.Hi-most {
		return analysis.Endless
	}
	return max(0, (to.Hi-from.Lo)/least+1) + 1
}

const mostCounted = 1 << 60

// stepOf returns the least and the largest constant that some path to the next iteration of o adds to carried value i; 0 and 0 if a
// path does anything else.
func (p *poller) stepOf(o *ir.Op, i int) (least, most int64) {
	first, ok := true, true
	ir.Visit(o.Regions[0], func(q *ir.Op) bool {
		if q.Code != ir.OpContinue || q.Target != o {
			return ok
		}
		step, constant := stepFrom(o.Regions[0].Params[i], q.Args[i])
		ok = ok && constant
		if first {
			least, most, first = step, step, false
		}
		least, most = min(least, step), max(most, step)
		return ok
	})
	if !ok || first {
		return 0, 0
	}
	return least, most
}

// stepFrom returns the constant, of moderate size, by which v exceeds n.
func stepFrom(n, v *ir.Value) (step int64, ok bool) {
	d := v.Def
	if d == nil || d.Code != ir.OpAdd && d.Code != ir.OpSub || d.Args[0] != n {
		return 0, false
	}
	step, ok = ir.IntOf(d.Args[1])
	if step < -1<<30 || step > 1<<30 {
		return 0, false
	}
	if d.Code == ir.OpSub {
		step = -step
	}
	return step, ok
}

// interval returns the range of v: a constant, or its range in the task.
func (p *poller) interval(v *ir.Value) analysis.Interval {
	if n, ok := ir.IntOf(v); ok {
		return analysis.Point(n)
	}
	if p.task == nil || v.Type.Lanes != 1 {
		return analysis.KindInterval(v.Type.Kind)
	}
	return p.ranges().Get(v)
}
