package lower

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// Values of many components are not taken apart into scalars: the code, and the time to
// compile it, would grow with the number of components. Such a value is a bulk: a
// function that appends the code for one component, evaluated lazily. An op that needs
// all components, such as a store, becomes a loop that calls this function for the
// current component. So `a = b + 2*c` is one loop, without temporaries in memory.

// rowUnrolled is the number of components up to which the innermost part of a loop over
// a bulk is taken apart.
const rowUnrolled = 8

// large reports whether values of type t are bulks.
func (l *lowerer) large(t typed.Type) bool { return typed.Components(t) > l.maxUnrolled }

// A value is what an expression gives: a list of its components, or a bulk.
type value struct {
	list []*ir.Value
	bulk *bulk
}

// A bulk is a value of many components.
type bulk struct {
	t    typed.Type            // says how the components are arranged
	kind ir.Kind               // the kind of all components; Invalid if t has structs
	at   func(w way) *ir.Value // appends code for the component at w
	// place is where the components lie in memory; nil if they are computed.
	place *place
	// reads lists the memory that at reads, other than temporaries of its own.
	reads []read
	// fresh says that nothing else uses the place.
	fresh bool
}

// A read is a place that a bulk reads. It is aligned if the component at w depends on no
// other component of the place than that at w.
type read struct {
	place   *place
	aligned bool
}

// A way is the path to a component, from the outermost type to the scalar.
type way []selector

// A selector is an index of an array, known to be in range, or the number of a member.
type selector struct {
	index  *ir.Value
	member int
}

// then returns w with one more selector.
func (w way) then(s selector) way { return append(w[:len(w):len(w)], s) }

// through returns the way whose first selectors are prefix.
func (prefix way) through(w way) way { return append(prefix[:len(prefix):len(prefix)], w...) }

// wayTo returns the way to the part of t that begins with component c and has type part,
// or, if part is nil, to the scalar component c. It reports whether there is such a part.
func (l *lowerer) wayTo(t typed.Type, c int, part typed.Type) (w way, ok bool) {
	for t != part {
		switch u := t.(type) {
		case typed.Array:
			size := typed.Components(u.Elem)
			w = w.then(selector{index: l.int(int64(c / size))})
			t, c = u.Elem, c%size
		case *typed.Struct:
			m := len(u.Fields) - 1
			for u.Fields[m].First > c {
				m--
			}
			w = w.then(selector{member: m})
			t, c = u.Fields[m].Type, c-u.Fields[m].First
		default:
			return w, part == nil
		}
	}
	return w, true
}

// over appends loops over the components of t. It calls f to append the code for one
// component.
func (l *lowerer) over(t typed.Type, f func(w way)) { l.overFrom(nil, t, f) }

func (l *lowerer) overFrom(w way, t typed.Type, f func(w way)) {
	switch t := t.(type) {
	case typed.Array:
		if typed.Components(t) <= rowUnrolled {
			for i := range t.Len {
				l.overFrom(w.then(selector{index: l.int(int64(i))}), t.Elem, f)
			}
			return
		}
		l.count(int64(t.Len), func(i *ir.Value) { l.overFrom(w.then(selector{index: i}), t.Elem, f) })
	case *typed.Struct:
		for m, field := range t.Fields {
			l.overFrom(w.then(selector{member: m}), field.Type, f)
		}
	default:
		f(w)
	}
}

// fold appends loops over the components of t, in order, with the loop-carried value acc.
// It calls f to append the code that makes the next acc.
func (l *lowerer) fold(w way, t typed.Type, acc *ir.Value, f func(w way, acc *ir.Value) *ir.Value) *ir.Value {
	switch t := t.(type) {
	case typed.Array:
		if typed.Components(t) <= rowUnrolled {
			for i := range t.Len {
				acc = l.fold(w.then(selector{index: l.int(int64(i))}), t.Elem, acc, f)
			}
			return acc
		}
		return l.carry(0, t.Len, acc, func(i, acc *ir.Value) *ir.Value {
			return l.fold(w.then(selector{index: i}), t.Elem, acc, f)
		})
	case *typed.Struct:
		for m, field := range t.Fields {
			acc = l.fold(w.then(selector{member: m}), field.Type, acc, f)
		}
		return acc
	}
	return f(w, acc)
}

// carry appends a for over lo … hi-1 with the loop-carried value acc.
func (l *lowerer) carry(lo, hi int, acc *ir.Value, f func(i, acc *ir.Value) *ir.Value) *ir.Value {
	first := l.int(int64(lo))
	o := ir.NewOp(ir.OpFor, l.b.Pos, []ir.Type{acc.Type}, first, l.int(int64(hi)), acc)
	l.b.Emit(o)
	i, in := o.Regions[0].AddParam(first.Type, ""), o.Regions[0].AddParam(acc.Type, "")
	l.in(o.Regions[0], func() { l.b.Jump(ir.OpContinue, o, f(i, in)) })
	return o.Results[0]
}
