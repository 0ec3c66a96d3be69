package lower

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
)

// touches puts a record before each access of a parallel loop to a field, slice or
// view, by which the host finds races: the ordinal of the loop, the component, the bits
// that are written (0 for other accesses), the index of the element, and that of the
// iteration. They are made of the lowered code,
// so that whatever passes do to the accesses themselves does not matter. All asks for those of serial code, too; of the
// stores, it marks those of constants.
func touches(k *ir.Kernel, all bool) {
	t := &toucher{k: k, sites: map[touchKey]int64{}, all: all}
	if all {
		t.block(k.Body)
		return
	}
	for _, o := range k.Body.Ops {
		if isRacing(o) {
			t.loop = o
			t.block(o.Regions[0])
		}
	}
}

// isRacing reports whether iterations of o may run at a time.
func isRacing(o *ir.Op) bool {
	return o.IsParallel() && !o.Flags.Has(ir.Serial)
}

type toucher struct {
	k     *ir.Kernel
	loop  *ir.Op // the parallel loop around, if any
	all   bool
	sites map[touchKey]int64
}

// A touchKey identifies the site of an access.
type touchKey struct {
	pos      ir.Pos
	kind     site.Kind
	what     string
	constant bool
}

var touchKinds = map[ir.Code]site.Kind{ir.OpLoad: site.Read, ir.OpStore: site.Write, ir.OpAtomic: site.Update}

func (t *toucher) block(b *ir.Block) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, 2*len(ops))
	build := ir.NewBuilder(b)
	joined := false // the op before goes on with this one
	for i, o := range ops {
		if _, ok := touchKinds[o.Code]; ok && !joined {
			for _, part := range ir.Joined(ops[i:]) { // between whose parts nothing may stand
				t.access(build, part)
			}
		}
		joined = o.Flags.Has(ir.More)
		outer := t.loop
		if t.all && isRacing(o) {
			t.loop = o
		}
		for _, r := range o.Regions {
			t.block(r)
		}
		t.loop = outer
		b.Ops = append(b.Ops, o)
	}
}

// access appends the record of a load, store or atomic.
func (t *toucher) access(build *ir.Builder, o *ir.Op) {
	kind := touchKinds[o.Code]
	build.Pos = o.Pos
	bits := build.Int(ir.Scalar(ir.I64), 0)
	if kind == site.Write {
		bits = build.Slot(o.Args[1])
	}
	_, constant := ir.ConstOf(o.Args[len(o.Args)-1])
	t.touch(build, kind, o.Args[0].Def, bits, t.all && kind == site.Write && constant)
}

// touch appends the record of an access to a place, if others may see it.
func (t *toucher) touch(b *ir.Builder, kind site.Kind, place *ir.Op, bits *ir.Value, constant bool) {
	what, index := "", []*ir.Value(nil)
	switch {
	case place == nil:
		return
	case place.Code == ir.OpPtr:
		what, index = place.Field.Name, place.Args
	case place.Code == ir.OpElem:
		what, index = place.Param.Name, place.Args
	default:
		return
	}
	i64 := ir.Scalar(ir.I64)
	comp := b.Int(i64, place.Aux)
	if place.Flags.Has(ir.Dynamic) {
		last := len(index) - 1
		far := b.Op(ir.OpMul, b.Convert(index[last], ir.I64), b.Int(i64, max(1, int64(place.Stride))))
		comp, index = b.Op(ir.OpAdd, comp, far), index[:last]
	}
	key := touchKey{b.Pos, kind, what, constant}
	n, ok := t.sites[key]
	if !ok {
		n = int64(len(t.k.Sites))
		t.sites[key] = n
		s := &ir.Site{Pos: b.Pos, Site: site.Site{Kind: kind, What: what, Shape: make([]int64, len(index))}}
		if constant {
			s.Text = []site.Piece{{Text: "a constant"}}
		}
		t.k.Sites = append(t.k.Sites, s)
	}
	o := ir.NewOp(ir.OpRecord, b.Pos, nil, b.OpOf(ir.OpOrdinal, i64), comp, bits)
	o.Aux = n
	for _, v := range index {
		o.Args = append(o.Args, b.Convert(v, ir.I64))
	}
	if t.loop != nil {
		for _, v := range t.loop.Regions[0].Params {
			o.Args = append(o.Args, b.Convert(v, ir.I64))
		}
	}
	b.Emit(o)
}
