package autodiff

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
)

const (
	stackBytes = 2 << 20 // about as many are for the states that all loops of a kernel keep
	leastStack = 1 << 6
	mostStack  = 1 << 12 // a loop that keeps one number or few may have the square of it as iterations: a full stack of segments
)

// A stack is what the forward sweep of a loop keeps for its way back: the states at the beginning of its iterations.
type stack struct {
	kept    *kept
	entries int64       // a power of two, unless there is one for each iteration
	items   []*item     // of the state
	single  bool        // there is an entry for each iteration
	count   *ir.Value   // i64: how many iterations there were
	shift   *ir.Value   // i64: entries are 1<<shift iterations apart; nil with single
	copies  []*ir.Value // of kept.snapshots
}

// An item is a number that is carried, one that the body computes, or an array.
type item struct {
	param *ir.Value // of the normal form
	value *ir.Value // likewise
	array *array
	place *ir.Value // the local array that holds its states
	size  int64     // elements
}

// newStack makes room for what o keeps, nil if it keeps nothing but snapshots.
func (r *reverser) newStack(o *ir.Op) *stack {
	s := &stack{kept: r.kept[o]}
	if s.kept == nil {
		s.kept = &kept{}
	}
	bytes := int64(0)
	for _, i := range s.kept.values {
		p := o.Regions[0].Params[i]
		s.items = append(s.items, &item{param: p, size: 1})
		bytes += int64(p.Type.Kind.Size())
	}
	for _, a := range s.kept.arrays {
		s.items = append(s.items, &item{array: a, size: a.alloc.Aux})
		bytes += a.alloc.Aux * int64(a.alloc.Kind.Size())
	}
	for _, v := range s.kept.inside {
		s.items = append(s.items, &item{value: v, size: 1})
	}
	if n, fixed := trips(o); fixed {
		s.single, s.entries = true, max(n, 1)
		return s
	}
	s.entries = mostStack
	// There is a second stack, for the states of a segment.
	for s.entries > leastStack && 2*s.entries*bytes*max(1, r.stacksWanted()) > stackBytes {
		s.entries /= 2
	}
	return s
}

// stacksWanted is the number of loops that keep something for each of an unknown number of iterations.
func (f *facts) stacksWanted() (n int64) {
	for o, k := range f.kept {
		if _, fixed := trips(o); !fixed && len(k.values)+len(k.arrays) > 0 {
			n++
		}
	}
	return n
}

// room makes the arrays of a stack, or of another one for the states of a segment.
func (r *reverser) room(s *stack) {
	for _, it := range s.items {
		it.place = r.array(it.kind(), s.entries*it.size, true)
	}
}

// A keeping says what is done with the values that an iteration keeps when their ops are met: they are stored as entry n of a
// stack, or loaded from there.
type keeping struct {
	items map[*ir.Value]*item
	n     *ir.Value
	load  bool
}

// keepInside makes a keeping of a stack, nil if it has no values of the iteration.
func keepInside(s *stack, n *ir.Value, load bool) *keeping {
	k := &keeping{items: map[*ir.Value]*item{}, n: n, load: load}
	for _, it := range s.items {
		if it.value != nil {
			k.items[it.value] = it
		}
	}
	if len(k.items) == 0 {
		return nil
	}
	return k
}

// meet stores or loads the results of an op that has been emitted, as far as they are kept.
func (r *reverser) meet(o *ir.Op) {
	for _, k := range []*keeping{r.storing, r.loading} {
		if k == nil {
			continue
		}
		for _, v := range o.Results {
			it := k.items[v]
			switch {
			case it == nil:
			case k.load:
				w := r.b.Load(v.Type, r.cell(it.place, k.n))
				w.Name = v.Name
				r.set(v, w)
			default:
				r.b.Store(r.cell(it.place, k.n), r.of(v))
			}
		}
	}
}

// level is the number of bits of the entries' numbers.
func (s *stack) level() int64 { return int64(bits.TrailingZeros64(uint64(s.entries))) }

// push stores the state as entry n.
func (r *reverser) push(s *stack, n *ir.Value) {
	for _, it := range s.items {
		if it.value != nil { // when it is computed
			continue
		}
		if it.param != nil {
			r.b.Store(r.cell(it.place, n), r.of(it.param))
			continue
		}
		r.copy(it.place, r.times(n, it.size), r.of(it.array.alloc.Results[0]), r.i64(0), it)
	}
}

// pop makes entry n the state: values stand for the parameters of the loop, and arrays are as they were.
func (r *reverser) pop(s *stack, n *ir.Value) {
	for _, it := range s.items {
		if it.value != nil { // where it would be computed
			continue
		}
		if it.param != nil {
			v := r.b.Load(it.param.Type, r.cell(it.place, n))
			v.Name = it.param.Name
			r.set(it.param, v)
			continue
		}
		r.copy(r.of(it.array.alloc.Results[0]), r.i64(0), it.place, r.times(n, it.size), it)
	}
}

// copy copies an array of the size and kind of an item.
func (r *reverser) copy(to, at, from, begin *ir.Value, it *item) {
	r.copyArray(to, at, from, begin, it.array.alloc.Kind, it.size)
}

func (r *reverser) copyArray(to, at, from, begin *ir.Value, kind ir.Kind, n int64) {
	one := func(i *ir.Value) {
		v := r.b.Load(ir.Scalar(kind), r.cell(from, r.b.Op(ir.OpAdd, begin, i)))
		r.b.Store(r.cell(to, r.b.Op(ir.OpAdd, at, i)), v)
	}
	if n <= 4 {
		for i := range n {
			one(r.i64(i))
		}
		return
	}
	r.counted(r.i64(0), r.i64(n), nil, func(i *ir.Value, _ []*ir.Value) []*ir.Value {
		one(i)
		return nil
	})
}

// compact keeps every second state of a full stack.
func (r *reverser) compact(s *stack) {
	r.counted(r.i64(0), r.i64(s.entries/2), nil, func(i *ir.Value, _ []*ir.Value) []*ir.Value {
		for _, it := range s.items {
			kind := it.kind()
			r.copyArray(it.place, r.times(i, it.size), it.place, r.times(i, 2*it.size), kind, it.size)
		}
		return nil
	})
}

func (it *item) kind() ir.Kind {
	switch {
	case it.param != nil:
		return it.param.Type.Kind
	case it.value != nil:
		return it.value.Type.Kind
	}
	return it.array.alloc.Kind
}

// snapshot copies the arrays that o reads and that change later.
func (r *reverser) snapshot(o *ir.Op, s *stack) {
	for _, a := range s.kept.snapshots {
		c := r.array(a.alloc.Kind, a.alloc.Aux, true)
		r.copyArray(c, r.i64(0), r.of(a.alloc.Results[0]), r.i64(0), a.alloc.Kind, a.alloc.Aux)
		s.copies = append(s.copies, c)
	}
}

// recall makes the copies stand for the arrays.
func (r *reverser) recall(s *stack) {
	for i, a := range s.kept.snapshots {
		r.frame.values[a.alloc.Results[0]] = s.copies[i]
	}
}

func (r *reverser) i64(n int64) *ir.Value { return r.b.Int(ir.Scalar(ir.I64), n) }

func (r *reverser) times(v *ir.Value, n int64) *ir.Value {
	if n == 1 {
		return v
	}
	return r.b.Op(ir.OpMul, v, r.i64(n))
}

// counted emits a for with carried values.
func (r *reverser) counted(lo, hi *ir.Value, init []*ir.Value, f func(i *ir.Value, carried []*ir.Value) []*ir.Value) []*ir.Value {
	types := make([]ir.Type, len(init))
	for i, v := range init {
		types[i] = v.Type
	}
	o := ir.NewOp(ir.OpFor, r.b.Pos, types, append([]*ir.Value{lo, hi}, init...)...)
	body := o.Regions[0]
	index := body.AddParam(lo.Type, "")
	for _, t := range types {
		body.AddParam(t, "")
	}
	r.b.Emit(o)
	r.region(o, 0, func() {
		on := f(index, body.Params[1:])
		r.b.Jump(ir.OpContinue, o, on...)
	})
	return o.Results
}
