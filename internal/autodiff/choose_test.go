package autodiff_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/pass/note"
)

// keepers are kernels with the bytes of an iteration that their serial loops store, in the order of the text; + if the number of iterations is unknown.
var keepers = []struct {
	name, source string
	bytes        string
}{
	{"reloaded", "func K() { for i := range X { s := 0.0; for j := range 4 { s += M[1][j]*X[i] }; Y[i] = s*s } }", ""},
	{"computed again", "func K() { for i := range X { s := 0.0; for j := range 4 { s += (M[1][j]+1)*(X[i]-2) }; Y[i] = s } }", ""},
	{"an exponential", "func K() { for i := range X { z := X[i]; for j := range 4 { z = z*z + sin(exp(M[1][j]*X[i])) }; Y[i] = z } }", "16"},
	{"no forward sweep", "func K() { for i := range X { s := 0.0; for j := range 4 { s += sin(exp(M[1][j]*X[i])) }; Y[i] = s } }", ""},
	{"a forward sweep for a sum", "func K() { for i := range X { s := 0.0; for j := range 4 { s += sin(exp(M[1][j]*X[i])) }; Y[i] = s*s } }", "8"},
	{"a forward sweep for an array", "func K() { for i := range X { var a [4]f64; for j := range 4 { a[j] = sin(exp(M[1][j]*X[i])) }; Y[i] = a[1]*a[2] } }", "8"},
	{"an array of the iteration", "func K() { for i := range X { s := 0.0; for j := range 4 { var a [3]f64; for k := range 3 { a[k] = exp(M[1][j]*X[i]) }; s += a[j%3]*a[1] }; Y[i] = s } }", "8"},
	{"a state", "func K() { for i := range X { z := X[i]; for range 4 { z = z*z }; Y[i] = z } }", "8"},
	{"a sum", "func K() { for i := range X { z := X[i]; for j := range 4 { z += z*0.5 + M[2][j] }; Y[i] = z } }", ""},
	{"an element of an array", "func K() { for i := range X { var a [9]f64; for j := range 9 { a[j] = X[i]*f64(j) }; for j := range 9 { v := a[j]; a[j] = v*v }; s := 0.0; for j := range 9 { s += a[j] }; Y[i] = s } }", "8"},
	{"an array", "func K() { for i := range X { var a [2]f64; a[0], a[1] = X[i], 2; for j := range 5 { s := 0.0; for k := range 2 { s += a[k]*a[k] }; a[j&1] = s*0.1 }; Y[i] = a[0]+a[1] } }", "24"},
	{"a loop", "func K() { for i := range X { s := 0.0; for j := range 4 { t := 0.0; for k := range 3 { t += M[k][j] * X[i] }; s += t*t }; Y[i] = s*s } }", "8"},
	{"a loop without a forward sweep", "func K() { for i := range X { s := 0.0; for j := range 4 { t := 0.0; for k := range 3 { t += M[k][j] * X[i] }; s += t*t }; Y[i] = s } }", ""},
	{"a loop in a loop of unknown length", "func K() { for i := range X { z := X[i]; for range N[i] + 2 { s := 0.0; for k := range 3 { s += sin(exp(M[k][1]*z)) }; z = s*s }; Y[i] = z } }", "40 +"},
	{"a root in a nest", "func K() { for i := range X { z := X[i]; for range N[i] + 2 { s := 0.0; for range 4 { for range 4 { s += sqrt(z*z) } }; z = s*0.1 }; Y[i] = z } }", "136 +"},
	{"a loop of a length that data say", "func K() { for i := range X { s, x, n := 0.0, X[i], N[i]+1; for range 4 { t := x; for range n { t = t*0.5 }; s += t*t }; Y[i] = s*s } }", "8"},
	{"what an inner loop takes from outside", "func K() { for i := range X { z := X[i]; for range 4 { u := z*0.5; a, b, c, d, e := 0.1, 0.2, 0.3, 0.4, 0.5; for range 2 { a += u; b -= u; c += u; d -= u; e += u }; z = a*a + b*b - c*c + d*d - e*e }; Y[i] = z } }", "8"},
	{"a root in a nest that does not begin at 0", "func K() { for i := range X { z := X[i]; for range N[i] + 2 { s := 0.0; for a := range span(-2, 2) { for b := range span(3, 7) { s += sqrt(z*z+f64(a+b)) } }; z = s*0.1 }; Y[i] = z } }", "136 +"},
	{"on one side", "func K() { for i := range X { s := 0.0; for j := range 4 { if M[1][j] > 0 { s += sin(exp(M[1][j]*X[i])) } }; Y[i] = s*s } }", "8"},
}

// TestRoom looks at how many iterations a loop keeps that needs 136 bytes of each, beside a second array of states: where packets of iterations
// have to share the room, and where there are none.
func TestRoom(t *testing.T) {
	const body = "z := X[i]; for range N[i] + 2 { s := 0.0; for range 4 { for range 4 { s += sqrt(z*z) } }; z = s*0.1 }; Y[i] = z"
	const (
		many   = "func K() { for i := range X { " + body + " } }"
		data   = "func K() { n := N[0] + 1; for i := range n { " + body + " } }"                                // perhaps many
		beside = "func K() { for i := range X { y := X[i]; for range 4 { y = y*y }; Z[i] = y; " + body + " } }" // a loop that has its own room
		few    = "func K() { for i := range 3 { " + body + " } }"
		serial = "func K() { i := 2; z := X[i]; for range serial(N[i] + 2) { s := 0.0; for range 4 { for range 4 { s += sqrt(z*z) } }; z = s*0.1 }; Y[i] = z }"
		array  = "func K() { for i := range X { var a [400]f64; z := X[i]; for k := range N[i] + 2 { a[k] = z; z = a[k/2]*a[k] }; Y[i] = z } }"
	)
	for _, c := range []struct {
		source  string
		room    int64
		entries int
	}{
		{many, 0, 4096}, {many, 1 << 24, 4096}, {many, 1 << 23, 2048}, {many, 1 << 14, 8},
		{data, 1 << 24, 4096}, {data, 1 << 23, 2048},
		{beside, 1 << 24, 4096}, {beside, 1 << 23, 2048},
		{few, 0, 4096}, {few, 1 << 20, 4096}, {few, 1 << 19, 2048}, {few, 1 << 10, 8},
		{serial, 1 << 20, 4096}, {serial, 1 << 19, 2048},
		{array, 0, 2048}, {array, 1 << 20, 128}, // too large for packets
	} {
		k := lowered(t, c.source)
		notes := &note.Notes{}
		if _, err := autodiff.Reverse(k, adjointsOf(k), autodiff.Options{Notes: notes, Room: c.room}); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("for up to %d iterations", c.entries)
		if !slices.ContainsFunc(notes.List, func(n note.Note) bool { return strings.Contains(n.Text, want) }) {
			t.Errorf("%s, %d bytes: no loop stores so much %s: %v", c.source, c.room, want, notes.List)
		}
	}
}

// TestKeep sees what loops keep, and that the backward pass is right with it.
func TestKeep(t *testing.T) {
	for _, c := range keepers {
		t.Run(c.name, func(t *testing.T) {
			k := lowered(t, c.source)
			var kept []string
			notes := &note.Notes{}
			if _, err := autodiff.Reverse(k, adjointsOf(k), autodiff.Options{Notes: notes}); err != nil {
				t.Fatal(err)
			}
			for _, n := range notes.List {
				if slices.Contains(n.Of, note.LoopStores) {
					kept = append(kept, regexp.MustCompile(`\d+`).FindString(n.Text))
				} else if slices.Contains(n.Of, note.LoopStoresStates) {
					kept = append(kept, regexp.MustCompile(`\d+`).FindString(n.Text)+" +")
				}
			}
			if got := strings.Join(kept, " "); got != c.bytes {
				t.Errorf("bytes kept of an iteration: %q, want %q", got, c.bytes)
			}
			back, err := adjoint(t, k)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, k, back, []float64{0.3, 0.7, -0.4, 1.1, 0.9, -0.8}, rand.New(rand.NewPCG(1, 1)))
		})
	}
}

// TestAgain sees what notes say that the backward pass reads and computes again, and why.
func TestAgain(t *testing.T) {
	for _, c := range []struct {
		source string
		reason note.Reason
		want   string
	}{
		{"func K() { for i := range Y { for k := range 8 { L += sin(cos(X[i])*X[k]) } } }", note.LoopRecomputesAlone, ": cos, mul"},
		{"func K() { for i := range Y { for k := range 8 { L += sin(cos(X[i])*X[k]) } } }", note.LoopReloads, ": X"},
		{"func K() { for i := range Y { s := Y[i]; for k := range 8 { s = s * s * s * X[k] }; L += s } }", note.LoopRecomputes, ": 2 mul"},
	} {
		notes := &note.Notes{}
		k := lowered(t, c.source)
		if _, err := autodiff.Reverse(k, adjointsOf(k), autodiff.Options{Notes: notes}); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, n := range notes.List {
			if slices.Contains(n.Of, c.reason) {
				texts = append(texts, n.Text)
			}
		}
		if len(texts) != 1 || !strings.HasSuffix(texts[0], c.want) {
			t.Errorf("%s: %q; want one that ends in %q", c.source, texts, c.want)
		}
	}
}
