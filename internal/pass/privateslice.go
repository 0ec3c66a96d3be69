package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/access"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// A simulator that stores all steps accumulates into one step at a time: X[t+1][…] += …, where t is an argument. Then a private copy has to
// hold only this slice of the tree, only the slice is merged, and the loop may read other slices. The copy has the address space of the
// whole tree; the system provides memory for the pages that are touched.

// maxSliced is the largest size in bytes of a tree of which slices are copied: over many launches, all slices of the copies are touched.
const maxSliced = 512 << 20

// A sliceKey identifies an index that is the same in all iterations: an argument plus a constant.
type sliceKey struct {
	slot int64
	kind ir.Kind
	plus int64
}

// sliceKeyOf returns the key of v, if v is an argument plus a small constant.
func sliceKeyOf(v *ir.Value) (key sliceKey, ok bool) {
	o := v.Def
	if o == nil || v.Type.Kind != ir.I32 && v.Type.Kind != ir.I64 {
		return key, false
	}
	switch o.Code {
	case ir.OpParam:
		return sliceKey{slot: o.Aux, kind: v.Type.Kind}, true
	case ir.OpAdd, ir.OpSub:
		key, ok = sliceKeyOf(o.Args[0])
		n, known := ir.IntOf(o.Args[1])
		if o.Code == ir.OpSub {
			n = -n
		}
		const small = 1 << 24
		key.plus += n
		return key, ok && known && n > -small && n < small
	}
	return key, false
}

// A treeSlice describes the places of a tree that have the same index along one axis.
type treeSlice struct {
	key          sliceKey
	axis         int
	origin       int64 // the lowest index along the axis
	extent       int64 // the number of indices along the axis
	stride       int64 // bytes between slices
	begin, bytes int64 // the byte range of the first slice
}

// sliceOf describes the slice that contains place; nil if there is none.
func (p *privatiser) sliceOf(place *ir.Op) *treeSlice {
	if place.Flags.Has(ir.Dynamic) || place.Field.Sparse || place.Field.View != nil || len(place.Args) == 0 {
		return nil
	}
	a := p.lay.Access(place.Field, int(place.Aux))
	if len(a.Steps) > 0 || a.Span != nil || a.Packed != nil {
		return nil
	}
	outer := -1
	for i, t := range a.Terms {
		if outer < 0 || t.Stride > a.Terms[outer].Stride {
			outer = i
		}
	}
	if outer < 0 {
		return nil
	}
	axis := a.Terms[outer].Axis
	key, ok := sliceKeyOf(place.Args[axis])
	if !ok || a.Terms[outer].Div != 1 || a.Terms[outer].Mod != 0 {
		return nil
	}
	s := &treeSlice{key: key, axis: axis, origin: a.Origin[axis], extent: a.Shape[axis], stride: a.Terms[outer].Stride, begin: a.Const}
	end := a.Const + int64(place.Field.Comps[place.Aux].Size())
	for i, t := range a.Terms {
		if i == outer {
			continue
		}
		if t.Axis == axis || a.Shape[t.Axis] <= 0 {
			return nil
		}
		end += lastStep(t, a.Shape[t.Axis]) * t.Stride
	}
	s.bytes = end - s.begin
	if s.extent <= 0 || s.bytes > s.stride {
		return nil
	}
	return s
}

// lastStep returns the largest number by which a term multiplies its stride, for indices below n.
func lastStep(t layout.Term, n int64) int64 {
	most := (n - 1) / t.Div
	if t.Mod != 0 {
		most = min(most, t.Mod-1)
	}
	return most
}

// include widens the byte range of s to that of another component in the same slice, and reports whether that is possible.
func (s *treeSlice) include(o *treeSlice) bool {
	end := max(s.begin+s.bytes, o.begin+o.bytes)
	s.begin = min(s.begin, o.begin)
	s.bytes = end - s.begin
	return o.origin == s.origin && o.extent == s.extent && o.stride == s.stride && s.bytes <= s.stride
}

// slice finds the slice of a tree that t accumulates into and does not access in another way; nil if there is none. It sets pt.op to the
// operation, and returns the number of updates in an iteration.
func (p *privatiser) slice(t *ir.Task, pt *privateTree) (found *treeSlice, count int64) {
	var op ir.AtomicKind
	ok := true
	var keys []sliceKey // of all accesses
	var all []*treeSlice
	ir.Visit(t.Body, func(o *ir.Op) bool {
		if o.Code != ir.OpLoad && o.Code != ir.OpStore && o.Code != ir.OpAtomic {
			return ok
		}
		place := o.Args[0].Def
		if place == nil || place.Code != ir.OpPtr || p.treeOf(place, 0) != pt.tree {
			ok = ok && (place == nil || place.Code != ir.OpPtr || !place.Flags.Has(ir.Dynamic))
			return ok
		}
		s := p.sliceOf(place)
		if s == nil {
			ok = false
			return false
		}
		keys, all = append(keys, s.key), append(all, s)
		if o.Code == ir.OpAtomic && !p.used[o.Results[0]] && found == nil {
			copied := *s
			found, op = &copied, mergeKind(o.Atomic)
		}
		return true
	})
	if !ok || found == nil || op == ir.AtomicNone {
		return nil, 0
	}
	for i, s := range all {
		k := keys[i]
		if k.slot != found.key.slot || k.kind != found.key.kind {
			return nil, 0 // another argument may select the same slice
		}
		if k == found.key && !found.include(s) {
			return nil, 0
		}
	}
	analysis.Weighted(t.Body, 1, func(o *ir.Op, times int64) {
		if o.Code != ir.OpLoad && o.Code != ir.OpStore && o.Code != ir.OpAtomic {
			return
		}
		place := o.Args[0].Def
		if place == nil || place.Code != ir.OpPtr || p.treeOf(place, 0) != pt.tree || p.sliceOf(place).key != found.key {
			return
		}
		ok = ok && o.Code == ir.OpAtomic && !p.used[o.Results[0]] && mergeKind(o.Atomic) == op
		count += times
	})
	if !ok {
		return nil, 0
	}
	pt.op = op
	return found, count
}

// privatiseSlice makes private copies of a slice of a tree, if they pay.
func (p *privatiser) privatiseSlice(s *state, t *ir.Task, pt *privateTree, trips int64, known bool) {
	kind, bytes, uniform := p.lay.Uniform(pt.tree)
	if !uniform || bytes > maxSliced || pt.atEnds {
		return
	}
	was := pt.op
	slice, count := p.slice(t, pt)
	if slice == nil {
		pt.op = was
		return
	}
	size := int64(kind.Size())
	if pt.op.Identity(kind) != 0 || slice.bytes > maxPrivate || slice.bytes%size != 0 || slice.begin%size != 0 ||
		!analysis.WorthCopies(trips, known, count, slice.bytes/size) || s.opts.Strict && !orderless(pt.op, kind) {
		pt.op = was
		return
	}
	k := s.k
	tree := access.BaseIndex(k, pt.tree)
	base, scratch := len(k.Bases), len(k.Bases)+1
	k.Bases = append(k.Bases, pt.tree, -1)
	m := mergeSliceTask(t, pt, kind, slice, tree, scratch, int32(len(k.Fields)+2))
	m.Index = len(k.Tasks)
	k.Tasks = append(k.Tasks, m)
	t.Private = append(t.Private, ir.Private{Base: base, Scratch: scratch, Kind: kind, Op: pt.op, Merge: m.Index})
	if s.opts.Deterministic {
		t.Parts = max(t.Parts, int(max(2, min(maxParts, trips*count/max(1, slice.bytes/size)))))
	}
	ir.Visit(t.Body, func(o *ir.Op) bool {
		if o.Code == ir.OpPtr && p.treeOf(o, 0) == pt.tree && p.sliceOf(o).key == slice.key {
			o.Flags |= ir.Copied
		}
		return true
	})
}

// mergeSliceTask is mergeTask for a slice. If the argument selects no slice, the launch has failed. The index is clamped then, and the task
// merges a slice of the copy that holds only identities.
func mergeSliceTask(of *ir.Task, pt *privateTree, kind ir.Kind, s *treeSlice, base, scratch int, class int32) *ir.Task {
	t := mergeAfter(of, s.bytes/int64(kind.Size()))
	pro := ir.NewBuilder(t.Prologue)
	pro.Pos = of.Pos
	param := ir.NewOp(ir.OpParam, of.Pos, []ir.Type{ir.Scalar(s.key.kind)})
	param.Aux = s.key.slot
	i64 := ir.Scalar(ir.I64)
	index := pro.Op(ir.OpAdd, pro.Convert(pro.Emit(param), ir.I64), pro.Int(i64, s.key.plus-s.origin))
	index = pro.Op(ir.OpMin, pro.Op(ir.OpMax, index, pro.Int(i64, 0)), pro.Int(i64, s.extent-1))
	start := pro.Op(ir.OpAdd, pro.NoWrap(ir.OpMul, index, pro.Int(i64, s.stride)), pro.Int(i64, s.begin))
	to := pro.Op(ir.OpOffset, pro.Emit(access.BaseOp(base, of.Pos)), start)
	from := pro.Op(ir.OpOffset, pro.Emit(access.BaseOp(scratch, of.Pos)), start)
	pro.Yield()
	mergeBody(t, of.Pos, pt, kind, to, from, class)
	return t
}
