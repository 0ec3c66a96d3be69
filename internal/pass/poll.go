package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// These limits bound the work between two polls of a thread, in steps. A step is one op
// run, which takes about 0.1 to 5 ns.
const (
	evenSteps  = 1 << 12 // up to here, the engine need not treat iterations as uneven
	quickSteps = 1 << 15 // up to here a loop needs no poll: it is done in some 10 µs
	longSteps  = 1 << 20 // up to here one poll before the loop is enough
	stripSteps = 1 << 16 // the steps of a strip, if the loop is cut into strips
)

// polls adds polls of the stop word to loops that may run long, so that a launch can be stopped at any time. The engine itself checks
// between the chunks of a parallel loop; it makes chunks short if the task is uneven.
//
// Input: tasks in their final form. Output: the same, with
//
//   - a poll before a loop of at most longSteps steps, if it has more than quickSteps;
//   - a longer range loop without polls inside cut into strips, with a poll before each
//     strip but the last: LLVM can still vectorise a strip, as it has no poll;
//   - a poll before a loop that runs such loops a few times;
//   - a poll at the start of each iteration of any other loop, unless the loop counts up to a low limit, or every path through the
//     body has a poll already;
//   - parallel tasks marked uneven if an iteration may have more than evenSteps steps;
//   - the number of steps of an iteration, if it has a bound.
//
// Helper tasks have no polls. A stopped launch needs their cleanup too, and their loops
// are bounded by the size of a tree.
func polls(s *state) {
	for _, fn := range s.k.Funcs {
		p := &poller{opts: s.opts}
		p.block(fn.Body)
	}
	for _, t := range s.k.Tasks {
		if !t.Helper {
			p := &poller{opts: s.opts, task: t}
			n := p.totalOf(t.Body)
			if t.Batch > 0 && len(t.Lists) == 0 { // of an iteration
				n = (n + t.Batch - 1) / t.Batch
			}
			t.Uneven = len(t.Dims) > 0 && n > evenSteps
			if n <= longSteps && p.callsEnd(t.Body) {
				t.Steps = n
			}
			p.block(t.Body)
		}
	}
}

// A poller works on one task or function.
type poller struct {
	opts   *Options
	task   *ir.Task            // nil for a function
	known  *analysis.RangeInfo // ranges of the task; nil until trips needs them
	cost   map[*ir.Block]int64 // totalOf of blocks
	every  map[*ir.Op]bool     // polls, and loops that poll each time they are executed
	strips map[*ir.Op]bool     // the ops that strip has made
}

// block puts polls into the loops in b.
func (p *poller) block(b *ir.Block) {
	ops := make([]*ir.Op, 0, len(b.Ops))
	for _, o := range b.Ops {
		switch {
		case !o.Code.Is(ir.Loop):
			for _, r := range o.Regions {
				p.block(r)
			}
			ops = append(ops, o)
		default:
			ops = p.loop(o, ops)
		}
	}
	b.Ops = ops
}

// loop appends the loop o to ops, with the polls that it needs.
func (p *poller) loop(o *ir.Op, ops []*ir.Op) []*ir.Op {
	switch n := p.total(o); {
	case n <= quickSteps:
		return append(ops, o)
	case n <= longSteps:
		return append(ops, p.polling(pollAt(o.Pos)), o)
	}
	body := o.Regions[0]
	p.block(body)
	each := max(1, p.rest(body))
	switch {
	case p.comesBy(body):
		return append(ops, p.polling(o))
	case o.Code == ir.OpFor && !unit.HasOp(ir.OpPoll, body.Ops...):
		if n := stripLength(o.Args[0].Type.Kind, stripSteps/each); n > 1 {
			stripped := strip(o, n)
			if p.strips == nil {
				p.strips = map[*ir.Op]bool{}
			}
			p.strips[stripped[len(stripped)-1]] = true
			return append(ops, stripped...)
		}
	case o.Code == ir.OpFor && times(p.trips(o), each) <= longSteps*4:
		return append(ops, p.polling(pollAt(o.Pos)), o)
	}
	body.Ops = slices.Insert(body.Ops, 0, pollAt(o.Pos))
	if o.Code == ir.OpLoop {
		p.polling(o)
	}
	return append(ops, o)
}

// polling notes that executing o executes a poll, and returns o.
func (p *poller) polling(o *ir.Op) *ir.Op {
	if p.every == nil {
		p.every = map[*ir.Op]bool{}
	}
	p.every[o] = true
	return o
}

// comesBy reports whether every path through b executes a poll.
func (p *poller) comesBy(b *ir.Block) bool {
	for _, o := range b.Ops {
		switch {
		case p.every[o] && o.Code != ir.OpFor: // a for may have no iteration
			return true
		case o.Code == ir.OpIf && p.comesBy(o.Regions[0]) && p.comesBy(o.Regions[1]):
			return true
		case len(o.Regions) > 0 && analysis.MayJump(o):
			return false
		case o.Code == ir.OpBlock && p.comesBy(o.Regions[0]):
			return true
		}
	}
	return false
}

// total is an upper bound of the steps of o with all its regions.
func (p *poller) total(o *ir.Op) int64 {
	switch {
	case o.Code == ir.OpLoop:
		return times(p.loopTrips(o), p.totalOf(o.Regions[0])+1)
	case o.Code == ir.OpFor:
		return times(p.trips(o), p.totalOf(o.Regions[0])+1)
	}
	n := int64(1)
	if o.Code == ir.OpCall {
		n += min(stripSteps, p.totalOf(o.Func.Body)) // a longer function has polls itself
	}
	most := int64(0)
	for _, r := range o.Regions {
		most = max(most, p.totalOf(r))
	}
	return min(analysis.Endless, n+most)
}

// totalOf is total for a block.
func (p *poller) totalOf(b *ir.Block) int64 {
	if n, ok := p.cost[b]; ok {
		return n
	}
	n := p.sum(b, p.total)
	if p.cost == nil {
		p.cost = map[*ir.Block]int64{}
	}
	p.cost[b] = n
	return n
}

// callsEnd reports whether all functions that b calls have a bound that totalOf counts in full.
func (p *poller) callsEnd(b *ir.Block) bool {
	end := true
	ir.Visit(b, func(o *ir.Op) bool {
		if o.Code == ir.OpCall && (p.totalOf(o.Func.Body) > stripSteps || !p.callsEnd(o.Func.Body)) {
			end = false
		}
		return end
	})
	return end
}

// rest is an upper bound of the steps of b between two polls, after its loops have their polls. A loop that polls counts as one
// iteration.
func (p *poller) rest(b *ir.Block) int64 {
	return p.sum(b, func(o *ir.Op) int64 {
		if p.strips[o] {
			return stripSteps
		}
		if o.Code.Is(ir.Loop) && unit.HasOp(ir.OpPoll, o) {
			return p.rest(o.Regions[0])
		}
		return p.total(o)
	})
}

// sum adds up the steps of the ops of b; the result is at most endless.
func (p *poller) sum(b *ir.Block, steps func(*ir.Op) int64) int64 {
	n := int64(0)
	for _, o := range b.Ops {
		n = min(analysis.Endless, n+steps(o))
	}
	return n
}

// times is the product of a and b, but at most endless.
func times(a, b int64) int64 {
	if n, ok := analysis.MulExact(a, b); ok {
		return min(analysis.Endless, n)
	}
	return analysis.Endless
}

// trips is an upper bound of the trip count of a for.
func (p *poller) trips(o *ir.Op) int64 {
	if n, ok := constantTrips(o); ok {
		return n
	}
	lo, hi := o.Args[0], o.Args[1]
	n := int64(analysis.Endless)
	if size := lo.Type.Kind.Size(); size < 4 {
		n = 1 << (8 * size)
	}
	if p.task == nil {
		return n
	}
	if t, last := p.task, len(p.task.Dims)-1; t.Batch > 0 && len(t.Lists) == 0 && lo == t.Body.Params[last] && hi == t.Body.Params[last+1] {
		return t.Batch
	}
	known := p.ranges()
	for _, l := range sides(lo, ir.OpMax) {
		for _, h := range sides(hi, ir.OpMin) {
			if beyondInt64(l) || beyondInt64(h) {
				continue
			}
			x, ok := known.Interval(known.LinearOf(h).Plus(known.LinearOf(l), -1))
			if ok && !x.Any {
				n = min(n, max(0, x.Hi))
			}
		}
	}
	return n
}

// ranges returns the ranges of the values of the task.
func (p *poller) ranges() *analysis.RangeInfo {
	if p.known == nil {
		ir.NumberBlock(p.task.Body, ir.NumberBlock(p.task.Prologue, 0)) // linear forms are ordered by number
		p.known = analysis.RangesOf(p.task, p.opts.Without)
	}
	return p.known
}

// constantTrips is the trip count of a for with constant bounds, but at most endless.
func constantTrips(o *ir.Op) (n int64, ok bool) {
	lo, hi := o.Args[0], o.Args[1]
	a, okA := ir.IntOf(lo)
	b, okB := ir.IntOf(hi)
	if !okA || !okB {
		return 0, false
	}
	return analysis.TripsBetween(lo.Type.Kind, a, b), true
}

// beyondInt64 reports whether v is a u64 constant above the largest i64. Intervals and
// linear forms are of i64, in which its bits are a negative number.
func beyondInt64(v *ir.Value) bool {
	c, ok := ir.IntOf(v)
	return ok && c < 0 && v.Type.Kind == ir.U64
}

// sides returns v and, if it is made by code, a max or min, its operands, recursively.
func sides(v *ir.Value, code ir.Code) []*ir.Value {
	vs := []*ir.Value{v}
	for i := 0; i < len(vs) && len(vs) < 8; i++ {
		if d := vs[i].Def; d != nil && d.Code == code && v.Type.Lanes == 1 {
			vs = append(vs, d.Args...)
		}
	}
	return vs
}

// pollAt returns a new poll.
func pollAt(pos ir.Pos) *ir.Op { return ir.NewOp(ir.OpPoll, pos, nil) }
