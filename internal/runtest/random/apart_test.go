package random

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var apartSeeds = randtest.New("apart", "firstapart", "random programs on members in several trees", 10, 5)

// apartVariants are the ways to run such a program, of which each does in two.
var apartVariants = []runtest.Variant{
	{Label: "oracle", Arch: ti.Oracle, Threads: 1},
	{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 3},
	{Label: "O0", Arch: ti.LLVM, Opt: "0", Threads: 2},
	{Label: "O1/unchecked", Arch: ti.LLVM, Opt: "1", Threads: 1, Unchecked: true},
	{Label: "O1/debug", Arch: ti.LLVM, Opt: "1", Threads: 3, Debug: true},
	{Label: "O1/walks from the root", Arch: ti.LLVM, Opt: "1", Threads: 2, Without: "access"},
}

// TestRandomApart runs random programs on a field whose members lie in several nodes and trees: kernels and the host
// write, activate, deactivate, clear and save. What comes of each step is compared with a model in plain Go, so that
// the oracle is judged as the compiler is.
func TestRandomApart(t *testing.T) { apartSeeds.Each(t, compareApart) }

func compareApart(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0xa9a28))
	some := []runtest.Variant{apartVariants[0], apartVariants[1+r.IntN(len(apartVariants)-1)]}
	for _, v := range some {
		p := &apartProgram{t: t, r: rand.New(rand.NewPCG(seed, 0xa9a29)), label: v.Label}
		p.run(v, seed)
	}
}

// An apartProgram is a random program, and the model that does the same.
type apartProgram struct {
	t     *testing.T
	r     *rand.Rand
	label string
	f     ti.Field[shard]
	m     *model
	rt    *ti.Runtime
	p     *ti.Program
	src   string
	saved *snapshot
	files [][]byte
}

// A step is a statement of a loop, or a loop, and what it does to the model.
type step struct {
	text string
	do   func(m *model, p place, by int32)
}

func (p *apartProgram) run(v runtest.Variant, seed uint64) {
	rt, _ := v.NewRuntime(p.t)
	defer rt.Close()
	h := ti.Bindings{}
	p.rt, p.m = rt, newModel(rt, &p.f, seed)
	out, is, sum := ti.NewField[shard](rt, p.m.shape[:p.m.rank]...), ti.NewField[int32](rt, p.m.shape[:p.m.rank]...), ti.NewField[int32](rt, 1)
	h["S"], h["Out"], h["Is"], h["Sum"] = &p.f, out, is, sum
	if p.m.beside != nil {
		h["L"] = p.m.beside
	}
	for _, n := range p.m.nodes {
		h[n.name] = n.node
	}
	kernels := p.source()
	prog, err := rt.Compile(ti.Text("apart.ti", p.src), h)
	if err != nil {
		p.t.Fatalf("%v\n%s\n%s", err, p.m, p.src)
	}
	p.p = prog
	for at := range 14 {
		name := p.step(kernels)
		p.compare(at, name, p.m.observed(&p.f), p.m.state())
		p.launch("Read")
		var inKernel strings.Builder
		for _, q := range p.m.places() {
			idx := []int{q[0], q[1]}[:p.m.rank]
			fmt.Fprintln(&inKernel, p.m.index(q), valuesOf(out.At(idx...)), is.At(idx...) != 0)
		}
		want, _, _ := strings.Cut(p.m.state(), "N")
		p.compare(at, name+", read by a kernel", inKernel.String(), want)
		if n := int(sum.At(0)); n != len(p.m.elements()) {
			p.t.Fatalf("%s, step %d, %s: a loop over the field visits %d elements, not %d\n%s\n%s", p.label, at, name, n, len(p.m.elements()), p.m, p.src)
		}
	}
}

func (p *apartProgram) compare(at int, name, got, want string) {
	if got != want {
		p.t.Fatalf("%s, step %d, %s: %s\n%s\n%s", p.label, at, name, firstDifference(got, want), p.m, p.src)
	}
}

func (p *apartProgram) launch(kernel string, args ...any) {
	if _, err := p.p.Kernel(kernel).Launch(context.Background(), args...); err != nil {
		p.t.Fatalf("%s: %v\n%s\n%s", kernel, err, p.m, p.src)
	}
}

// step does one step to the trees and the model, and tells which.
func (p *apartProgram) step(kernels []func(by int32)) string {
	m := p.m
	if k := p.r.IntN(len(kernels) + 7); k < len(kernels) {
		by := int32(p.r.IntN(7))
		p.launch(fmt.Sprintf("K%d", k), by)
		kernels[k](by)
		return fmt.Sprintf("K%d(%d)", k, by)
	}
	at := place{p.r.IntN(m.shape[0]), p.r.IntN(m.shape[1])}
	v := values{int32(p.r.IntN(9)), int32(p.r.IntN(9)), int32(p.r.IntN(3)), int32(p.r.IntN(9)), int32(p.r.IntN(9))}
	switch p.r.IntN(8) {
	case 0:
		n := m.nodes[p.r.IntN(len(m.nodes))]
		n.node.Clear()
		m.clear(n)
		return n.name + ".Clear()"
	case 1:
		p.f.Fill(v.shard())
		for _, q := range m.elements() {
			m.storeAll(q, v)
		}
		return fmt.Sprint("Fill ", v)
	case 2:
		return p.copyFrom()
	case 3:
		return p.member(at, v)
	case 4:
		p.save()
		return "the trees are saved"
	case 5:
		if p.saved != nil {
			p.restore()
			return "the trees are restored"
		}
	}
	p.f.Set(v.shard(), m.index(at)...)
	m.storeAll(at, v)
	return fmt.Sprint("Set ", at, v)
}

// copyFrom sets all elements from a slice.
func (p *apartProgram) copyFrom() string {
	var all []shard
	for _, q := range p.m.places() {
		v := values{}
		if p.r.IntN(4) == 0 {
			v[p.r.IntN(shardComps)] = 1 + int32(p.r.IntN(9))
		}
		all = append(all, v.shard())
		if v != (values{}) {
			p.m.storeAll(q, v)
		} else {
			p.m.data[q] = v
		}
	}
	if err := p.f.CopyFrom(all); err != nil {
		p.t.Fatal(err)
	}
	return "CopyFrom"
}

// member sets a member, of one element or of all that are active.
func (p *apartProgram) member(at place, v values) string {
	m, fill := p.m, p.r.IntN(2) == 0
	k := ti.Member[int32](&p.f, "k")
	c := []int{0, 1, 4}[p.r.IntN(3)]
	where := []place{at}
	if fill {
		where = m.elements()
	}
	switch a := ti.Member[int32](&p.f, "a"); {
	case c == 1:
		if b := ti.Member[float32](&p.f, "b"); fill {
			b.Fill(float32(v[c]))
		} else {
			b.Set(float32(v[c]), m.index(at)...)
		}
	case c == 0:
		k = a
		fallthrough
	default:
		if fill {
			k.Fill(v[c])
		} else {
			k.Set(v[c], m.index(at)...)
		}
	}
	for _, q := range where {
		m.store(q, c, v[c])
	}
	return fmt.Sprint("member ", c, fill, at, v[c])
}

func (p *apartProgram) save() {
	p.files = nil
	for _, tree := range p.m.trees {
		var b bytes.Buffer
		if _, err := tree.WriteTo(&b); err != nil {
			p.t.Fatal(err)
		}
		p.files = append(p.files, b.Bytes())
	}
	s := p.m.save()
	p.saved = &s
}

// restore reads the trees that were saved, in any order.
func (p *apartProgram) restore() {
	for _, i := range p.r.Perm(len(p.files)) {
		if _, err := p.m.trees[i].ReadFrom(bytes.NewReader(p.files[i])); err != nil {
			p.t.Fatal(err)
		}
	}
	p.m.restore(*p.saved)
}

// source makes up a source with several kernels, and what they do to the model.
func (p *apartProgram) source() (kernels []func(by int32)) {
	m := p.m
	var b strings.Builder
	d, at, all := "D1", "[i]", fmt.Sprintf("i := range span(%d, %d)", m.lo, m.lo+m.shape[0])
	over, index, shifted := "i := range S", "i", fmt.Sprintf("[i%+d]", -m.lo)
	if m.rank == 2 {
		d, at = "D2", "[i][j]"
		all = fmt.Sprintf("i, j := range ndrange(span(%d, %d), %d)", m.lo, m.lo+m.shape[0], m.shape[1])
		over, index, shifted = "i, j := range S", "i*7 + j", fmt.Sprintf("[i%+d][j]", -m.lo)
	}
	fmt.Fprintf(&b, "package apart\n\ntype shard struct { a i32; b f32; v vec2; k i32 }\n\nvar (\n\tS, Out field[shard, %s]\n\tIs field[i32, %s]\n\tSum field[i32, D1]\n", d, d)
	if m.beside != nil {
		b.WriteString("\tL field[i32, D2]\n")
	}
	for _, n := range m.nodes {
		fmt.Fprintf(&b, "\t%s node\n", n.name)
	}
	b.WriteString(")\n\n")
	for k := range 7 {
		fmt.Fprintf(&b, "func K%d(by i32) {\n", k)
		var loops []func(by int32)
		for range 1 + p.r.IntN(2) {
			text, loop := p.loop(at, all, over, index)
			b.WriteString(text)
			loops = append(loops, loop)
		}
		b.WriteString("}\n\n")
		kernels = append(kernels, func(by int32) {
			for _, l := range loops {
				l(by)
			}
		})
	}
	active := fmt.Sprintf("isActive(S, %s)", strings.Trim(strings.ReplaceAll(at, "][", ", "), "[]"))
	if m.home[0].kind == "dynamic" {
		active = "j < len(S[i])"
	}
	fmt.Fprintf(&b, "func Read() {\n\tfor %s {\n\t\tOut%s = S%s\n\t\tIs%s = i32(%s)\n\t}\n\tn := 0\n\tfor range S {\n\t\tn++\n\t}\n\tSum[0] = n\n}\n",
		all, shifted, at, shifted, active)
	p.src = b.String()
	return kernels
}

// number is what kernels know an element by.
func (m *model) number(p place) int32 {
	if m.rank == 1 {
		return int32(p[0] + m.lo)
	}
	return int32((p[0]+m.lo)*7 + p[1])
}

// loop makes up a loop.
func (p *apartProgram) loop(at, all, over, index string) (text string, do func(by int32)) {
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

		return p.listLoop(n, rest)
	}
	var body []step
	for range 1 + p.r.IntN(3) {
		body = append(body, p.statement(at, index))
	}
	leaf := m.home[0].kind
	drops := p.r.IntN(6) == 0 && leaf != "dense" && leaf != "dynamic"
	head, inField := all, p.r.IntN(2) == 0
	if inField {
		head = over
	}
	if p.r.IntN(4) == 0 {
		head = strings.Replace(head, "range ", "range serial(", 1) + ")"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\tfor %s {\n\t\tif mod(%s + by, %d) == %d {\n", head, index, n, rest)
	for _, s := range body {
		fmt.Fprintf(&b, "\t\t\t%s\n", s.text)
	}
	if drops {
		fmt.Fprintf(&b, "\t\t\tdeactivate(S, %s)\n", strings.Trim(strings.ReplaceAll(at, "][", ", "), "[]"))
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

// listLoop makes up a loop that appends to lists, or empties them, also by another field in them.
func (p *apartProgram) listLoop(n, rest int32) (text string, do func(by int32)) {
	m, what := p.m, p.r.IntN(4)
	more := fmt.Sprintf("if len(S[i]) < %d {\n\t\t\t\tappend(S[i], shard{a: by, k: i})\n\t\t\t}", m.shape[1]) // a full list is an error in debug mode
	body := []string{more, "clear(S[i])", "clear(S[i])\n\t\t\tappend(S[i], shard{b: 2})", "clear(L[i])\n\t\t\tappend(S[i], shard{b: 2})"}[what]
	return fmt.Sprintf("\tfor i := range span(%d, %d) {\n\t\tif mod(i + by, %d) == %d {\n\t\t\t%s\n\t\t}\n\t}\n", m.lo, m.lo+m.shape[0], n, rest, body), func(by int32) {
		for i := range m.shape[0] {
			x := int32(i + m.lo)
			if modulo(x+by, n) != rest {
				continue
			}
			if what > 0 {
				m.empty(i)
			}
			switch what {
			case 0:
				m.add(i, values{by, 0, 0, 0, x})
			case 2, 3:
				m.add(i, values{0, 2})
			}
		}
	}
}

// statement makes up a statement on the element of an iteration.
func (p *apartProgram) statement(at, index string) step {
	e, c := "S"+at, int32(1+p.r.IntN(6))
	x := fmt.Sprintf("mod(%s + by*%d, 13)", index, c)
	value := func(m *model, q place, by int32) int32 { return modulo(m.number(q)+by*c, 13) }
	switch p.r.IntN(11) {
	case 0:
		return step{fmt.Sprintf("%s.a = %s", e, x), func(m *model, q place, by int32) { m.store(q, 0, value(m, q, by)) }}
	case 1:
		return step{fmt.Sprintf("%s.b = f32(%s)", e, x), func(m *model, q place, by int32) { m.store(q, 1, value(m, q, by)) }}
	case 2:
		return step{fmt.Sprintf("%s.v.y += %d", e, c), func(m *model, q place, _ int32) { m.store(q, 3, m.data[q][3]+c) }}
	case 3:
		return step{fmt.Sprintf("%s.k += %d", e, c), func(m *model, q place, _ int32) { m.store(q, 4, m.data[q][4]+c) }}
	case 4:
		return step{fmt.Sprintf("%s.v[%s & 1] = %d", e, x, c), func(m *model, q place, by int32) { m.store(q, 2+int(value(m, q, by)&1), c) }}
	case 5:
		return step{fmt.Sprintf("%s = shard{a: %s, v: vec2(1, %d)}", e, x, c), func(m *model, q place, by int32) {
			m.storeAll(q, values{value(m, q, by), 0, 1, c, 0})
		}}
	case 6:
		return step{fmt.Sprintf("if %s.a > %d { %s.k = %d }", e, c, e, c), func(m *model, q place, _ int32) {
			if m.data[q][0] > c {
				m.store(q, 4, c)
			}
		}}
	case 7:
		return step{fmt.Sprintf("%s.a = max(%s.a, %d)", e, e, c), func(m *model, q place, _ int32) { m.store(q, 0, max(m.data[q][0], c)) }}
	case 8:
		return step{fmt.Sprintf("%s.b = f32(mod(%s.k, 11)); %s.v.x = %s.b", e, e, e, e), func(m *model, q place, _ int32) {
			m.store(q, 1, modulo(m.data[q][4], 11))
			m.store(q, 2, m.data[q][1])
		}}
	case 9:
		if p.m.home[0].kind == "dynamic" {
			break // elements of a list are appended or written
		}
		return step{fmt.Sprintf("activate(S, %s)", strings.Trim(strings.ReplaceAll(at, "][", ", "), "[]")), func(m *model, q place, _ int32) { m.home[0].enter(q) }}
	}
	return step{fmt.Sprintf("%s.v = vec2(%d, f32(%s))", e, c, x), func(m *model, q place, by int32) {
		m.store(q, 2, c)
		m.store(q, 3, value(m, q, by))
	}}
}

// modulo rounds down.
func modulo(x, n int32) int32 { return (x%n + n) % n }
