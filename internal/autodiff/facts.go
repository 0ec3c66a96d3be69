package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// facts are what is known of a body in the normal form before it is differentiated.
type facts struct {
	grad map[*ir.Field]*ir.Field // the adjoints of fields

	pos, end map[*ir.Op]int    // number of an op in the order of the text, and that of the last op in its regions
	ops      []*ir.Op          // in the order of the text
	defined  map[*ir.Value]int // number of the definition; of parameters of a region between that of the op and those in it
	inside   map[*ir.Op]*ir.Op // the op in whose region an op stands, if any

	arrays  []*array
	arrayOf map[*ir.Op]*array

	varied map[*ir.Value]bool         // it changes with a field that has an adjoint
	useful map[*ir.Value]bool         // such a field changes with it
	masked map[*ir.Value]bool         // an operand of a select depends on it
	wild   map[*ir.Value]bool         // it may be infinite or NaN
	needed map[*ir.Value]bool         // its number is wanted on the backward pass
	kept   map[*ir.Op]*kept           // what loops keep of each iteration
	redone map[*ir.Op]*again          // and what they read and compute again, where a cut has chosen
	filled map[*ir.Op]map[*array]bool // of a loop, the arrays that it writes to and that the backward pass through an iteration reads
	reread map[*ir.Op]map[*array]bool // of a loop of unknown length, those that it reads although it has kept values of the iteration
	given  map[*ir.Value]bool         // values of iterations that a loop of unknown length keeps
	direct map[*ir.Op][]*ir.Value     // of an op, what its own backward pass uses
	pure   map[*ir.Value]bool         // what is known of isPure

	readback map[*ir.Op]*ir.Op // of a store, what stands for all that its iteration loads of it; see reload
	isBack   map[*ir.Op]bool   // these ops
	extrema  map[*ir.Op]*extremum
	old      map[*ir.Op]bool           // atomics and appends whose old values are needed
	stored   []storedOld               // and those that are read from what launches store
	unrolled map[*ir.Op][]unrolledLoop // of a parallel loop, the serial loops that were unrolled for a gather
	costly   map[*ir.Op]bool           // parallel loops with loads that are not gathered, as that would cost more than atomics
	asked    map[*ir.Op]bool           // loops over active cells and questions about them that the backward pass repeats

	without option.Switches
	err     error
}

// An array is a local array, or a variable of the kernel that parallel loops reduce into.
type array struct {
	alloc          *ir.Op
	writes, reads  []*ir.Op
	varied, useful bool
	masked         bool // what is read from it is so
	needed         bool // what is read from it is needed
}

// A kept says what a loop has to keep for its backward pass.
type kept struct {
	values    []int       // numbers of its parameters
	arrays    []*array    // that it writes
	inside    []*ir.Value // of its body
	snapshots []*array    // that it reads, and that are written later
}

func newFacts(body *ir.Block, grad map[*ir.Field]*ir.Field, readback map[*ir.Op]*ir.Op, x map[*ir.Op]*extremum, without option.Switches) (*facts, error) {
	f := newVaried(body, grad, readback)
	f.extrema, f.without = x, without
	for changed := true; changed; {
		changed = f.use()
	}
	for changed := true; changed; {
		changed = f.mask()
	}
	f.markWild(body)
	f.need(body)
	f.overwrites(body)
	return f, f.err
}

// newVaried finds out what changes with fields that have an adjoint, or tangent.
func newVaried(body *ir.Block, grad map[*ir.Field]*ir.Field, readback map[*ir.Op]*ir.Op) *facts {
	f := &facts{
		readback: readback, isBack: map[*ir.Op]bool{},
		grad: grad, pos: map[*ir.Op]int{}, end: map[*ir.Op]int{}, defined: map[*ir.Value]int{}, inside: map[*ir.Op]*ir.Op{},
		arrayOf: map[*ir.Op]*array{}, varied: map[*ir.Value]bool{}, useful: map[*ir.Value]bool{}, masked: map[*ir.Value]bool{}, wild: map[*ir.Value]bool{}, needed: map[*ir.Value]bool{},
		old: map[*ir.Op]bool{}, kept: map[*ir.Op]*kept{}, redone: map[*ir.Op]*again{}, filled: map[*ir.Op]map[*array]bool{},
		reread: map[*ir.Op]map[*array]bool{}, given: map[*ir.Value]bool{}, direct: map[*ir.Op][]*ir.Value{}, asked: map[*ir.Op]bool{}, costly: map[*ir.Op]bool{}, pure: map[*ir.Value]bool{},
	}
	for _, o := range readback {
		f.isBack[o] = true
	}
	f.number(body, nil, 0)
	for changed := true; changed; {
		changed = f.vary(body)
	}
	return f
}

// number gives every op of b its place in the text, and finds the arrays.
func (f *facts) number(b *ir.Block, parent *ir.Op, n int) int {
	n++
	for _, p := range b.Params {
		f.defined[p] = n
	}
	for _, o := range b.Ops {
		n++
		f.ops = append(f.ops, o)
		f.pos[o], f.inside[o] = n, parent
		for _, r := range o.Results {
			f.defined[r] = n
		}
		if o.Code == ir.OpAlloc {
			a := &array{alloc: o}
			f.arrays = append(f.arrays, a)
			f.arrayOf[o] = a
		}
		if a := f.arrayAt(o); a != nil {
			if o.Code == ir.OpLoad {
				a.reads = append(a.reads, o)
			} else {
				a.writes = append(a.writes, o)
			}
		}
		for _, r := range o.Regions {
			n = f.number(r, o, n)
		}
		f.end[o] = n
	}
	return n
}

// arrayAt returns the array that an access is to, nil for other memory.
func (f *facts) arrayAt(o *ir.Op) *array {
	switch o.Code {
	case ir.OpLoad, ir.OpStore, ir.OpAtomic:
		return f.arrayOf[allocOf(o.Args[0])]
	}
	return nil
}

// allocOf returns the alloc of the array that a place is in, nil for other memory.
func allocOf(place *ir.Value) *ir.Op {
	d := place.Def
	if d != nil && d.Code == ir.OpCell {
		d = d.Args[0].Def
	}
	if d != nil && d.Code == ir.OpAlloc {
		return d
	}
	return nil
}

// gradAt returns the adjoint of the field that a place is in, nil without one.
func (f *facts) gradAt(place *ir.Value) *ir.Field {
	if place.Def == nil || place.Def.Code != ir.OpPtr {
		return nil
	}
	return f.grad[place.Def.Field]
}

// isWithin reports whether v is defined in a region of o.
func (f *facts) isWithin(o *ir.Op, v *ir.Value) bool {
	return f.defined[v] > f.pos[o] && f.defined[v] <= f.end[o]
}

// contains reports whether p stands in a region of o.
func (f *facts) contains(o, p *ir.Op) bool { return f.pos[p] > f.pos[o] && f.pos[p] <= f.end[o] }

// active reports whether the adjoint of v matters.
func (f *facts) active(v *ir.Value) bool {
	return f.varied[v] && (f.useful[v] || f.without.Has(option.Activity))
}

// matters is active with all parts of the compiler.
func (f *facts) matters(v *ir.Value) bool { return f.varied[v] && f.useful[v] }

// hasShadow reports whether the adjoints of an array matter.
func (f *facts) hasShadow(a *array) bool {
	return a.varied && (a.useful || f.without.Has(option.Activity))
}

// next returns what a loop carries on, and of a loop op whether it was the last iteration.
func next(o *ir.Op) (vals []*ir.Value, done *ir.Value) {
	body := o.Regions[0]
	if o.Code == ir.OpFor {
		return body.Terminator().Args, nil
	}
	decision := body.Ops[len(body.Ops)-2]
	return decision.Regions[0].Terminator().Args, decision.Args[0]
}

// inner are the ops of a loop's body without those that end it.
func inner(o *ir.Op) []*ir.Op {
	ops := o.Regions[0].Ops
	if o.Code == ir.OpLoop {
		return ops[:len(ops)-2]
	}
	return ops[:len(ops)-1]
}

// carried returns what is carried into a loop, and the parameters that take it.
func carried(o *ir.Op) (init, params []*ir.Value) {
	if o.Code == ir.OpFor {
		return o.Args[2:], o.Regions[0].Params[1:]
	}
	return o.Args, o.Regions[0].Params
}

// vary marks what varies and reports whether something was new.
func (f *facts) vary(b *ir.Block) (changed bool) {
	mark := func(v *ir.Value) {
		if v.Type.Kind.IsFloat() && !f.varied[v] {
			f.varied[v], changed = true, true
		}
	}
	join := func(to, from []*ir.Value) {
		for i, v := range from {
			if f.varied[v] {
				mark(to[i])
			}
		}
	}
	ir.Visit(b, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpLoad:
			a := f.arrayAt(o)
			if a != nil && a.varied || f.gradAt(o.Args[0]) != nil {
				mark(o.Results[0])
			}
		case ir.OpStopGrad:
			if f.isBack[o] {
				mark(o.Results[0])
			}
		case ir.OpStore, ir.OpAtomic:
			if a := f.arrayAt(o); a != nil && !a.varied && f.varied[o.Args[len(o.Args)-1]] {
				a.varied, changed = true, true
			}
		case ir.OpFor, ir.OpLoop:
			init, params := carried(o)
			on, _ := next(o)
			join(params, init)
			join(params, on)
			join(o.Results, init)
			join(o.Results, on)
		case ir.OpYield:
			// by the if, below
		case ir.OpCall:
			if slices.ContainsFunc(o.Args, func(a *ir.Value) bool { return f.varied[a] }) {
				for _, r := range o.Results {
					mark(r)
				}
			}
		default:
			for i, a := range o.Args {
				if f.varied[a] && isDifferentiable(o, i) {
					mark(o.Results[0])
				}
			}
		}
		return true
	})
	ir.Visit(b, func(o *ir.Op) bool {
		if o.Code == ir.OpIf && len(o.Results) > 0 {
			join(o.Results, o.Regions[0].Terminator().Args)
			join(o.Results, o.Regions[1].Terminator().Args)
		}
		return true
	})
	return changed
}

// use marks what is useful and reports whether something was new. What is useful makes so what comes before it, so it
// begins at the end.
func (f *facts) use() (changed bool) {
	mark := func(v *ir.Value) {
		if v.Type.Kind.IsFloat() && !f.useful[v] {
			f.useful[v], changed = true, true
		}
	}
	join := func(from, to []*ir.Value) {
		for i, v := range from {
			if f.useful[v] {
				mark(to[i])
			}
		}
	}
	for _, o := range slices.Backward(f.ops) {
		switch o.Code {
		case ir.OpLoad:
			if a := f.arrayAt(o); a != nil && !a.useful && f.useful[o.Results[0]] {
				a.useful, changed = true, true
			}
		case ir.OpStore, ir.OpAtomic:
			a := f.arrayAt(o)
			if a != nil && a.useful || f.gradAt(o.Args[0]) != nil {
				mark(o.Args[len(o.Args)-1])
			}
		case ir.OpFor, ir.OpLoop:
			init, params := carried(o)
			on, _ := next(o)
			join(o.Results, on)
			join(o.Results, init)
			join(params, on)
			join(params, init)
		case ir.OpIf:
			if len(o.Results) > 0 {
				join(o.Results, o.Regions[0].Terminator().Args)
				join(o.Results, o.Regions[1].Terminator().Args)
			}
		case ir.OpCall:
			if slices.ContainsFunc(o.Results, func(r *ir.Value) bool { return f.useful[r] }) {
				for _, a := range o.Args {
					mark(a)
				}
			}
		default:
			for i, a := range o.Args {
				if isDifferentiable(o, i) && f.useful[o.Results[0]] {
					mark(a)
				}
			}
		}
	}
	return changed
}

// works reports whether the backward pass has something to do for o, what is in its regions included.
func (f *facts) works(o *ir.Op) (found bool) {
	if slices.ContainsFunc(o.Results, f.active) {
		return true
	}
	switch o.Code {
	case ir.OpStore, ir.OpAtomic:
		a := f.arrayAt(o)
		return a != nil && f.hasShadow(a) || f.gradAt(o.Args[0]) != nil
	}
	for _, r := range o.Regions {
		if slices.ContainsFunc(r.Ops, f.works) {
			return true
		}
	}
	return false
}
