package quanttest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/quant/exact"
	"github.com/gotaichi/ti/internal/scalar"
)

// This file is a model of what assignments mean for numbers that share exponents: statements that are written as text for the compiler,
// and carried out by a few lines of Go that know neither its tree nor its IR.

// A slot is one number of an element.
type slot struct {
	text  string // with %s for the index
	group int    // number of the exponent; -1 for a number that is stored as it is
}

// A vector is slots that the source can assign to at once.
type vector struct {
	text  string // with %s for the index
	ctor  string // "vec3"; "" for a scalar
	rows  int    // of a matrix; 0 for others
	slots []int
}

// A record is the slots of a struct.
type record struct {
	text  string // with %s for the index
	slots []int
}

// A layout is the elements of a model.
type elements struct {
	slots   []slot
	vectors []vector
	records []record       // of one type
	formats []quant.Format // by group
}

// A state is what the elements hold.
type state struct {
	*elements
	cells [][]float32
}

// store stores numbers at once: those of a group get one exponent.
func (s *state) store(p int, to []int, vs []float32) {
	cell := s.cells[p]
	groups := map[int]map[int]float32{}
	for i, n := range to {
		g := s.slots[n].group
		if g < 0 {
			cell[n] = vs[i]
			continue
		}
		if groups[g] == nil {
			groups[g] = map[int]float32{}
		}
		groups[g][n] = vs[i]
	}
	for g, by := range groups {
		var members []int
		var bits []uint64
		for n, t := range s.slots {
			if t.group != g {
				continue
			}
			v, stored := by[n]
			if !stored {
				v = cell[n]
			}
			members, bits = append(members, n), append(bits, uint64(math.Float32bits(v)))
		}
		codes, e := exact.EncodeGroup(s.formats[g], scalar.F32, bits)
		for i, n := range members {
			cell[n] = math.Float32frombits(uint32(exact.DecodeGroup(s.formats[g], scalar.F32, codes[i], e)))
		}
	}
}

// An expr is a number.
type expr struct {
	text string // with %s for the index
	of   func(s *state, p int) float32
}

// A statement is a line, or several, of a loop over p.
type statement struct {
	text string
	do   func(s *state, p int)
}

// A writer makes statements up.
type writer struct {
	*elements
	r *rand.Rand
	n int // of variables so far
}

func (w *writer) constant() expr {
	v := float32(math.Ldexp(w.r.Float64()*2-1, w.r.IntN(12)-6))
	switch w.r.IntN(8) {
	case 0:
		v = 0
	case 1: // near a tie of many forms
		v = float32(w.r.IntN(255)*2+1) / 512
	}
	return expr{"f32(" + strconv.FormatFloat(float64(v), 'g', -1, 32) + ")", func(*state, int) float32 { return v }}
}

func (w *writer) expr(depth int) expr {
	switch w.r.IntN(4 + depth) {
	case 0, 1:
		return w.constant()
	case 2:
		c := w.constant()
		return expr{"((f32(p)-3)*" + c.text + ")", func(s *state, p int) float32 { return (float32(p) - 3) * c.of(s, p) }}
	case 3:
		n := w.r.IntN(len(w.slots))
		return expr{w.slots[n].text, func(s *state, p int) float32 { return s.cells[p][n] }}
	}
	a, b := w.expr(depth-1), w.expr(depth-1)
	k := w.r.IntN(3)
	return expr{"(" + a.text + []string{" + ", " - ", " * "}[k] + b.text + ")", func(s *state, p int) float32 { return operate(k, a.of(s, p), b.of(s, p)) }}
}

// operate computes one of + - * min max.
func operate(k int, a, b float32) float32 {
	switch k {
	case 0:
		return a + b
	case 1:
		return a - b
	case 2:
		return a * b
	case 3:
		return min(a, b)
	}
	return max(a, b)
}

func (w *writer) exprs(n int) (es []expr) {
	for range n {
		es = append(es, w.expr(2))
	}
	return es
}

// value joins expressions as a value of a type.
func value(ctor string, es []expr) string {
	var parts []string
	for _, e := range es {
		parts = append(parts, e.text)
	}
	if ctor == "" {
		return parts[0]
	}
	if strings.HasPrefix(ctor, "[") {
		return ctor + "{" + strings.Join(parts, ", ") + "}"
	}
	return ctor + "(" + strings.Join(parts, ", ") + ")"
}

func all(es []expr, s *state, p int) (vs []float32) {
	for _, e := range es {
		vs = append(vs, e.of(s, p))
	}
	return vs
}

// at puts the index into a text.
func at(text, index string) string { return strings.ReplaceAll(text, "%s", index) }

// part is a place: a vector, or some of its slots.
func (w *writer) part() (text, ctor string, slots []int) {
	v := w.vectors[w.r.IntN(len(w.vectors))]
	if v.ctor == "" || w.r.IntN(3) == 0 {
		return v.text, v.ctor, v.slots
	}
	if v.rows > 0 {
		row, n := w.r.IntN(v.rows), len(v.slots)/v.rows
		return fmt.Sprintf("%s[%d]", v.text, row), fmt.Sprintf("vec%d", n), v.slots[row*n : (row+1)*n]
	}
	if len(v.slots) > 4 {
		k := w.r.IntN(len(v.slots))
		return fmt.Sprintf("%s[%d]", v.text, k), "", v.slots[k : k+1]
	}
	letters := w.r.Perm(len(v.slots))[:1+w.r.IntN(len(v.slots))]
	name := ""
	for _, k := range letters {
		name, slots = name+"xyzw"[k:k+1], append(slots, v.slots[k])
	}
	if len(letters) > 1 {
		ctor = fmt.Sprintf("vec%d", len(letters))
	}
	return v.text + "." + name, ctor, slots
}

// statement makes one up.
func (w *writer) statement() statement {
	w.n++
	kinds := []func() statement{w.assign, w.assign, w.several, w.update, w.update, w.chosen, w.each, w.copy, w.byReference, w.extremum, w.exchange}
	s := kinds[w.r.IntN(len(kinds))]()
	if w.r.IntN(4) == 0 {
		k, do := 2+w.r.IntN(3), s.do
		return statement{fmt.Sprintf("if p%%%d == 0 {\n\t\t\t%s\n\t\t}", k, s.text), func(s *state, p int) {
			if p%k == 0 {
				do(s, p)
			}
		}}
	}
	return s
}

// assign is V[p].xz = vec2(…).
func (w *writer) assign() statement {
	text, ctor, slots := w.part()
	es := w.exprs(len(slots))
	return statement{text + " = " + value(ctor, es), func(s *state, p int) { s.store(p, slots, all(es, s, p)) }}
}

// several is X[p], V[p].y = …: one store.
func (w *writer) several() statement {
	var texts, values []string
	var slots []int
	var es []expr
	for range 2 + w.r.IntN(2) {
		text, ctor, of := w.part()
		more := w.exprs(len(of))
		texts, values = append(texts, text), append(values, value(ctor, more))
		slots, es = append(slots, of...), append(es, more...)
	}
	return statement{strings.Join(texts, ", ") + " = " + strings.Join(values, ", "), func(s *state, p int) { s.store(p, slots, all(es, s, p)) }}
}

// update is V[p] += …
func (w *writer) update() statement {
	text, ctor, slots := w.part()
	k := w.r.IntN(3)
	es := w.exprs(len(slots))
	if ctor != "" && !strings.HasPrefix(ctor, "mat") && w.r.IntN(3) == 0 { // by a scalar
		es, ctor = slices.Repeat(es[:1], len(slots)), ""
	}
	if strings.HasPrefix(ctor, "mat") && k == 2 {
		k = 0 // the product of matrices is another
	}
	return statement{text + []string{" += ", " -= ", " *= "}[k] + value(ctor, es), func(s *state, p int) {
		vs := all(es, s, p)
		for i, n := range slots {
			vs[i] = operate(k, s.cells[p][n], vs[i])
		}
		s.store(p, slots, vs)
	}}
}

// chosen is V[p][k] = …, or a row, with an index known at run time.
func (w *writer) chosen() statement {
	v := w.vectors[w.r.IntN(len(w.vectors))]
	if v.ctor == "" {
		return w.assign()
	}
	parts, ctor := len(v.slots), ""
	if v.rows > 0 {
		parts, ctor = v.rows, fmt.Sprintf("vec%d", len(v.slots)/v.rows)
	}
	n, m := len(v.slots)/parts, 1+w.r.IntN(3)
	es := w.exprs(n)
	k := w.r.IntN(4) // 3 is =
	return statement{fmt.Sprintf("%s[(p*%d)%%%d]%s%s", v.text, m, parts, []string{" += ", " -= ", " *= ", " = "}[k], value(ctor, es)), func(s *state, p int) {
		row := p * m % parts
		slots, vs := v.slots[row*n:(row+1)*n], all(es, s, p)
		for i := range vs {
			if k < 3 {
				vs[i] = operate(k, s.cells[p][slots[i]], vs[i])
			}
		}
		s.store(p, slots, vs)
	}}
}

// each is a loop over components, which are stored one after the other.
func (w *writer) each() statement {
	v := w.vectors[w.r.IntN(len(w.vectors))]
	if v.ctor == "" || v.rows > 0 {
		return w.assign()
	}
	e := w.expr(1)
	over := []string{"static(%d)", "%d"}[w.r.IntN(2)]
	return statement{fmt.Sprintf("for c := range "+over+" {\n\t\t\t%s[c] = %s\n\t\t}", len(v.slots), v.text, e.text), func(s *state, p int) {
		for _, n := range v.slots {
			s.store(p, []int{n}, []float32{e.of(s, p)})
		}
	}}
}

// copy copies a struct, and stores something else by the same statement.
func (w *writer) copy() statement {
	k := w.r.IntN(2)
	to, from := w.records[k], w.records[1-k]
	copied := func(s *state, p int) (vs []float32) {
		for _, n := range from.slots {
			vs = append(vs, s.cells[p][n])
		}
		return vs
	}
	if w.r.IntN(2) == 0 {
		return statement{to.text + " = " + from.text, func(s *state, p int) { s.store(p, to.slots, copied(s, p)) }}
	}
	text, ctor, slots := w.part()
	es := w.exprs(len(slots))
	return statement{to.text + ", " + text + " = " + from.text + ", " + value(ctor, es), func(s *state, p int) {
		s.store(p, slices.Concat(to.slots, slots), slices.Concat(copied(s, p), all(es, s, p)))
	}}
}

// byReference is a function that assigns to what it is given.
func (w *writer) byReference() statement {
	v := w.vectors[w.r.IntN(len(w.vectors))]
	if !strings.HasPrefix(v.ctor, "vec") {
		return w.several()
	}
	es := w.exprs(len(v.slots))
	return statement{fmt.Sprintf("put%d(&%s, %s)", len(v.slots), v.text, value(v.ctor, es)), func(s *state, p int) {
		vs := all(es, s, p)
		s.store(p, v.slots, vs)
		for i, n := range v.slots { // the function adds it once more
			vs[i] += s.cells[p][n]
		}
		s.store(p, v.slots, vs)
	}}
}

// extremum is V[p] = min(V[p], …).
func (w *writer) extremum() statement {
	text, ctor, slots := w.part()
	es, k := w.exprs(len(slots)), w.r.IntN(2)
	return statement{fmt.Sprintf("%s = %s(%s, %s)", text, []string{"min", "max"}[k], text, value(ctor, es)), func(s *state, p int) {
		vs := all(es, s, p)
		for i, n := range slots {
			vs[i] = operate(3+k, s.cells[p][n], vs[i])
		}
		s.store(p, slots, vs)
	}}
}

// exchange stores the old value that an atomic returns somewhere else.
func (w *writer) exchange() statement {
	text, ctor, slots := w.part()
	es := w.exprs(len(slots))
	k := w.r.IntN(3) // 2 is an exchange
	name := fmt.Sprintf("old%d", w.n)
	to, last := w.vectors[0], slots[len(slots)-1]
	read := name
	if len(slots) > 1 {
		read = fmt.Sprintf("%s[%d]", name, len(slots)-1)
		if strings.HasPrefix(ctor, "mat") {
			return w.assign()
		}
	}
	op := []string{"atomicAdd", "atomicSub", "atomicXchg"}[k]
	return statement{fmt.Sprintf("%s := %s(&%s, %s)\n\t\t%s.x = %s", name, op, text, value(ctor, es), to.text, read), func(s *state, p int) {
		vs, old := all(es, s, p), s.cells[p][last]
		for i, n := range slots {
			if k < 2 {
				vs[i] = operate(k, s.cells[p][n], vs[i])
			}
		}
		s.store(p, slots, vs)
		s.store(p, to.slots[:1], []float32{old})
	}}
}
