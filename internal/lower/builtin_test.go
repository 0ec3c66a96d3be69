package lower

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/typed"
)

// Each builtin of the tree has one rule, and one only.
func TestEveryBuiltin(t *testing.T) {
	for f := typed.NoFn + 1; f <= typed.StopGrad; f++ {
		rules := 0
		for _, has := range []bool{
			hasKey(mathOps, f), hasKey(scalarFns, f), hasKey(vectorFns, f), hasKey(matrixFns, f), hasKey(otherFns, f),
			f == typed.LenFn, f == typed.Col,
		} {
			if has {
				rules++
			}
		}
		if rules != 1 {
			t.Errorf("builtin %d has %d rules", f, rules)
		}
	}
}

func hasKey[V any](m map[typed.Fn]V, f typed.Fn) bool { _, ok := m[f]; return ok }

// Each operator of a Binary or Update has a rule.
func TestEveryOperator(t *testing.T) {
	for op := typed.Add; op <= typed.Max; op++ {
		if _, ok := binaryCodes[op]; !ok && op != typed.AndNot {
			t.Errorf("operator %s has no rule", op)
		}
	}
}

// Strict arithmetic on floats is marked, and nothing else.
func TestStrict(t *testing.T) {
	prog, err := source(`package p
func K(x f32, i, n i32) (f32, i32) {
	v := vec3(x, 2*x, 3)
	return v[i]*x + normalize(v).y, i + n
}`, "")
	if err != nil {
		t.Fatal(err)
	}
	k := Kernel(&prog.Program, prog.Kernel("K"), Options{Options: option.Options{Strict: true}})
	if err := ir.Verify(k); err != nil {
		t.Fatal(err)
	}
	ir.Visit(k.Body, func(o *ir.Op) bool {
		want := o.Code.Is(ir.Pure) && o.Result().Type.Kind.IsFloat() && o.Code != ir.OpConst && o.Code != ir.OpParam
		if o.Flags.Has(ir.Strict) != want {
			t.Errorf("%s: strict is %t", o, !want)
		}
		return true
	})
	if text := k.String(); !strings.Contains(text, "mul.strict") || strings.Contains(text, "cell.strict") {
		t.Errorf("got\n%s", text)
	}
}
