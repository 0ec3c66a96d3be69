package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A kernel may return before a parallel loop, which must not be inside an if. So a flag says whether the code after the return is
// reached: serial code is put under an if on the flag, and so are the bodies of parallel loops.

// An earlyReturn puts the body of a kernel that returns early into the normal form.
type earlyReturn struct {
	*normaliser
	ops     []*ir.Op
	reached *ir.Value   // nil for always
	returns []*ir.Value // what the kernel has returned, if reached is false
}

// returnsEarly reports whether a return stands before a parallel loop.
func returnsEarly(body *ir.Block) bool {
	early := false
	for _, o := range body.Ops {
		if o.IsParallel() {
			if early {
				return true
			}
			continue
		}
		early = early || o.Code == ir.OpReturn || returnsIn(o)
	}
	return false
}

func returnsIn(o *ir.Op) (found bool) {
	for _, r := range o.Regions {
		ir.Visit(r, func(p *ir.Op) bool {
			found = found || p.Code == ir.OpReturn
			return !found
		})
	}
	return found
}

// body emits all ops.
func (e *earlyReturn) body() {
	for i := 0; i < len(e.ops); {
		o := e.ops[i]
		e.b.Pos = o.Pos
		if o.IsParallel() {
			e.loop(o)
			i++
			continue
		}
		n := i + 1
		for n < len(e.ops) && !e.ops[n].IsParallel() {
			n++
		}
		if !e.serial(e.ops[i:n], e.ops[n:]) {
			break // what follows is never reached
		}
		i = n
	}
	e.b.Return(e.returns...)
}

// loop emits a parallel loop.
func (e *earlyReturn) loop(o *ir.Op) {
	if e.reached == nil {
		e.parallel(o)
		return
	}
	c := e.copy(o)
	c.Regions = []*ir.Block{{Parent: c}}
	e.params(o.Regions[0], c.Regions[0])
	e.b.In(c.Regions[0], func() {
		e.b.If(e.reached, nil, func() {
			e.list(o.Regions[0].Ops, nil)
			e.b.Yield()
		}, func() { e.b.Yield() })
		e.b.Jump(ir.OpContinue, c)
	})
}

// serial emits serial code, of which rest may use results, and reports whether its end may be reached.
func (e *earlyReturn) serial(ops, rest []*ir.Op) bool {
	places, values := usedLater(ops, rest)
	var here []*ir.Op
	for _, o := range ops {
		if o.Code == ir.OpAlloc {
			e.copy(o)
		} else {
			here = append(here, o)
		}
	}
	ended := e.region(here, values)
	fall := ended.find(0)
	if w := ended.find(e.id(way{code: ir.OpReturn})); w != nil {
		e.returns = w.vals
	}
	if fall == nil {
		return false
	}
	e.bind(values, fall.vals)
	if ended.code != nil {
		e.reached = e.b.Op(ir.OpEq, ended.code, e.b.Int(ir.Scalar(ir.I32), 0))
	}
	for _, o := range places {
		e.copy(o)
	}
	return true
}

// region emits ops, under an if where they may not be reached.
func (e *earlyReturn) region(ops []*ir.Op, values []*ir.Value) outcome {
	list := func() outcome {
		return e.list(ops, func([]*ir.Value) outcome { return only(0, e.of(values)) })
	}
	if e.reached == nil {
		return list()
	}
	first := true
	return e.merge(e.reached, make([]*ir.Block, 2), func(*ir.Block) outcome {
		if first {
			first = false
			return list()
		}
		return only(e.id(way{code: ir.OpReturn}), e.returns)
	})
}

// usedLater returns the results of ops that rest uses: places, and what these are made of, apart from values.
func usedLater(ops, rest []*ir.Op) (places []*ir.Op, values []*ir.Value) {
	used := map[*ir.Value]bool{}
	ir.Visit(&ir.Block{Ops: rest}, func(o *ir.Op) bool {
		for _, a := range o.Args {
			used[a] = true
		}
		return true
	})
	for _, o := range slices.Backward(ops) {
		if o.Code == ir.OpAlloc || len(o.Results) == 0 || !slices.ContainsFunc(o.Results, func(v *ir.Value) bool { return used[v] }) {
			continue
		}
		if o.Results[0].Type.Kind != ir.Ptr {
			for _, v := range o.Results {
				if used[v] {
					values = append(values, v)
				}
			}
			continue
		}
		places = append(places, o)
		for _, a := range o.Args {
			used[a] = true
		}
	}
	slices.Reverse(places)
	return places, values
}
