package bits

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
)

// A number is an integer of each lane, from lo to hi: a plane for each bit, in two's complement if lo is negative.
// A bool is a number from 0 to 1.
type number struct {
	lo, hi int64
	planes []plane
	// columns are planes that are not added up yet, those of weight 2^i in columns[i]; planes is then unset. Sums of many bits take fewer
	// adders in this way (a carry-save adder).
	columns [][]plane
}

// largest bounds numbers, so that their limits can be computed.
const largest = 1 << 40

// width is the number of planes for the numbers from lo to hi.
func width(lo, hi int64) int {
	if lo >= 0 {
		return bits.Len64(uint64(hi))
	}
	return max(bits.Len64(uint64(max(hi, 0))), bits.Len64(uint64(^lo))) + 1
}

func (n *number) width() int { return width(n.lo, n.hi) }

func fromPlane(p plane) *number {
	if p.constant() {
		return fromConst(int64(ir.BoolBits(p.ones)))
	}
	return &number{hi: 1, planes: []plane{p}}
}

func fromConst(c int64) *number {
	n := &number{lo: c, hi: c}
	for i := range width(c, c) {
		n.planes = append(n.planes, plane{ones: c>>i&1 != 0})
	}
	return n
}

// isConst reports whether n is the same number in all lanes.
func (n *number) isConst() (c int64, ok bool) { return n.lo, n.lo == n.hi }

// settle adds up the columns of n.
func (l *logic) settle(n *number) *number {
	if n.columns == nil {
		return n
	}
	columns := make([][]plane, n.width()+1)
	copy(columns, n.columns)
	for i := range n.width() {
		in := append([]plane{}, columns[i]...)
		for len(in) > 1 {
			a, b, c := in[0], in[1], none
			rest := in[2:]
			if len(rest) > 0 {
				c, rest = rest[0], rest[1:]
			}
			carry := l.majority(a, b, c)
			if c == none {
				carry = l.and(a, b)
			}
			if carry != none {
				columns[i+1] = append(append([]plane{}, columns[i+1]...), carry)
			}
			in = append(append([]plane{}, rest...), l.xor(l.xor(a, b), c))
		}
		if len(in) == 0 {
			in = []plane{none}
		}
		n.planes = append(n.planes, in[0])
	}
	n.columns = nil
	return n
}

// extended returns the lowest w planes of n in two's complement.
func (l *logic) extended(n *number, w int) []plane {
	l.settle(n)
	sign := none
	if n.lo < 0 {
		sign = n.planes[len(n.planes)-1]
	}
	out := append([]plane{}, n.planes[:min(w, len(n.planes))]...)
	for len(out) < w {
		out = append(out, sign)
	}
	return out
}

// limits returns the least and largest number of an integer kind, bounded by largest.
func limits(k ir.Kind) (lo, hi int64) {
	switch w := k.Bits(); {
	case k == ir.Bool:
		return 0, 1
	case w == 64 && k.IsUnsigned():
		return 0, largest
	case w == 64:
		return -largest, largest
	case k.IsUnsigned():
		return 0, 1<<w - 1
	default:
		return -1 << (w - 1), 1<<(w-1) - 1
	}
}

// kept returns the number of kind k with the lowest planes of n, as integers of k wrap; nil if it is too large to compute with.
func (l *logic) kept(k ir.Kind, n *number) *number {
	lo, hi := limits(k)
	if n.lo >= lo && n.hi <= hi {
		return n
	}
	if k.Bits() == 64 || k == ir.Bool {
		return nil
	}
	return &number{lo: lo, hi: hi, planes: l.extended(n, k.Bits())}
}

// add returns x+y before it wraps.
func (l *logic) add(x, y *number) *number {
	n := &number{lo: x.lo + y.lo, hi: x.hi + y.hi}
	if x.lo < 0 || y.lo < 0 {
		n.planes = l.ripple(l.extended(x, n.width()), l.extended(y, n.width()), none)
		return n
	}
	n.columns = make([][]plane, n.width())
	for _, o := range []*number{x, y} {
		from := o.columns
		if from == nil {
			for _, p := range o.planes {
				from = append(from, []plane{p})
			}
		}
		for i, c := range from {
			for _, p := range c {
				if p != none {
					n.columns[i] = append(n.columns[i], p)
				}
			}
		}
	}
	return n
}

// sub returns x-y before it wraps.
func (l *logic) sub(x, y *number) *number {
	n := &number{lo: x.lo - y.hi, hi: x.hi - y.lo}
	other := l.extended(y, n.width())
	for i, p := range other {
		other[i] = l.not(p)
	}
	n.planes = l.ripple(l.extended(x, n.width()), other, all)
	return n
}

// ripple adds the planes of two numbers.
func (l *logic) ripple(x, y []plane, carry plane) []plane {
	out := make([]plane, len(x))
	for i := range x {
		out[i] = l.xor(l.xor(x[i], y[i]), carry)
		if i < len(x)-1 {
			carry = l.majority(x[i], y[i], carry)
		}
	}
	return out
}

// mul returns x*y before it wraps; nil if that may be too large.
func (l *logic) mul(x, y *number) *number {
	const most = 1 << 20
	if min(x.lo, y.lo) < -most || max(x.hi, y.hi) > most {
		return nil
	}
	ends := []int64{x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi}
	n := &number{lo: min(ends[0], ends[1], ends[2], ends[3]), hi: max(ends[0], ends[1], ends[2], ends[3])}
	w := n.width()
	a, b := l.extended(x, w), l.extended(y, w)
	sum := make([]plane, w)
	for i := range sum {
		sum[i] = none
	}
	for i, p := range b {
		if p == none {
			continue
		}
		part := make([]plane, w)
		for j := range part {
			if part[j] = none; j >= i {
				part[j] = l.and(p, a[j-i])
			}
		}
		sum = l.ripple(sum, part, none)
	}
	n.planes = sum
	return n
}

// bitwise returns f of the planes of two numbers.
func (l *logic) bitwise(x, y *number, f func(a, b plane) plane) *number {
	w := max(x.width(), y.width())
	n := &number{hi: 1<<w - 1}
	if x.lo < 0 || y.lo < 0 {
		if x.lo >= 0 && x.width() == w || y.lo >= 0 && y.width() == w {
			w++ // the other needs a plane for its sign
		}
		n.lo, n.hi = -1<<(w-1), 1<<(w-1)-1
	}
	a, b := l.extended(x, w), l.extended(y, w)
	for i := range a {
		n.planes = append(n.planes, f(a[i], b[i]))
	}
	return n
}

// common returns x & y.
func (l *logic) common(x, y *number) *number {
	n := l.bitwise(x, y, l.and)
	switch {
	case x.lo >= 0 && y.lo >= 0:
		n.lo, n.hi = 0, min(x.hi, y.hi)
	case x.lo >= 0:
		n.lo, n.hi = 0, x.hi
	case y.lo >= 0:
		n.lo, n.hi = 0, y.hi
	}
	return l.trimmed(n)
}

// complement returns ^x.
func (l *logic) complement(x *number) *number {
	n := &number{lo: -1 - x.hi, hi: -1 - x.lo}
	for _, p := range l.extended(x, n.width()) {
		n.planes = append(n.planes, l.not(p))
	}
	return n
}

// shifted returns x * 2^by, rounded down if by is negative; nil if it may be too large.
func (l *logic) shifted(x *number, by int64) *number {
	if by > 40 {
		return nil
	}
	if by >= 0 {
		n := &number{lo: x.lo << by, hi: x.hi << by}
		if n.lo < -largest || n.hi > largest || n.lo>>by != x.lo || n.hi>>by != x.hi {
			return nil
		}
		for range by {
			n.planes = append(n.planes, none)
		}
		n.planes = append(n.planes, l.settle(x).planes...)
		return l.trimmed(n)
	}
	by = min(-by, 63)
	n := &number{lo: x.lo >> by, hi: x.hi >> by}
	if planes := l.extended(x, max(x.width(), int(by)+n.width())); len(planes) > int(by) {
		n.planes = planes[by:]
	}
	return l.trimmed(n)
}

// trimmed returns n with the number of planes that its limits need.
func (l *logic) trimmed(n *number) *number {
	if n.lo < 0 && len(n.planes) < n.width() {
		panic("bits: a number lacks its sign")
	}
	for len(n.planes) < n.width() {
		n.planes = append(n.planes, none)
	}
	n.planes = n.planes[:n.width()]
	return n
}

// choose returns x in the lanes of c, and y elsewhere.
func (l *logic) choose(c plane, x, y *number) *number {
	switch {
	case c == all || x == y:
		return x
	case c == none:
		return y
	}
	n := &number{lo: min(x.lo, y.lo), hi: max(x.hi, y.hi)}
	a, b := l.extended(x, n.width()), l.extended(y, n.width())
	for i := range a {
		n.planes = append(n.planes, l.mux(c, a[i], b[i]))
	}
	return n
}

// equal returns the lanes with x == y.
func (l *logic) equal(x, y *number) plane {
	if x.hi < y.lo || y.hi < x.lo {
		return none
	}
	w := max(x.width(), y.width())
	if x.lo < 0 != (y.lo < 0) {
		w++
	}
	a, b := l.extended(x, w), l.extended(y, w)
	differ := none
	for i := range a {
		differ = l.or(differ, l.xor(a[i], b[i]))
	}
	return l.not(differ)
}

// less returns the lanes with x < y.
func (l *logic) less(x, y *number) plane {
	switch {
	case x.hi < y.lo:
		return all
	case x.lo >= y.hi:
		return none
	}
	signed := x.lo < 0 || y.lo < 0
	w := max(x.width(), y.width())
	if signed {
		w++
	}
	a, b := l.extended(x, w), l.extended(y, w)
	if signed { // inverted signs give the order of unsigned numbers
		a[w-1], b[w-1] = l.not(a[w-1]), l.not(b[w-1])
	}
	less := none
	for i := range a {
		less = l.mux(l.xor(a[i], b[i]), b[i], less)
	}
	return less
}

// positive returns the lanes with x > 0.
func (l *logic) positive(x *number) plane { return l.less(fromConst(0), x) }

// isSet returns the lanes with x != 0.
func (l *logic) isSet(x *number) plane { return l.not(l.equal(x, fromConst(0))) }
