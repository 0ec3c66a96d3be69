package random

import "fmt"

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
	switch g.r.IntN(11) {
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
