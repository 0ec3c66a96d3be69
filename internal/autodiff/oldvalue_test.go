package autodiff_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// oldValueKernels use what atomics return: as slots of lists, as factors, in conditions; from several loops and in serial
// ones, nested or left early, and from variables.
var oldValueKernels = []struct{ name, source string }{
	{"slots", "func K() { for i := range X { k := atomicAdd(&N[0], 1); Y[k%6] += X[i]*f64(k+1) } }"},
	{"under an if", `func K() {
	for i := range X {
		if i%2 == 0 {
			k := atomicAdd(&N[1], 1)
			if k > 2 {
				Y[k%6] += sin(X[i])
			} else {
				Z[i] = X[i]*X[i]
			}
		}
	}
}`},
	{"loops after each other", `func K() {
	for i := range X {
		k := atomicAdd(&N[0], 1)
		Y[i] = X[k%6]*X[i]
	}
	for i, j := range M {
		k := atomicSub(&N[1], 1)
		l := atomicMax(&N[2], i+j)
		M[i][j] = X[(k+60)%6]*f64(l+1)
	}
	k := atomicXor(&N[3], 5)
	L = X[k%6]*X[1]
	for i := range X {
		if atomicAdd(&N[0], 2) > 7 {
			Z[i] = X[i]*3
		}
	}
}`},
	{"in loops of unknown length", `func K() {
	for i := range X {
		s := X[i]
		for j := range int(X[i]*4)+3 {
			if j == 2 {
				continue
			}
			k := atomicAdd(&N[0], 1)
			s = sin(s*X[k%6]) + X[j%6]*f64(k%3)
			for s > 1 {
				s *= X[atomicAdd(&N[1], 3)%6]*0.3
			}
			if k%7 == 6 {
				break
			}
		}
		Y[i] = s*f64(atomicAdd(&N[2], 1))
	}
}`},
	{"serial code", `func K() {
	s := X[0]
	for j := range serial(int(X[1]*4)+4) {
		k := atomicAdd(&N[0], 2)
		s = s*X[k%6] + X[j%6]
		if s > 2 {
			s *= f64(atomicAdd(&N[3], 1)+1)*0.2
		}
	}
	L = s
}`},
	{"constant factor", "func K() { for i := range X { Z[i] = X[i]; v := atomicAdd(&M[0][0], 0.125*f64(N[i])); Y[i] = v*X[i] } }"},
	{"variables", `func K() {
	n := 0
	var hits [3]int
	for i := range X {
		k := atomicAdd(&n, 1)
		l := atomicAdd(&hits[i%3], 1)
		Y[k%6] += X[i]*f64(l+1)
	}
	for i := range X {
		m := 2
		var a [2]int
		for j := range 3 {
			a[j%2] = atomicAdd(&m, j)
			b := atomicXchg(&a[0], 4)
			Z[i] += X[(a[0]+a[1]+b+n)%6]*X[j]
		}
	}
}`},
	{"in a function that returns early", `func slot(i int) int {
	if i == 3 {
		return -1
	}
	return atomicAdd(&N[0], 1)
}
func K() {
	for i := range X {
		k := slot(i)
		if k < 0 {
			continue
		}
		Y[k%6] += X[i]*X[i]
	}
}`},
	{"that end a loop", `func K() {
	for i := range X {
		var a [4]f64
	outer:
		for j := range 2 {
			k := atomicAdd(&N[0], 1)
			for range 2 {
				if atomicMax(&N[1], 2)%3 == 0 {
					continue outer
				}
			}
			a[k%4] = X[i]*f64(j+1)
		}
		Y[i] = a[1] + a[2]
	}
}`},
	{"that a later iteration uses", `func K() {
	for i := range X {
		j, s := 0, f64(0)
		for range 3 {
			s += X[j%6]*X[i]
			j += atomicAdd(&N[0], 1)
		}
		for range 3 {
			j += atomicAdd(&N[1], 3)
		}
		Y[i] = s
		Z[i] = X[j%6]*X[0]
	}
}`},
	{"that count iterations of which nothing else is wanted", "func K() { for i := range X { for { Y[i] += X[i]*0.5; if atomicAdd(&N[i], 1) > 1 { break } } } }"},
	{"that end a loop of which nothing is wanted", "func K() { for i := range X { c := 0; for { c++; if atomicAdd(&N[i], 1) > 1 { break } }; Y[i] = X[i]*X[i]; Z[i] = f64(c) } }"},
	{"of indices that do not begin at 0", `func K() {
	for i := range O {
		k := atomicAdd(&N[0], 1)
		Z[i+2] = X[(i+k+2)%6]*X[i+2]
	}
	for i, j := range P {
		k := atomicAdd(&N[1], 1)
		L += X[(i+k+4)%6]*f64(j) + X[j+1]*X[(k+j+1)%6]
	}
	for i, j := range ndrange(span(1, 3), span(2, 5)) {
		k := atomicAdd(&N[2], i+j)
		Y[(i*3+j+1)%6] += X[k%6]*X[i]*f64(k)
	}
}`},
	{"neighbours", "func K() { for i := range 5 { k := atomicAdd(&N[0], 1); Y[i] = X[i]*X[i+1]*f64(k) } }"},
}

func TestOldValues(t *testing.T) {
	for _, c := range oldValueKernels {
		t.Run(c.name, func(t *testing.T) {
			s := newSubject(t, c.source)
			if r := recorded(t, s.k); r == s.k || r.Name != "K.recorded" {
				t.Fatalf("nothing is recorded, or as %s", r.Name)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for range 3 {
				x := make([]float64, 6)
				for i := range x {
					x[i] = 0.3 + rng.Float64()
				}
				s.agree(t, x, rng, 1e-10)
			}
		})
	}
}

// TestNothingRecorded has kernels whose old values decide about nothing.
func TestNothingRecorded(t *testing.T) {
	for _, source := range []string{
		"func K() { for i := range X { N[i] = atomicAdd(&N[0], 1); Y[i] = X[i]*X[i] } }",
		"func K() { for i := range X { atomicAdd(&L, X[i]) } }",
		"func K() { for i := range X { var n [2]int; for k := range 3 { j := atomicAdd(&n[k%2], 2); Y[(i+j)%6] += X[i]*X[k] } } }",
		"func K() { var n [2]int; j := atomicAdd(&n[0], 2); Y[j] = X[n[0]]*X[1]; for i := range serial(3) { j := atomicAdd(&n[i%2], 1); Y[j] = X[i]*X[j] } }",
		"func K() { for i := range X { var n [2]int; c := N[i] % 2; j := atomicAdd(&n[c], 1); l := atomicAdd(&n[c], 1); Y[(i+j+l)%6] += X[i]*X[l] } }",
		"func K() { for i := range X { if atomicAdd(&N[0], 1) > 3 { N[i] = 1 }; Y[i] = X[i]*X[i] } }",
	} {
		if k := lowered(t, source); recorded(t, k) != k {
			t.Errorf("%s: old values are recorded", source)
		}
	}
}

// TestStoredNotes looks at what notes say of the bytes that launches store.
func TestStoredNotes(t *testing.T) {
	k := lowered(t, "func K() { for i := range X { k := atomicAdd(&N[0], 1); Y[k%6] += X[i]*X[i]; for range 2 { l := atomicAdd(&N[1], 1); Z[l%6] += X[i]*X[i] } } }")
	notes := &note.Notes{}
	if _, err := autodiff.Reverse(k, adjointsOf(k), autodiff.Options{Record: oldValues, Notes: notes}); err != nil {
		t.Fatal(err)
	}
	var got []note.Reason
	for _, n := range notes.List {
		if n.Is(note.OldValueStored) || n.Is(note.OldValuesStored) {
			got = append(got, n.Of[0])
		}
	}
	if want := []note.Reason{note.OldValueStored, note.OldValuesStored}; !slices.Equal(got, want) {
		t.Errorf("notes say %v, want %v", got, want)
	}
}

// TestNoRecord has no memory for old values.
func TestNoRecord(t *testing.T) {
	k := lowered(t, "func K() { for i := range X { k := atomicAdd(&N[0], 1); Y[k%6] += X[i]*X[i] } }")
	_, err := autodiff.Reverse(k, adjointsOf(k), autodiff.Options{})
	if err == nil || !strings.Contains(err.Error(), "old value") {
		t.Errorf("the error is %v", err)
	}
}

// TestRecordSize counts the numbers of a record that are in use: that count, where the part of the loop begins, and the part.
func TestRecordSize(t *testing.T) {
	for body, want := range map[string]uint64{
		"for i := range X { k := atomicAdd(&N[0], 1); Y[k%6] += X[i]*X[k%6] }":                                          2 + 6,
		"for i, j := range M { k := atomicAdd(&N[0], 1); Y[k%6] += X[i]*X[j] }":                                         2 + 12,
		"for i, j := range P { k := atomicAdd(&N[0], 1); Y[k%6] += X[i+4]*X[j+1] }":                                     2 + 8,
		"for i, j := range ndrange(span(1, 3), span(2, 5)) { k := atomicAdd(&N[0], 1); Y[k%6] += X[i]*X[j] }":           2 + 6,
		"for i := range span(4, N[1]) { k := atomicAdd(&N[0], 1); Y[k%6] += X[i]*X[i] }":                                2,
		"for i := range X { k := atomicAdd(&N[0], 1); l := atomicAdd(&N[1], 1); Y[k%6] += X[i]*X[i]; Z[l%6] += X[i] }":  2 + 12,
		"for i := range X { for range 2 { k := atomicAdd(&N[0], 1); Y[k%6] += X[i]*X[i] } }":                            2 + 6 + 2*12,
		"k := atomicAdd(&N[0], 1); for i := range X { Y[i] = X[k%6]*X[i] }; L = X[(atomicAdd(&N[1], 1)+N[2])%6] * X[0]": 3 + 2,
	} {
		m := newMemory([]float64{1, 2, 3, 4, 5, 6})
		m.run(t, recorded(t, lowered(t, "func K() { "+body+" }")))
		if got := m["old values"].Load([]int64{0}, 0); got != want {
			t.Errorf("%s: %d numbers are in use, not %d", body, got, want)
		}
		if want == 2 {
			continue // there is always room for these
		}
		k := lowered(t, "func K() { "+body+" }")
		short, err := autodiff.Record(k, adjointsOf(k), autodiff.Options{Record: func(*ir.Op) *ir.Field {
			return &ir.Field{Name: "old values", Comps: []ir.Kind{ir.I64}, Shape: []int64{int64(want) - 1}}
		}})
		if err != nil {
			t.Fatal(err)
		}
		m = newMemory([]float64{1, 2, 3, 4, 5, 6})
		m.run(t, short)
		if got, last := m["old values"].Load([]int64{0}, 0), m["old values"].Load([]int64{int64(want) - 1}, 0); got != want || last != 0 {
			t.Errorf("%s: %d numbers are in use where there is no room for the last, which is %d", body, got, last)
		}
	}
}
