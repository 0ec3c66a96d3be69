package autodiff

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

const (
	stackBytes = 20 << 20 // about as many are for the states that all loops of a kernel keep, where [Options].Room does not say otherwise
	mostInside = 32 << 10 // and as many for the values of an iteration
	leastStack = 1 << 3
	mostStack  = 1 << 12 // up to the square of it as iterations a loop that keeps one number or few runs once more: a full stack of segments
)

// What packets take, about: iterations at a time, and bytes of arrays in each of these, which have to fit into the
// fastest cache.
const (
	mostLanes   = 16
	leastLanes  = 4
	mostInLanes = 3 << 10
)

// A stack is what the forward sweep of a loop keeps for its backward pass: the states at the beginning of its
// iterations.
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
	loops []*ir.Op  // of lengths that are known, within the iteration, around what computes the value
	place *ir.Value // the local array that holds its states
	size  int64     // elements

	// Of an entry, where in the array that place is: behind offset others of stride.
	stride, offset int64
}

// newStack makes room for what o keeps, nil if it keeps nothing but snapshots.
func (r *reverser) newStack(o *ir.Op) *stack {
	s := &stack{kept: r.kept[o]}
	if s.kept == nil {
		s.kept = &kept{}
	}
	bytes, arrays := int64(0), int64(0)
	for _, i := range s.kept.values {
		p := o.Regions[0].Params[i]
		s.items = append(s.items, &item{param: p, size: 1})
		bytes += int64(p.Type.Kind.Size())
	}
	for _, a := range s.kept.arrays {
		s.items = append(s.items, &item{array: a, size: a.alloc.Aux})
		arrays += a.alloc.Aux * int64(a.alloc.Kind.Size())
	}
	bytes += arrays
	inside := int64(0)
	for _, v := range s.kept.inside {
		it := &item{value: v, loops: r.loopsAround(o, v.Def), size: r.timesWithin(o, v.Def)}
		s.items = append(s.items, it)
		inside += it.size * int64(v.Type.Kind.Size())
	}
	if n, fixed := trips(o); fixed {
		s.single, s.entries = true, max(n, 1)
		return s
	}
	s.entries = cmp.Or(r.Entries, mostStack)
	// There is a second stack, for the states of a segment. Values of its iterations take the place of others.
	for s.entries > leastStack && s.entries*(2*bytes+inside)*max(1, r.stacksWanted()) > r.roomOf(arrays) {
		s.entries /= 2
	}
	return s
}

// roomOf is how many bytes the stacks of loops of unknown length may take, where an iteration of one keeps arrays of a
// number of bytes. In a parallel loop of which packets may be made it is that of one lane: in packets a loop that has
// to run segments again comes back several times as fast as one by one without that.
func (r *reverser) roomOf(arrays int64) int64 {
	room := cmp.Or(r.Room, stackBytes)
	if r.parallel != nil && arrays <= mostInLanes && !r.isShort(r.parallel) {
		room /= mostLanes
	}
	return room
}

// isShort reports whether it is known that a parallel loop has too few iterations along its last axis for packets.
func (r *reverser) isShort(o *ir.Op) bool {
	if o.Code == ir.OpFieldFor {
		return len(o.Field.Shape) == 0 || o.Field.Shape[len(o.Field.Shape)-1] < leastLanes
	}
	lo, ok := ir.IntOf(o.Args[len(o.Args)-2])
	hi, ok2 := ir.IntOf(o.Args[len(o.Args)-1])
	return ok && ok2 && hi-lo < leastLanes
}

// stacksWanted is the number of loops that keep something for each of an unknown number of iterations.
func (f *facts) stacksWanted() (n int64) {
	for o, k := range f.kept {
		if _, fixed := trips(o); !fixed && len(k.values)+len(k.arrays)+len(k.inside) > 0 {
			n++
		}
	}
	return n
}

// room makes the arrays of a stack, or of another one for the states of a segment, which has the values of iterations
// in common with it. Where there is an entry for each iteration, each item has an array of its own, for the sake of
// vectors. Otherwise what is of one kind lies side by side: an entry is read as a whole, and arrays of the same power
// of two would meet in the same cache lines.
func (r *reverser) room(s *stack) {
	if s.single {
		for _, it := range s.items {
			it.stride, it.place = it.size, r.stackArray(it.kind(), s.entries*it.size)
		}
		return
	}
	r.shareRoom(s, func(it *item) bool { return it.value == nil })
	r.shareRoom(s, func(it *item) bool { return it.value != nil && it.place == nil })
}

// shareRoom makes an array of each kind for some items.
func (r *reverser) shareRoom(s *stack, of func(it *item) bool) {
	stride := map[ir.Kind]int64{}
	for _, it := range s.items {
		if of(it) {
			it.offset = stride[it.kind()]
			stride[it.kind()] += it.size
		}
	}
	place := map[ir.Kind]*ir.Value{}
	for _, it := range s.items {
		if k := it.kind(); of(it) {
			if place[k] == nil {
				place[k] = r.stackArray(k, s.entries*stride[k])
			}
			defer func() { it.place, it.stride = place[k], stride[k] }() // of may ask for place
		}
	}
}

// stackArray makes an array of entries.
func (r *reverser) stackArray(kind ir.Kind, n int64) *ir.Value {
	a := r.array(kind, n, true)
	a.Def.Flags |= ir.Stack
	return a
}

// at is the number of the first element of entry n.
func (r *reverser) at(it *item, n *ir.Value) *ir.Value {
	n = r.times(n, it.stride)
	if it.offset != 0 {
		n = r.b.Op(ir.OpAdd, n, r.i64(it.offset))
	}
	return n
}

// A keeping says what is done with the values that an iteration keeps when their ops are met: they are stored as entry
// n of a stack, or loaded from there.
type keeping struct {
	items map[*ir.Value]*item
	n     *ir.Value
}

// with returns keepings and one of a stack, if it has values of the iteration.
func with(ks []*keeping, s *stack, n *ir.Value) []*keeping {
	k := &keeping{items: map[*ir.Value]*item{}, n: n}
	for _, it := range s.items {
		if it.value != nil {
			k.items[it.value] = it
		}
	}
	if len(k.items) == 0 {
		return ks
	}
	return append(slices.Clone(ks), k)
}

// keepsInside reports whether a stack has values of iterations.
func (s *stack) keepsInside() bool { return len(s.kept.inside) > 0 }

// meet stores or loads the results of an op that has been emitted, as far as they are kept.
func (r *reverser) meet(o *ir.Op) {
	for _, v := range o.Results {
		for _, k := range r.loading {
			if it := k.items[v]; it != nil {
				w := r.b.Load(v.Type, r.entry(it, k.n))
				w.Name = v.Name
				r.set(v, w)
			}
		}
		for _, k := range r.storing {
			if it := k.items[v]; it != nil {
				r.b.Store(r.entry(it, k.n), r.of(v))
			}
		}
	}
}

// entry is where a value of an iteration is kept in entry n: once for each iteration of the loops around it.
func (r *reverser) entry(it *item, n *ir.Value) *ir.Value {
	n = r.at(it, n)
	each := it.size
	for _, o := range it.loops {
		length, _ := trips(o)
		lo, _ := ir.IntOf(o.Args[0])
		at := r.b.Convert(r.of(o.Regions[0].Params[0]), ir.I64)
		if lo != 0 {
			at = r.b.Op(ir.OpSub, at, r.i64(lo))
		}
		each /= length
		n = r.b.Op(ir.OpAdd, n, r.times(at, each))
	}
	return r.cell(it.place, n)
}

// isKept reports whether all that an op without regions computes is loaded instead.
func (r *reverser) isKept(o *ir.Op) bool {
	if len(o.Results) == 0 || len(o.Regions) > 0 {
		return false
	}
	for _, v := range o.Results {
		if !slices.ContainsFunc(r.loading, func(k *keeping) bool { return k.items[v] != nil }) {
			return false
		}
	}
	return true
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
			r.b.Store(r.cell(it.place, r.at(it, n)), r.of(it.param))
			continue
		}
		r.copy(it.place, r.at(it, n), r.of(it.array.alloc.Results[0]), r.i64(0), it)
	}
}

// pop makes entry n the state: values stand for the parameters of the loop, and arrays are as they were.
func (r *reverser) pop(s *stack, n *ir.Value) { r.popRead(s, n, nil) }

// popRead is pop without some arrays.
func (r *reverser) popRead(s *stack, n *ir.Value, unread func(a *array) bool) {
	for _, it := range s.items {
		if it.value != nil || it.array != nil && unread != nil && unread(it.array) { // values are loaded where they would be computed
			continue
		}
		if it.param != nil {
			v := r.b.Load(it.param.Type, r.cell(it.place, r.at(it, n)))
			v.Name = it.param.Name
			r.set(it.param, v)
			continue
		}
		r.copy(r.of(it.array.alloc.Results[0]), r.i64(0), it.place, r.at(it, n), it)
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
			if it.value != nil { // segments of more than one iteration compute them again
				continue
			}
			kind := it.kind()
			r.copyArray(it.place, r.at(it, i), it.place, r.at(it, r.times(i, 2)), kind, it.size)
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
