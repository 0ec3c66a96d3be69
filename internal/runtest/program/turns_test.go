package program_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// turnsSource has loops whose iterations take numbers in turn, over fields in blocks of four columns that the ranges cut.
const turnsSource = `package p

var X, Old field[i32, D2]
var Next field[i32, D0]
var L field[i32, D2]

func Append() {
	for i, j := range ndrange(span(0, 3), span(1, 15)) {
		append(L[i], i32(100*i + j) + X[i][j])
	}
}

func Number() {
	for i, j := range ndrange(span(0, 3), span(1, 15)) {
		Old[i][j] = Next
		k := atomicAdd(&Next, 1)
		Old[i][j] = k + X[i][j]
	}
}
`

type turnsHost struct {
	X, Old, Next, L ti.Field[int32]
	Append, Number  func() error
}

// TestNumbersInTurn checks that deterministic loops append, and count, in the order of their iterations, also where the interior of
// blocks would be a loop of its own otherwise.
func TestNumbersInTurn(t *testing.T) {
	for _, opt := range []string{"0", "3"} {
		for _, cfg := range []ti.Config{{Arch: ti.Oracle}, {Threads: 1, Deterministic: true}, {Threads: 3, Deterministic: true}, {Threads: 2, Deterministic: true, Batch: 16}} {
			t.Run(fmt.Sprintf("O%s/%d threads", opt, cfg.Threads), func(t *testing.T) {
				defer runtest.Setenv("TI_OPT", opt)()
				takeTurns(t, cfg)
			})
		}
	}
}

func takeTurns(t *testing.T, cfg ti.Config) {
	rt, err := ti.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var h turnsHost
	rt.NewTree().Pointer(ti.IJ, 2).Dense(ti.IJ, 2).Dense(ti.IJ, 4).Place(&h.X, &h.Old)
	rt.NewTree().Dense(ti.I, 3).Dynamic(ti.J, 100).Place(&h.L)
	rt.Place(ti.Shape{}, &h.Next)
	if _, err := rt.Compile(ti.Text("turns.ti", turnsSource), &h); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, f := range []func() error{h.Append, h.Number} {
			if err := f(); err != nil {
				t.Fatal(err)
			}
		}
	}
	var row []int32
	for j := range 28 {
		row = append(row, int32(200+1+j%14))
	}
	for i := range 3 {
		var got []int32
		for k := range 28 {
			got = append(got, h.L.At(i, k)+int32(100*(2-i)))
		}
		if !slices.Equal(got, row) {
			t.Errorf("the list of row %d has %v, not %v", i, got, row)
		}
		for j := 1; j < 15; j++ {
			if got, want := h.Old.At(i, j), int32(3*14+14*i+j-1); got != want {
				t.Errorf("element %d, %d has number %d, not %d", i, j, got, want)
			}
		}
	}
}
