package packet

import "github.com/gotaichi/ti/internal/ir"

// This file is the part of packets for local arrays: each lane has its own. Element e of lane l is number e*lanes+l, so that elements
// with the same index in all lanes are a vector, and others are gathered.

// maxArrays is the largest size in bytes of the arrays of a packet, without its stacks: they fit the first-level cache.
const maxArrays = 24 << 10

// findArrays finds the arrays of an iteration whose addresses are used only by loads and stores.
func (a *packetInfo) findArrays() { a.findArraysIn(a.t.Body) }

// findArraysIn does so for the iterations whose code is b.
func (a *packetInfo) findArraysIn(b *ir.Block) {
	a.arrays = map[*ir.Value]*ir.Op{}
	ir.Visit(b, func(o *ir.Op) bool {
		if o.Code == ir.OpAlloc && a.onlyAccessed(o.Results[0]) {
			a.arrays[o.Results[0]] = o
		}
		return true
	})
}

func (a *packetInfo) onlyAccessed(p *ir.Value) bool {
	for _, o := range a.users[p] {
		switch {
		case o.Args[0] != p || len(o.Args) > 1 && o.Args[1] == p:
			return false
		case o.Code == ir.OpOffset:
			if !a.onlyAccessed(o.Results[0]) {
				return false
			}
		case o.Code != ir.OpLoad && o.Code != ir.OpStore:
			return false
		}
	}
	return true
}

// arrayBytes returns the size of the arrays of one iteration, and the size of its stacks.
func (a *packetInfo) arrayBytes() (arrays, stacks int64) {
	for _, o := range a.arrays {
		if n := o.Aux * int64(o.Kind.Size()); o.Flags.Has(ir.Stack) {
			stacks += n
		} else {
			arrays += n
		}
	}
	return arrays, stacks
}

// distances returns the distances that a place in an array has from its start.
func distances(p *ir.Value) (all []*ir.Value) {
	for ; p.Def != nil && p.Def.Code == ir.OpOffset; p = p.Def.Args[0] {
		all = append(all, p.Def.Args[1])
	}
	return all
}

// alloc writes an array of all lanes.
func (p *packer) alloc(o *ir.Op) {
	c := *o
	c.Aux *= int64(p.lanes)
	c.Results = []*ir.Value{{Type: o.Results[0].Type, Def: &c, Name: o.Results[0].Name}}
	p.to[o.Results[0]] = p.b.Emit(&c)
}

// inArray writes a load or store of an array.
func (p *packer) inArray(o *ir.Op, mask *ir.Value) {
	kind := accessKind(o)
	t := ir.Vec(kind, p.lanes)
	place := p.cells(o.Args[0], kind)
	c := ir.NewOp(o.Code, o.Pos, nil, place)
	c.Alias, c.Flags = o.Alias, o.Flags
	gathered := place.Type.Lanes > 1
	if o.Code == ir.OpLoad {
		w := &ir.Value{Type: t, Def: c, Name: o.Results[0].Name}
		c.Results = []*ir.Value{w}
		p.to[o.Results[0]] = w
	} else {
		v := p.splat(p.value(o.Args[1]))
		if mask != nil && !gathered { // a load right after a store of all lanes gets its value
			old := p.b.Load(t, place)
			old.Def.Alias = o.Alias
			v = p.pick(mask, v, old)
		}
		c.Args = append(c.Args, v)
	}
	if gathered && mask != nil {
		c.Args = append(c.Args, mask)
	}
	p.b.Emit(c)
}

// cells returns the places of the elements of all lanes: contiguous from one place on, or a place for each lane.
func (p *packer) cells(at *ir.Value, kind ir.Kind) *ir.Value {
	i64 := ir.Scalar(ir.I64)
	place := p.to[rootOf(at)]
	var varying *ir.Value
	for _, d := range distances(at) {
		if !p.varying[d] {
			place = p.b.Op(ir.OpOffset, place, p.b.NoWrap(ir.OpMul, p.value(d), p.b.Int(i64, int64(p.lanes))))
			continue
		}
		n := p.narrow(d)
		if varying != nil {
			n = p.b.Op(ir.OpAdd, varying, n)
		}
		varying = n
	}
	if varying == nil {
		return place
	}
	t := varying.Type
	lane := p.b.Op(ir.OpMul, p.b.OpOf(ir.OpIota, t), p.b.Int(t, int64(kind.Size())))
	varying = p.b.Op(ir.OpAdd, p.b.Op(ir.OpMul, varying, p.b.Int(t, int64(p.lanes))), lane)
	return p.b.OpOf(ir.OpOffset, ir.Vec(ir.Ptr, p.lanes), place, p.b.Convert(varying, ir.I64))
}

// narrow computes a distance in an array, a vector of i64, in i32, which is enough for maxArrays.
func (p *packer) narrow(v *ir.Value) *ir.Value {
	d := v.Def
	if n, ok := ir.IntOf(v); ok {
		return p.b.Int(ir.Vec(ir.I32, p.lanes), n)
	}
	if d != nil && v.Type.Kind == ir.I64 && addressOnly(d) {
		if d.Code == ir.OpConvert {
			return p.narrow(d.Args[0])
		}
		return p.b.Op(d.Code, p.narrow(d.Args[0]), p.narrow(d.Args[1]))
	}
	return p.b.Convert(p.splat(p.value(v)), ir.I32)
}

// cell returns the place of an element in the lane's array.
func (w *laneWriter) cell(v *ir.Value) *ir.Value {
	root := rootOf(v)
	n := int64(w.lanes)
	i64 := ir.Scalar(ir.I64)
	place := w.at(w.value(root), w.arrays[root].Kind)
	for _, d := range distances(v) {
		place = w.b.Op(ir.OpOffset, place, w.b.NoWrap(ir.OpMul, w.get(d), w.b.Int(i64, n)))
	}
	return place
}
