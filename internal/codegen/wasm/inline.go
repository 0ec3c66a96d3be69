package wasm

import "github.com/gotaichi/ti/internal/ir"

// A call costs what the function saves of registers, and the caller keeps in memory what it needs behind. So short functions on vectors, such as those of package
// mathlib, stand in the loops that call them.

// mostInlined is how many ops a task gets more by that, at most.
const mostInlined = 600

// inlined returns a task with such functions in place of their calls, or the task itself. It leaves the task as it was.
func inlined(t *ir.Task) *ir.Task {
	found := false
	ir.Visit(t.Body, func(o *ir.Op) bool {
		found = found || isInlined(o)
		return !found
	})
	if !found {
		return t
	}
	n := *t
	n.Body = ir.CloneBlock(t.Body, nil)
	results := map[*ir.Value]*ir.Value{}
	left := mostInlined
	inline(n.Body, false, results, &left)
	ir.Visit(n.Body, func(o *ir.Op) bool {
		for i, v := range o.Args {
			o.Args[i] = ir.Resolve(results, v)
		}
		return true
	})
	return &n
}

// isInlined reports whether an op calls a function on vectors that ends at its end.
func isInlined(o *ir.Op) bool {
	if o.Code != ir.OpCall || len(o.Results) == 0 || o.Results[0].Type.Lanes <= 1 {
		return false
	}
	returns := 0
	ir.Visit(o.Func.Body, func(o *ir.Op) bool {
		if o.Code == ir.OpReturn {
			returns++
		}
		return true
	})
	return returns == 1 && o.Func.Body.Terminator().Code == ir.OpReturn
}

// inline puts functions in place of their calls in b, which is in a loop or is not, and notes what stands for the results. What runs in some cases alone, within an if,
// stays a call.
func inline(b *ir.Block, loop bool, results map[*ir.Value]*ir.Value, left *int) {
	var ops []*ir.Op
	for _, o := range b.Ops {
		if o.Code.Is(ir.Loop) || o.Code == ir.OpBlock {
			inline(o.Regions[0], loop || o.Code != ir.OpBlock, results, left)
		}
		if !loop || !isInlined(o) || len(o.Func.Body.Ops) > *left {
			ops = append(ops, o)
			continue
		}
		*left -= len(o.Func.Body.Ops)
		values := map[*ir.Value]*ir.Value{}
		for i, v := range o.Func.Body.Params {
			values[v] = ir.Resolve(results, o.Args[i])
		}
		body := ir.NewCloner(values).List(o.Func.Body.Ops)
		last := body[len(body)-1]
		for i, r := range o.Results {
			results[r] = last.Args[i]
		}
		ops = append(ops, body[:len(body)-1]...)
	}
	b.Ops = ops
}
