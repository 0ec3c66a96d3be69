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
	for _, f := range typed.Fns() {
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
			t.Errorf("builtin %s has %d rules", f, rules)
		}
	}
}

func hasKey[V any](m map[typed.Fn]V, f typed.Fn) bool { _, ok := m[f]; return ok }

// otherwise says how operators are lowered that are no op on two components.
var otherwise = map[typed.Op]string{
	typed.AndNot: "elementwise complements the right operand",
	typed.MatMul: "matMul",
	typed.Neg:    "of one operand",
	typed.Not:    "of one operand",
	typed.Compl:  "of one operand",
	typed.Xchg:   "of atomics alone",
	typed.CAS:    "of atomics alone",
	typed.Fetch:  "of atomics alone",
}

// Each operator has one rule, and one only.
func TestEveryOperator(t *testing.T) {
	for _, op := range typed.Ops() {
		_, binary := binaryCodes[op]
		if how := otherwise[op]; binary == (how != "") {
			t.Errorf("operator %s is an op on two components: %v; it is lowered otherwise: %q", op, binary, how)
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
