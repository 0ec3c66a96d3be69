package pass

import "github.com/gotaichi/ti/internal/ir"

// cse shares common subexpressions.
//
// Input and output: any form. Of two pure ops with the same operands and
// attributes, of which the first is visible where the second stands, the second
// goes. Operands of commutative ops may be in either order. A share keeps only
// the NoWrap flag that both had, since it is a promise about both places.
func cse(_ *state, u *unit) {
	c := &sharer{subst: subst{}, known: map[exprKey]*ir.Op{}, number: map[*ir.Value]int{}}
	for _, b := range u.blocks {
		mark := len(c.undo)
		c.block(b)
		if !u.isPrologue(b) {
			c.forget(mark)
		}
	}
}

// maxKey is the largest number of operands of an op that is shared.
const maxKey = 10

// An exprKey says what a pure op computes.
type exprKey struct {
	code  ir.Code
	kind  ir.Kind
	flags ir.Flags
	t     ir.Type // of the first result
	aux   int64
	bits  uint64
	what  any // field, table, parameter or function
	n     int
	args  [maxKey]*ir.Value
}

// A sharer walks the code with a table of the expressions visible where it is.
type sharer struct {
	subst  subst
	known  map[exprKey]*ir.Op
	undo   []exprKey
	number map[*ir.Value]int // order of first use, for commutative operands
}

// block shares within b and its regions. What b adds to the table stays there,
// for the caller to take out with forget.
func (c *sharer) block(b *ir.Block) {
	kept := b.Ops[:0]
	for _, o := range b.Ops {
		c.subst.args(o)
		if !c.shared(o) {
			kept = append(kept, o)
		}
		for _, r := range o.Regions {
			mark := len(c.undo)
			c.block(r)
			c.forget(mark)
		}
	}
	b.Ops = cut(b.Ops, kept)
}

func (c *sharer) forget(mark int) {
	for _, k := range c.undo[mark:] {
		delete(c.known, k)
	}
	c.undo = c.undo[:mark]
}

// shared reports whether an op before o computes the same, and notes what stands
// for o's results; otherwise it enters o into the table.
func (c *sharer) shared(o *ir.Op) bool {
	if !o.Code.Is(ir.Pure) || len(o.Args) > maxKey || len(o.Results) == 0 {
		return false
	}
	key := c.key(o)
	first := c.known[key]
	if first == nil && !o.Flags.Has(ir.InBounds) && o.Code.Info().Rule == ir.RulePtr {
		// A place proven in range serves one that is not.
		proven := key
		proven.flags |= ir.InBounds
		first = c.known[proven]
	}
	if first == nil {
		c.known[key] = o
		c.undo = append(c.undo, key)
		return false
	}
	if !o.Flags.Has(ir.NoWrap) {
		first.Flags &^= ir.NoWrap
	}
	c.subst.all(o.Results, first.Results)
	for i, r := range first.Results {
		if r.Name == "" {
			r.Name = o.Results[i].Name
		}
	}
	return true
}

func (c *sharer) key(o *ir.Op) exprKey {
	k := exprKey{
		code: o.Code, kind: o.Kind, flags: o.Flags &^ ir.NoWrap, t: o.Results[0].Type,
		aux: o.Aux, bits: o.Bits, n: len(o.Args),
	}
	switch {
	case o.Field != nil:
		k.what = o.Field
	case o.Table != nil:
		k.what = o.Table
	case o.Param != nil:
		k.what = o.Param
	case o.Func != nil:
		k.what = o.Func
	}
	copy(k.args[:], o.Args)
	if o.Code.Is(ir.Commutative) && c.order(k.args[0]) > c.order(k.args[1]) {
		k.args[0], k.args[1] = k.args[1], k.args[0]
	}
	return k
}

// order numbers values as they are met.
func (c *sharer) order(v *ir.Value) int {
	n, ok := c.number[v]
	if !ok {
		n = len(c.number)
		c.number[v] = n
	}
	return n
}
