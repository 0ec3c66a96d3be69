package madeup

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A writer makes up kernels.
type writer struct {
	*rand.Rand
	strings.Builder
	seed  uint64
	vars  []string // of f64 that may be assigned
	ints  []string
	loops int // depth of serial loops
	depth int
	names int
	label []string

	extremum string // that M accumulates, in place of what L sums up; "" for none
	stops    bool   // with stopGrad, of which differences know nothing
	all      bool   // of the language, not only what [Kernel] tells
}

func (w *writer) name(prefix string) string {
	w.names++
	return fmt.Sprint(prefix, w.names)
}

func (w *writer) pick(names []string) string { return names[w.IntN(len(names))] }

func (w *writer) integer() string {
	switch w.IntN(4) {
	case 0:
		return fmt.Sprint(w.IntN(6))
	case 1:
		return "N[" + w.pick(w.ints) + "%6]"
	}
	return w.pick(w.ints)
}

// expr is an expression of type f64.
func (w *writer) expr(depth int) string {
	if depth == 0 {
		switch w.IntN(5) {
		case 0:
			return fmt.Sprintf("X[(%s)%%6]", w.integer())
		case 1:
			return fmt.Sprintf("%.3f", w.Float64()*2-1)
		case 2:
			return fmt.Sprintf("a[(%s)%%4]", w.integer())
		}
		return w.pick(w.vars)
	}
	if w.all && w.IntN(4) == 0 {
		return w.more(depth)
	}
	x := func() string { return w.expr(depth - 1) }
	switch w.IntN(10) {
	case 0:
		return "sin(" + x() + ")"
	case 1:
		return "(" + x() + " + " + x() + ")"
	case 2:
		return "sin(" + x() + " * " + x() + ")"
	case 3:
		return "(" + x() + " - " + x() + ")*0.5"
	case 4:
		return "min(" + x() + ", " + x() + ")"
	case 5:
		return x() + " / (2 + sqr(" + x() + "))"
	case 6:
		return "tanh(" + x() + ")"
	case 7:
		return fmt.Sprintf("ifelse(%s, %s, %s)", w.cond(), x(), x())
	case 8:
		return "sqrt(1 + sqr(" + x() + "))*0.7"
	}
	return "cos(" + x() + ")*" + x()
}

func (w *writer) cond() string {
	switch w.IntN(3) {
	case 0:
		return fmt.Sprintf("(%s)%%%d == %d", w.integer(), 2+w.IntN(2), w.IntN(2))
	case 1:
		return fmt.Sprintf("%s > %.3f", w.pick(w.vars), w.Float64()*2-1)
	}
	return fmt.Sprintf("%s < N[%s%%6]", w.integer(), w.pick(w.ints))
}

func (w *writer) line(format string, args ...any) {
	w.WriteString(strings.Repeat("\t", w.depth))
	fmt.Fprintf(w, format+"\n", args...)
}

// block writes statements in braces that the caller has opened.
func (w *writer) block(n int) {
	w.depth++
	vars, ints := len(w.vars), len(w.ints)
	for range 1 + w.IntN(n) {
		w.stmt()
	}
	w.vars, w.ints = w.vars[:vars], w.ints[:ints]
	w.depth--
}

func (w *writer) stmt() {
	if w.depth > 5 {
		w.line("%s = %s", w.pick(w.vars), w.expr(1))
		return
	}
	if w.all && w.IntN(3) == 0 {
		w.statement()
		return
	}
	switch w.IntN(13) {
	case 0, 1:
		v := w.name("v")
		w.line("%s := %s", v, w.expr(2))
		w.line("%s = sin(%s) + %s*0.3", v, v, w.expr(1))
		w.vars = append(w.vars, v)
	case 2, 3, 4:
		w.line("%s = %s", w.pick(w.vars), w.expr(2))
	case 5:
		w.line("a[(%s)%%4] = %s", w.integer(), w.expr(2))
	case 6:
		w.line("a[(%s)%%4] += sin(%s)", w.integer(), w.expr(1))
	case 7, 8:
		w.line("if %s {", w.cond())
		w.block(3)
		if w.IntN(2) == 0 {
			w.line("} else {")
			w.block(3)
		}
		w.line("}")
	case 9, 10:
		w.loop()
	case 11:
		w.jump()
	case 12:
		if w.extremum == "" {
			w.line("L += %s", w.expr(2))
			return
		}
		at := fmt.Sprintf("M[(%s)%%3][(%s)%%4]", w.integer(), w.integer())
		w.line("%s = %s(%s, %s)", at, w.extremum, at, w.expr(2))
	}
}

func (w *writer) loop() {
	if w.loops > 2 {
		return
	}
	w.loops++
	label, k := w.name("loop"), w.name("k")
	w.line("%s:", label)
	w.label = append(w.label, label)
	if w.IntN(3) == 0 {
		w.line("for %s := 0; %s < %d && (%s || %s < 2); %s++ {", k, k, 1+w.IntN(5), w.cond(), k, k)
	} else {
		w.line("for %s := range %s {", k, []string{"3", "N[" + w.pick(w.ints) + "%6]", "2"}[w.IntN(3)])
	}
	w.ints = append(w.ints, k)
	w.depth++
	w.line("if %s > 100 { continue %s }", k, label)
	w.depth--
	w.block(4)
	w.ints = w.ints[:len(w.ints)-1]
	w.label = w.label[:len(w.label)-1]
	w.line("}")
	w.loops--
}

func (w *writer) jump() {
	if len(w.label) == 0 {
		return
	}
	w.line("if %s {", w.cond())
	w.line("\t%s = %s", w.pick(w.vars), w.expr(1))
	w.line("\t%s %s", []string{"break", "continue"}[w.IntN(2)], w.pick(w.label))
	w.line("}")
}

// Kernel returns functions of a source, of which K is the kernel. It computes Y and Z of X, and adds to L;
// its control flow hangs on N, and all of these but L have six elements.
func Kernel(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 0)), seed: seed, vars: []string{"s", "t"}, ints: []string{"i"}}
	w.function()
	w.line("func K() {")
	w.line("\tg := f64(0)")
	w.line("\tfor i := range X { g += sin(X[i])*X[i]/6 }")
	w.line("\tfor i := range X { %s }", w.store("Y", "f(i, X[i], g) + f(i+1, X[(i+1)%6], 0.5)"))
	w.line("\tfor i := range X { %s }", w.store("Z", "f(i, Y[i], X[5])"))
	w.line("}")
	return w.String()
}

// Extrema makes up a kernel like one of [Kernel], in which M and a variable of the kernel accumulate minima or maxima.
func Extrema(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 5)), seed: seed, vars: []string{"s", "t"}, ints: []string{"i"}}
	w.extremum = w.pick([]string{"min", "max"})
	w.function()
	w.line("func K() {")
	w.line("\tfor i, j := range M { M[i][j] = X[(i+j)%%6]*0.2 }")
	w.line("\tg := f64(%d)", w.IntN(3)-1)
	w.line("\tfor i := range X { g = %s(g, sin(X[i]*2)) }", w.pick([]string{"min", "max"}))
	w.line("\tfor i := range X { %s }", w.store("Y", "f(i, X[i], g)"))
	if w.IntN(2) == 0 {
		w.line("\tg *= 2")
	}
	w.line("\tfor k := range serial(6) { M[k%%3][0] = %s(M[k%%3][0], X[k]*g) }", w.extremum)
	w.line("\tfor i := range X { Z[i] = f(i, Y[i], X[5])*g }")
	w.line("}")
	return w.String()
}

// function writes the function f.
func (w *writer) function() {
	w.line("func f(i int, s, t f64) f64 {")
	w.depth = 1
	w.line("var a [4]f64")
	w.line("a[i%%4] = s")
	if w.all {
		w.line("q := dvec2(s, 0.5)")
		w.line("p := pair{s, t, 0.5, i}")
		w.line("h := narrow(t)")
	}
	for range 3 + w.IntN(4) {
		w.stmt()
	}
	w.line("if %s {\n\t\treturn s*t\n\t}", w.cond())
	for range 2 + w.IntN(3) {
		w.stmt()
	}
	rest := ""
	if w.all {
		rest = " + p.sum()*0.2 + sin(q.x*q.y) + f64(h)"
	}
	w.line("return s + sin(t) + a[(%s)%%4]%s", w.integer(), rest)
	w.depth = 0
	w.line("}")
}
