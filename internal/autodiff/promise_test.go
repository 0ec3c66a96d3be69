package autodiff_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/pass/note"
)

// TestPromised looks for promises about indices in adjoints, and for the atomics that are left where they are believed.
func TestPromised(t *testing.T) {
	for _, c := range []struct {
		name, body     string
		marks, atomics int
	}{
		{"one number", "for i := range X { j := loopUnique(i*5%6); Z[j] += X[j]*X[j] }", 1, 0},
		{"one that is converted", "for i := range X { j := loopUnique(i*5%6); Z[i64(j)] += X[i64(j)]*X[i64(j)] }", 1, 0},
		{"one that loses bits", "for i := range X { j := loopUnique(i*5%6); Z[i8(j)] += X[i8(j)]*X[i8(j)] }", 0, 2},
		{"one that no adjoint is added at", "for i := range X { Z[loopUnique(i*5%6)] = X[i]*X[i] }", 0, 0},
		{"one beside another index", "for i := range X { j := loopUnique(i*5%6); Z[j] += X[j]*X[(j*5+1)%6] }", 1, 2},
		{"a gather, which has other iterations", "for i := range X { j := loopUnique(i*5%6); Z[j] += X[(i+1)%6]*X[i]*Y[j] }", 1, 0},
		{"a vector", "for i, j := range M { p := loopUnique(ivec2(i*2%3, j)); Z[i] += M[p]*M[p] }", 2, 0},
		{"an element of it that is gathered all the same", "for i := range X { Z[i] = X[loopUnique((i+1)%6)] * X[i] }", 0, 0},
		{"several of an iteration", "for i := range 2 { for k := range 3 { j := loopUnique(N[i*3+k]); Z[j] += sin(X[j]) } }", 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := lowered(t, "func K() { "+c.body+" }")
			back, err := adjoint(t, k)
			if err != nil {
				t.Fatal(err)
			}
			notes := &note.Notes{}
			if _, err := autodiff.Reverse(k, adjointsOf(k), autodiff.Options{Notes: notes}); err != nil {
				t.Fatal(err)
			}
			if got := slices.ContainsFunc(notes.List, func(n note.Note) bool { return n.Is(note.AdjointNotGathered) }); got != (c.atomics > 0) {
				t.Errorf("notes say that iterations add to adjoints: %v, and %d do\n%v", got, c.atomics, notes.List)
			}
			marks := count(back, ir.OpUnique)
			for _, stage := range []string{"cse", "nonatomic"} {
				if err := pass.RunStage(back, pass.Options{}, stage); err != nil {
					t.Fatal(err)
				}
			}
			if atomics := count(back, ir.OpAtomic); marks != c.marks || atomics != c.atomics {
				t.Errorf("%d marks and %d atomics, want %d and %d\n%s", marks, atomics, c.marks, c.atomics, back)
			}
		})
	}
}

func count(k *ir.Kernel, c ir.Code) (n int) {
	ir.Visit(k.Body, func(o *ir.Op) bool {
		if o.Code == c {
			n++
		}
		return true
	})
	return n
}

// TestPromisedPlaces sees that places with a promise and without are compared by their numbers.
func TestPromisedPlaces(t *testing.T) {
	for _, body := range []string{
		"for i := range X { j := i*5%6; Y[j] = X[j]; Y[loopUnique(j)] = 2*X[j] }",
		"for i := range X { j := i*5%6; Y[j] = sin(X[loopUnique(j)]); X[j] = 1 }",
		"for i := range X { Y[i] = sin(X[loopUnique(i*5%6)]) }; for i := range X { X[loopUnique(i*5%6)] += 1 }",
		"for i := range X { Y[i] = sin(X[loopUnique(i*5%6)]) }; for i := range X { X[i*5%6] += 1 }",
	} {
		_, err := adjoint(t, lowered(t, "func K() { "+body+" }"))
		if u, ok := errors.AsType[*autodiff.Unsupported](err); !ok || !u.Access {
			t.Errorf("%s: the error is %v", body, err)
		}
	}
}
