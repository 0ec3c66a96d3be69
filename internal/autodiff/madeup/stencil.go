package madeup

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Stencil makes up a kernel K whose iterations load neighbours, in all the ways in which the border is usually
// treated, and some more.
func Stencil(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 77))}
	loop := w.pick([]string{"range X", "range 6", "range span(1, 5)", "range span(2, 6)", "range X.shape[0]", "range 2 + N[1]%5"})
	w.WriteString("func wrap(k int) int {\n\tr := k\n\tif r < 0 {\n\t\tr += 6\n\t} else if r >= 6 {\n\t\tr -= 6\n\t}\n\treturn r\n}\n")
	w.WriteString("func K() {\n\tfor i := " + loop + " {\n\t\ty := X[i]\n")
	for range 2 + w.IntN(4) {
		w.WriteString(w.neighbour())
	}
	w.WriteString("\t\tY[i] = sin(y)*X[" + w.index() + "]\n")
	if w.IntN(2) == 0 {
		w.WriteString("\t\tZ[" + w.index() + "] += y*X[i]\n")
	}
	if w.IntN(3) == 0 {
		w.WriteString("\t\tL += Y[i]\n")
	}
	w.WriteString("\t}\n}\n")
	return w.String()
}

// index is that of a neighbour, always in range.
func (w *writer) index() string {
	switch w.IntN(8) {
	case 0:
		return fmt.Sprintf("(i+%d)%%6", w.IntN(8))
	case 1:
		return fmt.Sprintf("mod(i-%d, 6)", w.IntN(8))
	case 2:
		return "ifelse(i < 5, i+1, 0)"
	case 3:
		return "ifelse(i == 0, 5, i-1)"
	case 4:
		return w.pick([]string{fmt.Sprintf("min(i+%d, 5)", w.IntN(3)), fmt.Sprintf("max(i-%d, 0)", w.IntN(3)), fmt.Sprintf("wrap(i+%d)", w.IntN(6)), fmt.Sprintf("wrap(i-%d)", w.IntN(6))})
	case 5:
		return "ifelse(i >= 1, i-1, 5)"
	case 6:
		return fmt.Sprintf("ifelse(i >= %d, 0, i+1)", 4+w.IntN(2))
	}
	return "i"
}

// neighbour is a statement that changes y by one.
func (w *writer) neighbour() string {
	c := w.IntN(5) - 2
	op := w.pick([]string{"y += 0.5*%s", "y = sin(y*%s)", "y -= y*%s*0.3", "y = min(y, %s)"})
	set := func(x string) string { return fmt.Sprintf(op, x) }
	switch w.IntN(8) {
	case 5, 6:
		return w.serialNeighbours(set)
	case 0:
		return fmt.Sprintf("\t\tif i+%d >= 0 && i+%d < 6 {\n\t\t\t%s\n\t\t}\n", c, c, set(fmt.Sprintf("X[i+%d]", c)))
	case 1:
		return fmt.Sprintf("\t\tif y > %.2f {\n\t\t\t%s\n\t\t}\n", w.Float64()-0.5, set("X["+w.index()+"]"))
	case 2:
		return "\t\t" + set("X["+w.index()+"]*X["+w.index()+"]") + "\n"
	}
	return "\t\t" + set("X["+strings.TrimSpace(w.index())+"]") + "\n"
}

// serialNeighbours is a serial loop over neighbours, most of them of constant length.
func (w *writer) serialNeighbours(set func(string) string) string {
	head := w.pick([]string{"d := range serial(3)", "d := range serial(span(-2, 1))", "d := -1; d <= 1; d++", "d := 2; d > -2; d--", "d := -2; d < 3; d += 2", "d := range serial(1 + N[i%6]%3)"})
	guard := w.pick([]string{"", "", "", "if d == 0 { continue }; ", "if d == 1 { break }; ", "if y > 2 { break }; "})
	body := set(w.pick([]string{
		"X[(i+d+12)%6]", "X[mod(i+d, 6)]", "X[mod(i-d, 6)]*f64(d)", "X[min(max(i+d, 0), 5)]", "X[max(min(i-d, 5), 0)]", "X[wrap(i+d)]", "X[wrap(i-d)]*X[i]", "X[(i-d+6)%6]*(0.3*f64(d))",
	}))
	if w.IntN(4) == 0 {
		body = "if i+d >= 0 && i+d < 6 { " + set("X[i+d]") + " }"
	}
	return "\t\tfor " + head + " { " + guard + body + " }\n"
}
