package ir

import "slices"

// A Cloner copies code. Values and Ops map what was copied to the copies; put
// the replacements of values from outside into Values, and of jump targets from
// outside into Ops, before. What is in neither map stays as it is.
type Cloner struct {
	Values map[*Value]*Value
	Ops    map[*Op]*Op
}

// NewCloner returns a cloner that replaces values as m says; it adds to m.
func NewCloner(m map[*Value]*Value) *Cloner {
	if m == nil {
		m = map[*Value]*Value{}
	}
	return &Cloner{Values: m, Ops: map[*Op]*Op{}}
}

// CloneBlock copies b with its regions, with values replaced as m says; it adds
// the copies of b's own values to m, unless that is nil.
func CloneBlock(b *Block, m map[*Value]*Value) *Block { return NewCloner(m).Block(b) }

// Block copies b, its parameters included.
func (c *Cloner) Block(b *Block) *Block {
	if b == nil {
		return nil
	}
	n := &Block{Parent: b.Parent}
	for _, v := range b.Params {
		c.Values[v] = n.AddParam(v.Type, v.Name)
	}
	n.Ops = c.List(b.Ops)
	return n
}

// List copies ops.
func (c *Cloner) List(ops []*Op) []*Op {
	out := make([]*Op, len(ops))
	for i, o := range ops {
		out[i] = c.Op(o)
	}
	return out
}

// Op copies o with its regions.
func (c *Cloner) Op(o *Op) *Op {
	n := new(Op)
	*n = *o
	n.Args = make([]*Value, len(o.Args))
	for i, a := range o.Args {
		n.Args[i] = c.Value(a)
	}
	if t, ok := c.Ops[o.Target]; ok {
		n.Target = t
	}
	c.Ops[o] = n
	n.Results = make([]*Value, len(o.Results))
	for i, r := range o.Results {
		v := &Value{Type: r.Type, Def: n, Index: i, Name: r.Name}
		c.Values[r], n.Results[i] = v, v
	}
	n.Regions = make([]*Block, len(o.Regions))
	for i, r := range o.Regions {
		n.Regions[i] = c.Block(r)
		if n.Regions[i] != nil {
			n.Regions[i].Parent = n
		}
	}
	return n
}

// Clone copies k as lowering leaves it, or the split: the code is copied, and what it
// refers to, such as fields and parameters, is shared.
func (k *Kernel) Clone() *Kernel {
	n := *k
	n.Params, n.Bases, n.Sums, n.Sites, n.Tables = slices.Clone(k.Params), slices.Clone(k.Bases), slices.Clone(k.Sums), slices.Clone(k.Sites), slices.Clone(k.Tables)
	n.Phases = slices.Clone(k.Phases)
	n.Parts = slices.Clone(k.Parts)
	n.Funcs = nil
	funcs := map[*Func]*Func{}
	for _, f := range k.Funcs {
		g := *f
		g.Body = CloneBlock(f.Body, nil)
		n.Funcs, funcs[f] = append(n.Funcs, &g), &g
	}
	n.Body = CloneBlock(k.Body, nil)
	n.Tasks = nil
	for _, t := range k.Tasks {
		m := t.Clone()
		m.Variants = nil
		for _, f := range t.Variants {
			m.Variants = append(m.Variants, funcs[f])
		}
		n.Tasks = append(n.Tasks, m)
	}
	for _, b := range n.Blocks() {
		Visit(b, func(o *Op) bool {
			if f, ok := funcs[o.Func]; ok {
				o.Func = f
			}
			return true
		})
	}
	for _, f := range n.Funcs {
		if s, ok := funcs[f.Scalar]; ok {
			f.Scalar = s
		}
	}
	return &n
}

// Clone copies a task with its code.
func (t *Task) Clone() *Task {
	n := *t
	c := NewCloner(nil)
	n.Dims, n.Nest, n.Low, n.Lists, n.Private = slices.Clone(t.Dims), slices.Clone(t.Nest), slices.Clone(t.Low), slices.Clone(t.Lists), slices.Clone(t.Private)
	n.Prologue, n.Body, n.Epilogue = c.Block(t.Prologue), c.Block(t.Body), c.Block(t.Epilogue)
	if t.Partial != nil {
		p := *t.Partial
		n.Partial = &p
	}
	return &n
}

// Value returns what stands for v in the copy.
func (c *Cloner) Value(v *Value) *Value {
	if n, ok := c.Values[v]; ok {
		return n
	}
	return v
}

// Resolve follows v through m to a value that m does not replace.
func Resolve(m map[*Value]*Value, v *Value) *Value {
	for range len(m) + 1 { // bounded, should m have a cycle
		r, ok := m[v]
		if !ok || r == v {
			break
		}
		v = r
	}
	return v
}

// Substitute replaces the operands of every op in b and its regions as m says;
// a replacement that is itself replaced is followed.
func Substitute(b *Block, m map[*Value]*Value) {
	if len(m) == 0 {
		return
	}
	Visit(b, func(o *Op) bool {
		for i, a := range o.Args {
			o.Args[i] = Resolve(m, a)
		}
		return true
	})
}
