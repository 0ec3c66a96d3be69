package runtest

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

// structs writes statements with structs; their members are variables afterwards.
func (g *generator) structs(depth int) {
	g.names++
	s := fmt.Sprintf("s%d", g.names)
	value := fmt.Sprintf("make2(%s, %s)", g.expr("i32", 1), g.expr("f32", 1))
	if g.own.known() && g.chance(30) {
		value = fmt.Sprintf("%s[%s]", g.pick("S", "Z"), g.own.index)
	}
	if g.chance(50) {
		g.line("%s := %s", s, value)
		g.line("%s.add(%s, %s)", s, g.expr("i32", 1), g.expr("f32", 1))
		if g.chance(30) {
			g.line("if %s == %s { %s.a++ }", s, value, s)
		}
		g.members(s)
		return
	}
	g.line("var %s [3]pair", s)
	g.line("%s[1] = %s", s, value)
	g.line("%s[%s & 1].a %s %s", s, g.atom("i32"), g.pick("+=", "^=", "="), g.expr("i32", 1))
	g.line("%s[%s].v%s = %s", s, g.within(3), g.pick(".x", ".y"), g.expr("f32", 1))
	if g.chance(50) {
		g.line("for k := range serial(3) { %s[k].add(k + %s, %s) }", s, g.atom("i32"), g.atom("f32"))
	}
	k := fmt.Sprintf("[%s & 1]", g.atom("i32"))
	g.names++
	r := fmt.Sprintf("p%d", g.names)
	g.line("%s := &%s%s", r, s, k)
	g.line("%s.b += 1", r)
	g.members(r)
}

func (g *generator) members(s string) {
	g.vars = append(g.vars, variable{s + ".a", "i32", false}, variable{s + ".b", "f32", false}, variable{s + ".v", "vec2", false}, variable{s + ".w[1]", "i64", false})
}

// assignable returns a variable of a type that may be assigned to.
func (g *generator) assignable(t string) (string, bool) {
	for i := len(g.vars) - 1; i >= 0; i-- {
		if v := g.vars[i]; v.typ == t && !v.fixed && (g.sum == "" || v.name != g.sum) {
			return v.name, true
		}
	}
	return "", false
}

// boxes writes statements with a value of a generic type.
func (g *generator) boxes() {
	g.names++
	b := fmt.Sprintf("b%dx", g.names)
	t := g.pick("i32", "f32", "u8", "i64", "f16", "vec2", "ivec3")
	g.line("%s := %s", b, g.pick(fmt.Sprintf("boxed(%s, %s)", g.expr(t, 1), g.atom("i32")), fmt.Sprintf("box[%s]{n: %s}", t, g.atom("i32"))))
	g.line("%s.push(%s)", b, g.expr(t, 2))
	g.vars = append(g.vars, variable{b + ".v", t, false}, variable{b + ".n", "i32", false})
}

// more writes one of the statements that came later to the language.
func (g *generator) more(depth int) {
	switch g.r.IntN(12) {
	case 0, 1:
		g.structs(depth)
	case 2:
		if a, ok := g.assignable("i32"); ok {
			g.names++
			g.line("o%d := %s", g.names, g.expr("i32", 1))
			g.line("swap(&%s, &o%d)", a, g.names)
			g.vars = append(g.vars, variable{fmt.Sprintf("o%d", g.names), "i32", false})
		}
	case 3:
		if !g.own.known() {
			g.print()
			return
		}
		// The old value is known, as the element is the iteration's own.
		g.declare("i32", fmt.Sprintf("%s(&%s, %s)", g.pick("atomicAdd", "atomicMax", "atomicXor", "atomicXchg", "atomicSub"),
			g.pick("X[", "L[0][")+g.own.index+"]", g.expr("i32", 1)))
	case 4:
		g.labelled(depth)
	case 5:
		if !g.own.known() {
			return
		}
		g.names++
		r := fmt.Sprintf("e%d", g.names)
		g.line("%s := &%s[%s]", r, g.pick("S", "Z"), g.own.index)
		g.line("%s.%s = %s", r, g.pick("a", "w[2]"), "0")
		g.line("%s.add(%s, %s)", r, g.expr("i32", 1), g.expr("f32", 1))
		g.line("M.put(%s, %s)", g.own.index, g.expr("f32", 2))
		g.vars = append(g.vars, variable{r + ".a", "i32", true}, variable{r + ".v", "vec2", true})
	case 6:
		g.boxes()
	case 7:
		g.search()
	case 8:
		g.parts()
	case 9, 10:
		g.report()
	case 11:
		if g.chance(30) {
			g.decompose()
		}
	}
}

// parts goes through the fields of a bundle.
func (g *generator) parts() {
	if !g.own.known() {
		return
	}
	g.names++
	k, l := fmt.Sprintf("k%d", g.names), fmt.Sprintf("l%d", g.names)
	acc := fmt.Sprintf("a%d", g.names)
	g.line("%s := %s", acc, g.expr("i32", 1))
	g.line("for %s, %s := range static(L) {", k, l)
	g.line("\tif static(%s < 2) { %s[%s] = %s } else { %s += %s[%s] }", k, l, g.own.index, g.expr("i32", 2), acc, l, g.index(g.n(), 0, 1))
	g.line("}")
	g.vars = append(g.vars, variable{acc, "i32", false})
}

// labelled writes two loops of which the inner one leaves both.
func (g *generator) labelled(depth int) {
	if g.loops > 0 || !g.own.known() {
		return
	}
	g.names++
	n := g.names
	g.line("outer%d:", n)
	g.loops += 2
	saved := len(g.vars)
	g.line("for i%[1]dx := range %[2]s {", n, g.pick("4", "static(3)", "serial(3)"))
	g.tabs++
	g.line("_ = i%dx", n)
	g.line("for j%dx := range 3 {", n)
	g.vars = append(g.vars, variable{fmt.Sprintf("j%dx", n), "i32", true})
	g.tabs++
	g.line("_ = j%dx", n)
	g.line("if %s { %s outer%d }", g.expr("bool", 2), g.pick("break", "continue"), n)
	g.block(depth - 1)
	g.tabs--
	g.line("}")
	g.vars = g.vars[:saved]
	g.block(depth - 1)
	g.tabs--
	g.line("}")
	g.vars = g.vars[:saved]
	g.loops -= 2
}
