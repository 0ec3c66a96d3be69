package madeup

import (
	"math/rand/v2"
	"strings"
)

// store is code of an iteration that stores x in its element of a field, and may read the element again. It draws numbers of its own, so
// that what else a seed makes up stays what it was.
func (w *writer) store(field, x string) string {
	r := rand.New(rand.NewPCG(w.seed, 100+uint64(field[0])))
	at := field + "[i]"
	switch r.IntN(6) {
	case 0: // one of two values
		return "if " + readBackWhen(r) + " { " + at + " = " + x + readBack(r, at) + " } else { " + at + " = (" + x + ")*0.5" + readBack(r, at) + " }" + readBack(r, at)
	case 1: // a constant here and there
		return "if i == 2 { " + at + " = 0.4" + readBack(r, at) + " } else { " + at + " = " + x + " }" + readBack(r, at)
	}
	return at + " = " + x + readBack(r, at)
}

// readBack are statements behind another one that read an element which the iteration has stored to, or none.
func readBack(r *rand.Rand, at string) (text string) {
	for range r.IntN(3) {
		loss := "L += " + pick(r, "sqr(f64(@))*0.2", "sin(f64(@))*X[(i+2)%6]", "f64(@)*0.5", "f64(@)*f64(@)*f64(@)*0.1", "min(f64(@), X[i])")
		around := pick(r,
			"#", "#", "if "+readBackWhen(r)+" { # }", "for range N[i]%6 { # }", "for k := range 3 { if X[k] < 0.5 { # } }", "for k := 0; k < 5 && X[k] > -0.8; k++ { # }",
			"for range serial(2) { # }", "if "+readBackWhen(r)+" { # } else { L -= f64(@) }", "{ y := f64(@)*X[5]; #; L += y*y*0.1 }",
		)
		text += "; " + strings.ReplaceAll(strings.ReplaceAll(around, "#", loss), "@", at)
	}
	return text
}

func readBackWhen(r *rand.Rand) string { return pick(r, "X[i] > 0", "i%2 == 0", "X[3] < X[i]") }

func pick(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }
