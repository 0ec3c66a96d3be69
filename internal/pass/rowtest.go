package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// Limits of rowTest: iterations of a row, ops that compute its condition, and the fewest ops for which a version without the condition
// pays.
const (
	leastTested    = 4 // although unroll unrolls rows of up to eight
	mostTested     = 64
	mostConditions = 40
	mostFull       = 40
)

// rowTest tests the condition of a mostly false if for a whole row of iterations first, in vectors. It is for loops over a domain
// that activate cells of a sparse tree only where a condition holds.
//
// Input: a task whose innermost dim has few iterations, such as those of a block. Its body computes a condition without memory, and
// does all else under it, including activation. Output: the same with one dim less: a loop that finds whether the condition
// holds anywhere in the row, which LLVM vectorises, and the original loop if it does. If all iterations of a row activate the same
// blocks, this is done before the loop, so that LLVM can use masked vectors; and if the condition holds in the whole row, a version
// of the loop without it runs:
//
//	%any, %all = for the row { the condition }
//	if %any {
//		%block = grow …
//		if %all { for the row { the rest } } else { for the row { if the condition { the rest } } }
//	}
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
	r := &testedRow{b: b, param: param, cond: cond, lo: b.Int(param.Type, d.Lo.Const), hi: b.Int(param.Type, d.Hi.Const)}
	n := len(old.Ops)
	r.test, r.do = old.Ops[:n-2], old.Ops[n-2]
	anywhere, everywhere := r.look()
	b.If(anywhere, nil, func() {
		made, ok := r.makeBlocks()
		switch {
		case !ok:
			r.loop(nil, false)
		case r.do.Regions[0].Size() > mostFull:
			r.loop(made, false)
		default:
			b.If(everywhere, nil, func() {
				r.loop(made, true)
				b.Yield()
			}, func() {
				r.loop(made, false)
				b.Yield()
			})
		}
		b.Yield()
	}, func() { b.Yield() })
	b.Jump(ir.OpContinue, nil)
	for _, p := range body.Params {
		p.Block = body
	}
	t.Body, t.Nest, t.Dims = body, nil, t.Dims[:last]
}

// A testedRow is a row of iterations: ops that compute a condition, and an if.
type testedRow struct {
	b      *ir.Builder
	param  *ir.Value // the index of the iteration
	lo, hi *ir.Value // of the row
	test   []*ir.Op
	cond   *ir.Value
	do     *ir.Op
}

// look appends the loop that computes whether the condition holds anywhere in the row, and everywhere.
func (r *testedRow) look() (anywhere, everywhere *ir.Value) {
	boolean := ir.Scalar(ir.Bool)
	found := eachOf(r.b, 0, r.lo, r.hi, []*ir.Value{r.b.Const(boolean, 0), r.b.Const(boolean, 1)}, func(i *ir.Value, so []*ir.Value) []*ir.Value {
		i.Name = r.param.Name
		c := ir.NewCloner(map[*ir.Value]*ir.Value{r.param: i})
		r.b.Block.Ops = append(r.b.Block.Ops, c.List(r.test)...)
		holds := c.Value(r.cond)
		return []*ir.Value{r.b.Op(ir.OpOr, so[0], holds), r.b.Op(ir.OpAnd, so[1], holds)}
	})
	return found[0], found[1]
}

// makeBlocks appends the activation of the blocks of the row, with the ops that it needs, and returns the copies of the values
// computed by these. It is not ok, and appends nothing, if another iteration of the row may activate another block or none, or if
// an op tests whether a block exists.
func (r *testedRow) makeBlocks() (made map[*ir.Value]*ir.Value, ok bool) {
	blocks, ok := 0, !slices.ContainsFunc(r.do.Regions[0].Ops, analysis.MayJump)
	ir.Visit(r.do.Regions[0], func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpGrow, ir.OpEnter:
			blocks++
		case ir.OpFollow, ir.OpFind:
			ok = false
		}
		return ok
	})
	if !ok {
		return nil, false
	}
	c := ir.NewCloner(nil)
	varies := map[*ir.Value]bool{r.param: true}
	var ops []*ir.Op
	for _, list := range [][]*ir.Op{r.test, r.do.Regions[0].Ops} {
		for _, o := range list {
			makes := o.Code == ir.OpGrow || o.Code == ir.OpEnter
			same := makes || o.Code.Is(ir.Pure) && len(o.Regions) == 0
			for _, v := range o.Args {
				same = same && !varies[v]
			}
			if !same {
				for _, v := range o.Results {
					varies[v] = true
				}
				continue
			}
			if makes {
				blocks--
			}
			ops = append(ops, c.Op(o))
		}
	}
	if blocks != 0 {
		return nil, false
	}
	r.b.Block.Ops = append(r.b.Block.Ops, ops...)
	return c.Values, true
}

// loop appends the loop over the row, without the ops that were moved before it; if full, without the condition.
func (r *testedRow) loop(made map[*ir.Value]*ir.Value, full bool) {
	flags := ir.Flags(0)
	if made != nil { // LLVM would unroll a short row
		flags = ir.Independent
	}
	eachOf(r.b, flags, r.lo, r.hi, nil, func(i *ir.Value, _ []*ir.Value) []*ir.Value {
		i.Name = r.param.Name
		c := ir.NewCloner(map[*ir.Value]*ir.Value{r.param: i})
		for v, w := range made {
			c.Values[v] = w
		}
		rest := func(ops []*ir.Op) {
			for _, o := range ops {
				if len(o.Results) == 0 || made[o.Results[0]] == nil {
					r.b.Emit(c.Op(o))
				}
			}
		}
		rest(r.test)
		then := r.do.Regions[0].Ops
		then = then[:len(then)-1]
		if full {
			rest(then)
		} else {
			r.b.If(c.Value(r.cond), nil, func() {
				rest(then)
				r.b.Yield()
			}, func() { r.b.Yield() })
		}
		ir.Visit(r.b.Block, func(o *ir.Op) bool {
			if o.Code == ir.OpContinue && o.Target == nil {
				o.Target = r.b.Block.Parent
			}
			return true
		})
		return nil
	})
}

// rareCondition returns the condition under which a body has all its effects, if the body computes it at its start without memory,
// and activates blocks of a sparse tree under it; otherwise nil.
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
