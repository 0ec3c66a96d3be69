package quanttest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// TestSavedFormats reads a saved tree into one of other forms: the error names the field, and the component of several.
func TestSavedFormats(t *testing.T) {
	const source = "package s\n\nvar (\n\tHeat field[f32]\n\tV field[vec3]\n)\n\nfunc F() {\n\tfor p := range Heat {\n\t\tHeat[p] = V[p].x\n\t}\n}\n"
	place := func(heat, y ti.Quant, sparse bool) (tree *ti.Tree) {
		rt := newRuntime(t, ti.Config{})
		var s struct {
			Heat ti.Field[float32]
			V    ti.Field[ti.Vec3]
			F    func()
		}
		n := &ti.Node{}
		if tree = rt.NewTree(); sparse {
			n = tree.Pointer(ti.I, 2).Dense(ti.I, 2)
		} else {
			n = tree.Dense(ti.I, 4)
		}
		n.BitStruct(32).Place(&s.Heat, heat)
		x := ti.QuantFixed(9, 8)
		n.BitStruct(32).Place(&s.V, x, y, x)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		s.F()
		return tree
	}
	a, b, c := ti.QuantFixed(12, 8), ti.QuantFixed(12, 4), ti.QuantFixed(9, 8)
	for _, sparse := range []bool{false, true} {
		for _, o := range []struct {
			heat, y ti.Quant
			want    string
		}{
			{b, c, "Heat has form fixed(12,8)"},
			{a, ti.QuantFixed(9, 2), "component 1 of V has form fixed(9,8)"},
		} {
			var saved bytes.Buffer
			if _, err := place(a, c, sparse).WriteTo(&saved); err != nil {
				t.Fatal(err)
			}
			if _, err := place(o.heat, o.y, sparse).ReadFrom(&saved); err == nil || !strings.Contains(err.Error(), o.want) {
				t.Errorf("sparse %v: %v, not %q", sparse, err, o.want)
			}
		}
	}
}
