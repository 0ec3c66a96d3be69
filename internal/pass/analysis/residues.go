package analysis

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
)

// mostModulus limits moduli: the residues of a number are bits of a word. It is a power of two that divides the number of integers of
// every kind, so that arithmetic that wraps keeps residues of powers of two.
const mostModulus = 64

// Residues say which remainders a number may leave: bit k of set is set if it may be k more than a multiple of Mod, which is from 1 to
// mostModulus.
type Residues struct {
	Mod int64
	set uint64
}

// anyResidue is what is known of any number.
func anyResidue(m int64) Residues { return Residues{m, ^uint64(0) >> (mostModulus - m)} }

// oneResidue is what is known of the number c.
func oneResidue(c, m int64) Residues { return Residues{m, 1 << floorMod(c, m)} }

func floorMod(a, m int64) int64 { return a - m*FloorDiv(a, m) }

// gcd returns the greatest common divisor of a and b, which are not both 0.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// each calls f for the residues.
func (x Residues) each(f func(k int64)) {
	for s := x.set; s != 0; s &= s - 1 {
		f(int64(bits.TrailingZeros64(s)))
	}
}

// modulo returns what x says of residues of a divisor of its modulus.
func (x Residues) modulo(m int64) Residues {
	y := Residues{Mod: m}
	x.each(func(k int64) { y.set |= 1 << (k % m) })
	return y
}

// ofMultiple returns what x says of residues of a multiple of its modulus.
func (x Residues) ofMultiple(m int64) Residues {
	y := Residues{Mod: m}
	for k := range m {
		y.set |= x.set >> (k % x.Mod) & 1 << k
	}
	return y
}

// affine returns the residues of t·n + c for the numbers n of x.
func (x Residues) affine(t, c int64) Residues {
	y := Residues{Mod: x.Mod}
	t, c = floorMod(t, x.Mod), floorMod(c, x.Mod)
	x.each(func(k int64) { y.set |= 1 << ((t*k + c) % x.Mod) })
	return y
}

// apart reports whether no number has residues of both, which have one modulus.
func (x Residues) apart(y Residues) bool { return x.set&y.set == 0 }

// narrow returns the part of an interval between the first and the last number with such a residue.
func (x Residues) narrow(y Interval) Interval {
	if y.Any || x.set == 0 || y.Hi-y.Lo < 0 { // the difference may not fit
		return y
	}
	has := func(n int64) bool { return x.set>>floorMod(n, x.Mod)&1 != 0 }
	z := y
	for z.Lo < z.Hi && !has(z.Lo) {
		z.Lo++
	}
	for z.Lo < z.Hi && !has(z.Hi) {
		z.Hi--
	}
	return z
}

// remainderTest returns what it says of z that a comparison is true, or false, if it compares a remainder of z with a constant.
func (r *RangeInfo) remainderTest(d *ir.Op, truth bool) (z *ir.Value, x Residues, ok bool) {
	code, a, c := d.Code, d.Args[0], d.Args[1]
	if !truth {
		code = Comparisons[code].Inverse
	}
	if a.Def != nil && a.Def.Code == ir.OpConst {
		code, a, c = Comparisons[code].Mirror, c, a
	}
	n, isConst := ir.IntOf(c)
	if !isConst || a.Def == nil || n < 0 && c.Type.Kind == ir.U64 {
		return nil, x, false
	}
	z, m, signed := r.dividend(a.Def)
	if z == nil {
		return nil, x, false
	}
	x.Mod = m
	for k := range m {
		if compares(code, k, n) || signed && k > 0 && compares(code, k-m, n) {
			x.set |= 1 << k
		}
	}
	return z, x, x != anyResidue(m)
}

// dividend returns the number of which o is the remainder by a constant, and the modulus. Signed says that the remainder of a negative
// number may be negative.
func (r *RangeInfo) dividend(o *ir.Op) (z *ir.Value, m int64, signed bool) {
	if len(o.Args) != 2 || !o.Args[0].Type.Kind.IsInt() || o.Args[0].Type.Lanes != 1 {
		return nil, 0, false
	}
	z = o.Args[0]
	m, ok := ir.IntOf(o.Args[1])
	switch {
	case !ok:
		return nil, 0, false
	case o.Code == ir.OpRem:
		if m < 0 && m >= -mostModulus { // the remainder has the sign of z in any case
			m = -m
		}
		x := r.Get(z)
		signed = z.Type.Kind.IsSigned() && (x.Any || x.Lo < 0)
	case o.Code == ir.OpMod:
	case o.Code == ir.OpAnd && m&(m+1) == 0 && m < mostModulus:
		m++
	default:
		return nil, 0, false
	}
	if m < 2 || m > mostModulus {
		return nil, 0, false
	}
	return z, m, signed
}

// compares reports whether a comparison holds.
func compares(code ir.Code, a, b int64) bool {
	switch code {
	case ir.OpEq:
		return a == b
	case ir.OpNe:
		return a != b
	case ir.OpLt:
		return a < b
	case ir.OpLe:
		return a <= b
	case ir.OpGt:
		return a > b
	}
	return a >= b
}
