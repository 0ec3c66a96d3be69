package random

import (
	"fmt"
	"strings"
)

// randomPrelude declares what random kernels use beside their own functions: a
// struct with methods, a generic function, one with a function parameter, one with a
// field as parameter, and references.
const randomPrelude = randomAliases + `type pair struct {
	a i32
	b f32
	v vec2
	w [3]i64
}

func (s pair) key(k i32) i32 { return s.a ^ (k + i32(s.w[1])) }

func (s *pair) add(d i32, e f32) {
	s.a += d
	s.w[d&1] -= i64(d)
	if s.b > e {
		s.b -= e
		return
	}
	s.v.y = e
}

func make2(a i32, b f32) (s pair) {
	s = pair{a: a, b: b, v: vec2(b, 1)}
	s.w[2] = i64(a)
	return
}

func larger[T any](a, b T) T {
	if a > b {
		return a - b
	}
	return b + T(1)
}

func twice(f func(i32) i32, a i32) i32 { return f(f(a) ^ 5) }

func sum3(x template, i i32) i32 {
	s := i32(0)
	for k := range 3 {
		if i+k > 30 {
			break
		}
		s += i32(x[(i+k)&31])
	}
	return s + len(x)
}

// key is a number of the elements of what may be a section, with a loop over it.
func key(x template, i i32) i32 {
	n := len(x)
	s := n
	for k := range n {
		if k > 4 {
			break
		}
		s = s*3 ^ i32(x[k])
	}
	if n > 0 {
		return s ^ i32(x[mod(i, n)])
	}
	return s
}

// corners takes a section of an argument that may be a section itself.
func corners(x template, i i32) i32 {
	if len(x) == 0 || x.shape.y == 0 {
		return i
	}
	return key(x[mod(i, len(x))], i) ^ key(x[:][mod(i, x.shape.y)], i)
}

func keyed(x template, i i32) i32 { return key(x[min(i&3, len(x)):], i) - key(x[0:len(x):1+(i&3)], i+1) }

func put(x template, i i32, v x.dtype) { x[i] = v }

func swap(p, q *i32) { *p, *q = *q, *p }

type box[T any] struct {
	v T
	n i32
}

func boxed[T any](v T, n i32) box[T] { return box[T]{v: v, n: n} }

func (b box[T]) open(k i32) T {
	if b.n > k {
		return b.v
	}
	return b.v + T(1)
}

func (b *box[T]) push(v T) {
	b.v += v
	b.n++
}

func (m bundle) at(i i32) f32 { return m.Src[mod(i, len(m.Src))]*m.O.y + f32(m.K) }

func (m bundle) put(i i32, v f32) { m.Sub[1][i] = v }

func look(x template, r, c i32) f32 {
	s := x.shape
	if r < 0 || c < 0 || r >= s.x || c >= s.y {
		return f32(s.x - s.y)
	}
	return f32(x[r][c])
}

func corner(a array[i32, D2], i i32) i32 {
	return a[0][a.shape[1]-1] - a[clamp(i, 0, a.shape[0]-1)][0]
}

//ti:noinline
func far(a i32, v vec2) f32 {
	for i := range a & 3 {
		v.x += v.y * i
		if v.x > 8 {
			return v.x
		}
	}
	return v.y
}
`

// call returns a call of one of the functions of the prelude, and its type.
func (g *generator) call(depth int) (e, t string) {
	sub := func(t string) string { return g.expr(t, depth-1) }
	switch g.r.IntN(13) {
	case 10, 11:
		return g.sectionCall(depth), "i32"
	case 0:
		return fmt.Sprintf("make2(%s, %s).key(%s)", sub("i32"), sub("f32"), g.atom("i32")), "i32"
	case 1:
		t := g.pick("i32", "u8", "i64", "u16", "f64", "f32", "i8")
		return fmt.Sprintf("larger(%s, %s)", sub(t), sub(t)), t
	case 2:
		return fmt.Sprintf("twice(%s, %s)", g.literal(), sub("i32")), "i32"
	case 3:
		return fmt.Sprintf("sum3(%s, %s)", g.pick("A", "B", "C", "L[2]", "M.Src"), g.atom("i32")+"&15"), "i32"
	case 4:
		return fmt.Sprintf("far(%s, %s)", sub("i32"), sub("vec2")), "f32"
	case 5:
		return fmt.Sprintf("M.at(%s)", sub("i32")), "f32"
	case 6:
		if g.kernel {
			return fmt.Sprintf("look(TA, i32(%s), %s)", g.index(g.rows, 0, depth), g.atom("i32")), "f32"
		}
	case 7:
		if g.kernel {
			return fmt.Sprintf("corner(TA, %s)", sub("i32")), "i32"
		}
	case 8, 9:
		t := g.pick("i32", "f32", "u8", "i64", "f16", "vec2", "ivec3")
		return fmt.Sprintf("boxed(%s, %s).open(%s)", sub(t), g.atom("i32"), g.atom("i32")), t
	}
	return g.atom("i32"), "i32"
}

// sectionCall returns a call with a section of what no loop writes.
func (g *generator) sectionCall(depth int) string {
	part := func(n, lo int) string {
		if !g.safe && g.chance(15) {
			return fmt.Sprintf("[%s:%s]", g.atom("i32"), g.atom("i32"))
		}
		a, b := lo+g.r.IntN(n), lo+n
		switch g.r.IntN(5) {
		case 0:
			return fmt.Sprintf("[%d:]", a)
		case 1:
			return fmt.Sprintf("[:%d:%d]", b-g.r.IntN(b-a), 1+g.r.IntN(4))
		case 2:
			return fmt.Sprintf("[%d:%d:1+(%s&3)]", a, b, g.atom("i32"))
		case 3:
			return fmt.Sprintf("[%s:%d:%d]", g.index(n, lo, depth), b, 1+g.r.IntN(3))
		}
		return "[:]"
	}
	i := g.atom("i32")
	switch k := g.r.IntN(4); {
	case k < 2:
		m := g.pick("A", "C", "L[2]")
		return fmt.Sprintf("%s(%s%s, %s)", g.pick("key", "keyed"), m, part(g.n(), 0), i)
	case k == 2 && g.kernel:
		return fmt.Sprintf("%s(TA[%s]%s, %s)", g.pick("key", "keyed"), g.index(g.rows, 0, depth), part(g.cols, 0), i)
	case k == 3 && g.kernel:
		return fmt.Sprintf("%s, %s)", g.pick("corners(TA"+part(g.rows, 0)+part(g.cols, 0), fmt.Sprintf("key(TA%s[%s]", part(g.rows, 0), g.index(g.cols, 0, depth))), i)
	}
	return fmt.Sprintf("key(L[2]%s, %s)", part(g.n(), 0), i)
}

// ownSection returns a section with the element of the iteration, its index there, and the type of elements.
func (g *generator) ownSection() (section, index, typ string) {
	m := g.memory(true)
	for strings.Contains("WUZ", m.name) || m.typ == "pair" { // slices, and structs that no expression makes
		m = g.memory(true)
	}
	if m.axes == 1 {
		at := g.own.index
		switch g.r.IntN(3) {
		case 0:
			return m.name + "[:]", at, m.typ
		case 1:
			return fmt.Sprintf("%s[%s:%s+1]", m.name, at, at), "0", m.typ
		}
		return fmt.Sprintf("%s[(%s)&1:%d:2]", m.name, at, g.n()), fmt.Sprintf("(%s)/2", at), m.typ
	}
	lo := [2]int{}
	if m.grid {
		lo = g.origin
	}
	row, col := fmt.Sprintf("%s%+d", g.own.row, lo[0]), fmt.Sprintf("%s%+d", g.own.col, lo[1])
	switch g.r.IntN(4) {
	case 0:
		return fmt.Sprintf("%s[%s]", m.name, row), g.own.col, m.typ
	case 1:
		return fmt.Sprintf("%s[:][%s]", m.name, col), g.own.row, m.typ
	case 2:
		return fmt.Sprintf("%s[%s][%s:]", m.name, row, col), "0", m.typ
	}
	return fmt.Sprintf("%s[%d:%s+1:1][%s]", m.name, lo[0], row, col), g.own.row, m.typ
}

// literal returns a function literal of an i32.
func (g *generator) literal() string {
	switch g.r.IntN(3) {
	case 0:
		return fmt.Sprintf("func(c i32) i32 { return %s }", g.pick("c*"+g.atom("i32"), "c-3", g.atom("i32")+"^(c>>1)"))
	case 1:
		return fmt.Sprintf("func(c i32) i32 { if c > %s { return c - %s }; return c ^ 3 }", g.atom("i32"), g.atom("i32"))
	}
	return fmt.Sprintf("func(c i32) (d i32) { for c > 3 { c >>= 2; d += c ^ %s }; return }", g.atom("i32"))
}
