package quanttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

const fillSource = `
package p

var A, B, C field[i32, D2]
var F       field[f32]

func Whole() {
	for i, j := range A {
		A[i][j] = i*7 + j*3 - 5
	}
}

func Both() {
	for i, j := range ndrange(span(2, 8), span(-3, 13)) {
		n := i*5 - j
		A[i][j] = n
		B[i][j] = -n
	}
}

func Own() {
	for i, j := range A {
		n := A[i][j] + B[i][j]
		A[i][j] = n
		C[i][j] = n * 2
	}
}

func Twice() {
	for i, j := range A {
		A[i][j] = j
		if A[i][j] < 3 {
			A[i][j] = i
		}
	}
}

func Sometimes() {
	for i, j := range A {
		if (i*j)%3 == 0 {
			A[i][j] = i - j
		}
	}
}

func Early() {
	for i, j := range B {
		n := 2 * j
		if i%2 == 0 {
			n -= i
			if (i+j)%3 == 0 {
				continue
			}
		}
		B[i][j] = i + n
	}
}

func Again() {
	for i, j := range A {
		A[i][j] = i + j
		C[i][j] = A[i][j]
	}
}

func Numbers() {
	for i := range F {
		F[i] = sin(f32(i)) * 9
	}
}

func Beyond() {
	for i, j := range ndrange(span(2, 8), span(5, 21)) {
		A[i][j] = 1
	}
}
`

// fillHost is the host of fillSource.
type fillHost struct {
	A, B, C                                                           ti.Field[int32]
	F                                                                 ti.Field[float32]
	Whole, Both, Own, Twice, Sometimes, Early, Again, Numbers, Beyond func() error
}

// TestFills stores to all elements of words of bit arrays, and to some, on the oracle and by machine code.
func TestFills(t *testing.T) {
	run := func(t *testing.T, arch ti.Arch, bits int, q ti.Quant) (out []string) {
		rt := newRuntime(t, ti.Config{Arch: arch})
		s := new(fillHost)
		lanes := min(16, bits/q.Bits())
		for lanes&(lanes-1) != 0 {
			lanes--
		}
		for _, f := range []*ti.Field[int32]{&s.A, &s.B, &s.C} {
			rt.NewTree().Origin(ti.IJ, 2, -3).Dense(ti.IJ, 6, 16/lanes).BitArray(bits, ti.J, lanes).Place(f, q)
		}
		rt.NewTree().Dense(ti.I, 20).BitArray(64, ti.I, 3).Place(&s.F, ti.QuantFixed(21, 8))
		if err := rt.Load(fillSource, s); err != nil {
			t.Fatal(err)
		}
		for i, f := range []func() error{s.Whole, s.Both, s.Own, s.Twice, s.Sometimes, s.Early, s.Again, s.Numbers, s.Beyond} {
			err := f()
			text := fmt.Sprintln(i, err)
			for _, x := range []*ti.Field[int32]{&s.A, &s.B, &s.C} {
				v := make([]int32, 96)
				if err := x.CopyTo(v); err != nil {
					t.Fatal(err)
				}
				text += fmt.Sprintln(v)
			}
			v := make([]float32, 60)
			if err := s.F.CopyTo(v); err != nil {
				t.Fatal(err)
			}
			out = append(out, text+fmt.Sprintln(v))
		}
		return out
	}
	for _, c := range []struct {
		bits int
		q    ti.Quant
	}{{8, ti.QuantInt(1).Unsigned()}, {16, ti.QuantInt(3)}, {32, ti.QuantInt(2)}, {32, ti.QuantInt(7).Unsigned()}, {64, ti.QuantInt(4).Wrap()}, {64, ti.QuantInt(20)}} {
		t.Run(fmt.Sprint(c.bits, " ", c.q), func(t *testing.T) {
			want := run(t, ti.Oracle, c.bits, c.q)
			if !strings.Contains(want[8], "out of range") {
				t.Fatalf("no failure: %s", want[8])
			}
			for _, without := range []string{"", "preaccess"} { // in which an iteration that ends early keeps its jump
				t.Setenv("TI_WITHOUT", without)
				for i, got := range run(t, ti.CPU, c.bits, c.q) {
					if got != want[i] {
						t.Errorf("kernel %d without %q:\n%s\nand the oracle has\n%s", i, without, got, want[i])
					}
				}
			}
			if slices.Equal(want[:1], want[1:2]) {
				t.Error("kernels change nothing")
			}
		})
	}
}

// TestFillsAreStores checks that a loop over all of a bit array loads no word, and that one which may leave it, or stores under a
// condition, does.
func TestFillsAreStores(t *testing.T) {
	rt := newRuntime(t, ti.Config{})
	s := new(fillHost)
	for _, f := range []*ti.Field[int32]{&s.A, &s.B, &s.C} {
		rt.NewTree().Origin(ti.IJ, 2, -3).Dense(ti.IJ, 6, 2).BitArray(32, ti.J, 8).Place(f, ti.QuantInt(4))
	}
	rt.NewTree().Dense(ti.I, 20).BitArray(64, ti.I, 3).Place(&s.F, ti.QuantFixed(21, 8))
	p, err := rt.Compile(ti.Text("p.ti", fillSource), s)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"Whole": 1, "Both": 2, "Numbers": 1, "Own": 2, "Sometimes": 0, "Beyond": 0, "Twice": 0} {
		var b strings.Builder
		if err := p.Kernel(name).Explain(&b); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "the store sets all numbers of its word"); n != want {
			t.Errorf("%s fills %d words, not %d:\n%s", name, n, want, b.String())
		}
	}
}
