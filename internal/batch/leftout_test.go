package batch_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const leftOutSource = `
package leftout

var X, Y, Z field[i32]

func Two(k i32) {
	for i := range X {
		X[i] = Z[i] + k
	}
	for i := range Y {
		Y[i+k] += 1
	}
}

func Over(k i32) {
	for i := range X {
		X[i] = k + i
	}
}
`

type leftOut struct {
	X, Y, Z ti.Field[int32]
	Two     func(k int32) error
	Over    func(k int32)
}

func newLeftOut(t *testing.T, batch int) (*ti.Runtime, *leftOut) {
	t.Helper()
	t.Setenv("TI_WITHOUT", "deadstores") // which leaves nothing to be left out where launches are linked
	rt, err := ti.New(ti.Config{Arch: ti.LLVM, Threads: 1, Batch: batch})
	titest.Must(t, err)
	s := new(leftOut)
	rt.Place(ti.Shape{100}, &s.X, &s.Y, &s.Z)
	titest.Must(t, rt.Load(leftOutSource, s))
	return rt, s
}

// TestLeftOut: a loop whose values a later launch overwrites is left out of a launch that runs for its other loop, also where that fails.
func TestLeftOut(t *testing.T) {
	rt, s := newLeftOut(t, 100)
	defer func() { titest.Must(t, rt.Close()) }()
	removed := func() int64 { // by a round of four tasks
		before := rt.Stats()
		for k := range int32(2) {
			titest.Must(t, s.Two(0))
			s.Over(k)
		}
		titest.Must(t, rt.Sync())
		after := rt.Stats()
		n := after.Removed - before.Removed
		if ran := after.Tasks - before.Tasks; ran+n != 6 {
			t.Errorf("%d tasks have run, and %d need not, want 6 together", ran, n)
		}
		return n
	}
	rounds := int32(2)
	for end := time.Now().Add(time.Minute); ; rounds += 2 {
		n := removed()
		if n == 3 { // both first loops of Two, and the first Over
			break
		}
		if n > 3 || time.Now().After(end) {
			t.Fatalf("%d tasks need not run, want 3", n)
		}
	}
	for i, y := range s.Y.All() {
		if x := s.X.At(i[0]); y != rounds || x != 1+int32(i[0]) {
			t.Fatalf("elements %d are %d and %d, want %d and %d", i[0], x, y, 1+i[0], rounds)
		}
	}

	for k := range int32(2) {
		titest.Must(t, s.Two(k))
		s.Over(k)
	}
	if err := rt.Sync(); !errors.Is(err, ti.ErrRange) || !strings.Contains(err.Error(), "Y") {
		t.Errorf("the round with an index out of range returns %v", err)
	}
	if x := s.X.At(7); x != 8 {
		t.Errorf("an element is %d behind a failure, want 8", x)
	}

	titest.Must(t, s.Two(0)) // nothing overwrites what its first loop stores
	titest.Must(t, rt.Sync())
	if x := s.X.At(7); x != 0 {
		t.Errorf("an element is %d, want 0", x)
	}
}

// TestLeftOutDrawn: the picture shows the loop that is left out in grey, with its reason.
func TestLeftOutDrawn(t *testing.T) {
	rt, s := newLeftOut(t, 1)
	defer func() { titest.Must(t, rt.Close()) }()
	var dot bytes.Buffer
	titest.Must(t, rt.WriteGraph(&dot, func() error {
		err := s.Two(0)
		s.Over(1)
		return err
	}))
	if text := dot.String(); !strings.Contains(text, "removed: X is overwritten by for i := range X of Over") {
		t.Errorf("the picture does not say why the loop is left out:\n%s", text)
	}
}
