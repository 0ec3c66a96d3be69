package random

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"

	"github.com/gotaichi/ti"
)

// This file makes up the kernels of random programs on members in several trees.

// source makes up two sources with several kernels, and what these do to the model. One has the field as a whole, and the other
// its members as fields of their own.
func (p *apartProgram) source(h ti.Bindings) (kernels []kernel) {
	m := p.m
	d, at, all := "D1", "[i]", fmt.Sprintf("i := range span(%d, %d)", m.lo, m.lo+m.shape[0])
	over, index, shifted := "i := range ", "i", fmt.Sprintf("[i%+d]", -m.lo)
	if m.rank == 2 {
		d, at = "D2", "[i][j]"
		all = fmt.Sprintf("i, j := range ndrange(span(%d, %d), %d)", m.lo, m.lo+m.shape[0], m.shape[1])
		over, index, shifted = "i, j := range ", "i*7 + j", fmt.Sprintf("[i%+d][j]", -m.lo)
	}
	var shared strings.Builder
	if m.beside != nil {
		shared.WriteString("\tL field[i32, D2]\n")
	}
	for _, n := range m.nodes {
		fmt.Fprintf(&shared, "\t%s node\n", n.name)
	}
	shared.WriteString(")\n\n")

	members := []string{"a i32", "b f32", "v vec2", "k i32"}
	if p.r.IntN(3) == 0 { // the order of the host counts
		p.r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package apart\n\ntype shard struct { %s }\n\nvar (\n\tS, Out field[shard, %s]\n\tIs field[i32, %s]\n\tSum field[i32, D1]\n%s", strings.Join(members, "; "), d, d, &shared)
	kernels = p.kernels(&b, 7, &names{at, all, over, index, false})
	active := fmt.Sprintf("isActive(S, %s)", strings.Trim(strings.ReplaceAll(at, "][", ", "), "[]"))
	if m.home[0].kind == "dynamic" {
		active = "j < len(S[i])"
	}
	fmt.Fprintf(&b, "func Read() {\n\tfor %s {\n\t\tOut%s = S%s\n\t\tIs%s = i32(%s)\n\t}\n\tn := 0\n\tfor range S {\n\t\tn++\n\t}\n\tSum[0] = n\n}\n\n",
		all, shifted, at, shifted, active)
	whole := p.compile(h, b.String())
	for i := range kernels {
		kernels[i].of = whole
	}

	b.Reset()
	fmt.Fprintf(&b, "package alone\n\nvar (\n\tA, K field[i32, %s]\n\tB field[f32, %s]\n\tV field[vec2, %s]\n%s", d, d, d, &shared)
	alone := p.kernels(&b, 5, &names{at, all, over, index, true})
	h = maps.Clone(h)
	for _, name := range []string{"S", "Out", "Is", "Sum"} {
		delete(h, name)
	}
	h["A"], h["B"], h["V"], h["K"] = ti.Member[int32](&p.f, "a"), ti.Member[float32](&p.f, "b"), ti.Member[ti.Vec2](&p.f, "v"), ti.Member[int32](&p.f, "k")
	of := p.compile(h, b.String())
	for _, k := range alone {
		k.of = of
		kernels = append(kernels, k)
	}
	return kernels
}

// A kernel is one of a source, and what it does to the model.
type kernel struct {
	of   *ti.Program
	name string
	do   func(by int32)
}

// names are what loops and their bodies are made of.
type names struct {
	at, all, over, index string
	alone                bool // members are fields of their own
}

// kernels makes up n kernels, as n says.
func (p *apartProgram) kernels(b *strings.Builder, n int, with *names) (kernels []kernel) {
	for k := range n {
		name := fmt.Sprintf("K%d", k)
		if with.alone {
			name = fmt.Sprintf("M%d", k)
		}
		fmt.Fprintf(b, "func %s(by i32) {\n", name)
		var loops []func(by int32)
		for range 1 + p.r.IntN(2) {
			text, loop := p.loop(with)
			b.WriteString(text)
			loops = append(loops, loop)
		}
		b.WriteString("}\n\n")
		kernels = append(kernels, kernel{name: name, do: func(by int32) {
			for _, l := range loops {
				l(by)
			}
		}})
	}
	return kernels
}

// part is a member of the element of an iteration.
func (n *names) part(name string) string {
	if n.alone {
		return strings.ToUpper(name) + n.at
	}
	return "S" + n.at + "." + name
}

// field is the field, or any member of it.
func (n *names) field(r *rand.Rand) string {
	if n.alone {
		return []string{"A", "B", "V", "K"}[r.IntN(4)]
	}
	return "S"
}

// cell are the arguments that name the element of an iteration.
func (n *names) cell(r *rand.Rand) string {
	return n.field(r) + ", " + strings.Trim(strings.ReplaceAll(n.at, "][", ", "), "[]")
}

// number is what kernels know an element by.
func (m *model) number(p place) int32 {
	if m.rank == 1 {
		return int32(p[0] + m.lo)
	}
	return int32((p[0]+m.lo)*7 + p[1])
}

// loop makes up a loop.
func (p *apartProgram) loop(with *names) (text string, do func(by int32)) {
	m := p.m
	n, rest := int32(1+p.r.IntN(5)), int32(p.r.IntN(5))
	switch nodes := m.nodesBy(); {
	case p.r.IntN(3) == 0 && len(nodes) > 0:
		k := nodes[p.r.IntN(len(nodes))]
		coordinate := "p"
		if m.rank == 2 && k.along {
			coordinate = "(p.x + p.y)"
		}
		return fmt.Sprintf("\tfor p := range %s {\n\t\tif mod(%s + by, %d) == %d {\n\t\t\tdeactivate(%s, p)\n\t\t}\n\t}\n", k.name, coordinate, n, rest, k.name), func(by int32) {
			for _, q := range m.places() {
				c := k.cell(q)
				low := int32(m.lo / k.span[0])
				number := int32(c[0]) + low
				if m.rank == 2 && k.along {
					number += int32(c[1])
				}
				if k.has(q) && modulo(number+by, n) == rest {
					m.deactivate(k, c)
				}
			}
		}
	case m.home[0].kind == "dynamic" && p.r.IntN(3) == 0:
		return p.listLoop(with, n, rest)
	}
	var body []step
	for range 1 + p.r.IntN(3) {
		body = append(body, p.statement(with))
	}
	leaf := m.home[0].kind
	drops := p.r.IntN(6) == 0 && leaf != "dense" && leaf != "dynamic"
	head, inField := with.all, p.r.IntN(2) == 0
	if inField {
		head = with.over + with.field(p.r)
	}
	if !drops && p.r.IntN(4) == 0 { // what serial code deactivates stays until a parallel loop begins
		head = strings.Replace(head, "range ", "range serial(", 1) + ")"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\tfor %s {\n\t\tif mod(%s + by, %d) == %d {\n", head, with.index, n, rest)
	for _, s := range body {
		fmt.Fprintf(&b, "\t\t\t%s\n", s.text)
	}
	if drops {
		fmt.Fprintf(&b, "\t\t\tdeactivate(%s)\n", with.cell(p.r))
	}
	b.WriteString("\t\t}\n\t}\n")
	return b.String(), func(by int32) {
		where := m.places()
		if inField {
			where = m.elements()
		}
		var gone []place
		for _, q := range where {
			if modulo(m.number(q)+by, n) != rest {
				continue
			}
			for _, s := range body {
				s.do(m, q, by)
			}
			if drops {
				gone = append(gone, q)
			}
		}
		for _, q := range gone {
			m.deactivate(m.home[0], m.home[0].cell(q))
		}
	}
}

// listLoop makes up a loop that appends to lists, or makes them shorter, also by another field in them.
func (p *apartProgram) listLoop(with *names, n, rest int32) (text string, do func(by int32)) {
	m, what := p.m, p.r.IntN(9)
	list := with.field(p.r) + "[i]"
	if what >= 3 {
		list = "L[i]"
	}
	add, added, stored := "append(L[i], 5)", values{}, []int(nil)
	switch by := p.r.IntN(3); {
	case by == 0:
	case with.alone:
		add, added, stored = "append(B[i], 2)", values{0, 2}, []int{1}
	default:
		add, added, stored = "append(S[i], shard{b: 2})", values{0, 2}, []int{0, 1, 2, 3, 4}
	}
	body := fmt.Sprintf("if len(%s) < %d {\n\t\t\t\t%s\n\t\t\t}", list, m.shape[1], add) // a full list is an error in debug mode
	switch what {
	case 1, 4:
		body = fmt.Sprintf("clear(%s)", list)
	case 2, 5:
		body = fmt.Sprintf("clear(%s)\n\t\t\t%s", list, add)
	case 6:
		body = fmt.Sprintf("if len(%s) == 1 {\n\t\t\t\tclear(%s)\n\t\t\t}", list, list)
	case 7:
		body = fmt.Sprintf("resize(%s, len(%s)/2)", list, list)
	case 8:
		body = fmt.Sprintf("resize(%s, len(%s) - len(%s)/3)\n\t\t\t%s", list, list, list, body)
	}
	return fmt.Sprintf("\tfor i := range span(%d, %d) {\n\t\tif mod(i + by, %d) == %d {\n\t\t\t%s\n\t\t}\n\t}\n", m.lo, m.lo+m.shape[0], n, rest, body), func(by int32) {
		for i := range m.shape[0] {
			if modulo(int32(i+m.lo)+by, n) != rest {
				continue
			}
			length := m.home[0].length[i]
			switch {
			case what == 1, what == 2, what == 4, what == 5, what == 6 && length == 1:
				m.shrink(i, 0)
			case what == 7:
				m.shrink(i, length/2)
			case what == 8:
				m.shrink(i, length-length/3)
			}
			if what != 1 && what != 4 && what != 6 && what != 7 {
				m.add(i, added, stored...)
			}
		}
	}
}

// statement makes up a statement on the element of an iteration.
func (p *apartProgram) statement(with *names) step {
	c := int32(1 + p.r.IntN(6))
	a, b, v, k, x := with.part("a"), with.part("b"), with.part("v"), with.part("k"), fmt.Sprintf("mod(%s + by*%d, 13)", with.index, c)
	value := func(m *model, q place, by int32) int32 { return modulo(m.number(q)+by*c, 13) }
	switch p.r.IntN(12) {
	case 0:
		return step{fmt.Sprintf("%s = %s", a, x), func(m *model, q place, by int32) { m.store(q, 0, value(m, q, by)) }}
	case 1:
		return step{fmt.Sprintf("%s = f32(%s)", b, x), func(m *model, q place, by int32) { m.store(q, 1, value(m, q, by)) }}
	case 2:
		return step{fmt.Sprintf("%s.y += %d", v, c), func(m *model, q place, _ int32) { m.store(q, 3, m.data[q][3]+c) }}
	case 3:
		return step{fmt.Sprintf("%s += %d", k, c), func(m *model, q place, _ int32) { m.store(q, 4, m.data[q][4]+c) }}
	case 4:
		return step{fmt.Sprintf("%s[%s & 1] = %d", v, x, c), func(m *model, q place, by int32) { m.store(q, 2+int(value(m, q, by)&1), c) }}
	case 5:
		if with.alone {
			break
		}
		return step{fmt.Sprintf("S%s = shard{a: %s, v: vec2(1, %d)}", with.at, x, c), func(m *model, q place, by int32) {
			m.storeAll(q, values{value(m, q, by), 0, 1, c, 0})
		}}
	case 6:
		return step{fmt.Sprintf("if %s > %d { %s = %d }", a, c, k, c), func(m *model, q place, _ int32) {
			if m.data[q][0] > c {
				m.store(q, 4, c)
			}
		}}
	case 7:
		return step{fmt.Sprintf("%s = max(%s, %d)", a, a, c), func(m *model, q place, _ int32) { m.store(q, 0, max(m.data[q][0], c)) }}
	case 8:
		return step{fmt.Sprintf("%s = f32(mod(%s, 11)); %s.x = %s", b, k, v, b), func(m *model, q place, _ int32) {
			m.store(q, 1, modulo(m.data[q][4], 11))
			m.store(q, 2, m.data[q][1])
		}}
	case 10:
		active := fmt.Sprintf("isActive(%s)", with.cell(p.r))
		if p.m.home[0].kind == "dynamic" {
			active = fmt.Sprintf("(j < len(%s[i]))", with.field(p.r))
		}
		return step{fmt.Sprintf("if !%s { %s = %d }", active, k, c), func(m *model, q place, _ int32) {
			if !m.active(q) {
				m.store(q, 4, c)
			}
		}}
	case 9:
		if p.m.home[0].kind == "dynamic" {
			break // elements of a list are appended or written
		}
		return step{fmt.Sprintf("activate(%s)", with.cell(p.r)), func(m *model, q place, _ int32) { m.home[0].enter(q) }}
	}
	return step{fmt.Sprintf("%s = vec2(%d, f32(%s))", v, c, x), func(m *model, q place, by int32) {
		m.store(q, 2, c)
		m.store(q, 3, value(m, q, by))
	}}
}

// modulo rounds down.
func modulo(x, n int32) int32 { return (x%n + n) % n }
