package wasm

import (
	"slices"

	"github.com/gotaichi/ti/internal/codegen/remainder"
	"github.com/gotaichi/ti/internal/ir"
)

// needs says what a function is given beside its parameters: the context, the stack below which it has its frame, the address of the constant tables.
type needs struct{ context, stack, tables bool }

// needsOf returns what a function needs, or one that it calls.
func (m *module) needsOf(fn *ir.Func) needs {
	n, ok := m.needs[fn]
	if ok {
		return n
	}
	add := func(of *ir.Func) {
		more := m.needsOf(of)
		n.context, n.stack, n.tables = n.context || more.context, n.stack || more.stack, n.tables || more.tables
	}
	ir.Visit(fn.Body, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpPoll, ir.OpWorker:
			n.context = true
		case ir.OpAlloc:
			n.context, n.stack = true, true
		case ir.OpLookup:
			n.tables = true
		case ir.OpCall:
			add(o.Func)
		case ir.OpGrow, ir.OpFind, ir.OpEnter:
			add(m.runtimeOf(o))
		}
		return true
	})
	m.needs[fn] = n
	return n
}

// function translates an ir.Func, once, and returns its number.
func (m *module) function(fn *ir.Func) int {
	if n, ok := m.numbers[fn]; ok {
		return n
	}
	p := m.funcPlan(fn)
	f := m.newFunction(p, nil, nil)
	for _, v := range fn.Body.Params {
		var locals []uint32
		for range f.parts(v) {
			locals = append(locals, uint32(len(f.params)))
			f.params = append(f.params, f.typeOf(v))
		}
		f.pin(v, locals...)
	}
	need := m.needsOf(fn)
	extra := func(asked bool, at *uint32) {
		if asked {
			*at = uint32(len(f.params))
			f.params = append(f.params, i32)
		}
	}
	extra(need.context, &f.ctx)
	extra(need.stack, &f.stack)
	extra(need.tables, &f.tablesAt)
	for _, t := range fn.Results {
		f.results = append(f.results, resultTypes(t)...)
	}
	f.locals = append(f.locals, f.params...)
	n := m.declare(fn.Name, signature{f.params, f.results})
	m.numbers[fn] = n
	f.fn = fn
	f.arrange(fn.Body)
	f.ops(fn.Body)
	f.finish(n)
	return n
}

// resultTypes are the types in which a function returns a result. All bits of a number of 64 are there.
func resultTypes(t ir.Type) []valType {
	if t.Lanes <= 1 {
		return []valType{kindType(t.Kind)}
	}
	return slices.Repeat([]valType{v128}, (int(t.Lanes)*fullBytes(t.Kind)+15)/16)
}

// fullBytes is how many bytes a lane takes of which all bits are kept.
func fullBytes(k ir.Kind) int {
	if k == ir.F64 || is64(k) {
		return 8
	}
	return 4
}

// call translates a call.
func (f *function) call(o *ir.Op) {
	for i, v := range o.Args {
		f.argument(o.Func, i, v)
	}
	f.invoke(o.Func)
	for i := len(o.Results) - 1; i >= 0; i-- {
		r := o.Results[i]
		if r.Type.Lanes > 1 {
			f.takeVector(r)
			continue
		}
		if is64(r.Type.Kind) {
			f.cut(i64, f.typeOf(r))
		}
		f.define(r)
	}
}

// argument puts an argument of a function on the stack.
func (f *function) argument(fn *ir.Func, i int, v *ir.Value) {
	switch p := fn.Params[i]; {
	case p.Lanes > 1:
		f.pushLanes(v, f.funcPlan(fn).laneBytes(fn.Body.Params[i]))
	case is64(p.Kind) && !f.wideParam(fn, i):
		f.pushAs(i32, v)
	default:
		f.pushAs(kindType(p.Kind), v)
	}
}

// invoke calls a function whose arguments are on the stack.
func (f *function) invoke(fn *ir.Func) {
	n := f.function(fn)
	need := f.needsOf(fn)
	if need.context {
		f.get(f.ctx)
	}
	if need.stack {
		f.frame()
		f.get(f.sp)
	}
	if need.tables {
		f.get(f.tableBase())
	}
	f.invokeNumber(n)
	f.called = max(f.called, f.functions[n].frame)
}

// invokeNumber calls a function of the module, by its number among them.
func (f *function) invokeNumber(n int) { f.index("call", uint32(imported+n)) }

// helper calls a function of this package that is made at its first use.
func (f *function) helper(name string, s signature, build func(h *function)) {
	n, ok := f.helpers[name]
	if !ok {
		n = f.declare(name, s)
		f.helpers[name] = n
		h := f.newFunction(nil, s.params, s.results)
		build(h)
		h.finish(n)
	}
	f.invokeNumber(n)
}

// remainder computes the exact remainder of the two floats on the stack, with the sign of the dividend.
func (f *function) remainder(k ir.Kind) {
	fn := f.remainders[k]
	if fn == nil {
		fn = remainder.Func(k)
		f.remainders[k] = fn
	}
	f.invoke(fn)
}
