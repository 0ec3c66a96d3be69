package touched_test

import (
	"context"
	"testing"

	"github.com/gotaichi/ti"
	_ "github.com/gotaichi/ti/internal/randtest" // has errors of the compiler end launches, and launches judged
)

// source has kernels of which it takes care to say what they touch.
const source = `package p

var D, E field[i32]         // dense
var P, Q field[i32]         // share a word
var S, T field[f32]         // share an exponent
var X, C field[i32]         // X in bitmasked cells below those of C
var L field[i32, D2]        // lists
var B node                  // the cells of C

func Leave() {
outer:
	for i := range D {
		E[i] = 1
		for k := range serial(3) {
			if i+k == 7 {
				continue outer
			}
		}
		D[i] = i
	}
}

func Sides() {
	for i := range D {
		if i > 3 {
			D[i], E[i] = -i, i
		} else {
			D[i] = i
		}
	}
}

func Exchange() {
	for i := range D {
		atomicCAS(&D[i], 1, i)
		E[i] += D[0]
	}
}

func Words() {
	for i := range P {
		P[i] = i
	}
	P[3] += Q[2]
}

func Exponents() {
	for i := range S {
		S[i] = f32(i)
	}
	for i := range S {
		S[i], T[i] = 1, f32(i)
	}
}

func Coarse() {
	for i := range X {
		if i < 4 {
			C[i] += 1
		}
		X[i] += 1
	}
}

func Shorter() {
	for i, k := range serial(L) {
		resize(L[i], 0)
		L[i][k] = k
	}
}

func Longer() {
	for i := range 4 {
		append(L[i], 3)
		append(L[i], 4)
	}
}

func Gone() {
	for i := range B {
		deactivate(B, i)
	}
	X[9] = 1
}
`

// TestPrograms: launches on the oracle fail if their states are wrong.
func TestPrograms(t *testing.T) {
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var d, e, p, q, x, c, l ti.Field[int32]
	var s, u ti.Field[float32]
	rt.NewTree().Dense(ti.I, 16).Place(&d, &e)
	word := rt.NewTree().Dense(ti.I, 16).BitStruct(32)
	word.Place(&p, ti.QuantInt(10))
	word.Place(&q, ti.QuantInt(12))
	rt.NewTree().Dense(ti.I, 16).BitStruct(32).PlaceShared(ti.QuantFloat(6, 12), &s, &u)
	cells := rt.NewTree().Pointer(ti.I, 4)
	cells.Place(&c)
	cells.Bitmasked(ti.I, 8).Place(&x)
	rt.NewTree().Pointer(ti.I, 4).Dynamic(ti.J, 8).Place(&l)
	for i := range 4 {
		x.Set(1, i)
	}
	program, err := rt.Compile(ti.Text("p.ti", source), ti.Bindings{
		"D": &d, "E": &e, "P": &p, "Q": &q, "S": &s, "T": &u, "X": &x, "C": &c, "L": &l, "B": cells,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kernel := range []string{"Leave", "Sides", "Exchange", "Words", "Exponents", "Coarse", "Longer", "Shorter", "Gone"} {
		if _, err := program.Kernel(kernel).Launch(context.Background()); err != nil {
			t.Errorf("%s: %v", kernel, err)
		}
	}
}
