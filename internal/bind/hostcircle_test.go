package bind_test

import (
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// A ring is a host that leads back to itself.
type ring struct {
	*ring
	X    ti.Field[int32]
	Next *ring
}

// A twoWays leads back to itself in two ways at each step.
type twoWays struct {
	X          ti.Field[int32]
	Prev, Next *twoWays
}

// TestHostInCircle binds structs that hold pointers to themselves.
func TestHostInCircle(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	r := &ring{}
	r.ring, r.Next = r, r
	rt.Place(ti.Shape{4}, &r.X)
	if err := rt.Load("package p\nvar X field[i32]\nfunc F() { X[0] = 1 }", &struct {
		*ring
		F func()
	}{ring: r}); err != nil {
		t.Errorf("embedded in itself: %v", err)
	}
	// The type of R is open until N is known, so all that the R of a host leads to is bound.
	const bundle = `package p

var N i32

var R [N]f32

func F() f32 { return R[0] }`
	twice := &twoWays{}
	twice.Next, twice.Prev = twice, twice
	rt.Place(ti.Shape{4}, &twice.X)
	for name, host := range map[string]any{
		"in one way": &struct {
			N int32
			R [1]*ring
			F func()
		}{N: 1, R: [1]*ring{r}},
		"in two ways": &struct {
			N int32
			R [1]*twoWays
			F func()
		}{N: 1, R: [1]*twoWays{twice}},
	} {
		err := rt.Load(bundle, host)
		if err == nil || strings.Count(err.Error(), "leads back to itself") != 1 {
			t.Errorf("a bundle within itself %s: %v", name, err)
		}
	}
}
