package driver

import "testing"

// TestSteps: the engine learns the steps of an iteration, unless code may run for any time.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name, text string
		bound      bool
	}{
		{"an even loop", "func F() { for i := range X { X[i] = 1 } }", true},
		{"serial code", "func F() { X[3] = Y[5] }", true},
		{"a nest of known size", "func F() { for i := range X { s := f32(0); for j := range Y { s += Y[j] * X[i] }; X[i] = s } }", true},
		{"a long nest", "func F() { for i := range X { s := f32(0); for j := range 1 << 30 { s = sin(s + j) }; X[i] = s } }", false},
		{"a condition", "func F() { for i := range X { v := X[i]; for v > 1 { v = sin(v) }; X[i] = v } }", false},
		{"a bound of the data", "func F() { for i := range X { s := f32(0); for j := range i32(Y[i]) { s += j }; X[i] = s } }", false},
		{"a function with a condition", `func g(x f32) f32 { for x > 1 { x = sin(x) }; return x }
func F() { for i := range X { X[i] = g(X[i]) } }`, false},
		{"a function", "func g(x f32) f32 { return x * x }\nfunc F() { for i := range X { X[i] = sin(g(X[i])) } }", true},
		{"a loop with a result", "func F() f32 { s := f32(0); for i := range X { s += X[i] }; return s }", true},
	} {
		for _, level := range []int{0, 3} {
			p, lay := sourceOf(t, c.text)
			got, err := compile(p, "F", lay, options(t, level))
			if err != nil {
				t.Fatal(c.name, err)
			}
			for i, task := range got.Launch.Tasks {
				if len(task.Dims) == 0 && len(got.Launch.Tasks) > 1 || task.Helper {
					continue // beside the loop
				}
				if (task.Steps > 0) != c.bound {
					t.Errorf("%s, level %d: task %d has at most %d steps", c.name, level, i, task.Steps)
				}
			}
		}
	}
}
