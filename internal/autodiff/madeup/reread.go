package madeup

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Reread makes up a kernel K whose iterations leave loops at different times and read elements of X, Y and M several
// times, some of which other iterations read too. So the backward pass adds to an adjoint several times in an
// iteration, in loops that are run in packets.
func Reread(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 91)), vars: []string{"s", "t"}, ints: []string{"j"}}
	w.line("func K() {")
	w.depth = 1
	w.line("for i := range X { Y[i] = sin(X[i]*%.2f) }", 0.5+w.Float64())
	w.line("for i, j := range M { M[i][j] = X[(i*2+j)%%6]*0.4 }")
	for range 1 + w.IntN(2) {
		w.rereading()
	}
	w.depth = 0
	w.line("}")
	return w.String()
}

// rereading writes a loop.
func (w *writer) rereading() {
	w.ints = []string{"j"}
	if w.IntN(2) == 0 {
		w.line("for j := range %d {", 40+w.IntN(60))
	} else {
		w.line("for i, j := range ndrange(%d, %d) {", 2+w.IntN(2), 33+w.IntN(40))
		w.line("\t_ = i")
		w.ints = append(w.ints, "i")
	}
	w.depth++
	w.line("s, t := X[j%%6]*0.3, %.3f", w.Float64())
	w.line("_ = t")
	if w.IntN(4) == 0 {
		w.rereads()
	}
	for range 1 + w.IntN(2) {
		v := w.name("w")
		w.line("%s := 0", v)
		w.line("for %s {", w.pick([]string{v + " < N[j%6]", "N[" + w.pick(w.ints) + "%6] > " + v, v + " < 5 && N[j%6] + " + v + " != 3", "s < 2 && " + v + " < 4"}))
		w.line("\t%s++", v)
		w.line("\ts = sin(s + %s*0.2)*%s + 0.1", w.element(), w.pick([]string{"1", "1.5", "t"}))
		if w.IntN(3) == 0 {
			w.line("\tif (%s+%s)%%4 == 3 { break }", w.pick(w.ints), v)
		}
		w.line("}")
		w.ints = append(w.ints, v)
	}
	k := w.name("k")
	w.line("%s := %s", k, w.pick([]string{"clamp(j, 0, 5)", "N[j%6]", "(j*5)%6", "min(" + w.pick(w.ints) + ", 5)", "j%6", "2"}))
	w.line("_ = %s", k)
	w.ints = append(w.ints, k, k, k)
	for range 1 + w.IntN(3) {
		w.rereads()
	}
	w.line("%s", w.pick([]string{"L += s*0.1", "L += s*t*0.1", "L -= sin(s + t)*0.1", "L += s*0.1\n\t\tL += t*t*0.1"}))
	w.depth--
	w.line("}")
}

// rereads writes a few reads of elements, of one and the same in half of the cases.
func (w *writer) rereads() {
	e := w.element()
	for range 2 + w.IntN(3) {
		if w.IntN(2) == 0 {
			e = w.element()
		}
		text := strings.ReplaceAll(w.pick([]string{"s += @", "s += 2*@", "t -= @*0.5", "s = s*0.5 + @*t", "t = sin(t + @)", "s += sqr(@)", "s -= @*@"}), "@", e)
		switch w.IntN(5) {
		case 0:
			text = fmt.Sprintf("if %s { %s }", w.pick([]string{"s > 0.2", "j%3 == 1", "N[j%6] < 2", "t < 0.5"}), text)
		case 1:
			text = fmt.Sprintf("for range %s { %s*0.5 }", w.pick([]string{"2", "N[j%6]", "static(2)"}), text)
		}
		w.line("%s", text)
	}
}

// element is one of X, Y or M.
func (w *writer) element() string {
	i := w.pick(w.ints)
	switch w.IntN(5) {
	case 0, 1:
		return fmt.Sprintf("X[%s%%6]", i)
	case 2, 3:
		return fmt.Sprintf("Y[%s%%6]", i)
	}
	return fmt.Sprintf("M[%s%%3][%s%%4]", i, w.pick(w.ints))
}
