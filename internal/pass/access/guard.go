package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/site"
)

// This file is the part of access lowering that makes index checks explicit:
//
//	%x = if %ok : f32 { %l = load %p … yield %l } else { fail #site … yield 0 }
//
// Consecutive accesses under the same check share one if.

// A guard is the check that an access needs.
type guard struct {
	cond *ir.Value
	site int
	args []*ir.Value // indices (and run-time lengths) to report
	here []*ir.Value // index of the iteration, where an op gives it

	silent bool // another access reports the failure
}

// An AxisCheck is the condition 0 ≤ v-lo < extent, or the same with the length of a parameter instead of the extent.
type AxisCheck struct {
	Arg        int // number of the operand with v
	v          *ir.Value
	lo, extent int64
	length     *ir.Param
}

// ChecksOf returns the checks of the operands of a place or lookup, and the name of the indexed object. There are none if o is
// another op, or a cell of an unknown array.
func ChecksOf(o *ir.Op) (what string, all []AxisCheck) {
	switch o.Code {
	case ir.OpPtr:
		if what = o.Field.Name; o.Field.Word != nil {
			what = wordName(o)
		}
		for i := range o.Field.Shape {
			n, at := o.Field.Extent(i)
			all = append(all, AxisCheck{Arg: i, v: o.Args[i], lo: o.Field.Low(i), extent: n, length: at})
		}
	case ir.OpElem:
		what = o.Param.Name
		all = append(all, AxisCheck{v: o.Args[0], length: o.Param})
	case ir.OpCell:
		n, ok := analysis.CellCount(o)
		if !ok {
			return "", nil
		}
		what = o.Args[0].Name
		all = append(all, AxisCheck{Arg: 1, v: o.Args[1], extent: n})
	case ir.OpLookup:
		what = o.Table.Name
		all = append(all, AxisCheck{v: o.Args[0], extent: int64(len(o.Table.Data))})
	}
	if o.Flags.Has(ir.Dynamic) {
		last := len(o.Args) - 1
		all = append(all, AxisCheck{Arg: last, v: o.Args[last], extent: int64(o.Bits)})
	}
	return what, all
}

// check finds the indices of o that are not proved in range, and notes the guard for the accesses through o.
func (a *accessor) check(b *ir.Builder, o *ir.Op) {
	if a.unchecked || o.Flags.Has(ir.InBounds) {
		return
	}
	what, all := ChecksOf(o)
	a.note(b, o, ir.Site{Pos: o.Pos, Site: site.Site{What: what}}, all)
}

// note makes the guard of o from the checks that remain.
func (a *accessor) note(b *ir.Builder, o *ir.Op, s ir.Site, all []AxisCheck) {
	g := guard{}
	var keys []string
	var open []AxisCheck
	var left []openCheck
	low := false
	for i, c := range all {
		if cells := cellsAlong(o, i); cells > 0 {
			of := o.Field.Word.Field
			g.args = append(g.args, a.elementOf(b, c.v, cells, of.Low(i)))
			low = low || of.Low(i) != 0
			s.Low, s.Shape = append(s.Low, of.Low(i)), append(s.Shape, of.Shape[i])
			if x := a.r.Operand(o, c.Arg); !Proven(x, c) {
				open, left = append(open, c), append(left, openCheck{c, i, len(all), x})
				keys = append(keys, c.key())
			}
			continue
		}
		g.args = append(g.args, c.v)
		low = low || c.lo != 0
		s.Low = append(s.Low, c.lo)
		if c.length != nil {
			s.Shape = append(s.Shape, -1)
		} else {
			s.Shape = append(s.Shape, c.extent)
		}
		if x := a.r.Operand(o, c.Arg); !Proven(x, c) {
			open, left = append(open, c), append(left, openCheck{c, i, len(all), x})
			keys = append(keys, c.key())
		}
	}
	if len(open) == 0 {
		return
	}
	for _, c := range left {
		noteCheck(a.notes, o.Pos, s.What, c)
	}
	if !low {
		s.Low = nil
	}
	for _, c := range all {
		if c.length != nil && c.length.Content == ir.ParamSlice {
			g.args = append(g.args, a.length(c.length))
		}
	}
	g.here = a.here
	g.cond = a.cond(b, strings.Join(keys, " "), open)
	g.site = a.site(s)
	a.guards[o] = g
}

func Proven(x analysis.Interval, c AxisCheck) bool {
	if c.length != nil {
		return !x.Any && x.Lo >= c.lo && (x.Len == c.length && x.Off < c.lo || x.Hi < c.lo+c.length.Least())
	}
	return x.Within(c.lo, c.lo+c.extent)
}

// key identifies a check, so that equal checks are made once.
func (c AxisCheck) key() string {
	extent := c.extent
	if c.length != nil {
		extent = int64(-1 - c.length.Slot)
	}
	return fmt.Sprintf("%d:%d+%d", c.v.ID, c.lo, extent)
}

// length returns a length, read at the start of the task.
func (a *accessor) length(p *ir.Param) *ir.Value {
	o := ir.NewOp(ir.OpLen, a.t.Pos, []ir.Type{ir.Scalar(a.k.Int)})
	o.Param = p
	return a.atStart(o)
}

// cond appends the conjunction of the checks, or reuses one made before.
func (a *accessor) cond(b *ir.Builder, key string, open []AxisCheck) *ir.Value {
	for _, m := range a.conds {
		if v, ok := m[key]; ok {
			return v
		}
	}
	var cond *ir.Value
	for _, c := range open {
		v := a.inRange(b, c)
		if cond != nil {
			v = a.own(b.Op(ir.OpAnd, cond, v))
		}
		cond = v
	}
	a.conds[len(a.conds)-1][key] = cond
	return cond
}

// inRange appends one comparison: v-lo as an unsigned number is less than the
// extent.
func (a *accessor) inRange(b *ir.Builder, c AxisCheck) *ir.Value {
	v := c.v
	if c.length != nil && c.length.Content != ir.ParamSlice && v.Type.Kind == ir.I32 && a.k.Int == ir.I32 {
		// Index and extent are of the same kind, and the extent is not negative.
		if c.lo != 0 {
			v = a.own(b.Op(ir.OpSub, v, a.own(b.Int(v.Type, c.lo))))
		}
		return a.own(b.Op(ir.OpLt, a.own(b.Bitcast(v, ir.U32)), a.own(b.Bitcast(a.length(c.length), ir.U32))))
	}
	if c.length == nil && v.Type.Kind == ir.I32 && c.extent <= 1<<31 && c.lo >= -1<<31 && c.lo < 1<<31 {
		if c.lo != 0 {
			v = a.own(b.Op(ir.OpSub, v, a.own(b.Int(v.Type, c.lo))))
		}
		u := a.own(b.Bitcast(v, ir.U32))
		return a.own(b.Op(ir.OpLt, u, a.own(b.Int(ir.Scalar(ir.U32), c.extent))))
	}
	u64 := ir.Scalar(ir.U64)
	v = a.own(b.Convert(v, ir.U64)) // sign-extended, so that a negative index is a large number
	if c.lo != 0 {
		v = a.own(b.Op(ir.OpSub, v, a.own(b.Int(u64, c.lo))))
	}
	limit := (*ir.Value)(nil)
	if c.length != nil {
		limit = a.own(b.Convert(a.length(c.length), ir.U64))
	} else {
		limit = a.own(b.Int(u64, c.extent))
	}
	return a.own(b.Op(ir.OpLt, v, limit))
}

// site returns the number of a failure site: one for each position in the source and object.
func (a *accessor) site(s ir.Site) int {
	for i, t := range a.k.Sites {
		if t.Kind == s.Kind && t.Pos == s.Pos && t.What == s.What && slices.Equal(t.Shape, s.Shape) && slices.Equal(t.Low, s.Low) {
			return i
		}
	}
	a.k.Sites = append(a.k.Sites, &s)
	return len(a.k.Sites) - 1
}

// lookup notes the guard of a table access; an access with checks is executed under it.
func (a *accessor) lookup(b *ir.Builder, o *ir.Op) {
	a.check(b, o)
	o.Flags |= ir.InBounds
}

// guard puts the accesses of b that have guards into ifs.
func (a *accessor) guard(b *ir.Block) {
	ops := b.Ops
	first := -1
	for i, o := range ops {
		if _, ok := a.guards[o]; ok {
			first = i
			break
		}
	}
	if first < 0 {
		return
	}
	last := a.lastUses(ops)
	b.Ops = append([]*ir.Op{}, ops[:first]...)
	build := ir.NewBuilder(b)
	for i := first; i < len(ops); {
		g, ok := a.guards[ops[i]]
		if !ok {
			b.Ops = append(b.Ops, ops[i])
			i++
			continue
		}
		end := a.groupEnd(ops, i, g)
		a.group(build, ops[i:end], end, g, last)
		i = end
	}
}

// groupEnd returns the end of the accesses from i on that share g's check, with only pure ops between them.
func (a *accessor) groupEnd(ops []*ir.Op, i int, g guard) int {
	end := i + 1
	for j := i + 1; j < len(ops); j++ {
		h, ok := a.guards[ops[j]]
		switch {
		case ok && h.cond == g.cond:
			end = j + 1
		case !ok && ops[j].Code.Is(ir.Pure):
		default:
			return end
		}
	}
	return end
}

// lastUses returns, for each value used in ops, the number of the last op that uses it.
// Operands are resolved through a.subst, since ops still name places that have been
// replaced by addresses. An op with a guard also uses the indices that its failure reports.
func (a *accessor) lastUses(ops []*ir.Op) map[*ir.Value]int {
	last := map[*ir.Value]int{}
	for i, o := range ops {
		for _, v := range slices.Concat(a.guards[o].args, a.guards[o].here) {
			last[ir.Resolve(a.subst, v)] = i
		}
		analysis.VisitOps([]*ir.Op{o}, func(o *ir.Op) {
			for _, v := range o.Args {
				last[ir.Resolve(a.subst, v)] = i
			}
		})
	}
	return last
}

// group appends the if for a group of accesses. Ops that do not depend on them go before it, ops that do into its first region. The
// second region has the failure, and the values of later uses, computed from loads of zero.
func (a *accessor) group(b *ir.Builder, run []*ir.Op, end int, g guard, last map[*ir.Value]int) {
	inside := map[*ir.Value]bool{}
	var body []*ir.Op
	var out []*ir.Value
	reports := false
	for _, o := range run {
		h, guarded := a.guards[o]
		reports = reports || guarded && !h.silent
		depends := guarded
		for _, v := range o.Args {
			depends = depends || inside[ir.Resolve(a.subst, v)]
		}
		if !depends {
			b.Emit(o)
			continue
		}
		body = append(body, o)
		for _, r := range o.Results {
			inside[r] = true
			if last[r] >= end {
				out = append(out, r)
			}
		}
	}
	b.Pos = run[0].Pos
	types := make([]ir.Type, len(out))
	for i, v := range out {
		types[i] = v.Type
	}
	results := b.If(g.cond, types, func() {
		b.Block.Ops = append(b.Block.Ops, body...)
		b.Yield(out...)
	}, func() {
		if reports {
			a.fail(b, g)
		}
		b.Yield(a.zeros(b, body, out)...)
	})
	for i, v := range out {
		results[i].Name = v.Name
		results[i].ID = v.ID
		a.r.Of[results[i]] = a.r.Get(v).Join(analysis.Point(0))
	}
	// Uses after the group use the results of the if. The ops in the region keep the original values, which get new identities there.
	a.rename(b.Block.Ops[len(b.Block.Ops)-1], out, results)
}

// rename makes later uses of out refer to results. Ops in the if keep their own values: the definitions in the region get new values.
func (a *accessor) rename(iff *ir.Op, out, results []*ir.Value) {
	if len(out) == 0 {
		return
	}
	ir.Substitute(iff.Regions[0], a.subst) // one of out may have replaced a place
	inner := map[*ir.Value]*ir.Value{}
	for i, v := range out {
		w := &ir.Value{Type: v.Type, Def: v.Def, Index: v.Index, Name: v.Name, ID: v.ID}
		v.Def.Results[v.Index] = w
		inner[v] = w
		a.subst[v] = results[i]
	}
	ir.Substitute(iff.Regions[0], inner)
}

// fail appends the report of g's failure: indices, then those of the loop.
func (a *accessor) fail(b *ir.Builder, g guard) {
	o := ir.NewOp(ir.OpFail, b.Pos, nil)
	o.Aux, o.Bits = int64(g.site), uint64(len(g.args))
	for _, v := range g.args {
		o.Args = append(o.Args, b.Convert(v, ir.I64))
	}
	a.iteration(b, o, g.here)
	b.Emit(o)
}

// locate adds the index of the iteration to a failure that lowering made.
func (a *accessor) locate(b *ir.Builder, o *ir.Op) {
	o.Args = o.Args[:len(o.Args):len(o.Args)]
	a.iteration(b, o, a.here)
}

// iteration adds the index of the parallel iteration to the operands of a fail: here, if an op gives it.
func (a *accessor) iteration(b *ir.Builder, o *ir.Op, here []*ir.Value) {
	if here == nil {
		here = a.loopIndex(b)
	}
	for _, v := range here {
		o.Args = append(o.Args, b.Convert(v, ir.I64))
	}
}

// loopIndex appends the index of the parallel iteration as in the source; in a prologue there is none.
func (a *accessor) loopIndex(b *ir.Builder) []*ir.Value {
	params := a.t.Body.Params
	if !a.inBody {
		return nil
	}
	if a.t.Nest == nil {
		return params
	}
	i64 := ir.Scalar(ir.I64)
	sum := make([]*ir.Value, len(a.t.Low))
	for axis, low := range a.t.Low {
		sum[axis] = b.Int(i64, low)
	}
	for i, d := range a.t.Nest {
		part := b.Op(ir.OpMul, b.Convert(params[i], ir.I64), b.Int(i64, d.Mul))
		sum[d.Axis] = b.Op(ir.OpAdd, sum[d.Axis], part)
	}
	return sum
}

// zeros appends the values of out for the case that the loads among body give zero.
func (a *accessor) zeros(b *ir.Builder, body []*ir.Op, out []*ir.Value) []*ir.Value {
	needed := map[*ir.Value]bool{}
	for _, v := range out {
		needed[v] = true
	}
	for i := len(body) - 1; i >= 0; i-- {
		if o := body[i]; o.Code.Is(ir.Pure) && o.Code != ir.OpLookup && anyNeeded(o, needed) {
			for _, v := range o.Args {
				needed[ir.Resolve(a.subst, v)] = true
			}
		}
	}
	zero := map[*ir.Value]*ir.Value{}
	for _, o := range body {
		if !anyNeeded(o, needed) {
			continue
		}
		if !o.Code.Is(ir.Pure) || o.Code == ir.OpLookup {
			zero[o.Results[0]] = b.Const(o.Results[0].Type, 0)
			continue
		}
		a.cloneOp(b, o, zero)
	}
	vs := make([]*ir.Value, len(out))
	for i, v := range out {
		vs[i] = zero[v]
	}
	return vs
}

func anyNeeded(o *ir.Op, needed map[*ir.Value]bool) bool {
	for _, r := range o.Results {
		if needed[r] {
			return true
		}
	}
	return false
}

// cloneOp appends a copy of the pure op o, with the operands replaced by zero.
func (a *accessor) cloneOp(b *ir.Builder, o *ir.Op, zero map[*ir.Value]*ir.Value) {
	types := make([]ir.Type, len(o.Results))
	for i, r := range o.Results {
		types[i] = r.Type
	}
	args := make([]*ir.Value, len(o.Args))
	for i, v := range o.Args {
		v = ir.Resolve(a.subst, v)
		if w, ok := zero[v]; ok {
			v = w
		}
		args[i] = v
	}
	c := o.Like(types, args...)
	b.Emit(c)
	for i, r := range o.Results {
		zero[r] = c.Results[i]
	}
}
