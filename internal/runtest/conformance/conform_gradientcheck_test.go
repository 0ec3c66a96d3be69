package conformance

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
)

// A checkRule is a kernel that adds to the loss L, and the fields by which it is checked. gradcheck finds it wrong or it does not.
type checkRule struct {
	name, body string
	by         string
	wrong      bool
}

// A checkedFunction is a function of each element x of a field; its name is its expression.
type checkedFunction struct{ expr string }

func checkedFunctions(rows []checkedFunction) (all []checkRule) {
	for _, r := range rows {
		all = append(all, checkRule{r.expr, "for i := range X { x := X[i]; L += " + r.expr + " }", "X", false})
	}
	return all
}

// Package gradcheck compares derivatives with difference quotients: it finds nothing wrong with functions that are right, whatever the
// field, and names the kernel whose derivative is wrong.
//
//conform:theme derivatives
func TestConformGradientCheck(t *testing.T) {
	rows := append(checkedFunctions([]checkedFunction{
		{"x"}, {"abs(-x)"}, {"-x"}, {"x*x"}, {"pow(x, 2)"}, {"x*x*x"}, {"x*x*x*x"}, {"0.4*x*x - 3"},
		{"(x-3)*(x-1)"}, {"(x-3)*(x-1) + x*x"}, {"tanh(x)"}, {"sin(x)"}, {"cos(x)"}, {"acos(x/2)"}, {"asin(x/2)"}, {"1/x"},
		{"(x+1)/(x-2)"}, {"(x+1)*(x+2)/((x-2)*(x+3))"}, {"sqrt(x)"}, {"exp(x)"}, {"log(x)"}, {"min(x, 0)"}, {"min(x, 1)"}, {"min(0, x)"},
		{"min(1, x)"}, {"max(x, 0)"}, {"max(x, 1)"}, {"max(0, x)"}, {"max(1, x)"}, {"atan2(0.4, x)"}, {"atan2(x, 0.4)"}, {"pow(0.4, x)"},
		{"pow(x, 0.4)"},
	}), []checkRule{
		{"a sum over two axes", "for i, j := range M { L += cos(M[i][j]) }", "M", false},
		{"components of vectors", "L += V[0].x + V[2].y*V[2].y + V[3].x", "V", false},
		{"elements that the kernel overwrites", "for i := range X { Y[i] = sin(X[i]) }; for i := range Y { L += Y[i]*Y[i] }", "X Y", false},
		{"elements that nothing depends on", "L += X[1]", "X M V", false},
		{"half of a derivative", "for i := range X { L += stopGrad(X[i])*X[i] }", "X", true},
		{"a derivative that is left out", "for i := range V { L += stopGrad(V[i].x)*3 }", "V", true},
	}...)
	var src strings.Builder
	src.WriteString("package p\nvar X, Y field[f64]\nvar M field[f64, D2]\nvar V field[dvec2]\nvar L field[f64, D0]\n")
	for i, row := range rows {
		fmt.Fprintf(&src, "func K%d() { %s }\n", i, row.body)
	}
	for _, v := range hostVariants {
		rt, err := ti.New(ti.Config{Arch: v.Arch, Threads: v.Threads, Float: 64})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		var h struct {
			X, Y, M, L ti.Field[float64]
			V          ti.Field[ti.DVec2]
		}
		rt.Place(ti.Shape{4}, ti.WithGrad(&h.X, &h.Y, &h.V)...)
		rt.Place(ti.Shape{2, 2}, ti.WithGrad(&h.M)...)
		rt.Place(nil, ti.WithGrad(&h.L)...)
		p, err := rt.Compile(ti.Text("check.ti", src.String()), &h)
		if err != nil {
			t.Fatal(err)
		}
		fields := map[string]ti.AnyField{"X": &h.X, "Y": &h.Y, "M": &h.M, "V": &h.V}
		for i, row := range rows {
			t.Run(row.name+"/"+v.Label, func(t *testing.T) {
				must := func(err error) {
					if err != nil {
						t.Fatal(err)
					}
				}
				must(h.X.CopyFrom(gradientX))
				must(h.M.CopyFrom([]float64{1, 2, 3, 4}))
				must(h.V.CopyFrom([]ti.DVec2{{1, 2}, {3, 4}, {5, 6}, {7, 8}}))
				h.Y.Fill(0)
				h.L.Set(0)
				var by []ti.AnyField
				for _, name := range strings.Fields(row.by) {
					by = append(by, fields[name])
				}
				k := p.Kernel(fmt.Sprint("K", i))
				err := gradcheck.Check(rt, &h.L, func() error { _, err := k.Launch(t.Context()); return err }, by...)
				if !row.wrong {
					must(err)
					return
				}
				m, ok := errors.AsType[*gradcheck.Mismatch](err)
				if !ok || m.Kernel != k.Name() || m.Launch != 1 {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}
