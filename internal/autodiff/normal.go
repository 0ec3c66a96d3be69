package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A normaliser copies code into the normal form, in which there are no jumps out of ifs and blocks:
//
//   - Regions of ifs end in yield.
//   - A for ends in continue, and nothing leaves it early.
//   - A loop ends in "if done { break next } else { continue next }": its results are the values that
//     its last iteration would carry on.
//   - There are no blocks.
//   - Each access to a cell of an array computes its place itself: a copy of the array may stand for it there.
type normaliser struct {
	copies
	b    *ir.Builder
	ids  map[way]int
	ways []way // by number, less one
}

// A way is where code goes on after a list of ops other than past its end.
type way struct {
	code   ir.Code // break, continue or return
	target *ir.Op
}

// An outcome says how a list of ops may end. If there are several ways, code is the number of the one that is taken.
type outcome struct {
	code *ir.Value
	outs []out // in the order of their numbers
}

// An out is one of the ways, and the values that go along. Number 0 is past the end.
type out struct {
	id   int
	vals []*ir.Value
}

func (o *outcome) find(id int) *out {
	for i := range o.outs {
		if o.outs[i].id == id {
			return &o.outs[i]
		}
	}
	return nil
}

func only(id int, vals []*ir.Value) outcome { return outcome{outs: []out{{id, vals}}} }

func (n *normaliser) id(w way) int {
	if n.ids[w] == 0 {
		n.ways = append(n.ways, w)
		n.ids[w] = len(n.ways)
	}
	return n.ids[w]
}

// copies has what stands for values of a kernel in a copy of its code; others stand for themselves.
type copies map[*ir.Value]*ir.Value

func (c copies) of(vs []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(vs))
	for i, v := range vs {
		out[i] = v
		if w, ok := c[v]; ok {
			out[i] = w
		}
	}
	return out
}

func (c copies) bind(from, to []*ir.Value) {
	for i, v := range from {
		c[v] = to[i]
	}
}

// normalBody returns the body of a kernel in the normal form.
func normalBody(body *ir.Block) *ir.Block {
	n := &normaliser{b: ir.NewBuilder(&ir.Block{}), copies: copies{}, ids: map[way]int{}}
	if returnsEarly(body) {
		(&earlyReturn{normaliser: n, ops: body.Ops}).body()
		return n.b.Block
	}
	ended := n.list(body.Ops, func([]*ir.Value) outcome { return only(0, nil) })
	var results []*ir.Value
	if len(ended.outs) > 0 { // all ways return
		results = ended.outs[0].vals
	}
	n.b.Return(results...)
	return n.b.Block
}

// list copies ops; after is called where their end is reached, with what they yield.
func (n *normaliser) list(ops []*ir.Op, after func(yields []*ir.Value) outcome) outcome {
	for i, o := range ops {
		n.b.Pos = o.Pos
		rest := func() outcome { return n.list(ops[i+1:], after) }
		switch o.Code {
		case ir.OpYield:
			return after(n.of(o.Args))
		case ir.OpBreak, ir.OpContinue:
			return only(n.id(way{o.Code, o.Target}), n.of(o.Args))
		case ir.OpReturn:
			return only(n.id(way{code: ir.OpReturn}), n.of(o.Args))
		case ir.OpIf:
			if leaves(o) {
				return n.jumpingIf(o, rest)
			}
			n.plainIf(o)
		case ir.OpFor, ir.OpLoop, ir.OpBlock:
			ended := n.leavable(o)
			if len(ended.outs) != 1 || ended.outs[0].id != 0 {
				return n.then(ended, func(vals []*ir.Value) outcome {
					n.bind(o.Results, vals)
					return rest()
				})
			}
			n.bind(o.Results, ended.outs[0].vals)
		case ir.OpParFor, ir.OpFieldFor:
			n.parallel(o)
		default:
			n.copy(o)
		}
	}
	return after(nil)
}

// leaves reports whether something in o jumps to outside of it. The next iteration of a loop is no outside.
func leaves(o *ir.Op) bool {
	within, found := map[*ir.Op]bool{o: true}, false
	for _, r := range o.Regions {
		ir.Visit(r, func(p *ir.Op) bool {
			within[p] = true
			found = found || p.Code == ir.OpReturn || p.Target != nil && !within[p.Target]
			return !found
		})
	}
	return found
}

// copy copies an op without regions.
func (n *normaliser) copy(o *ir.Op) *ir.Op {
	c := *o
	c.Args, c.Results = n.of(o.Args), nil
	if o.Code == ir.OpLoad || o.Code == ir.OpStore || o.Code == ir.OpAtomic {
		c.Args[0] = n.ownCell(c.Args[0])
	}
	for i, r := range o.Results {
		c.Results = append(c.Results, &ir.Value{Type: r.Type, Def: &c, Index: i, Name: r.Name})
	}
	n.bind(o.Results, c.Results)
	n.b.Emit(&c)
	return &c
}

// ownCell emits the place of a cell again.
func (n *normaliser) ownCell(place *ir.Value) *ir.Value {
	d := place.Def
	if d == nil || d.Code != ir.OpCell {
		return place
	}
	c := n.b.Op(ir.OpCell, d.Args...)
	c.Def.Flags, c.Def.Pos = d.Flags, d.Pos
	return c
}

// plainIf copies an if that nothing jumps out of.
func (n *normaliser) plainIf(o *ir.Op) {
	ended := n.merge(n.of(o.Args)[0], o.Regions, func(r *ir.Block) outcome {
		return n.list(r.Ops, func(vals []*ir.Value) outcome { return only(0, vals) })
	})
	n.bind(o.Results, ended.outs[0].vals)
}

// jumpingIf copies an if with jumps and what stands behind it. Where one region alone reaches its end, the rest
// goes into that; otherwise under an if of its own.
func (n *normaliser) jumpingIf(o *ir.Op, rest func() outcome) outcome {
	cond := n.of(o.Args)[0]
	reach := 0
	for _, r := range o.Regions {
		if reaches(r) {
			reach++
		}
	}
	past := func(vals []*ir.Value) outcome { return only(0, vals) }
	if reach < 2 {
		past = func(vals []*ir.Value) outcome {
			n.bind(o.Results, vals)
			return rest()
		}
		return n.merge(cond, o.Regions, func(r *ir.Block) outcome { return n.list(r.Ops, past) })
	}
	ended := n.merge(cond, o.Regions, func(r *ir.Block) outcome { return n.list(r.Ops, past) })
	return n.then(ended, func(vals []*ir.Value) outcome {
		n.bind(o.Results, vals)
		return rest()
	})
}

// reaches reports whether the end of b may be reached.
func reaches(b *ir.Block) bool {
	for _, o := range b.Ops {
		switch o.Code {
		case ir.OpBreak, ir.OpContinue, ir.OpReturn:
			return false
		case ir.OpIf:
			if !reaches(o.Regions[0]) && !reaches(o.Regions[1]) {
				return false
			}
		case ir.OpBlock:
			if !reaches(o.Regions[0]) && !ir.Jumps(o, ir.OpBreak, o) {
				return false
			}
		case ir.OpLoop:
			if !ir.Jumps(o, ir.OpBreak, o) {
				return false
			}
		}
	}
	return true
}

// then goes on past the end of what came out so, under an if unless that is the only way.
func (n *normaliser) then(ended outcome, past func(vals []*ir.Value) outcome) outcome {
	fall := ended.find(0)
	switch {
	case fall == nil: // nor is anything behind an endless loop reached
		return ended
	case len(ended.outs) == 1:
		return past(fall.vals)
	}
	others := outcome{code: ended.code}
	for _, o := range ended.outs {
		if o.id != 0 {
			others.outs = append(others.outs, o)
		}
	}
	i32 := ir.Scalar(ir.I32)
	reached := n.b.Op(ir.OpEq, ended.code, n.b.Int(i32, 0))
	first := true
	return n.merge(reached, make([]*ir.Block, 2), func(*ir.Block) outcome {
		if first {
			first = false
			return past(fall.vals)
		}
		return others
	})
}

// merge emits an if; f returns the outcomes of its regions.
func (n *normaliser) merge(cond *ir.Value, regions []*ir.Block, f func(*ir.Block) outcome) outcome {
	pos := n.b.Pos
	o := ir.NewOp(ir.OpIf, pos, nil, cond)
	n.b.Emit(o)
	var ended [2]outcome
	for i := range ended {
		n.b.In(o.Regions[i], func() { ended[i] = f(regions[i]) })
	}
	var merged outcome
	for _, e := range ended {
		for _, w := range e.outs {
			if merged.find(w.id) == nil {
				merged.outs = append(merged.outs, w)
			}
		}
	}
	slices.SortFunc(merged.outs, func(a, b out) int { return a.id - b.id })
	result := func(t ir.Type, name string) *ir.Value {
		v := &ir.Value{Type: t, Def: o, Index: len(o.Results), Name: name}
		o.Results = append(o.Results, v)
		return v
	}
	if len(merged.outs) > 1 {
		merged.code = result(ir.Scalar(ir.I32), "way")
	}
	for i := range merged.outs {
		vals := make([]*ir.Value, len(merged.outs[i].vals))
		for j, v := range merged.outs[i].vals {
			vals[j] = result(v.Type, v.Name)
		}
		merged.outs[i].vals = vals
	}
	n.b.Pos = pos
	for i := range ended {
		n.b.In(o.Regions[i], func() { n.b.Yield(n.operands(&ended[i], &merged)...) })
	}
	return merged
}

// operands are what a region that ends so yields for all ways.
func (n *normaliser) operands(ended, all *outcome) (args []*ir.Value) {
	if len(all.outs) > 1 {
		code := ended.code
		if len(ended.outs) == 1 {
			code = n.b.Int(ir.Scalar(ir.I32), int64(ended.outs[0].id))
		}
		args = append(args, code)
	}
	for _, w := range all.outs {
		mine := ended.find(w.id)
		for j, v := range w.vals {
			if mine != nil {
				args = append(args, mine.vals[j])
			} else {
				args = append(args, n.b.Const(v.Type, 0))
			}
		}
	}
	return args
}

// parallel copies a parallel loop.
func (n *normaliser) parallel(o *ir.Op) {
	c := n.copy(o)
	c.Regions = []*ir.Block{{Parent: c}}
	body := c.Regions[0]
	n.params(o.Regions[0], body)
	n.b.In(body, func() {
		n.list(o.Regions[0].Ops, nil)
		n.b.Jump(ir.OpContinue, c)
	})
}

// params gives a region the parameters of another one.
func (n *normaliser) params(from, to *ir.Block) {
	for _, p := range from.Params {
		n.copies[p] = to.AddParam(p.Type, p.Name)
	}
}

// leavable copies a block, a for or a loop.
func (n *normaliser) leavable(o *ir.Op) outcome {
	if o.Code == ir.OpBlock {
		end := n.id(way{ir.OpBreak, o})
		return n.asEnd(end, n.list(o.Regions[0].Ops, func(vals []*ir.Value) outcome { return only(end, vals) }))
	}
	if o.Code == ir.OpFor && !leaves(o) && !ir.Jumps(o, ir.OpBreak, o) {
		c := n.copy(o)
		c.Regions = []*ir.Block{{Parent: c}}
		n.params(o.Regions[0], c.Regions[0])
		n.b.In(c.Regions[0], func() {
			ended := n.list(o.Regions[0].Ops, nil)
			n.b.Jump(ir.OpContinue, c, ended.outs[0].vals...)
		})
		return only(0, c.Results)
	}
	return n.loop(o)
}

// asEnd makes one of the ways that past the end.
func (n *normaliser) asEnd(id int, ended outcome) outcome {
	w := ended.find(id)
	if w == nil {
		return ended
	}
	all := outcome{outs: []out{{0, w.vals}}}
	for _, o := range ended.outs {
		if o.id != id {
			all.outs = append(all.outs, o)
		}
	}
	if len(all.outs) > 1 {
		i32 := ir.Scalar(ir.I32)
		is := n.b.Op(ir.OpEq, ended.code, n.b.Int(i32, int64(id)))
		all.code = n.b.If(is, []ir.Type{i32}, func() { n.b.Yield(n.b.Int(i32, 0)) }, func() { n.b.Yield(ended.code) })[0]
	}
	return all
}

// loop copies a loop, or a for that may be left early. What is carried from one iteration to the next
// are the index of a for, the carried values, and what goes along each way out, with its number.
func (n *normaliser) loop(o *ir.Op) outcome {
	isFor := o.Code == ir.OpFor
	args := n.of(o.Args)
	var hi *ir.Value
	state := args
	if isFor {
		hi = args[1]
		state = append([]*ir.Value{args[0]}, args[2:]...)
	}
	c := ir.NewOp(ir.OpLoop, o.Pos, nil)
	body := c.Regions[0]
	n.params(o.Regions[0], body) // the index of a for first
	next, leave := n.id(way{ir.OpContinue, o}), n.id(way{ir.OpBreak, o})
	outer := n.b.Block
	n.b.Block = body
	var ended outcome
	if isFor {
		index := body.Params[0]
		carried := slices.Clone(body.Params[1:])
		first := true
		ended = n.merge(n.b.Op(ir.OpLt, index, hi), make([]*ir.Block, 2), func(*ir.Block) outcome {
			if first {
				first = false
				return n.list(o.Regions[0].Ops, nil)
			}
			return only(leave, carried)
		})
	} else {
		ended = n.list(o.Regions[0].Ops, nil)
	}
	n.b.Pos = o.Pos
	var going []*ir.Value
	i32 := ir.Scalar(ir.I32)
	if isFor {
		going = append(going, n.b.Op(ir.OpAdd, body.Params[0], n.b.Int(body.Params[0].Type, 1)))
	}
	carried := body.Params[len(going):]
	if w := ended.find(next); w != nil {
		going = append(going, w.vals...)
	} else {
		going = append(going, carried...)
	}
	code := ended.code
	if len(ended.outs) == 1 {
		code = n.b.Int(i32, int64(ended.outs[0].id))
	}
	after := outcome{}
	for _, w := range ended.outs {
		if w.id == next {
			continue
		}
		after.outs = append(after.outs, out{id: w.id})
		going = append(going, w.vals...)
	}
	going = append(going, code)
	done := n.b.Op(ir.OpNe, code, n.b.Int(i32, int64(next)))
	n.b.If(done, nil, func() { n.b.Jump(ir.OpBreak, c, going...) }, func() { n.b.Jump(ir.OpContinue, c, going...) })
	n.b.Jump(ir.OpContinue, c, going...) // never reached
	n.b.Block = outer
	for i := len(state); i < len(going); i++ {
		body.AddParam(going[i].Type, "")
		state = append(state, n.b.Const(going[i].Type, 0))
	}
	c.Args = state
	for i, v := range going {
		c.Results = append(c.Results, &ir.Value{Type: v.Type, Def: c, Index: i})
	}
	n.b.Emit(c)
	at := len(going) - 1
	after.code = c.Results[at]
	for i := len(after.outs) - 1; i >= 0; i-- {
		w := ended.find(after.outs[i].id)
		at -= len(w.vals)
		after.outs[i].vals = c.Results[at : at+len(w.vals)]
	}
	return n.asEnd(leave, after)
}
