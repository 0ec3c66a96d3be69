package mathlib

import (
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// A Library makes the functions of one kernel, each once. The zero Library is
// ready for use on a target without fused multiply-add.
type Library struct {
	Target target.Traits
	Quick  bool             // without strict maths: the quick function where there is one
	made   map[key]*ir.Func // without an expansion of their own, ir.OpNeg stands for reduceHuge and ir.OpRem for modSlow
	order  []*ir.Func
}

type key struct {
	code   ir.Code
	t      ir.Type
	quick  bool
	strict bool // the same bits on every target; see [Eval]
}

// Has reports whether the library has code for values of type t.
func Has(code ir.Code, t ir.Type) bool {
	switch code {
	case ir.OpFma, ir.OpMod, ir.OpFloorDiv:
		return t.Kind.IsFloat()
	}
	return code.Is(ir.Math) && t.Kind.IsFloat()
}

// Func returns the function that computes code on values of type t, f16, f32 or
// f64 of any number of lanes, or nil if there is none. A variant for lanes has
// the scalar function in Scalar.
func (l *Library) Func(code ir.Code, t ir.Type) *ir.Func {
	if !Has(code, t) {
		return nil
	}
	if t.Lanes == 0 {
		t.Lanes = 1
	}
	return l.function(key{code: code, t: t, quick: l.Quick && l.hasQuick(code, t.Kind)})
}

// StrictFunc is Func under strict maths, where results have the same bits on every target.
func (l *Library) StrictFunc(code ir.Code, t ir.Type) *ir.Func {
	return l.function(l.strictKey(code, t))
}

// strictKey is the key of the function for code under strict maths. With fused multiply-add most functions are the
// same without: then that one is shared.
func (l *Library) strictKey(code ir.Code, t ir.Type) key {
	switch code {
	case ir.OpMod, ir.OpFloorDiv, ir.OpFma: // defined to the last bit
		return key{code: code, t: t}
	}
	return key{code: code, t: t, strict: code == ir.OpPow || !l.Target.Provides(target.FMA)}
}

// function returns the function of k.
func (l *Library) function(k key) *ir.Func {
	return l.make(k, func() *ir.Func {
		f := l.build(k)
		if scalar := k; k.t.Lanes > 1 {
			scalar.t = k.t.Elem()
			f.Scalar = l.function(scalar)
		}
		return f
	})
}

// hasQuick reports whether there is a quick function for code on values of kind k.
func (l *Library) hasQuick(code ir.Code, k ir.Kind) bool {
	switch code {
	case ir.OpPow:
		return k != ir.F64 && l.Target.Provides(target.FMA)
	case ir.OpLog, ir.OpLog2:
		return k != ir.F64
	}
	return false
}

// make returns the function of k, which build makes if need be; those that build
// asks for come before it in order.
func (l *Library) make(k key, build func() *ir.Func) *ir.Func {
	if f := l.made[k]; f != nil {
		return f
	}
	f := build()
	if l.made == nil {
		l.made = map[key]*ir.Func{}
	}
	l.made[k] = f
	l.order = append(l.order, f)
	return f
}

// Funcs returns the functions made so far, callees before callers.
func (l *Library) Funcs() []*ir.Func { return l.order }

// Func returns the function that computes code on values of type t, for a target
// with fused multiply-add; see [Library.Func].
func Func(code ir.Code, t ir.Type) *ir.Func { return new(Library).Func(code, t) }

// Name returns the name of the function that computes code on values of type t.
func Name(code ir.Code, t ir.Type) string {
	return strings.Join([]string{"ti", code.String(), t.String()}, ".")
}

// build makes the function.
func (l *Library) build(k key) *ir.Func {
	f := &ir.Func{Name: Name(k.code, k.t), Results: []ir.Type{k.t}, Body: &ir.Block{}}
	if k.quick {
		f.Name += ".quick"
	}
	if k.strict {
		f.Name += ".strict"
	}
	b := ir.NewBuilder(f.Body)
	args := make([]value, k.code.Info().Min)
	for i := range args {
		f.Params = append(f.Params, k.t)
		args[i] = f.Body.AddParam(k.t, string(rune('x'+i)))
	}
	b.Return(l.expand(b, k, args))
	return f
}

// expand appends the computation of k to the block of b. An f16 is computed in
// f32: the result is then rounded correctly but for rare ties.
func (l *Library) expand(b *ir.Builder, k key, args []value) value {
	t := args[0].Type
	e := newEmitter(l, b, t, k.strict)
	if t.Kind == ir.F16 {
		e.t = t.With(ir.F32)
	}
	wide := make([]value, len(args))
	for i, a := range args {
		wide[i] = e.Convert(a, e.t.Kind)
	}
	switch {
	case k.quick:
		return e.Convert(e.quickBody(k.code, wide), t.Kind)
	case k.code == ir.OpMod && t.Kind == ir.F16:
		return e.Convert(e.modHalf(wide[0], wide[1]), t.Kind)
	case k.code == ir.OpFma && t.Kind == ir.F16:
		return e.Convert(e.fusedHalf(wide[0], wide[1], wide[2]), t.Kind)
	}
	return e.Convert(e.body(k.code, wide), t.Kind)
}

// quickBody writes the computation of code that hasQuick tells of.
func (e *emitter) quickBody(code ir.Code, args []value) value {
	if code == ir.OpPow {
		return e.powQuick(args[0], args[1])
	}
	return e.logQuick(code, args[0])
}

// body writes the computation of code.
func (e *emitter) body(code ir.Code, args []value) value {
	x := args[0]
	switch code {
	case ir.OpRsqrt:
		return e.rsqrt(x)
	case ir.OpCbrt:
		return e.cbrt(x)
	case ir.OpSin:
		return e.sin(x)
	case ir.OpCos:
		return e.cos(x)
	case ir.OpTan:
		return e.tan(x)
	case ir.OpAsin:
		return e.asin(x)
	case ir.OpAcos:
		return e.acos(x)
	case ir.OpAtan:
		return e.atan(x)
	case ir.OpSinh:
		return e.sinh(x)
	case ir.OpCosh:
		return e.cosh(x)
	case ir.OpTanh:
		return e.tanh(x)
	case ir.OpExp:
		return e.exp(x)
	case ir.OpExp2:
		return e.exp2(x)
	case ir.OpLog:
		return e.log(x)
	case ir.OpLog2:
		return e.log2(x)
	case ir.OpPow:
		return e.pow(x, args[1])
	case ir.OpAtan2:
		return e.atan2(x, args[1])
	case ir.OpMod:
		return e.mod(x, args[1])
	case ir.OpFloorDiv:
		return e.floorDiv(x, args[1])
	case ir.OpFma:
		return e.fused(x, args[1], args[2])
	}
	panic("mathlib: no code for " + code.String())
}
