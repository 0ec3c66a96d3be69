package random

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gotaichi/ti"
)

// A nestWriter writes kernels that work on parts of nested values: structs of arrays of structs, in fields, slices, views, tables,
// variables and results, reached by members, constant and run-time indices, swizzles and references.
type nestWriter struct {
	r      *rand.Rand
	out    strings.Builder
	tabs   int
	names  int
	fuel   int
	loops  int
	roots  []nestRoot // in scope
	funcs  []nestFunc
	safe   bool
	inFunc bool
	result string // of the function
}

// A nestRoot is something with parts.
type nestRoot struct {
	text  string
	typ   string
	write bool
}

// A nestFunc is a function that takes a reference, a value and a number.
type nestFunc struct {
	name, ref, value, result string
}

// nestTypes are the types of random nests, with the parts that they have.
var nestTypes = map[string][]nestPart{
	"branch": {{".l", "leaves"}, {".m", "mat23"}, {".b", "bool"}, {".q", "longs"}, {".one", "leaf"}},
	"leaves": {{"[3]", "leaf"}},
	"leaf":   {{".a", "i32"}, {".v", "vec3"}, {".h", "f16"}, {".t", "bytes"}, {".d", "f64"}},
	"mat23":  {{"[2]", "vec3"}},
	"vec3":   {{"[3]", "f32"}, {".zx", "vec2"}, {".yz", "vec2"}, {".x", "f32"}, {".z", "f32"}, {".yxz", "vec3"}, {"[0:3:2]", "vec2"}},
	"vec2":   {{"[2]", "f32"}, {".y", "f32"}, {".yx", "vec2"}},
	"longs":  {{"[2]", "long2"}},
	"long2":  {{"[2]", "i64"}, {".x", "i64"}, {".yx", "long2"}},
	"bytes":  {{"[4]", "u8"}, {".wzyx", "bytes"}, {".y", "u8"}},
	"forest": {{"[2]", "branch"}},
}

// A nestPart is a member, a swizzle, or an element of so many.
type nestPart struct{ by, typ string }

const nestDecl = `package nest

type (
	bytes  = [4]u8
	long2  = [2]i64
	longs  = [2]long2
	mat23  = [2][3]f32
	leaves = [3]leaf
	forest = [2]branch
)

type leaf struct {
	a i32
	v vec3
	h f16
	t bytes
	d f64
}

type branch struct {
	l   leaves
	m   mat23
	b   bool
	q   longs
	one leaf
}

var (
	N, R field[branch, D1] // written, and read
	F    field[leaf, D2]
	Z    field[branch, D0]
	C    field[i32, D1]
)

const Table = [3]leaf{
	{a: 1, v: vec3(0.5, 2, -1), t: bytes{1, 2, 3, 250}},
	{a: -7, h: 1.5, d: 3},
	{a: 100, v: vec3(1), h: -2, d: 0.25},
}

const Numbers = [5]i32{3, -1, 4, 1, 5}

func (l *leaf) shake(k i32) i32 {
	l.a, l.t[k & 3] = l.a + k, u8(l.a)
	if k < 0 {
		return l.a
	}
	l.v.zx += l.v.xy
	return k
}

func (l leaf) mix(o leaf) (m leaf) {
	m = o
	m.v = l.v.yxz
	if l.a > o.a {
		m.t = l.t
		return
	}
	m.d -= l.d
	return
}

func used[T any](p *T) {}

func exchange[T any](p, q *T) { *p, *q = *q, *p }

func kept[T any](p *T, v T) T {
	old := *p
	*p = v
	return old
}

func count(p *i32) i32 {
	*p += 1
	return *p & 3
}

`

// nestLeaf and nestBranch are the Go forms of the structs.
type nestLeaf struct {
	A int32      `ti:"a"`
	V ti.Vec3    `ti:"v"`
	H ti.Float16 `ti:"h"`
	T [4]uint8   `ti:"t"`
	D float64    `ti:"d"`
}

type nestBranch struct {
	L   [3]nestLeaf   `ti:"l"`
	M   [2][3]float32 `ti:"m"`
	B   bool          `ti:"b"`
	Q   [2][2]int64   `ti:"q"`
	One nestLeaf      `ti:"one"`
}

// randomNest returns the source of a kernel on nests.
func randomNest(seed uint64) string {
	w := &nestWriter{r: rand.New(rand.NewPCG(seed, 41)), safe: seed%3 > 0}
	w.out.WriteString(nestDecl)
	for range 1 + w.r.IntN(3) {
		w.function()
	}
	w.line("func Run(n i32, S []branch, V array[leaf, D2]) (res branch, sum i64, top i32) {")
	w.tabs++
	w.roots = []nestRoot{{"res", "branch", true}, {"R[1]", "branch", false}, {"Table", "leaves", false}, {"Z", "branch", true}}
	w.line("k := n & 3")
	w.line("_ = k")
	w.fuel = 4
	w.block(2)
	for range 1 + w.r.IntN(2) {
		w.loop()
	}
	w.roots = w.roots[:4]
	w.fuel = 4
	w.block(2)
	w.line("return")
	w.tabs--
	w.line("}")
	return w.out.String()
}

func (w *nestWriter) pick(s ...string) string { return s[w.r.IntN(len(s))] }

func (w *nestWriter) chance(percent int) bool { return w.r.IntN(100) < percent }

func (w *nestWriter) line(format string, args ...any) {
	w.out.WriteString(strings.Repeat("\t", w.tabs))
	fmt.Fprintf(&w.out, format, args...)
	w.out.WriteByte('\n')
}

func (w *nestWriter) name(prefix string) string {
	w.names++
	return fmt.Sprintf("%s%d", prefix, w.names)
}

// function writes a device function with a reference.
func (w *nestWriter) function() {
	all := []string{"branch", "leaf", "vec3", "mat23", "longs", "bytes", "leaves", "i32", "f32"}
	f := nestFunc{w.name("f"), w.pick(all...), w.pick(all...), w.pick("i32", "leaf", "vec3", "branch", "f32")}
	w.line("func %s(p *%s, v %s, k i32) %s {", f.name, f.ref, f.value, f.result)
	w.tabs++
	w.line("_, _ = v, k")
	w.inFunc, w.result = true, f.result
	w.roots = []nestRoot{{"(*p)", f.ref, true}, {"v", f.value, true}, {"Table", "leaves", false}, {"R[2]", "branch", false}}
	w.fuel = 4 + w.r.IntN(4)
	w.block(3)
	w.line("if %s { return %s }", w.cond(), w.value(f.result, 2))
	w.fuel = 3
	w.block(2)
	w.line("return %s", w.value(f.result, 2))
	w.tabs--
	w.line("}\n")
	w.inFunc = false
	w.funcs = append(w.funcs, f)
}

// loop writes a parallel loop.
func (w *nestWriter) loop() {
	saved := len(w.roots)
	own := w.pick("N[i]", "S[i]", "N[5-i]")
	w.line("for i := range %s {", w.pick("6", "N", "len(S)"))
	w.tabs++
	w.line("k := %s", w.pick("i", "n + i", "C[i]"))
	w.line("_ = k")
	roots := w.roots
	w.roots = []nestRoot{{own, "branch", true}, {w.pick("V[0][i]", "F[i][1]", "F[i][0]"), "leaf", true}, {"R[1]", "branch", false}, {"R[mod(k, 6)]", "branch", false}, {"Table", "leaves", false}}
	if !w.safe {
		w.roots = append(w.roots, nestRoot{"R[k]", "branch", false})
	}
	for range 1 + w.r.IntN(2) {
		w.define()
	}
	w.fuel = 6 + w.r.IntN(10)
	w.block(3)
	w.line("sum += %s", w.value("i64", 2))
	if w.chance(50) {
		w.line("top = max(top, %s)", w.value("i32", 2))
	}
	w.tabs--
	w.line("}")
	w.roots = roots[:saved]
}

func (w *nestWriter) block(depth int) {
	for range 2 + w.r.IntN(4) {
		if w.fuel--; w.fuel < 0 {
			return
		}
		w.statement(depth)
	}
}

// nested writes a block in braces.
func (w *nestWriter) nested(depth int, format string, args ...any) {
	w.line(format, args...)
	w.tabs++
	saved := len(w.roots)
	w.block(depth - 1)
	w.roots = w.roots[:saved]
	w.tabs--
}

// define declares a variable or a reference.
func (w *nestWriter) define() {
	t := w.pick("branch", "leaf", "forest", "vec3", "mat23", "longs", "leaves", "bytes")
	n := w.name("v")
	switch w.r.IntN(4) {
	case 0:
		w.line("var %s %s", n, t)
	case 1:
		if p, ok := w.path(t, true, false); ok {
			w.line("%s := &%s", n, p)
			w.roots = append(w.roots, nestRoot{"(*" + n + ")", t, true})
			w.line("used(&(*%s))", n)
			return
		}
		fallthrough
	default:
		w.line("%s := %s", n, w.value(t, 2))
	}
	w.line("_ = %s", n)
	w.roots = append(w.roots, nestRoot{n, t, true})
}

// index returns an index of n parts.
func (w *nestWriter) index(n int) string {
	k := w.pick("k", "k", "n2", "count(&k)")
	if k == "n2" {
		k = "Numbers[k & 3]"
	}
	if w.inFunc && k == "count(&k)" && w.chance(50) {
		k = "k"
	}
	switch {
	case w.chance(40):
		return fmt.Sprint(w.r.IntN(n))
	case !w.safe && w.chance(15):
		return k
	case n&(n-1) == 0 && w.chance(50):
		return fmt.Sprintf("%s & %d", k, n-1)
	}
	return fmt.Sprintf("mod(%s, %d)", k, n)
}

// path returns a part of type t of a root. A reference is to no swizzle.
func (w *nestWriter) path(t string, write, swizzles bool) (string, bool) {
	for range 12 {
		root := w.roots[w.r.IntN(len(w.roots))]
		if write && !root.write {
			continue
		}
		text, at := root.text, root.typ
		for range 6 {
			if at == t && w.chance(80) {
				return text, true
			}
			var parts []nestPart
			for _, p := range nestTypes[at] {
				if swizzles || !strings.Contains(p.by, ":") && !(len(p.by) > 2 && strings.Trim(p.by, ".xyzw") == "") {
					parts = append(parts, p)
				}
			}
			if len(parts) == 0 {
				break
			}
			p := parts[w.r.IntN(len(parts))]
			var n int
			if _, err := fmt.Sscanf(p.by, "[%d]", &n); err == nil && !strings.Contains(p.by, ":") {
				text += "[" + w.index(n) + "]"
			} else {
				text += p.by
			}
			at = p.typ
		}
		if at == t {
			return text, true
		}
	}
	return "", false
}

// value returns an expression of type t.
func (w *nestWriter) value(t string, depth int) string {
	if depth > 0 && w.chance(15) {
		for _, f := range w.funcs {
			if f.result == t && w.chance(50) && !w.inFunc {
				if p, ok := w.path(f.ref, true, false); ok {
					return fmt.Sprintf("%s(&%s, %s, %s)", f.name, p, w.value(f.value, depth-1), w.pick("k", "count(&k)", "2"))
				}
			}
		}
	}
	if depth > 0 && w.chance(12) {
		if p, ok := w.path(t, true, false); ok {
			return fmt.Sprintf("kept(&%s, %s)", p, w.value(t, depth-1))
		}
	}
	if depth > 0 && t == "leaf" && w.chance(30) {
		return fmt.Sprintf("%s.mix(%s)", w.value("leaf", 0), w.value("leaf", depth-1))
	}
	if p, ok := w.path(t, false, true); ok && w.chance(75) {
		if (t == "vec3" || t == "f32" || t == "i32" || t == "vec2" || t == "long2") && depth > 0 && w.chance(40) {
			return fmt.Sprintf("(%s %s %s)", p, w.pick("+", "-", "*"), w.value(t, depth-1))
		}
		return p
	}
	v := func(t string) string { return w.value(t, depth-1) }
	if depth <= 0 {
		return map[string]string{"i32": "k", "f32": "f32(k)", "f64": "f64(k)", "f16": "f16(k)", "u8": "u8(k)", "i64": "i64(k)", "bool": "(k > 1)",
			"vec3": "vec3(k, 1, 2)", "vec2": "vec2(k, 3)", "long2": "long2(i64(k))", "longs": "longs{long2(i64(k)), long2(3)}", "bytes": "bytes(u8(k))",
			"mat23": "mat23{vec3(k), vec3(2)}", "leaf": "leaf{a: k, h: 2}", "leaves": "leaves{leaf{a: k}, leaf{d: 2}, leaf{}}",
			"branch": "branch{b: k > 2, m: mat23{vec3(k), vec3(1)}}", "forest": "forest{branch{}, branch{b: true}}"}[t]
	}
	switch t {
	case "leaf":
		return fmt.Sprintf("leaf{a: %s, v: %s, t: %s}", v("i32"), v("vec3"), v("bytes"))
	case "leaves":
		return fmt.Sprintf("leaves{%s, %s, %s}", v("leaf"), v("leaf"), v("leaf"))
	case "branch":
		return fmt.Sprintf("branch{l: %s, m: %s, q: %s}", v("leaves"), v("mat23"), v("longs"))
	case "forest":
		return fmt.Sprintf("forest{%s, %s}", v("branch"), v("branch"))
	case "mat23":
		return fmt.Sprintf("mat23{%s, %s}", v("vec3"), v("vec3"))
	case "longs":
		return fmt.Sprintf("longs{%s, %s}", v("long2"), v("long2"))
	case "vec3":
		return w.pick(fmt.Sprintf("(%s * %s)", v("f32"), v("vec3")), fmt.Sprintf("vec3(%s, %s)", v("f32"), v("vec2")), fmt.Sprintf("(%s * %s)", v("vec2"), v("mat23")))
	case "vec2":
		return w.pick(fmt.Sprintf("(%s * %s)", v("mat23"), v("vec3")), fmt.Sprintf("col(%s, %s)", v("mat23"), w.index(3)))
	case "bool":
		return w.cond()
	case "i64":
		return fmt.Sprintf("i64(%s)", v("i32"))
	case "i32":
		return w.pick(fmt.Sprintf("i32(%s)", v("u8")), fmt.Sprintf("i32(%s)", v("f32")), "count(&k)", fmt.Sprintf("i32(%s)", v("i64")))
	case "f32":
		return w.pick(fmt.Sprintf("f32(%s)", v("i32")), fmt.Sprintf("dot(%s, %s)", v("vec3"), v("vec3")), fmt.Sprintf("f32(%s)", v("f64")))
	}
	return w.value(t, 0)
}

func (w *nestWriter) cond() string {
	switch w.r.IntN(5) {
	case 0:
		t := w.pick("leaf", "bytes", "vec3", "longs", "branch")
		p, _ := w.path(t, false, true)
		q, ok := w.path(t, false, true)
		if ok && p != "" {
			return fmt.Sprintf("%s %s %s", p, w.pick("==", "!="), q)
		}
	case 1:
		return fmt.Sprintf("%s > %s && count(&k) < 3", w.value("i32", 0), w.value("i32", 0))
	case 2:
		return fmt.Sprintf("%s < 2", w.value("f32", 1))
	}
	return fmt.Sprintf("%s > %s", w.value("i32", 1), w.pick("1", "k", "3"))
}

func (w *nestWriter) statement(depth int) {
	all := []string{"branch", "leaf", "leaves", "vec3", "vec2", "mat23", "longs", "long2", "bytes", "i32", "f32", "i64", "u8", "f64", "f16", "bool", "forest"}
	t := w.pick(all...)
	switch k := w.r.IntN(16); {
	case depth > 0 && k == 0:
		w.nested(depth, "if %s {", w.cond())
		if w.chance(50) {
			w.nested(depth, "} else {")
		}
		w.line("}")
	case depth > 0 && k == 1 && w.loops < 2:
		j := w.name("j")
		static := w.chance(40)
		label := w.name("loop")
		labelled := w.chance(30)
		if labelled {
			w.tabs--
			w.line("%s:", label)
			w.tabs++
		}
		if static {
			w.line("for %s := range static(3) {", j)
		} else {
			w.line("for %s := range serial(%s) {", j, w.pick("3", "k & 3"))
		}
		w.tabs++
		w.line("_ = %s", j)
		w.loops++
		saved := len(w.roots)
		w.block(depth - 1)
		target := ""
		if labelled {
			target = " " + label
		}
		if labelled || w.chance(50) {
			w.line("if %s { %s%s }", w.cond(), w.pick("break", "continue"), target)
			w.block(depth - 1)
		}
		w.roots = w.roots[:saved]
		w.loops--
		w.tabs--
		w.line("}")
	case depth > 0 && k == 2:
		w.nested(depth, "switch %s & 3 {\n%scase 0, 2:", w.value("i32", 1), strings.Repeat("\t", w.tabs))
		w.nested(depth, "case 1:")
		w.line("}")
	case k == 3 && w.inFunc:
		w.line("if %s { return %s }", w.cond(), w.value(w.result, 1))
	case k == 4 || k == 3:
		w.define()
	case k == 5:
		p, ok := w.path(t, true, false)
		q, ok2 := w.path(t, true, false)
		if ok && ok2 {
			w.line("exchange(&%s, &%s)", p, q)
		}
	case k == 6:
		p, ok := w.path(t, true, true)
		u := w.pick(all...)
		q, ok2 := w.path(u, true, true)
		if ok && ok2 {
			w.line("%s, %s = %s, %s", p, q, w.value(t, 1), w.value(u, 1))
		}
	case k == 7:
		if p, ok := w.path("leaf", true, false); ok {
			w.line("%s.shake(%s)", p, w.value("i32", 1))
		}
	case k == 8:
		u := w.pick("i32", "i64", "u8")
		if p, ok := w.path(u, true, false); ok {
			w.line("%s %s %s", p, w.pick("+=", "-=", "*=", "^=", "|="), w.value(u, 1))
		}
	case k == 9:
		u := w.pick("vec3", "vec2", "f32", "f64")
		if p, ok := w.path(u, true, true); ok {
			w.line("%s %s %s", p, w.pick("+=", "-=", "*="), w.value(u, 1))
		}
	case k == 10:
		if p, ok := w.path("i32", true, false); ok {
			w.line("k = %s(&%s, %s)", w.pick("atomicAdd", "atomicMin", "atomicXchg", "atomicSub"), p, w.value("i32", 1))
		}
	case k == 11 && !w.inFunc && len(w.funcs) > 0:
		f := w.funcs[w.r.IntN(len(w.funcs))]
		p, ok := w.path(f.ref, true, false)
		q, ok2 := w.path(f.result, true, true)
		if ok && ok2 {
			w.line("%s = %s(&%s, %s, %s)", q, f.name, p, w.value(f.value, 1), w.pick("k", "count(&k)"))
		}
	default:
		if p, ok := w.path(t, true, true); ok {
			w.line("%s = %s", p, w.value(t, 2))
		}
	}
}
