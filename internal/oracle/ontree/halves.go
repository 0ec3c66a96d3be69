package ontree

import (
	"slices"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/typed"
)

// A parallel loop that forms a sum or product of halves at one place forms it in single precision, and rounds it once, when the loop has
// ended: at components of variables of the kernel, and of elements with constant indices of fields, if the loop does nothing
// else with the variable or field. Everywhere else each step is rounded.

// maxAxes is how many axes a field can have.
const maxAxes = 8

// A sumKey is a half at one place.
type sumKey struct {
	object *object // of a variable; else
	field  *Field
	index  [maxAxes]int64
	comp   int
}

// sums are the sums and products of halves of the parallel loop that runs.
type sums struct {
	of map[sumKey]*float32

	// Other elements that the loop adds to. An index that is no constant of the source, and yet the same in all iterations, may count as
	// constant or not, so this is not covered.
	others map[*typed.Element]*steady
}

// A steady is the index of an element, as long as it is the same each time.
type steady struct {
	index  [maxAxes]int64
	times  int
	varies bool
}

func (k *sumKey) load() uint64 {
	if k.object != nil {
		return k.object.comps[k.comp]
	}
	return k.field.Load(k.index[:len(k.field.Shape)], k.comp)
}

func (k *sumKey) store(x uint64) {
	if k.object != nil {
		k.object.comps[k.comp] = x
	} else {
		k.field.Store(k.index[:len(k.field.Shape)], k.comp, x)
	}
}

// beginSums begins a parallel loop.
func (m *machine) beginSums(body *typed.Block) {
	c := &collector{m: m, refs: map[*typed.Var]*staticPlace{}, ops: map[sumKey]typed.Op{}, objects: map[*object]bool{}, fields: map[*Field]bool{}}
	c.stmts(body.List)
	m.sums = &sums{of: map[sumKey]*float32{}, others: map[*typed.Element]*steady{}}
	for k, op := range c.ops {
		if op != typed.NoOp && !c.objects[k.object] && !c.fields[k.field] {
			x := half.To32(uint16(k.load()))
			m.sums.of[k] = &x
		}
	}
}

// endSums rounds the sums of a loop.
func (m *machine) endSums() {
	for k, x := range m.sums.of {
		k.store(uint64(half.From32(*x)))
	}
	for _, o := range m.sums.others {
		if o.times > 1 && !o.varies {
			notCovered("a sum of halves at an element with an index that may be constant")
		}
	}
	m.sums = nil
}

// addHalves runs an update of a place with halves in a parallel loop. It reports false for other places, at which it does nothing.
func (m *machine) addHalves(op typed.Op, p *place, v []uint64) bool {
	if m.sums == nil || sumOf(op) == typed.NoOp || !slices.ContainsFunc(p.comps, func(c int) bool { return p.kinds[c] == typed.F16 }) {
		return false
	}
	if m.reach(p) {
		for i, c := range p.comps {
			if !m.addHalf(op, p, c, v[i]) {
				m.set(p, c, binary(op, p.kinds[c], m.get(p, c), v[i]))
			}
		}
	}
	return true
}

// addHalf runs an update of component c of a place that is there, if that is part of a sum or product of a loop.
func (m *machine) addHalf(op typed.Op, p *place, c int, v uint64) bool {
	if p.kinds[c] != typed.F16 {
		return false
	}
	k := sumKey{object: p.object, comp: c}
	if el := p.element; el != nil {
		if el.slice != nil || el.typed == nil || el.typed.View != nil {
			return false
		}
		k.field = el.field
		copy(k.index[:], el.index)
	}
	x := m.sums.of[k]
	if x == nil {
		if p.element != nil && p.element.varied {
			o := m.sums.others[p.element.node]
			if o == nil {
				o = &steady{index: k.index}
				m.sums.others[p.element.node] = o
			}
			o.times++
			o.varies = o.varies || o.index != k.index
		}
		return false
	}
	y := half.To32(uint16(v))
	switch op {
	case typed.Add:
		*x += y
	case typed.Sub:
		*x -= y
	default:
		*x *= y
	}
	return true
}

// sumOf says of which kind a sum or product is that op is a step of.
func sumOf(op typed.Op) typed.Op {
	switch op {
	case typed.Add, typed.Sub:
		return typed.Add
	case typed.Mul:
		return typed.Mul
	}
	return typed.NoOp
}

// A collector finds what a parallel loop does to halves.
type collector struct {
	m    *machine
	refs map[*typed.Var]*staticPlace // parameters that are references

	ops     map[sumKey]typed.Op // of which kind the updates of a half are; NoOp if of several
	objects map[*object]bool    // variables that the loop does something else with
	fields  map[*Field]bool
}

// A staticPlace is what the source tells of a place. Index and comps are nil if only a run tells.
type staticPlace struct {
	object  *object
	field   *Field
	kinds   []typed.Scalar
	index   *[maxAxes]int64
	comps   []int
	nowhere bool // it is out of range
}

func (c *collector) stmts(list []typed.Stmt) {
	typed.Visit(list, func(s typed.Stmt) {
		switch s := s.(type) {
		case *typed.Update:
			op := typed.NoOp
			if s.Atomic {
				op = s.Op
			}
			c.access(s.Place, op)
			c.exprs(s.Value)
		case *typed.ExprStmt:
			if a, ok := s.X.(*typed.Atomic); ok && !a.Used {
				c.access(a.Place, a.Op)
				c.exprs(a.Value, a.Expected)
				return
			}
			c.exprs(s.X)
		default:
			c.exprs(typed.Expressions(s)...)
		}
	})
}

func (c *collector) exprs(es ...typed.Expr) {
	for _, e := range es {
		if e == nil {
			continue
		}
		if isPlace(e) {
			c.access(e, typed.NoOp)
			continue
		}
		switch e := e.(type) {
		case *typed.Atomic:
			op := e.Op
			if e.Used {
				op = typed.NoOp
			}
			c.access(e.Place, op)
			c.exprs(e.Value, e.Expected)
		case *typed.Call:
			for i, a := range e.Args {
				switch p := e.Func.Params[i]; p.Type.(type) {
				case typed.Ref:
					c.refs[p] = c.resolve(a)
				case typed.Slice, typed.View:
				default:
					c.exprs(a)
				}
			}
			c.stmts(e.Func.Body.List)
		default:
			c.exprs(typed.Operands(e)...)
		}
	}
}

// resolve returns what the source tells of a place, nil for one that no loop sums up at, and looks at its index operands.
func (c *collector) resolve(e typed.Expr) *staticPlace {
	switch e := e.(type) {
	case *typed.VarRef:
		if p := c.refs[e.Var]; p != nil {
			return p
		}
		if _, ref := e.Var.Type.(typed.Ref); ref || !e.Var.Reduced {
			return nil
		}
		ks := c.m.kindsOf(e.T)
		return &staticPlace{object: c.m.vars[e.Var], kinds: ks, comps: c.m.all(len(ks)), index: &[maxAxes]int64{}}
	case *typed.Element:
		c.exprs(typed.Operands(e)...)
		if e.Field.View != nil || e.Field.Sparse {
			return nil
		}
		f, _ := c.m.field(e.Field)
		ks := c.m.kindsOf(e.T)
		p := &staticPlace{field: f, kinds: ks, comps: c.m.all(len(ks))}
		if e.Section == nil {
			p.index, p.nowhere = c.constantIndex(f, e)
		}
		return p
	case *typed.SliceElement:
		c.exprs(e.Index)
		return nil
	case *typed.Extract:
		p := c.resolve(e.X)
		if p == nil {
			return nil
		}
		q := *p
		if q.comps = nil; p.comps != nil {
			for _, n := range e.Comps {
				q.comps = append(q.comps, p.comps[n])
			}
		}
		return &q
	case *typed.Index:
		c.exprs(e.I)
		p := c.resolve(e.X)
		if p == nil {
			return nil
		}
		q := *p
		q.comps = nil
		return &q
	}
	c.exprs(e)
	return nil
}

// constantIndex is the index of an element if it is constant, and whether there is no such element.
func (c *collector) constantIndex(f *Field, e *typed.Element) (index *[maxAxes]int64, nowhere bool) {
	index = &[maxAxes]int64{}
	a := 0
	for _, x := range e.Index {
		k, ok := x.(*typed.Const)
		if !ok {
			return nil, false
		}
		for _, v := range k.Vals {
			index[a] = v.Int()
			nowhere = nowhere || index[a] < f.low(a) || index[a] >= f.low(a)+f.Shape[a]
			a++
		}
	}
	return index, nowhere
}

// access notes an access to a place: a step of a sum or product, or with NoOp anything else.
func (c *collector) access(e typed.Expr, op typed.Op) {
	p := c.resolve(e)
	if p == nil || p.nowhere {
		return
	}
	op = sumOf(op)
	if p.comps == nil || p.index == nil || len(p.comps) > typed.MaxUnrolled {
		op = typed.NoOp
	}
	if op == typed.NoOp && p.field != nil {
		c.fields[p.field] = true
		return
	}
	if op == typed.NoOp {
		comps := p.comps
		if comps == nil {
			comps = c.m.all(len(p.kinds))
		}
		if slices.ContainsFunc(comps, func(n int) bool { return p.kinds[n] == typed.F16 }) {
			c.objects[p.object] = true
		}
		return
	}
	for _, n := range p.comps {
		switch k := (sumKey{p.object, p.field, *p.index, n}); {
		case p.kinds[n] != typed.F16 && p.field != nil:
			c.fields[p.field] = true
		case p.kinds[n] != typed.F16:
		case c.ops[k] == typed.NoOp && !c.known(k):
			c.ops[k] = op
		case c.ops[k] != op:
			c.ops[k] = typed.NoOp
		}
	}
}

func (c *collector) known(k sumKey) bool { _, ok := c.ops[k]; return ok }
