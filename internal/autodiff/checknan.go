package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
)

// Checks for NaN: if they are asked for, a launch fails where the backward pass makes NaN of numbers.

// partial emits what o gives to the adjoint of operand i, for the adjoint d of its result; see apply. The check of it
// looks only at what the rule of o reads: other operands may be overwritten.
func (r *reverser) partial(o *ir.Op, i int, d *ir.Value, none func() *ir.Value) *ir.Value {
	if !r.CheckNaN {
		return apply(r.b, o, i, d, none, r.of)
	}
	var read, from []*ir.Value // in the kernel, and here
	p := apply(r.b, o, i, d, none, func(v *ir.Value) *ir.Value {
		here := r.of(v)
		if v.Type.Kind.IsFloat() {
			read, from = append(read, v), append(from, here)
		}
		return here
	})
	if p != nil && p != d {
		r.checkNaN([]*ir.Value{p}, append(from, d), r.partialMessage(o, d, read))
	}
	return p
}

// partialMessage says what o gave back. Of its operands it shows those that are read.
func (r *reverser) partialMessage(o *ir.Op, d *ir.Value, read []*ir.Value) *message {
	m := new(message)
	m.say("the backward pass through " + o.Code.String() + "(")
	for i, a := range o.Args {
		if i > 0 {
			m.say(", ")
		}
		if slices.Contains(read, a) {
			m.show(r.of(a))
		} else {
			m.say("…")
		}
	}
	m.say(")")
	if slices.Contains(read, o.Results[0]) {
		m.say(" = ")
		m.show(r.of(o.Results[0]))
	}
	m.say(": its derivative, times ")
	m.show(d)
	m.say(", is not a number")
	return m
}

// checkCall emits a check of what the derivative of a called function returned for the adjoints ds.
func (r *reverser) checkCall(o *ir.Op, ds map[*ir.Value]*ir.Value, back []*ir.Value) {
	if !r.CheckNaN || len(back) == 0 {
		return
	}
	read := floats(o.Args)
	if o.Func.Rule.TakesResults {
		read = append(read, floats(o.Results)...)
	}
	var from []*ir.Value
	for _, v := range read {
		from = append(from, r.of(v))
	}
	for _, v := range o.Results {
		if d := ds[v]; d != nil {
			from = append(from, d)
		}
	}
	m := new(message)
	m.say("the backward pass through " + o.Func.Name + ": its derivative is not a number")
	r.checkNaN(back, from, m)
}

// plus emits the sum of two adjoints.
func (r *reverser) plus(x, y *ir.Value) *ir.Value {
	sum := r.b.Op(ir.OpAdd, x, y)
	if r.CheckNaN {
		m := new(message)
		if isWhole(x) {
			m.say("the backward pass: the sum of two derivatives has what is not a number")
		} else {
			m.say("the backward pass: the sum of the derivatives ")
			m.show(x)
			m.say(" and ")
			m.show(y)
			m.say(" is not a number")
		}
		r.checkNaN([]*ir.Value{sum}, []*ir.Value{x, y}, m)
	}
	return sum
}

// message is the text of a failure with the values that it shows.
type message struct {
	text   []site.Piece
	values []*ir.Value
}

func (m *message) say(s string) { m.text = append(m.text, site.Piece{Text: s}) }

func (m *message) show(v *ir.Value) {
	m.text = append(m.text, site.Piece{Verb: "%v", Kind: v.Type.Kind})
	m.values = append(m.values, v)
}

// checkNaN emits a failure for where one of those made is no number, while all those that they are made from are.
func (r *reverser) checkNaN(made, from []*ir.Value, m *message) {
	r.failWhen(r.b.Op(ir.OpAnd, r.anyNaN(made), r.b.Op(ir.OpNot, r.anyNaN(from))), site.NaN, m)
}

// failWhen emits a failure for where bad holds.
func (r *reverser) failWhen(bad *ir.Value, kind site.Kind, m *message) {
	number := int64(len(r.sites))
	r.sites = append(r.sites, &ir.Site{Pos: r.b.Pos, Site: site.Site{Kind: kind, Text: m.text}})
	r.when(bad, func() {
		fail := ir.NewOp(ir.OpFail, r.b.Pos, nil)
		for _, v := range m.values {
			fail.Args = append(fail.Args, r.b.Slot(v))
		}
		fail.Aux, fail.Bits = number, uint64(len(m.values))
		r.b.Emit(fail)
	})
}

// anyNaN emits the question whether one of vs, which are not empty, is no number.
func (r *reverser) anyNaN(vs []*ir.Value) *ir.Value {
	var any *ir.Value
	for _, v := range vs {
		is := anyLane(r.b, r.b.Op(ir.OpIsNaN, v))
		if any != nil {
			is = r.b.Op(ir.OpOr, any, is)
		}
		any = is
	}
	return any
}
