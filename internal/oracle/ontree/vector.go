package ontree

import (
	"github.com/gotaichi/ti/internal/typed"
)

// reductions are the builtins that combine all components from the first to the last, with what none give.
var reductions = map[typed.Fn]struct {
	op   typed.Op
	none float64
}{
	typed.Sum: {typed.Add, 0}, typed.Product: {typed.Mul, 1}, typed.MinOf: {typed.Min, 0}, typed.MaxOf: {typed.Max, 0},
	typed.All: {typed.And, 1}, typed.Any: {typed.Or, 0},
}

// onVectors computes a builtin on vectors.
func (a *arithmetic) onVectors(e *typed.Builtin, args [][]uint64) ([]uint64, bool) {
	x := args[0]
	one := func(v uint64) ([]uint64, bool) { return []uint64{v}, true }
	if r, ok := reductions[e.Fn]; ok {
		return one(a.reduce(r.op, r.none, x))
	}
	switch e.Fn {
	case typed.Dot:
		return one(a.dot(x, args[1]))
	case typed.Length2:
		return one(a.dot(x, x))
	case typed.Length:
		return one(a.norm(x))
	case typed.Distance:
		return one(a.norm(a.zip(typed.Sub, x, args[1])))
	case typed.Normalize:
		n := a.norm(x)
		if !a.m.env.Strict {
			return a.scaled(x, a.div(a.num(1), n)), true
		}
		v := make([]uint64, len(x))
		for i := range v {
			v[i] = a.div(x[i], n)
		}
		return v, true
	case typed.Reflect: // d - 2*dot(n, d)*n
		n := args[1]
		return a.zip(typed.Sub, x, a.scaled(n, a.mul(a.num(2), a.dot(n, x)))), true
	case typed.Refract:
		return a.refract(x, args[1], args[2][0]), true
	case typed.Cross:
		y := args[1]
		minor := func(i, j int) uint64 { return a.sub(a.mul(x[i], y[j]), a.mul(x[j], y[i])) }
		if len(x) == 2 {
			return one(minor(0, 1))
		}
		return []uint64{minor(1, 2), minor(2, 0), minor(0, 1)}, true
	case typed.Outer2:
		var v []uint64
		for _, s := range x {
			v = append(v, a.scaled(args[1], s)...)
		}
		return v, true
	case typed.RGBA:
		return one(a.rgba(x))
	}
	return nil, false
}

func (a *arithmetic) zip(op typed.Op, x, y []uint64) []uint64 {
	v := make([]uint64, len(x))
	for i := range v {
		v[i] = binary(op, a.s, x[i], y[i])
	}
	return v
}

func (a *arithmetic) scaled(x []uint64, s uint64) []uint64 {
	v := make([]uint64, len(x))
	for i := range v {
		v[i] = a.mul(x[i], s)
	}
	return v
}

func (a *arithmetic) reduce(op typed.Op, none float64, x []uint64) uint64 {
	if len(x) == 0 {
		return a.num(none)
	}
	r := x[0]
	for _, y := range x[1:] {
		r = binary(op, a.s, r, y)
	}
	return r
}

func (a *arithmetic) dot(x, y []uint64) uint64 {
	return a.reduce(typed.Add, 0, a.zip(typed.Mul, x, y))
}

// norm is the Euclidean length.
func (a *arithmetic) norm(x []uint64) uint64 {
	if len(x) == 1 {
		return a.abs(x[0])
	}
	return a.sqrt(a.dot(x, x))
}

// refract is the direction of d behind the surface of normal n; zero if all light is reflected.
func (a *arithmetic) refract(d, n []uint64, eta uint64) []uint64 {
	t := a.dot(n, d)
	k := a.sub(a.num(1), a.mul(a.mul(eta, eta), a.sub(a.num(1), a.mul(t, t))))
	v := make([]uint64, len(d))
	if a.less(k, a.num(0)) {
		for i := range v {
			v[i] = a.num(0)
		}
		return v
	}
	along := a.add(a.mul(eta, t), a.sqrt(k))
	for i := range v {
		v[i] = a.sub(a.mul(d[i], eta), a.mul(n[i], along))
	}
	return v
}

// rgba packs a colour of numbers from 0 to 1 into 0xAABBGGRR. Alpha is 1 if it is left out.
func (a *arithmetic) rgba(x []uint64) uint64 {
	var w uint32
	for i, c := range x {
		c = a.add(a.mul(a.clamp(c, a.num(0), a.num(1)), a.num(255)), a.num(0.5))
		w |= uint32(convert(a.s, typed.I32, c)) << (8 * i)
	}
	if len(x) == 3 {
		w |= 0xff000000
	}
	return uint64(w)
}
