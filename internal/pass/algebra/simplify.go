package algebra

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/fold"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// Simplify folds constants, applies the identities of the algebra of each kind of number, and resolves control flow whose conditions are
// known.
//
// Input and output: any form; if strict is set, ops on floats get the flag Strict. The rules are in rules.go and the files named after
// ops, those for control flow in control.go. All hold with NaN and infinities, and for integers that wrap; the sign of a zero counts only
// for ops with the flag Strict. No rule makes code more expensive. Unused values are left to dce. Simplify returns the number of values
// that it replaced, plus the number of ops with regions that it resolved.
func Simplify(u *unit.Unit, strict bool) int {
	s := &simplifier{
		subst: unit.Subst{}, jumps: map[*ir.Op][]*ir.Op{}, facts: map[*ir.Value]bool{},
		natural: map[*ir.Value]bool{}, limit: map[*ir.Value]int64{},
	}
	if u.Task != nil {
		for i, d := range u.Task.Dims {
			p := u.Task.Body.Params[i]
			s.natural[p] = analysis.Natural(d)
			if d.Hi.From == ir.FromConst {
				s.limit[p] = d.Hi.Const
			}
		}
	}
	u.Descent(func(o *ir.Op) {
		if strict && o.Code.Is(ir.Pure) && len(o.Args) > 0 && o.Args[0].Type.Kind.IsFloat() {
			o.Flags |= ir.Strict // ops made by other passes
		}
		if o.Target != nil {
			s.jumps[o.Target] = append(s.jumps[o.Target], o)
		}
	})
	for _, b := range u.Blocks {
		s.block(b)
	}
	return len(s.subst) + s.reshaped
}

// A simplifier rewrites block by block: it moves ops from the old list of a
// block to a new one, changing them as it goes.
type simplifier struct {
	subst      unit.Subst
	out        *ir.Block           // the block that ops are appended to
	jumps      map[*ir.Op][]*ir.Op // breaks and continues by target
	facts      map[*ir.Value]bool  // the truth of conditions in the current region
	natural    map[*ir.Value]bool  // whether an index of the task is never negative
	limit      map[*ir.Value]int64 // a constant that an index of the task stays below
	depth      int                 // recursion depth of rules
	departures []jumpKind          // jumps to which a yield at the end of the current block is equivalent
	nest       int                 // nesting of ifs that have absorbed the ops after them
	reshaped   int                 // number of ops with regions that were dropped, or absorbed the ops after them
}

// block rewrites b and its regions. departures are the jumps to which a yield at the end of b is equivalent.
func (s *simplifier) block(b *ir.Block, departures ...jumpKind) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	s.in(b, departures, func() {
		for {
			next := slices.IndexFunc(ops, func(o *ir.Op) bool { return o.Code == ir.OpPart })
			if next < 0 {
				break
			}
			s.part(ops[:next])
			s.append(ops[next])
			ops = ops[next+1:]
		}
		s.list(ops)
	})
}

// part rewrites the ops of a part of a linked kernel, but for the last. They lead to the next part, as a return in them does.
func (s *simplifier) part(ops []*ir.Op) {
	s.list(append(slices.Clip(ops), ir.NewOp(ir.OpReturn, ir.Pos{}, nil)))
	last := len(s.out.Ops) - 1
	s.out.Ops = s.out.Ops[:last]
}

// in runs f with b as the block to append to.
func (s *simplifier) in(b *ir.Block, departures []jumpKind, f func()) {
	out, outerDepartures := s.out, s.departures
	s.out, s.departures = b, departures
	f()
	s.out, s.departures = out, outerDepartures
}

// list rewrites ops into the current block. It reports whether the block has its terminator: the last of ops, or a jump that replaces an
// earlier one.
func (s *simplifier) list(ops []*ir.Op) bool {
	for i, o := range ops {
		if s.op(o, ops[i+1:]) {
			return true
		}
	}
	return false
}

// op rewrites o into the current block. It reports whether the block has ended, by o or because o has absorbed the rest of the ops.
func (s *simplifier) op(o *ir.Op, rest []*ir.Op) (ended bool) {
	s.subst.Args(o)
	switch o.Code {
	case ir.OpIf:
		return s.branch(o, rest)
	case ir.OpFor:
		return s.rangeLoop(o)
	case ir.OpLoop:
		return s.loop(o)
	case ir.OpBlock:
		return s.once(o)
	case ir.OpParFor, ir.OpFieldFor:
		s.append(o)
		s.block(o.Regions[0])
	default:
		if v := s.value(o); v != nil {
			s.subst[o.Results[0]] = v
			if v.Name == "" {
				v.Name = o.Results[0].Name
			}
			return false
		}
		s.append(o)
	}
	return o.Code.Is(ir.Terminator)
}

func (s *simplifier) append(o *ir.Op) { s.out.Ops = append(s.out.Ops, o) }

// value returns a value that replaces o, after appending its computation; nil if o stays. It may change o in place.
func (s *simplifier) value(o *ir.Op) *ir.Value {
	if len(o.Results) != 1 || !o.Code.Is(ir.Pure) || o.Code == ir.OpConst {
		return nil
	}
	if bits, ok := fold.Op(o); ok {
		return s.bits(o, o.Results[0].Type, bits)
	}
	if len(o.Args) == 2 {
		constRight(o)
	}
	if rule := ruleFor(o.Code); rule != nil && s.depth < 32 {
		s.depth++
		defer func() { s.depth-- }()
		return rule(s, o)
	}
	return nil
}

// constRight puts the constant operand of a commutative op or comparison last.
func constRight(o *ir.Op) {
	if _, ok := ir.ConstOf(o.Args[0]); !ok {
		return
	}
	switch {
	case o.Code.Is(ir.Commutative):
	case o.Code == ir.OpLt, o.Code == ir.OpLe, o.Code == ir.OpGt, o.Code == ir.OpGe:
		o.Code = analysis.Comparisons[o.Code].Mirror
	default:
		return
	}
	o.Args = []*ir.Value{o.Args[1], o.Args[0]}
}

// bits appends a constant at the position of o.
func (s *simplifier) bits(o *ir.Op, t ir.Type, bits uint64) *ir.Value {
	c := ir.NewOp(ir.OpConst, o.Pos, []ir.Type{t})
	c.Bits = bits
	s.append(c)
	return c.Results[0]
}

// number appends an integer or float constant of type t.
func (s *simplifier) number(o *ir.Op, t ir.Type, n int64) *ir.Value {
	if t.Kind.IsFloat() {
		return s.bits(o, t, ir.FloatBits(t.Kind, float64(n)))
	}
	return s.bits(o, t, ir.IntBits(t.Kind, n))
}

// make appends an op that replaces o, simplified again, with the type of o's result. Flags are those of the new op; it inherits Strict.
func (s *simplifier) make(o *ir.Op, flags ir.Flags, code ir.Code, args ...*ir.Value) *ir.Value {
	return s.makeOf(o, flags, o.Results[0].Type, code, args...)
}

// makeOf is make with a result of type t.
func (s *simplifier) makeOf(o *ir.Op, flags ir.Flags, t ir.Type, code ir.Code, args ...*ir.Value) *ir.Value {
	n := ir.NewOp(code, o.Pos, []ir.Type{t}, args...)
	n.Flags = flags | (o.Flags&(ir.Strict|ir.Builtin)).For(code, t)
	if v := s.value(n); v != nil {
		return v
	}
	s.append(n)
	return n.Results[0]
}

// DefOf returns the op that v is the result of if it has the given code.
func DefOf(v *ir.Value, code ir.Code) *ir.Op {
	if v.Def != nil && v.Def.Code == code {
		return v.Def
	}
	return nil
}
