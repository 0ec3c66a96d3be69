package oracle_test

import (
	"context"
	"math"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/oracle"
)

// points are operands at which ops are differentiated, where they have derivatives.
var points = map[ir.Code][][]float64{
	ir.OpNeg: {{2}}, ir.OpAbs: {{-2}, {3}}, ir.OpSqrt: {{0.3}, {7}}, ir.OpRsqrt: {{0.4}, {9}}, ir.OpCbrt: {{-2}, {0.1}, {5}},
	ir.OpSin: {{-1}, {0}, {9}}, ir.OpCos: {{-1}, {0}, {9}}, ir.OpTan: {{-1}, {0}, {2}}, ir.OpAsin: {{-0.9}, {0}, {0.5}},
	ir.OpAcos: {{-0.9}, {0}, {0.5}}, ir.OpAtan: {{-3}, {0}, {0.5}}, ir.OpSinh: {{-1}, {0}, {2}}, ir.OpCosh: {{-1}, {0}, {2}},
	ir.OpTanh: {{-1}, {0}, {2}}, ir.OpExp: {{-1}, {0}, {2}}, ir.OpExp2: {{-1}, {0}, {2}}, ir.OpLog: {{0.2}, {1}, {30}},
	ir.OpLog2: {{0.2}, {1}, {30}}, ir.OpSign: {{-2}, {2}}, ir.OpFloor: {{0.5}}, ir.OpCeil: {{0.5}}, ir.OpRound: {{0.4}}, ir.OpTrunc: {{-0.4}},
	ir.OpAdd: {{1, 2}}, ir.OpSub: {{1, 2}}, ir.OpMul: {{3, -2}}, ir.OpDiv: {{3, -2}, {-1, 0.1}}, ir.OpFloorDiv: {{7, 2}},
	ir.OpRem: {{7.5, 2}, {-7.5, 2}, {7.5, -2}}, ir.OpMod: {{7.5, 2}, {-7.5, 2}, {7.5, -2}}, ir.OpMin: {{1, 2}, {2, 1}}, ir.OpMax: {{1, 2}, {2, 1}},
	ir.OpPow: {{2, 3}, {0.5, -1.5}, {3, 0}}, ir.OpAtan2: {{1, 2}, {-1, 2}, {1, -2}, {-1, -2}, {0, 1}}, ir.OpFma: {{2, 3, 4}},
}

// TestPartials compares the partial derivatives of each op with differences of what the oracle computes.
func TestPartials(t *testing.T) {
	for _, c := range ir.Codes() {
		info := c.Info()
		if info.Rule != ir.RuleSame || info.Domain&ir.Floats == 0 || c.Is(ir.Internal) || c == ir.OpStopGrad {
			continue
		}
		if points[c] == nil {
			t.Errorf("%s is differentiated nowhere", c)
		}
		for _, x := range points[c] {
			y, got := differentiate(t, c.String(), x)
			for i := range x {
				at := func(h float64) float64 {
					moved := append([]float64{}, x...)
					moved[i] += h
					v, _ := differentiate(t, c.String(), moved)
					return v
				}
				const h = 1e-4
				d := func(h float64) float64 { return (at(h) - at(-h)) / (2 * h) }
				want := (4*d(h/2) - d(h)) / 3
				if !(math.Abs(got[i]-want) <= 1e-9*(1+math.Abs(want))) {
					t.Errorf("%s%v is %v, and its derivative by operand %d is %v and not %v", c, x, y, i, got[i], want)
				}
			}
		}
	}
}

// TestKinks are the derivatives that stand in docs/gradients.md, where there is none.
func TestKinks(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		op   string
		x    []float64
		want []float64
	}{
		{"min", []float64{2, 2}, []float64{1, 0}},
		{"max", []float64{2, 2}, []float64{1, 0}},
		{"abs", []float64{0}, []float64{0}},
		{"sqrt", []float64{0}, []float64{inf}},
		{"pow", []float64{0, 2}, []float64{0, 0}},
		{"floor", []float64{1}, []float64{0}},
		{"sign", []float64{0}, []float64{0}},
	} {
		_, got := differentiate(t, c.op, c.x)
		for i, want := range c.want {
			if got[i] != want {
				t.Errorf("the derivative of %s%v by operand %d is %v and not %v", c.op, c.x, i, got[i], want)
			}
		}
	}
}

// differentiate returns the value of an op and its partial derivatives, by a kernel that stores it.
func differentiate(t *testing.T, op string, x []float64) (y float64, dx []float64) {
	t.Helper()
	names := []string{"%a", "%b", "%c"}[:len(x)]
	text := "kernel K() {\nint i32\nfield @X [f64] [3]\nfield @Y [f64] []\nbody {\n"
	for i, n := range names {
		text += "%i" + n[1:] + " = const " + string(rune('0'+i)) + " : i32\n" +
			"%p" + n[1:] + " = ptr @X.0 %i" + n[1:] + " : ptr\n" + n + " = load %p" + n[1:] + " : f64\n"
	}
	text += "%r = " + op + " "
	for i, n := range names {
		if i > 0 {
			text += ", "
		}
		text += n
	}
	text += " : f64\n%q = ptr @Y.0 : ptr\nstore %q, %r\nreturn\n}\n}"
	k, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	in, out := oracle.Cells{}, oracle.Cells{}
	for i, v := range x {
		in.Store([]int64{int64(i)}, 0, math.Float64bits(v))
	}
	tape := &oracle.Tape{}
	vx, vy := tape.Variable(), tape.Variable()
	env := &oracle.Env{Fields: []oracle.Memory{in, out}, Tape: tape, Variables: []*oracle.Variable{vx, vy}}
	if _, err := oracle.Run(context.Background(), k, env); err != nil {
		t.Fatal(err)
	}
	back := tape.Back()
	back.Seed(vy, nil, 0, 1)
	back.Run()
	for i := range x {
		dx = append(dx, back.Adjoint(vx, []int64{int64(i)}, 0))
	}
	return math.Float64frombits(out.Load(nil, 0)), dx
}
