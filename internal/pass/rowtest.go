package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// Limits of rowTest: iterations of a row, ops that its condition is computed by, and ops
// that are worth a copy without the condition.
const (
	leastTested    = 4 // though unroll takes rows of up to eight apart
	mostTested     = 64
	mostConditions = 40
	mostFull       = 40
)

// rowTest lets a loop over a domain that activates cells of a sparse tree in few places
// only, as those that write where a condition holds do, look at a row of iterations as a
// whole first.
//
// Input: a task whose innermost dim has few iterations, as that within a block has, and
// whose body computes a condition without memory and does all else under it, making
// blocks. Output: the same with one dim less, if so: a loop that finds out whether the
// condition holds anywhere in the row, of which LLVM makes vectors, and only then the
// loop of before. Where all iterations of a row make the same blocks, these are made
// in front of the loop, which LLVM makes masked vectors of then; a row that holds the
// condition everywhere has a loop without it:
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
	param  *ir.Value // the number of the iteration
	lo, hi *ir.Value // of the row
	test   []*ir.Op
	cond   *ir.Value
	do     *ir.Op
}

// look appends the loop that computes whether the condition holds anywhere, and everywhere.
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

// makeBlocks appends what makes the blocks of the row, with what that takes, and returns the copies
// of the values that this computes. It is not ok, and appends nothing, if another iteration
// of the row may want another block or none, or something asks whether a block is there.
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

// loop appends the loop over the row, without what was made in front of it; if full, without the
// condition.
func (r *testedRow) loop(made map[*ir.Value]*ir.Value, full bool) {
	flags := ir.Flags(0)
	if made != nil { // LLVM would take a short row for a reason to unroll it
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
