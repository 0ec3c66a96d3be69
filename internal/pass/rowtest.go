package pass

import "github.com/gotaichi/ti/internal/ir"

// Limits of foresee: iterations of a row, and ops that its condition is computed by.
const (
	leastTested    = 4 // though unroll takes rows of up to eight apart
	mostTested     = 64
	mostConditions = 40
)

// foresee lets a loop over a domain that activates cells of a sparse tree in few places
// only, as those that write where a condition holds do, look at a row of iterations as a
// whole first.
//
// Input: a task whose innermost dim has few iterations, as that within a block has, and
// whose body computes a condition without memory and does all else under it, making
// blocks. Output: the same with one dim less, if so: a loop that finds out whether the
// condition holds anywhere in the row, of which LLVM makes vectors, and only then the
// loop of before, of which it cannot.
func rowTest(t *ir.Task) {
	last := len(t.Dims) - 1
	if last < 1 || t.Body == nil {
		return
	}
	d := t.Dims[last]
	if d.Lo.From != ir.FromConst || d.Hi.From != ir.FromConst {
		return
	}
	if n := d.Hi.Const - d.Lo.Const; n < leastTested || n > mostTested {
		return
	}
	cond := rareCondition(t.Body)
	if cond == nil {
		return
	}
	old, param := t.Body, t.Body.Params[last]
	body := &ir.Block{Params: old.Params[:last]}
	b := ir.NewBuilder(body)
	b.Pos = t.Pos
	lo, hi := b.Int(param.Type, d.Lo.Const), b.Int(param.Type, d.Hi.Const)

	boolean := ir.Scalar(ir.Bool)
	look := ir.NewOp(ir.OpFor, t.Pos, []ir.Type{boolean}, lo, hi, b.Const(boolean, 0))
	i := look.Regions[0].AddParam(param.Type, param.Name)
	found := look.Regions[0].AddParam(boolean, "")
	b.Emit(look)
	b.In(look.Regions[0], func() {
		values := map[*ir.Value]*ir.Value{param: i}
		conditions := ir.CloneBlock(&ir.Block{Ops: old.Ops[:len(old.Ops)-2]}, values)
		b.Block.Ops = append(b.Block.Ops, conditions.Ops...)
		b.Jump(ir.OpContinue, look, b.Op(ir.OpOr, found, ir.Resolve(values, cond)))
	})

	b.If(look.Results[0], nil, func() {
		loop := ir.NewOp(ir.OpFor, t.Pos, nil, lo, hi)
		i := loop.Regions[0].AddParam(param.Type, param.Name)
		b.Emit(loop)
		copied := ir.CloneBlock(&ir.Block{Ops: old.Ops}, map[*ir.Value]*ir.Value{param: i})
		ir.Visit(copied, func(o *ir.Op) bool {
			if o.Code == ir.OpContinue && o.Target == nil {
				o.Target = loop
			}
			return true
		})
		loop.Regions[0].Ops = copied.Ops
		b.Yield()
	}, func() { b.Yield() })
	b.Jump(ir.OpContinue, nil)
	for _, p := range body.Params {
		p.Block = body
	}
	t.Body, t.Nest, t.Dims = body, nil, t.Dims[:last]
}

// rareCondition returns the condition under which a body has all its effects, which it
// computes at its start without memory, if blocks of a sparse tree are made under it;
// otherwise nil.
func rareCondition(body *ir.Block) *ir.Value {
	n := len(body.Ops)
	if n < 2 || n > mostConditions || body.Ops[n-2].Code != ir.OpIf {
		return nil
	}
	for _, o := range body.Ops[:n-2] {
		if !o.Code.Is(ir.Pure) || len(o.Regions) > 0 || o.Code == ir.OpCall {
			return nil
		}
	}
	do := body.Ops[n-2]
	if len(do.Results) > 0 || len(do.Regions[1].Ops) != 1 || body.Ops[n-1].Code != ir.OpContinue {
		return nil
	}
	makes := false
	ir.Visit(do.Regions[0], func(o *ir.Op) bool {
		makes = makes || o.Code == ir.OpGrow || o.Code == ir.OpEnter
		return !makes
	})
	if !makes {
		return nil
	}
	return do.Args[0]
}
