package quanttest

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

// TestStochasticMean stores and adds numbers between codes in many elements: their mean is the number, within five
// standard deviations, which of two numbers are at most half of their distance over the root of how many there are.
func TestStochasticMean(t *testing.T) {
	const n = 1 << 16
	const source = "package s\n\nvar A, B, C, D field[f32]\nvar E field[f64]\n\nfunc Set(v f32) {\n\tfor p := range A {\n\t\tA[p] = v\n\t\tB[p] = v\n\t\tC[p] = v\n\t\tD[p] = v\n\t\tE[p] = f64(v)\n\t}\n}\n\nfunc Add(v f32) {\n\tfor p := range A {\n\t\tA[p] += v\n\t\tB[p] -= v\n\t\tC[p] += v\n\t\tD[p] -= v\n\t\tE[p] += f64(v)\n\t}\n}\n"
	rt := newRuntime(t, ti.Config{})
	var s struct {
		A, B, C, D ti.Field[float32]
		E          ti.Field[float64]
		Set, Add   func(v float32)
	}
	b := rt.NewTree().Dense(ti.I, n)
	b.BitStruct(64).Place(&s.A, ti.QuantFixed(10, 8).Stochastic()).Place(&s.B, ti.QuantFixed(30, 1e7).Stochastic()).Place(&s.C, ti.QuantFloat(5, 5).Stochastic()).Place(&s.D, ti.QuantFloat(3, 4).Stochastic())
	b.BitStruct(64).Place(&s.E, ti.QuantFloat(5, 6).Stochastic())
	if err := rt.Load(source, &s); err != nil {
		t.Fatal(err)
	}
	check := func(name string, got []float64, want float64) {
		t.Helper()
		least, largest, mean := math.Inf(1), math.Inf(-1), 0.0
		for _, v := range got {
			mean += v / n
			least, largest = min(least, v), max(largest, v)
		}
		for _, v := range got {
			if v != least && v != largest || want < least || want > largest {
				t.Errorf("%s: %v is stored as %v, %v and %v", name, want, least, v, largest)
				return
			}
		}
		if limit := 5 * (largest - least) / 2 / math.Sqrt(n); math.Abs(mean-want) > limit {
			t.Errorf("%s: the mean of %v is %v, off by more than %v", name, want, mean, limit)
		}
	}
	single := func(f *ti.Field[float32]) (all []float64) {
		for _, v := range f.All() {
			all = append(all, float64(v))
		}
		return all
	}
	double := func() (all []float64) {
		for _, v := range s.E.All() {
			all = append(all, v)
		}
		return all
	}
	for _, v := range []float32{0.3, -0.3, 0.001, -0.001, 3.77, -3.77, 0.05, 0.11} {
		w := float64(v)
		s.Set(v)
		for name, f := range map[string]*ti.Field[float32]{"A": &s.A, "B": &s.B, "C": &s.C, "D": &s.D} {
			check(name, single(f), w)
		}
		check("E", double(), w)
		s.Set(0)
		s.Add(v)
		check("A", single(&s.A), w)
		check("B", single(&s.B), -w)
		check("C", single(&s.C), w)
		check("D", single(&s.D), -w)
		check("E", double(), w)
	}
}
