package madeup

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Program makes up a kernel K of all that a kernel may hold: several loops, serial code and early returns between them, switches,
// loops that end by conditions, structs and references, vectors, accumulation by atomics and the old values that they return,
// functions with several returns, random numbers, and variables of f32 among those of f64. Narrow stands for f32; with f64
// in its place all arithmetic is of one precision.
//
// Besides the fields of [Kernel] there are W, of six elements of narrow, and the counters C, of three, which are declared here.
func Program(seed uint64, narrow string) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 9)), seed: seed, vars: []string{"s", "t"}, ints: []string{"i"}}
	w.all, w.stops = true, w.IntN(4) == 0
	if w.IntN(2) == 0 {
		w.extremum = w.pick([]string{"min", "max"})
	}
	w.WriteString(helpers)
	w.function()
	w.kernel()
	return strings.ReplaceAll(w.String(), "narrow", narrow)
}

const helpers = `var (
	W field[narrow, D1]
	C field[i32, D1]
)

type pair struct {
	u, v f64
	w    narrow
	n    int
}

func (p *pair) turn(d f64) {
	p.u, p.v = p.u*0.6-p.v*0.8*cos(d), p.v*0.6+p.u*0.8
	p.n++
}

func (p pair) sum() f64 { return p.u*f64(p.w) + p.v }

func bump(p *f64, d f64) { *p = sin(*p + d*0.5) }

func both(x, y f64) (f64, f64) {
	if x > y {
		return x*0.5, y
	}
	return sin(y), x*y*0.3
}

func find(x f64, n int) f64 {
	for a := range n + 2 {
		for b := range 3 {
			if x*f64(a) > 1.5 {
				return x * X[b]
			}
			x = sin(x + X[(a+b)%6]*0.4)
		}
		switch {
		case x > 0.8:
			return x * x
		case a == 2:
			continue
		}
		x *= 1.1
	}
	return cos(x)
}

`

// more is an expression that only programs have.
func (w *writer) more(depth int) string {
	x := func() string { return w.expr(max(depth-1, 0)) }
	switch w.IntN(9) {
	case 0:
		return "f64(h)"
	case 1:
		return "p." + w.pick([]string{"u", "v", "sum()"})
	case 2:
		return "find(" + x() + ", (" + w.integer() + ")%4)"
	case 3:
		return "dot(q, dvec2(" + x() + ", 0.3))"
	case 4:
		return "q." + w.pick([]string{"x", "y"})
	case 5:
		if !w.stops {
			return "fma(" + x() + ", 0.4, " + x() + ")"
		}
		return "stopGrad(" + x() + ")*" + x()
	case 6:
		return "length(q)*0.5"
	case 7:
		return "random()*" + x()
	}
	return fmt.Sprintf("clamp(%s, -0.7, 0.9)", x())
}

// statement is one that only programs have.
func (w *writer) statement() {
	switch w.IntN(13) {
	case 12:
		k := w.name("n")
		w.line("%s := %s(&C[(%s)%%3], %d)", k, w.pick([]string{"atomicAdd", "atomicMax", "atomicXchg"}), w.integer(), 1+w.IntN(4))
		w.line("if %s > 6 { %s %%= 6 }", k, k)
		w.ints = append(w.ints, k)
	case 0, 1:
		w.switches()
	case 2, 3:
		w.endless()
	case 4:
		w.line("bump(&%s, %s)", w.pick(append([]string{"p.u", "q.y", fmt.Sprintf("a[(%s)%%4]", w.integer())}, w.vars...)), w.expr(1))
	case 5:
		w.line("p.turn(%s)", w.expr(1))
	case 6:
		w.line("p = pair{%s, p.u, narrow(%s), (%s)%%3}", w.expr(1), w.expr(1), w.integer())
	case 7:
		w.line("h = sin(h + narrow(%s))*narrow(%s)", w.expr(1), w.expr(1))
	case 8:
		w.line("q = dvec2(q.y*0.5, sin(%s))", w.expr(1))
	case 9:
		w.line("%s, %s = both(%s, %s)", "s", "t", w.expr(1), w.expr(1))
	case 10:
		r := w.name("r")
		w.line("%s := &a[(%s)%%4]", r, w.integer())
		w.line("*%s = sin(*%s)*%s", r, r, w.expr(1))
	case 11:
		k := w.name("k")
		w.line("for %s := range static(2) {", k)
		w.line("\tatomicAdd(&L, %s*f64(%s+1)*0.3)", w.expr(1), k)
		w.line("\tatomicSub(&M[(%s+%s)%%3][0], %s*0.1)", k, w.integer(), w.additive(w.expr(1)))
		w.line("}")
	}
}

// additive is what is added to elements whose extremum others take: nothing.
func (w *writer) additive(x string) string {
	if w.extremum != "" {
		return "0"
	}
	return x
}

func (w *writer) switches() {
	w.line("switch (%s)%%4 {", w.integer())
	w.line("case 0, 3:")
	w.block(2)
	w.line("case 1:")
	w.block(2)
	if w.IntN(2) == 0 {
		w.line("default:")
		w.block(2)
	}
	w.line("}")
}

// endless writes a loop that only its conditions end.
func (w *writer) endless() {
	if w.loops > 2 {
		return
	}
	w.loops++
	label, k := w.name("loop"), w.name("k")
	w.line("%s := 0", k)
	w.line("%s:", label)
	w.label = append(w.label, label)
	w.line("for %s {", w.pick([]string{"", k + " < N[" + w.pick(w.ints) + "%6]", "s*s < 4"}))
	w.line("\t%s++", k)
	w.line("\tif %s > %d || %s { break %s }", k, 2+w.IntN(3), w.cond(), label)
	w.ints = append(w.ints, k)
	w.block(3)
	w.ints = w.ints[:len(w.ints)-1]
	w.label = w.label[:len(w.label)-1]
	w.line("}")
	w.loops--
}

// kernel writes K. First M is set, then added to or lowered, and in the end read; the same holds for the variables g and b.
func (w *writer) kernel() {
	w.line("func K() {")
	w.depth = 1
	w.line("var b [3]f64")
	if w.extremum != "" {
		w.line("for i, j := range M { M[i][j] = X[(i+j)%%6]*0.2 }")
	}
	w.line("g := f64(%d)", w.IntN(3)-1)
	if w.IntN(2) == 0 {
		w.line("for i := range %s { g += sin(X[i])*X[(i+1)%%6]/6 }", w.bounds())
	} else {
		w.line("for i := range X { g = %s(g, sin(X[i]*2)) }", w.pick([]string{"min", "max"}))
	}
	w.serial()
	w.line("for i := range X { %s }", w.store("Y", "f(i, X[i], g) + f(i+1, X[(i+1)%6], 0.5)"))
	w.line("for i := range X { b[i%%3] += Y[i]*sin(X[5-i]) }")
	if w.IntN(3) == 0 {
		w.line("if %s {", w.pick([]string{"g > 1.2", "N[1] == 1", "b[0] > 0.4"}))
		w.line("\tL += g*b[1]")
		w.line("\treturn")
		w.line("}")
	}
	w.serial()
	w.line("for i := range %s { %s }", w.bounds(), w.store("W", "narrow(sin(Y[i]*g)) + narrow(X[i])*0.5"))
	if w.IntN(2) == 0 {
		w.line("g *= b[2]")
	}
	w.line("for i := range X { Z[i] = f(i, Y[i], X[5])*g + f64(W[i]) + b[i%%3] }")
	w.line("for i, j := range M { L += M[i][j]*sin(f64(i-j)) }")
	w.promises()
	w.line("L += b[0]*b[1]*g")
	w.depth = 0
	w.line("}")
}

// promises writes a loop each of whose iterations has elements of its own, which the source promises, or none. It draws numbers of its
// own, so that what else a seed makes up stays what it was.
func (w *writer) promises() {
	draws := w.Rand
	defer func() { w.Rand = draws }()
	w.Rand = rand.New(rand.NewPCG(w.seed, 21))
	if w.IntN(3) == 0 {
		return
	}
	own := fmt.Sprintf("(i*%d+%d)%%6", 1+4*w.IntN(2), w.IntN(6))
	index := "j"
	if w.IntN(4) == 0 {
		index = "(j+1)%6" // which keeps the elements apart, but is not what is promised
	}
	if w.IntN(3) == 0 {
		w.line("for h := range 2 {")
		w.line("\tfor k := range 3 {")
		w.line("\t\ti := h*3 + k")
		w.depth++
	} else {
		w.line("for i := range X {")
	}
	w.line("\tj := loopUnique(%s)", own)
	w.line("\ts, t := X[j]*0.7, g")
	switch w.IntN(3) {
	case 0:
		w.line("\tif Y[%s] > 0.1 { s = sin(s)*X[j] }", index)
	case 1:
		w.line("\tfor range N[i]%%6 { s = sin(s + X[%s]*Y[j]) }", index)
	}
	w.line("\tZ[%s] += s*t + sqr(X[j])", w.pick([]string{"j", index}))
	if w.extremum == "" && w.IntN(2) == 0 {
		w.line("\tp := loopUnique(ivec2(j%%2, j/2))")
		w.line("\tM[p] += Y[j]*X[%s]", index)
	}
	w.line("}")
	if w.depth > 1 {
		w.depth--
		w.line("}")
	}
}

func (w *writer) bounds() string {
	return w.pick([]string{"X", "6", "N[3]+2", "span(1, 5)", "N[0]+3"})
}

// serial writes serial code of K, or none.
func (w *writer) serial() {
	switch w.IntN(5) {
	case 0:
		k := w.name("k")
		w.line("for %s := range serial(N[2]+2) { g = sin(g)*X[%s] + g*0.5 }", k, k)
	case 1:
		w.line("if g > %.2f { g = g*g*0.3 } else { b[1] = sin(g) }", w.Float64())
	case 2:
		w.line("for k := 0; k < 5 && g < 2; k++ { g += X[k]*X[k]*0.5 }")
	case 3:
		w.line("for i := range %s { M[i%%3][1] += %s }", w.bounds(), w.additive("X[i]*X[5-i]*0.3"))
	}
}
