package driver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// This file appends the code of a part to that of a linked kernel, and all that code refers to but fields.

// rest appends what a kernel has beside fields. Each part has file numbers of its own: so positions, and the sites that access lowering
// makes for them, belong to one part.
func (n *linkedKernel) rest() {
	n.files, n.sites = len(n.k.Files), len(n.k.Sites)
	n.k.Files = append(n.k.Files, n.from.Files...)
	n.params()
	n.tables()
	n.funcs()
	for _, s := range n.from.Sites {
		t := *s
		t.Pos = n.pos(t.Pos)
		if name, ok := n.names[t.What]; ok {
			t.What = name
		}
		n.k.Sites = append(n.k.Sites, &t)
	}
	n.body()
}

// body appends the code, without the return at its end.
func (n *linkedKernel) body() {
	loops, ops := n.loops, n.from.Body.Ops
	for _, outer := range ops {
		number := uint64(0) // of the loop
		if outer.IsParallel() {
			number = uint64(outer.Aux)
		}
		ir.Visit(&ir.Block{Ops: []*ir.Op{outer}}, func(o *ir.Op) bool {
			n.refer(o)
			switch o.Code {
			case ir.OpKey:
				o.Code, o.Aux = ir.OpParam, int64(n.k.Parts[n.number].Key)
			case ir.OpOrdinal:
				o.Code, o.Bits = ir.OpConst, number
			case ir.OpParam:
				o.Aux = int64(n.slot(int(o.Aux)))
			case ir.OpFail, ir.OpRecord:
				o.Aux += int64(n.sites)
			case ir.OpParFor, ir.OpFieldFor:
				o.Aux += loops
				n.loops = max(n.loops, o.Aux)
			}
			return true
		})
	}
	if n.number > 0 {
		begin := ir.NewOp(ir.OpPart, ir.Pos{}, nil)
		begin.Aux = int64(n.number)
		n.k.Body.Ops = append(n.k.Body.Ops, begin)
	}
	n.k.Body.Ops = append(n.k.Body.Ops, ops[:len(ops)-1]...)
}

// pos is a position in the files of the linked kernel.
func (n *linkedKernel) pos(p ir.Pos) ir.Pos {
	if p.IsKnown() {
		p.File += uint16(n.files)
	}
	return p
}

// refer makes an op refer to what the linked kernel has.
func (n *linkedKernel) refer(o *ir.Op) {
	o.Pos = n.pos(o.Pos)
	if o.Field != nil {
		o.Field = n.field[o.Field]
	}
	if o.Table != nil {
		o.Table = n.table[o.Table]
	}
	if o.Param != nil {
		o.Param = n.param[o.Param]
	}
	if o.Func != nil {
		o.Func = n.fn[o.Func]
	}
	if h := o.Hints; h != nil {
		other := *h
		other.BlockLocal, other.CacheReadOnly = n.fieldsOf(h.BlockLocal), n.fieldsOf(h.CacheReadOnly)
		o.Hints = &other
	}
}

func (n *linkedKernel) fieldsOf(of []*ir.Field) (all []*ir.Field) {
	for _, f := range of {
		all = append(all, n.field[f])
	}
	return all
}

// params appends the parameters, in slots of their own.
func (n *linkedKernel) params() {
	n.param = map[*ir.Param]*ir.Param{}
	for _, p := range n.from.Params {
		q := *p
		q.Slot += n.k.Parts[n.number].Args
		q.Name = n.paramName(p.Name)
		n.slots = q.Slot + q.Slots()
		for i := range q.Comps {
			if q.Content == ir.ParamValue {
				n.kinds[q.Slot+i] = q.Kind
			}
		}
		n.k.Params, n.param[p] = append(n.k.Params, &q), &q
	}
	if draws(n.from) {
		key := &ir.Param{Name: n.paramName("key"), Kind: ir.U64, Comps: 1, Slot: n.slots}
		n.k.Params, n.slots = append(n.k.Params, key), n.slots+1
		n.k.Parts[n.number].Key, n.linked.Parts[n.number].Key = key.Slot, key.Slot
	}
}

// slot returns the slot of the linked kernel that holds an argument: of those that are the same, the first one.
func (n *linkedKernel) slot(of int) int {
	own := n.k.Parts[n.number].Args + of
	for _, s := range n.same {
		if first := n.k.Parts[s.Part].Args + s.Of; s.Slot == of && n.kinds[first] == n.kinds[own] {
			return first
		}
	}
	return own
}

// paramName returns a name that no parameter has.
func (n *linkedKernel) paramName(name string) string {
	return fresh(name, func(name string) bool {
		return slices.ContainsFunc(n.k.Params, func(p *ir.Param) bool { return p.Name == name })
	})
}

// draws reports whether a kernel draws random numbers, or rounds by them.
func draws(k *ir.Kernel) bool {
	found := false
	ir.Visit(k.Body, func(o *ir.Op) bool {
		found = found || o.Code == ir.OpRand || o.Code == ir.OpKey || (o.Code == ir.OpStore || o.Code == ir.OpAtomic) && o.DrawsToStore()
		return !found
	})
	return found
}

// tables appends the tables that the linked kernel does not have.
func (n *linkedKernel) tables() {
	n.table = map[*ir.Table]*ir.Table{}
	for _, t := range n.from.Tables {
		i := slices.IndexFunc(n.k.Tables, func(u *ir.Table) bool { return t.Name == u.Name && t.Kind == u.Kind && slices.Equal(t.Data, u.Data) })
		if i < 0 {
			u := *t
			i, u.Index = len(n.k.Tables), len(n.k.Tables)
			n.k.Tables = append(n.k.Tables, &u)
		}
		n.table[t] = n.k.Tables[i]
	}
}

// funcs appends the functions that the linked kernel does not have. A function is the same if its name and its code are.
func (n *linkedKernel) funcs() {
	n.fn = map[*ir.Func]*ir.Func{}
	for _, f := range n.from.Funcs {
		ir.Visit(f.Body, func(o *ir.Op) bool {
			n.refer(o) // callees come before callers
			return true
		})
		n.fn[f] = n.funcFor(f)
	}
}

// funcFor finds or makes the function of the linked kernel for one of the part.
func (n *linkedKernel) funcFor(f *ir.Func) *ir.Func {
	name, text := f.Name, funcText(f)
	for i := 2; ; i++ {
		at := slices.IndexFunc(n.k.Funcs, func(g *ir.Func) bool { return g.Name == f.Name })
		switch {
		case at < 0:
			n.k.Funcs = append(n.k.Funcs, f)
			return f
		case funcText(n.k.Funcs[at]) == text:
			return n.k.Funcs[at]
		}
		f.Name = fmt.Sprintf("%s_%d", name, i)
	}
}

// funcText is the text of a function without positions and without its name.
func funcText(f *ir.Func) string {
	body := ir.CloneBlock(f.Body, nil)
	ir.Visit(body, func(o *ir.Op) bool {
		o.Pos = ir.Pos{}
		return true
	})
	var b strings.Builder
	fmt.Fprintln(&b, f.Params, f.Results, f.Effects)
	_ = ir.PrintBlock(&b, body) // a strings.Builder never fails
	return b.String()
}
