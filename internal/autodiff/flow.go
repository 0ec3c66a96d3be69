package autodiff

import (
	"cmp"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A tape differentiates kernels one by one, and a derivative passes from one to the next through the adjoint of a
// field. A field without one ends it, and only the numbers tell. So a session asks from which fields the numbers come
// that a kernel stores, whether these have adjoints or not. The answer is found when a kernel is lowered, whatever has an
// adjoint then: a kernel without any is not differentiated at all, and may pass numbers on between two others.

// A Flow says that a kernel stores numbers in a field that change, as real numbers do, with those of another field or of the same one.
type Flow struct {
	From, To    *ir.Field
	Read, Write ir.Pos // the first places where the kernel reads the one and stores to the other
	ReadComps   Comps
	WriteComps  Comps
	Own         bool // what it reads it may have stored itself; else it was there before the launch
}

// Comps is a set of components of an element. Those from number 63 on count as one.
type Comps uint64

// CompsOf is the set of one component.
func CompsOf(n int) Comps { return 1 << min(n, 63) }

// Flows returns the flows of a kernel as lowering leaves it. What is marked by stopGrad does not count.
func Flows(k *ir.Kernel) []Flow {
	f := &flower{at: map[*ir.Op]int{}, standsIn: map[*ir.Op]*ir.Block{}, stores: map[*ir.Field][]*ir.Op{}, numbers: map[origin]int{}, arrays: map[*ir.Op]origins{}}
	f.find(k.Body)
	if len(f.stores) == 0 || len(f.loads) == 0 {
		return nil
	}
	f.values = make([]origins, ir.NumberBlock(k.Body, 0))
	for _, o := range f.loads {
		f.begin(o)
	}
	for f.changed = true; f.changed; {
		f.changed = false
		ir.Visit(k.Body, func(o *ir.Op) bool {
			f.pass(o)
			return true
		})
	}
	var all []Flow
	for _, field := range k.Fields {
		all = append(all, f.into(field)...)
	}
	return all
}

// A flower finds the flows of a kernel: for each value the loads of fields that it comes from.
type flower struct {
	at       map[*ir.Op]int       // numbers of ops in the order of the text
	standsIn map[*ir.Op]*ir.Block // of loads, stores and what has regions
	loads    []*ir.Op             // of real numbers from fields
	stores   map[*ir.Field][]*ir.Op
	origins  []origin
	numbers  map[origin]int
	values   []origins          // by number of the value
	arrays   map[*ir.Op]origins // of local arrays
	changed  bool
}

// An origin is what the loads at one place of the text have in common.
type origin struct {
	field *ir.Field
	comps Comps
	own   bool
	pos   ir.Pos
}

// origins is a set of origins by their numbers.
type origins []uint64

func (s *origins) add(n int) {
	for len(*s) <= n/64 {
		*s = append(*s, 0)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

// join adds the origins of another set, and reports whether one was new.
func (s *origins) join(t origins) (changed bool) {
	for len(*s) < len(t) {
		*s = append(*s, 0)
	}
	for i, bits := range t {
		changed = changed || bits&^(*s)[i] != 0
		(*s)[i] |= bits
	}
	return changed
}

// find notes loads and stores of real numbers in fields.
func (f *flower) find(b *ir.Block) {
	for _, o := range b.Ops {
		f.at[o] = len(f.at)
		switch o.Code {
		case ir.OpLoad:
			if fieldAt(o) != nil && o.Results[0].Type.Kind.IsFloat() {
				f.loads, f.standsIn[o] = append(f.loads, o), b
			}
		case ir.OpStore, ir.OpAtomic:
			if field := fieldAt(o); field != nil && o.Args[len(o.Args)-1].Type.Kind.IsFloat() {
				f.stores[field], f.standsIn[o] = append(f.stores[field], o), b
			}
		}
		for _, r := range o.Regions {
			f.standsIn[o] = b
			f.find(r)
		}
	}
}

// fieldAt is the field of the host that o accesses, nil for other memory.
func fieldAt(o *ir.Op) *ir.Field {
	d := o.Args[0].Def
	if d == nil || d.Code != ir.OpPtr || d.Field.View != nil || d.Field.Word != nil {
		return nil
	}
	return d.Field
}

// compsAt are the components that o may access, as the host counts them.
func compsAt(o *ir.Op) (all Comps) {
	d := o.Args[0].Def
	for _, c := range d.Choices() {
		if d.Field.Host != nil {
			c = d.Field.Host[c]
		}
		all |= CompsOf(c)
	}
	return all
}

// begin says where the result of a load comes from.
func (f *flower) begin(o *ir.Op) {
	own, covered := f.isOwn(o)
	for _, is := range []bool{false, true} {
		if is && !own || !is && covered {
			continue
		}
		s := origin{fieldAt(o), compsAt(o), is, o.Pos}
		n, ok := f.numbers[s]
		if !ok {
			n = len(f.origins)
			f.origins, f.numbers[s] = append(f.origins, s), n
		}
		f.values[o.Results[0].ID].add(n)
	}
}

// isOwn reports whether the kernel itself may have stored what o loads, and whether its iteration certainly has.
func (f *flower) isOwn(o *ir.Op) (own, covered bool) {
	for _, s := range f.stores[fieldAt(o)] {
		if compsAt(s)&compsAt(o) == 0 {
			continue
		}
		if s.Code == ir.OpStore && f.at[s] < f.at[o] && samePlace(s, o) && f.encloses(f.standsIn[s], o) {
			return true, true
		}
		own = own || f.mayPrecede(s, o)
	}
	return own, false
}

// mayPrecede reports whether s may have run before o does: it stands before it, and not in another region of an if, or
// a serial loop comes to both again.
func (f *flower) mayPrecede(s, o *ir.Op) bool {
	before := f.at[s] < f.at[o]
	if !before && !f.inSerialLoop(o) {
		return false
	}
	around := map[*ir.Op]*ir.Block{} // ops around s, and in which region of theirs it stands
	for b := f.standsIn[s]; b.Parent != nil; b = f.standsIn[b.Parent] {
		around[b.Parent] = b
	}
	common := false
	for b := f.standsIn[o]; b.Parent != nil; b = f.standsIn[b.Parent] {
		region := around[b.Parent]
		switch {
		case region == nil:
			continue
		case b.Parent.Code == ir.OpFor || b.Parent.Code == ir.OpLoop:
			return true
		case !common && region != b:
			before = false
		}
		common = true
	}
	return before
}

func (f *flower) inSerialLoop(o *ir.Op) bool {
	for b := f.standsIn[o]; b.Parent != nil; b = f.standsIn[b.Parent] {
		if b.Parent.Code == ir.OpFor || b.Parent.Code == ir.OpLoop {
			return true
		}
	}
	return false
}

// encloses reports whether o stands in a block, or in a region of something in it.
func (f *flower) encloses(block *ir.Block, o *ir.Op) bool {
	b := f.standsIn[o]
	for b != block && b.Parent != nil {
		b = f.standsIn[b.Parent]
	}
	return b == block
}

// pass takes origins from what an op takes to what it gives.
func (f *flower) pass(o *ir.Op) {
	join := func(to, from []*ir.Value) {
		for i, v := range from {
			if v.Type.Kind.IsFloat() && f.values[to[i].ID].join(f.values[v.ID]) {
				f.changed = true
			}
		}
	}
	switch o.Code {
	case ir.OpLoad:
		if a := allocOf(o.Args[0]); a != nil && f.values[o.Results[0].ID].join(f.arrays[a]) {
			f.changed = true
		}
	case ir.OpStore, ir.OpAtomic: // an old value is a constant
		if a := allocOf(o.Args[0]); a != nil {
			all := f.arrays[a]
			if all.join(f.values[o.Args[len(o.Args)-1].ID]) {
				f.arrays[a], f.changed = all, true
			}
		}
	case ir.OpIf, ir.OpBlock:
		for _, r := range o.Regions {
			if t := r.Terminator(); t.Code == ir.OpYield {
				join(o.Results, t.Args)
			}
		}
	case ir.OpFor, ir.OpLoop:
		init, params := carried(o)
		join(params, init)
		if o.Code == ir.OpFor {
			join(o.Results, init)
		}
	case ir.OpContinue:
		if t := o.Target; t.Code == ir.OpFor || t.Code == ir.OpLoop {
			_, params := carried(t)
			join(params, o.Args)
			if t.Code == ir.OpFor {
				join(t.Results, o.Args)
			}
		}
	case ir.OpBreak:
		join(o.Target.Results, o.Args)
	case ir.OpCall:
		for _, v := range o.Results {
			for _, a := range o.Args {
				join([]*ir.Value{v}, []*ir.Value{a})
			}
		}
	default:
		for i, a := range o.Args {
			if isDifferentiable(o, i) {
				join(o.Results, []*ir.Value{a})
			}
		}
	}
}

// into returns the flows into a field.
func (f *flower) into(field *ir.Field) (all []Flow) {
	type key struct {
		from  *ir.Field
		own   bool
		comps Comps
	}
	at := map[key]int{}
	for _, o := range f.stores[field] {
		set := f.values[o.Args[len(o.Args)-1].ID]
		for n, s := range f.origins { // in the order of the text
			if n/64 >= len(set) || set[n/64]>>(n%64)&1 == 0 {
				continue
			}
			k := key{s.field, s.own, compsAt(o)}
			i, ok := at[k]
			if !ok {
				i, at[k] = len(all), len(all)
				all = append(all, Flow{From: s.field, To: field, Own: s.own, Read: s.pos, Write: o.Pos, WriteComps: k.comps})
			}
			all[i].ReadComps |= s.comps
		}
	}
	return joinedFlows(all)
}

// joinedFlows puts flows from the same components to several into one.
func joinedFlows(all []Flow) (joined []Flow) {
	for _, w := range all {
		i := slices.IndexFunc(joined, func(v Flow) bool { return v.From == w.From && v.Own == w.Own && v.ReadComps == w.ReadComps })
		if i < 0 {
			joined = append(joined, w)
			continue
		}
		joined[i].WriteComps |= w.WriteComps
	}
	slices.SortStableFunc(joined, func(a, b Flow) int { return cmp.Compare(a.From.Index, b.From.Index) })
	return joined
}
