package analysis

import "github.com/gotaichi/ti/internal/ir"

// Affine is a loop index, or its negative, plus loop-invariant terms: at most one value from outside of the loop, and a constant.
type Affine struct {
	Param  *ir.Value
	neg    bool
	shared *ir.Value
	Add    int64
	terms  int // number of subexpressions visited by collect
}

// Same reports whether a and b are equal in each iteration.
func (a Affine) Same(b Affine) bool {
	a.terms, b.terms = 0, 0
	return a == b
}

// Apart reports whether a and b, both without a parameter, differ in all iterations: by a constant.
func (a Affine) Apart(b Affine) bool {
	d := a.Add - b.Add
	return a.Param == nil && b.Param == nil && a.shared == b.shared && a.neg == b.neg && d != 0 && -1<<31 < d && d < 1<<31
}

// OneParam reports whether a and b are equal exactly in iterations with equal parameters.
func (a Affine) OneParam(b Affine) bool {
	return a.Param != nil && b.Param != nil && a.neg == b.neg && a.shared == b.shared && a.Add == b.Add
}

// maxTerms limits the number of subexpressions that Collect visits. A sum whose operands share subexpressions has exponentially more
// of them than ops.
const maxTerms = 64

// LoopIndex recognises a parameter of body plus a constant. For another value the param is nil; a constant gives itself, so that a
// constant index compares as equal to itself.
func LoopIndex(body *ir.Block, v *ir.Value) Affine {
	var a Affine
	if !a.Collect(body, nil, v, false) || a.neg {
		return Affine{}
	}
	return a
}

// Collect adds v, or its negative, to a. It reports whether the result still has the form
// of an affine of the parameters of body. Inside has the values that the loop defines;
// with a nil map only constants count as loop-invariant.
//
// Overflow does no harm: both the index and the collected sum wrap, so iterations with
// different parameters still get different sums.
func (a *Affine) Collect(body *ir.Block, inside map[*ir.Value]bool, v *ir.Value, neg bool) bool {
	if a.terms++; a.terms > maxTerms {
		return false
	}
	if c, ok := ir.IntOf(v); ok {
		if neg {
			c = -c
		}
		a.Add += c
		return true
	}
	if v.Block == body {
		if a.Param != nil {
			return false
		}
		a.Param, a.neg = v, neg
		return true
	}
	if d := v.Def; d != nil && (d.Code == ir.OpAdd || d.Code == ir.OpSub) {
		return a.Collect(body, inside, d.Args[0], neg) && a.Collect(body, inside, d.Args[1], neg != (d.Code == ir.OpSub))
	}
	if d := v.Def; d != nil && d.Code == ir.OpUnique {
		return a.Collect(body, inside, d.Args[0], neg)
	}
	if inside == nil || inside[v] || neg || a.shared != nil {
		return false
	}
	a.shared = v
	return true
}
