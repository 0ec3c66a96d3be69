package madeup

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Grid makes up a kernel K whose iterations over two axes load elements of M, which the kernel computes from X first: neighbours, rows,
// diagonals and the transposed element, each with its border.
func Grid(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 78))}
	w.WriteString("func at(a, b int) f64 {\n\tif a < 0 || a >= 3 || b < 0 || b >= 4 {\n\t\treturn 0\n\t}\n\treturn M[a][b]\n}\n")
	w.WriteString("func K() {\n\tfor i, j := range M {\n\t\tM[i][j] = X[(i*2+j)%6]*(X[j]+0.3*f64(i))\n\t}\n\tt := N[0] + 1\n\t_ = t\n")
	w.WriteString("\tfor " + w.pick([]string{
		"i, j := range M", "i, j := range ndrange(3, 4)", "j, i := range ndrange(4, 3)", "i, j := range ndrange(2, 3)", "j, i := range ndrange(3, 2)",
		"i, j := range ndrange(span(1, 3), span(0, 2))", "i, j := range ndrange(1 + N[1]%3, 3)", "i, j := range ndrange(3, 3)",
	}) + " {\n\t\ty := M[i][j]\n")
	for range 2 + w.IntN(3) {
		load := w.grid()
		if w.IntN(3) == 0 {
			load += "*" + w.grid()
		}
		text := fmt.Sprintf(w.pick([]string{"y += 0.5*%s", "y = sin(y*%s)", "y -= y*%s*0.3", "y = min(y, %s)"}), load)
		if w.IntN(4) == 0 {
			text = fmt.Sprintf("if %s { %s }", w.pick([]string{"y > 0.1", "i < 2", "j > 0", "i != j", "t > 2"}), text)
		}
		if w.IntN(4) == 0 {
			text = w.around()
		}
		w.WriteString("\t\t" + text + "\n")
	}
	w.WriteString("\t\t" + w.pick([]string{"L += y*M[i][j]", "Y[i+2] += sin(y)", "Z[i+j] += y*y", "L -= cos(y)"}) + "\n\t}\n}\n")
	return w.String()
}

// grid is an element of M: one that is always there, or one that at gives where it is.
func (w *writer) grid() string {
	if w.IntN(3) == 0 {
		return fmt.Sprintf("at(%s, %s)", w.beside("i", "j", "i", "t"), w.beside("j", "i", "j", "2"))
	}
	row := w.pick([]string{"i", "i", "(i+1)%3", "(i+2)%3", "(i+1)%2", "mod(i-1, 2)", "mod(i-1, 3)", "ifelse(i < 2, i+1, 0)", "min(i+1, 2)", "1", "N[2]%3", "t%3", "j%3"})
	column := w.pick([]string{"j", "j", "(j+1)%4", "(j+1)%3", "(j+2)%3", "(j+3)&3", "mod(j-2, 4)", "ifelse(j == 0, 3, j-1)", "max(j-1, 0)", "2", "t%4", "i", "i+1"})
	return "M[" + row + "][" + column + "]"
}

// beside is an index among some, or one at a distance.
func (w *writer) beside(all ...string) string {
	index := w.pick(all)
	if c := w.IntN(5) - 2; c != 0 {
		index += strings.Replace(fmt.Sprintf("+%d", c), "+-", "-", 1)
	}
	return index
}

// around is a nest of serial loops over neighbours along both axes.
func (w *writer) around() string {
	row := w.pick([]string{"(i+a+3)%3", "mod(i-a, 3)", "min(max(i+a, 0), 2)", "max(i-2+a, 0)%3", "i"})
	column := w.pick([]string{"(j+b+4)%4", "mod(j+b, 4)", "mod(j-b, 4)", "min(max(j+b, 0), 3)", "(j+b)&3"})
	loops := w.pick([]string{"for a, b := range ndrange(span(-1, 2), span(-1, 1)) { _ = a; %s }", "for a := -1; a < 2; a++ { _ = a; for b := range serial(3) { %s } }", "for a := 1; a >= 0; a-- { for b := -1; b <= a; b++ { if a == b { continue }; %s } }"})
	return fmt.Sprintf(loops, fmt.Sprintf(w.pick([]string{"y += M[%s][%s]", "y += M[%s][%s]*M[i][j]", "y = sin(y*M[%s][%s])"}), row, column))
}
