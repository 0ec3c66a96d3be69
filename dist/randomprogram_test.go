package dist_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A comp is a number that elements of a divided field have.
type comp struct {
	field, member string // "" for the whole element
	kind          string
}

// at is the component at an index such as [i][j].
func (c comp) at(index string) string { return c.field + index + c.member }

// The divided fields that a program may have; those of randomHost.
var divisible = [][]comp{
	{{"A", "", "f32"}},
	{{"B", "", "i32"}},
	{{"D", "", "f64"}},
	{{"V", ".x", "f32"}, {"V", ".y", "f32"}},
	{{"S", ".X", "f32"}, {"S", ".N", "i32"}},
}

var declared = map[string]string{
	"A": "field[f32]", "B": "field[i32]", "D": "field[f64]", "V": "field[vec2]", "S": "field[cell]",
	"R": "field[f32]", "F": "field[f32]", "G": "field[i32]",
	"HAdd": "field[i32]", "HMin": "field[i32]", "HMax": "field[i64]", "HAnd": "field[u16]", "HOr": "field[i32]", "HXor": "field[i32]",
}

// A maker makes up the source of a program from a seed. Divided fields have rows low ≤ i < high; a float sum goes only where no expression reads it,
// since the oracle's order is another.
type maker struct {
	r           *rand.Rand
	low, extent []int
	comps       []comp
	kernels     []string

	body, before strings.Builder // of a loop: what comes in front of the statement under way is in before
	indent       string
	names        int
	from, to     int      // first index of the loop under way
	index        []string // of its iterations
	written      []comp
	neighbours   bool // it writes beside its own rows
}

func newMaker(r *rand.Rand, low, extent []int) *maker {
	m := &maker{r: r, low: low, extent: extent}
	for _, n := range r.Perm(len(divisible))[:1+r.IntN(3)] {
		m.comps = append(m.comps, divisible[n]...)
	}
	return m
}

// source makes up a program of so many kernels.
func (m *maker) source(kernels int) string {
	var s strings.Builder
	s.WriteString("package made\n\ntype cell struct {\n\tX f32\n\tN i32\n}\n\n")
	for _, f := range strings.Fields("A B D V S R F G HAdd HMin HMax HAnd HOr HXor") {
		fmt.Fprintf(&s, "var %s %s\n", f, declared[f])
	}
	for n := range kernels {
		name := fmt.Sprint("K", n)
		m.kernels = append(m.kernels, name)
		fmt.Fprintf(&s, "\nfunc %s(a i32, x f32) (s f32, n i32, d i64) {\n", name)
		for range 1 + m.r.IntN(4) {
			m.part(&s)
		}
		s.WriteString("\treturn s, n, d\n}\n")
	}
	return s.String()
}

// part makes up a loop, or serial code.
func (m *maker) part(s *strings.Builder) {
	m.indent, m.written, m.index, m.neighbours = "\t", nil, nil, false
	m.body.Reset()
	switch n := m.r.IntN(20); {
	case n < 13:
		m.loop()
	case n < 16:
		m.border()
	case n < 18:
		m.serial()
	default:
		m.replicated()
	}
	s.WriteString(m.body.String())
}

// line adds a line, behind those that it needs.
func (m *maker) line(format string, args ...any) {
	m.body.WriteString(m.before.String())
	m.before.Reset()
	fmt.Fprintf(&m.body, "%s%s\n", m.indent, fmt.Sprintf(format, args...))
}

// ahead adds a line in front of the one under way.
func (m *maker) ahead(format string, args ...any) {
	fmt.Fprintf(&m.before, "%s%s\n", m.indent, fmt.Sprintf(format, args...))
}

func (m *maker) open(format string, args ...any) {
	m.line(format+" {", args...)
	m.indent += "\t"
}

func (m *maker) close() {
	m.indent = m.indent[1:]
	m.line("}")
}

func (m *maker) one(of int) bool { return m.r.IntN(of) == 0 }

func pick[T any](m *maker, all ...T) T { return all[m.r.IntN(len(all))] }

// high is the index behind the last one.
func (m *maker) high(axis int) int { return m.low[axis] + m.extent[axis] }

// loop makes up a loop over rows.
func (m *maker) loop() {
	axes := len(m.low)
	names := strings.Fields("i j k")[:axes]
	m.from, m.to = m.low[0], m.high(0)
	bounds := make([]string, axes)
	for k := range axes {
		lo, hi := m.low[k], m.high(k)
		if m.one(3) {
			lo += m.r.IntN(hi - lo)
			hi -= m.r.IntN(hi - lo)
		}
		if k == 0 && m.one(6) {
			lo, hi = lo-m.r.IntN(4), hi+m.r.IntN(m.extent[0]+2)
		}
		if k == 0 {
			m.from, m.to = lo, hi
		}
		bounds[k] = fmt.Sprintf("span(%d, %d)", lo, hi)
	}
	argument := m.one(8)
	if argument { // a bound that the compiler does not know
		bounds[0] = fmt.Sprintf("span(%d+a, %d)", m.from, m.to)
		m.from, m.to = m.from-8, m.to+8
	}
	depth := 1
	switch whole := m.r.IntN(3); {
	case whole == 0 && !argument:
		m.from, m.to = m.low[0], m.high(0)
		m.over(names, m.comps[0].field)
	case axes == 1:
		m.over(names, bounds[0])
	case whole == 1:
		m.over(names[:1], bounds[0])
		for k := 1; k < axes; k++ {
			m.over(names[k:k+1], bounds[k])
			depth++
		}
	default:
		m.over(names, "ndrange("+strings.Join(bounds, ", ")+")")
	}
	m.index = names
	if m.from < m.low[0] || m.to > m.high(0) {
		if m.one(2) {
			m.from, m.to = max(m.from, m.low[0]), min(m.to, m.high(0))
			m.open("if i >= %d && i < %d", m.from, m.to)
			depth++
		}
	}
	m.statements()
	for range depth {
		m.close()
	}
}

// over opens a loop over indices, of which three have one variable in a loop's header.
func (m *maker) over(names []string, what string) {
	if len(names) < 3 {
		m.open("for %s := range %s", strings.Join(names, ", "), what)
	} else {
		m.open("for p := range %s", what)
		m.line("i, j, k := p")
	}
	for _, name := range names { // it need not be used otherwise
		m.line("_ = %s", name)
	}
}

// statements makes up what the iterations of a loop over rows do.
func (m *maker) statements() {
	outside := m.from < m.low[0] || m.to > m.high(0)
	perm := m.r.Perm(len(m.comps))
	for _, n := range perm[:m.r.IntN(min(3, len(perm)+1))] {
		m.written = append(m.written, m.comps[n])
	}
	if outside {
		m.written = nil // sums and prints of rows that are not there
	}
	m.neighbours = m.one(6)
	for _, c := range m.written {
		switch {
		case m.neighbours:
			m.beside(c)
		case m.one(4):
			m.open("if (%s)%%%d == %d", strings.Join(m.index, "+"), 2+m.r.IntN(3), m.r.IntN(2))
			m.store(c)
			m.close()
		default:
			m.store(c)
		}
	}
	if m.neighbours && m.written != nil && !m.one(6) {
		return // what else there is would be refused
	}
	if len(m.written) == 0 || m.one(3) {
		for range 1 + m.r.IntN(2) {
			m.effect()
		}
	}
}

func (m *maker) store(c comp) {
	at := c.at(m.own())
	if c.kind == "i32" && m.one(3) {
		e := m.expr("i32")
		m.line("%s %s %s", at, pick(m, "+=", "-=", "^="), e)
		return
	}
	e := m.expr(c.kind)
	m.line("%s = %s", at, e)
}

// beside makes up a store or update at another row than that of the iteration.
func (m *maker) beside(c comp) {
	by := 1 + m.r.IntN(3)
	if m.one(2) {
		by = -by
	}
	index := fmt.Sprintf("[i%+d]", by) + m.own()[len("[i]"):]
	m.written = append(m.written, c)
	e := m.expr(c.kind)
	m.open("if i%+d >= %d && i%+d < %d", by, m.low[0], by, m.high(0))
	if c.kind == "i32" && m.one(2) {
		m.line("%s += %s", c.at(index), e)
		m.line("%s += 1", c.at(m.own()))
	} else {
		m.line("%s = %s", c.at(index), e)
	}
	m.close()
}

// effect makes up a sum, a line to print, or a condition that is to hold.
func (m *maker) effect() {
	last := m.index[len(m.index)-1]
	switch n := m.r.IntN(16); {
	case n < 2:
		e := m.expr("f32")
		m.line("s += %s", e)
	case n < 5:
		e := m.expr("i32")
		m.line(pick(m, "n += %s", "n = max(n, %s)", "d += i64(%s)", "n = min(n, %s)"), e)
	case n == 5:
		e := m.expr("f32")
		m.line("F[%d] += %s", m.r.IntN(3), e)
	case n < 8:
		e := m.expr("i32")
		m.line("G[%d] += %s", m.r.IntN(3), e)
	case n < 12:
		e, at := m.expr("i32"), m.expr("i32")
		m.line(pick(m, "HAdd[mod(%s, 5)] += %s", "atomicMin(&HMin[mod(%s, 5)], %s)", "atomicMax(&HMax[mod(%s, 5)], i64(%s))",
			"atomicAnd(&HAnd[mod(%s, 5)], u16(%s))", "atomicOr(&HOr[mod(%s, 5)], 1<<(%s&15))", "atomicXor(&HXor[mod(%s, 5)], %s)"), at, e)
	case n < 15:
		e := m.expr(pick(m, "f32", "i32"))
		m.open("if i%%%d == 0 && %s == %d", 2+m.r.IntN(4), last, m.low[len(m.index)-1])
		m.line("print(%q, i, %s)", fmt.Sprint("line", m.r.IntN(100)), e)
		m.close()
	default:
		row := m.low[0] + m.r.IntN(m.extent[0])
		m.line(pick(m, `assert(i != %d, "row %%d", i)`, `assert(i < %d || i%%3 == 0, "row %%d of %%d", i, a)`), row)
	}
}

// own is the index of the iteration.
func (m *maker) own() string { return "[" + strings.Join(m.index, "][") + "]" }

// expr makes up a number of a kind. Lines that it needs are ahead.
func (m *maker) expr(kind string) string {
	var terms []string
	for range 1 + m.r.IntN(3) {
		terms = append(terms, m.term(kind))
	}
	return strings.Join(terms, pick(m, " + ", " - "))
}

func (m *maker) term(kind string) string {
	if kind == "i32" {
		switch m.r.IntN(12) {
		case 0:
			return fmt.Sprint(m.r.IntN(100))
		case 1:
			return "a"
		case 2:
			return "i"
		case 3:
			return "i32(100*random())"
		}
		e, of := m.read()
		if of.kind == "i32" {
			return fmt.Sprintf("%d*%s", 1+m.r.IntN(7), e)
		}
		return fmt.Sprintf("i32(16*%s)", e)
	}
	e := ""
	switch m.r.IntN(14) {
	case 0:
		e = fmt.Sprintf("0.%d", m.r.IntN(1000))
	case 1:
		e = "x"
	case 2:
		e = "0.01*i"
	case 3:
		e = "random()"
	case 4:
		e = fmt.Sprintf("R[mod(%s, 5)]", strings.Join(m.index, "+"))
	default:
		read, of := m.read()
		e = fmt.Sprintf("0.%d*%s", 1+m.r.IntN(6), read)
		if of.kind == kind {
			return e
		}
		if of.kind == "i32" {
			e = fmt.Sprintf("0.%d*(%s&255)", 1+m.r.IntN(6), read)
		}
	}
	return fmt.Sprintf("%s(%s)", kind, e)
}

// read makes up a read of a divided field: near the row of the iteration, or in it if the loop writes the component.
func (m *maker) read() (e string, of comp) {
	of = pick(m, m.comps...)
	if slices.Contains(m.written, of) {
		for _, c := range m.comps { // another one, which may be read anywhere
			if !slices.Contains(m.written, c) {
				return m.readNear(c), c
			}
		}
		if m.neighbours {
			return "1", comp{kind: "i32"}
		}
		return of.at(m.own()), of
	}
	return m.readNear(of), of
}

func (m *maker) readNear(c comp) string {
	low, high := m.low[0], m.high(0)
	rest := ""
	for k := 1; k < len(m.index); k++ {
		rest += "[" + m.beyond(k) + "]"
	}
	by := m.r.IntN(7) - 3
	switch n := m.r.IntN(40); {
	case n < 8 && m.from >= low && m.to <= high || n == 8:
		by = 0
	case n < 16 && m.from+by >= low && m.to+by <= high || n == 16: // beyond the field it is 0, and the launch fails
	case n < 24:
		return c.at(fmt.Sprintf("[min(max(i%+d, %d), %d)]", by, low, high-1) + rest)
	case n < 30 && low == 0 || n == 30:
		e := fmt.Sprintf("[mod(i%+d, %d)]", by, high)
		if m.one(3) {
			e = fmt.Sprintf("[(i%+d)%%%d]", by+high, high)
		}
		return c.at(e + rest)
	case n == 31:
		return c.at(fmt.Sprintf("[%d]", low+m.r.IntN(high-low)) + rest)
	case n == 32 && m.one(4):
		return c.at(fmt.Sprintf("[%d-i]", low+high-1) + rest)
	default:
		m.names++
		name := fmt.Sprint("t", m.names)
		kept := m.before.String()
		m.before.Reset()
		m.before.WriteString(kept)
		m.ahead("%s := %s(0)", name, c.kind)
		m.ahead("if i%+d >= %d && i%+d < %d {", by, low, by, high)
		m.ahead("\t%s = %s", name, c.at(fmt.Sprintf("[i%+d]", by)+rest))
		m.ahead("}")
		return name
	}
	return c.at(fmt.Sprintf("[i%+d]", by) + rest)
}

// beyond is an index of another axis than the first.
func (m *maker) beyond(axis int) string {
	name, low, high := m.index[axis], m.low[axis], m.high(axis)
	by := m.r.IntN(5) - 2
	switch {
	case m.one(2):
		return name
	case low == 0 && m.one(2):
		return fmt.Sprintf("mod(%s%+d, %d)", name, by, high)
	}
	return fmt.Sprintf("min(max(%s%+d, %d), %d)", name, by, low, high-1)
}

// border makes up a loop that writes certain rows.
func (m *maker) border() {
	names := strings.Fields("i j k")[:len(m.low)]
	var bounds []string
	for k := 1; k < len(m.low); k++ {
		bounds = append(bounds, fmt.Sprintf("span(%d, %d)", m.low[k], m.high(k)))
	}
	if bounds == nil {
		m.over([]string{"q"}, "1")
	} else {
		m.over(names[1:], "ndrange("+strings.Join(bounds, ", ")+")")
	}
	rest := ""
	for _, name := range names[1:] {
		rest += "[" + name + "]"
	}
	row := func(near int) string {
		return fmt.Sprintf("[%d]", min(max(near, m.low[0]), m.high(0)-1)) + rest
	}
	c, other := pick(m, m.comps...), pick(m, m.comps...)
	for _, at := range []int{m.low[0], m.high(0) - 1, m.low[0] + m.r.IntN(m.extent[0])}[m.r.IntN(3):] {
		from := other.at(row(at + m.r.IntN(7) - 3))
		e := fmt.Sprintf("%s(0.5*%s + 1)", c.kind, floatOf(other.kind, from))
		if other.kind == "f64" {
			e = fmt.Sprintf("%s(0.5*%s + 1.0)", c.kind, from)
		}
		m.line("%s = %s", c.at(row(at)), e)
		if m.one(5) {
			m.line("print(%q, %s)", "border", c.at(row(at)))
		}
		if m.one(8) {
			m.line("assert(%s > 0.5, %q)", floatOf(c.kind, c.at(row(at))), "border")
		}
	}
	m.close()
}

// certain is an index of a divided field, of constants.
func (m *maker) certain() string {
	s := ""
	for k := range m.low {
		s += fmt.Sprintf("[%d]", m.low[k]+m.r.IntN(m.extent[k]))
	}
	return s
}

// serial makes up code outside of loops.
func (m *maker) serial() {
	c := pick(m, m.comps...)
	switch m.r.IntN(5) {
	case 0:
		m.line("%s = %s(a)", c.at(m.certain()), c.kind)
	case 1:
		m.line("R[%d] = 0.5*R[%d] + x", m.r.IntN(5), m.r.IntN(5))
	case 2:
		m.line("R[%d] = 0.25*f32(%s)", m.r.IntN(5), c.at(m.certain()))
	case 3:
		m.open("if a > %d", m.r.IntN(3))
		m.line("%s = %s(x)", c.at(m.certain()), c.kind)
		m.close()
	default:
		m.line("print(%q, n, %s)", "serial", c.at(m.certain()))
	}
}

// replicated makes up a loop over a field that is not divided.
func (m *maker) replicated() {
	c := pick(m, m.comps...)
	m.over([]string{"k"}, "R")
	switch m.r.IntN(4) {
	case 0:
		m.line("R[k] = 0.5*R[k] + random()")
	case 1:
		m.line("R[k] = 0.1*f32(%s) + k", c.at(m.certain()))
	case 2:
		m.line("HAdd[k] = HXor[mod(k+1, 5)]")
	default:
		m.line("n += G[mod(k, 3)]")
	}
	m.close()
}

func floatOf(kind, e string) string {
	if kind == "i32" {
		return "f32(" + e + ")"
	}
	return e
}
