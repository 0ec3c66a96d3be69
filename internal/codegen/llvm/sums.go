package llvm

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// A thread's own copy of a tree is updated at places that are data: one element of several components, such as the momentum and the mass
// of a node, at a time. LLVM makes vectors of some of the components, now of these and then of those, and an iteration that reads as a
// vector what the one before has stored in parts waits until all of that is in the cache. So updates of neighbouring numbers are
// vectors from the start, and the same ones wherever the element is updated.

// An ownSum is an update of a number: a load, a sum or difference, and a store to the same place.
type ownSum struct {
	load, compute, store *ir.Op
	change               *ir.Value
	root                 *ir.Value // of the place
	at                   int64     // bytes from there
	end, between         int       // ops up to its last one, and of these how many are not of updates
}

const (
	opsOfSum = 3  // of an ownSum
	mostSums = 16 // in a vector
)

// sums translates updates of neighbouring numbers of private trees, with which ops begins, as one of a vector, and before it what is computed
// between them. It returns how many ops that are, or 0.
func (f *function) sums(ops []*ir.Op) int {
	if len(f.private) == 0 || f.m.opts.VectorBits == 0 || f.m.opts.Without.Has(option.Vectors) {
		return 0
	}
	var us []ownSum
	var between []*ir.Op
	for i := 0; i < len(ops) && len(us) < mostSums; {
		if u, ok := f.ownSumOf(ops[i:]); ok && (len(us) == 0 || u.follows(us)) {
			i += opsOfSum
			u.end, u.between = i, len(between)
			us = append(us, u)
			continue
		}
		if len(us) == 0 || !besides(ops[i], us) {
			break
		}
		between = append(between, ops[i])
		i++
	}
	n := 1
	for 2*n <= len(us) && 2*n*us[0].change.Type.Kind.Bits() <= f.m.opts.VectorBits {
		n *= 2
	}
	if n == 1 {
		return 0
	}
	last := us[n-1]
	for _, o := range between[:last.between] {
		f.op(o)
	}
	f.sum(us[:n])
	return last.end
}

// besides reports whether o can be computed before the updates us.
func besides(o *ir.Op, us []ownSum) bool {
	e := o.Effects()
	return e == ir.Effects{} && len(o.Regions) == 0 && len(o.Results) > 0 &&
		!slices.ContainsFunc(us, func(u ownSum) bool { return slices.ContainsFunc(o.Args, u.computes) })
}

// computes reports whether v is a result of the update.
func (u *ownSum) computes(v *ir.Value) bool {
	return v == u.load.Results[0] || v == u.compute.Results[0]
}

// ownSumOf returns the update that ops begins with, if it is one of a private tree.
func (f *function) ownSumOf(ops []*ir.Op) (u ownSum, ok bool) {
	if len(ops) < opsOfSum {
		return u, false
	}
	u = ownSum{load: ops[0], compute: ops[1], store: ops[2]}
	if u.load.Code != ir.OpLoad || u.store.Code != ir.OpStore || u.compute.Code != ir.OpAdd && u.compute.Code != ir.OpSub ||
		u.load.Order != ir.Plain || u.store.Order != ir.Plain || len(u.load.Args) != 1 || len(u.store.Args) != 2 {
		return u, false
	}
	p, old, sum := u.load.Args[0], u.load.Results[0], u.compute.Results[0]
	switch {
	case u.store.Args[0] != p || u.store.Args[1] != sum || p.Type.Lanes > 1 || old.Type.Lanes > 1:
		return u, false
	case old.Type.Kind == ir.Bool || old.Type.Kind == ir.Ptr || old.Type.Kind == ir.F16:
		return u, false
	case u.compute.Args[0] == old:
		u.change = u.compute.Args[1]
	case u.compute.Args[1] == old && u.compute.Code == ir.OpAdd:
		u.change = u.compute.Args[0]
	default:
		return u, false
	}
	u.root = p
	if d := p.Def; d != nil && d.Code == ir.OpOffset {
		if c, constant := ir.IntOf(d.Args[1]); constant {
			u.root, u.at = d.Args[0], c
		}
	}
	return u, u.change != old && f.ownCopy(p)
}

// ownCopy reports whether p lies in a private copy of a tree.
func (f *function) ownCopy(p *ir.Value) bool {
	for p.Def != nil && p.Def.Code == ir.OpOffset {
		p = p.Def.Args[0]
	}
	return p.Def != nil && p.Def.Code == ir.OpBase && f.private[p.Def.Aux]
}

// follows reports whether u is like the updates us and of the number behind theirs, and uses nothing that they compute.
func (u *ownSum) follows(us []ownSum) bool {
	first, n := us[0], int64(len(us))
	// The first place may be the root of the others, or have an offset from the same root.
	at := u.at - first.at
	if u.root != first.root {
		if u.root != first.load.Args[0] {
			return false
		}
		at = u.at
	}
	kind := first.change.Type.Kind
	return u.compute.Code == first.compute.Code && u.change.Type == first.change.Type && u.compute.Flags == first.compute.Flags &&
		at == n*int64(kind.Size()) && !slices.ContainsFunc(us, func(v ownSum) bool { return v.computes(u.change) })
}

// sum writes updates as one.
func (f *function) sum(us []ownSum) {
	t := us[0].change.Type
	vt := t
	vt.Lanes = uint32(len(us))
	var loads []*ir.Op
	change := "poison"
	for i, u := range us {
		change = f.inst("insertelement %s %s, %s %s, i64 %d", typ(vt), change, typ(t), f.use(u.change), i)
		loads = append(loads, u.load)
	}
	p, marks := f.use(us[0].load.Args[0]), f.m.scopeOf(loads)
	old := f.inst("load %s, ptr %s, align %d%s", typ(vt), p, t.Kind.Size(), marks)
	sum := f.binary(us[0].compute, us[0].compute.Code, vt, vt, old, change)
	f.do("store %s %s, ptr %s, align %d%s", typ(vt), sum, p, t.Kind.Size(), marks)
	for i, u := range us { // for who else uses them
		f.values[u.load.Results[0]] = f.inst("extractelement %s %s, i64 %d", typ(vt), old, i)
		f.values[u.compute.Results[0]] = f.inst("extractelement %s %s, i64 %d", typ(vt), sum, i)
	}
}

// scopeOf is the metadata of an access to what several ops access: it is in the scopes of all of them.
func (m *module) scopeOf(ops []*ir.Op) string {
	var classes []int32
	for _, o := range ops {
		if m.scopes[o.Alias] == "" {
			return ""
		}
		if !slices.Contains(classes, o.Alias) {
			classes = append(classes, o.Alias)
		}
	}
	slices.Sort(classes)
	if len(classes) == 1 {
		return m.scopes[classes[0]]
	}
	key := fmt.Sprint(classes)
	if s, ok := m.scopesOf[key]; ok {
		return s
	}
	var in, out []string
	for _, c := range m.classes {
		if slices.Contains(classes, c.class) {
			in = append(in, c.scope)
		} else {
			out = append(out, c.scope)
		}
	}
	s := m.scopesIn(in, out)
	m.scopesOf[key] = s
	return s
}
