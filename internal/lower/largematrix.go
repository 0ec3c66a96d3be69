package lower

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// product is the matrix product, of type t, of x and y, one of which or whose result is
// large; see matMul for small ones.
func (l *lowerer) product(t typed.Type, x, y value, tx, ty typed.Type) *bulk {
	m := &multiplier{l: l, t: t, x: l.inMemory(l.asBulk(x, tx)), y: l.inMemory(l.asBulk(y, ty)), pos: l.b.Pos}
	dx, dy := typed.Dims(tx), typed.Dims(ty)
	m.inner, m.row, m.column = dx[len(dx)-1], len(dx) == 1, len(dy) == 1
	m.to = l.memory(kindsOf(t), ir.Unset)
	switch {
	case m.row:
		m.products(nil, dy[1])
	default:
		l.count(int64(dx[0]), func(i *ir.Value) {
			if w := (way{{index: i}}); m.column {
				m.product(w)
			} else {
				m.products(w, dy[1])
			}
		})
	}
	return l.own(m.to, t)
}

// productValue is product for a result of any number of components.
func (l *lowerer) productValue(t typed.Type, x, y value, tx, ty typed.Type) value {
	b := l.product(t, x, y, tx, ty)
	if l.large(t) {
		return value{bulk: b}
	}
	return value{list: l.load(b.place)}
}

// A multiplier computes a product of matrices, or of a vector and a matrix.
type multiplier struct {
	l           *lowerer
	x, y        *bulk // in memory
	to          *place
	t           typed.Type
	inner       int  // the length of the sums
	row, column bool // x, or y, is a vector
	pos         ir.Pos
}

// left is the factor of row w in term k.
func (m *multiplier) left(w way, k *ir.Value) *ir.Value { return m.x.at(w.then(selector{index: k})) }

// product computes the component at w as a sum.
func (m *multiplier) product(w way) {
	l := m.l
	term := func(k *ir.Value) *ir.Value {
		a, b := m.left(w, k), m.y.at(way{{index: k}})
		l.b.Pos = m.pos
		return l.mul(a, b)
	}
	sum := l.carry(1, m.inner, term(l.int(0)), func(k, sum *ir.Value) *ir.Value { return l.add(sum, term(k)) })
	l.b.Store(l.ptrAt(m.to, m.t, w), sum)
}

// atOnce is the number of terms added to a component between loading and storing it.
const atOnce = 4

// products computes a row of n components. The innermost loop is over the components of
// the row, so that it reads memory in order. Each sum adds its terms from first to last.
func (m *multiplier) products(w way, n int) {
	first := min(m.inner, atOnce)
	m.terms(w, n, nil, first)
	rest := m.inner - first
	if blocks := rest / atOnce; blocks > 0 {
		m.l.count(int64(blocks), func(b *ir.Value) {
			k := m.l.b.Op(ir.OpAdd, m.l.b.Op(ir.OpMul, b, m.l.int(atOnce)), m.l.int(int64(first)))
			m.terms(w, n, k, atOnce)
		})
	}
	if left := rest % atOnce; left > 0 {
		m.terms(w, n, m.l.int(int64(m.inner-left)), left)
	}
}

// terms adds count terms, from term k on, to each component of row w. If k is nil, these
// are the first terms, and the components are set.
func (m *multiplier) terms(w way, n int, k *ir.Value, count int) {
	l := m.l
	ks, left := make([]*ir.Value, count), make([]*ir.Value, count)
	for i := range ks {
		ks[i] = l.int(int64(i))
		if k != nil {
			ks[i] = l.b.Op(ir.OpAdd, k, ks[i])
		}
		left[i] = m.left(w, ks[i])
	}
	l.count(int64(n), func(j *ir.Value) {
		at := w.then(selector{index: j})
		var sum *ir.Value
		if k != nil {
			sum = l.loadAt(m.to, m.t, at)
		}
		for i := range ks {
			b := m.y.at(way{{index: ks[i]}, {index: j}})
			l.b.Pos = m.pos
			if t := l.mul(left[i], b); sum == nil {
				sum = t
			} else {
				sum = l.add(sum, t)
			}
		}
		l.b.Store(l.ptrAt(m.to, m.t, at), sum)
	})
}
