package autodiff

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/oracle"
)

// domain has operands of each op that has a rule, over its whole domain: large and small ones, both signs, near the ends, and
// kinks, where difference quotients are meaningless.
var domain = map[ir.Code]struct{ points, kinks [][]float64 }{
	ir.OpNeg:   {points: [][]float64{{2}, {-1e-3}}},
	ir.OpAbs:   {points: [][]float64{{2}, {-3}, {1e-3}}, kinks: [][]float64{{0}}},
	ir.OpSqrt:  {points: [][]float64{{0.01}, {0.7}, {90}}, kinks: [][]float64{{0}}},
	ir.OpRsqrt: {points: [][]float64{{0.05}, {0.7}, {90}}, kinks: [][]float64{{0}}},
	ir.OpCbrt:  {points: [][]float64{{-8}, {0.05}, {90}}, kinks: [][]float64{{0}}},
	ir.OpSin:   {points: [][]float64{{-2}, {0}, {1}, {30}}},
	ir.OpCos:   {points: [][]float64{{-2}, {0}, {1}, {30}}},
	ir.OpTan:   {points: [][]float64{{-1.2}, {0}, {1}, {30}}},
	ir.OpAsin:  {points: [][]float64{{-0.9}, {0}, {0.5}}, kinks: [][]float64{{1}, {-1}}},
	ir.OpAcos:  {points: [][]float64{{-0.9}, {0}, {0.5}}, kinks: [][]float64{{1}, {-1}}},
	ir.OpAtan:  {points: [][]float64{{-9}, {0}, {0.5}}},
	ir.OpSinh:  {points: [][]float64{{-2}, {0}, {1}}},
	ir.OpCosh:  {points: [][]float64{{-2}, {0}, {1}}},
	ir.OpTanh:  {points: [][]float64{{-2}, {0}, {1}}, kinks: [][]float64{{400}}},
	ir.OpExp:   {points: [][]float64{{-2}, {0}, {3}}},
	ir.OpExp2:  {points: [][]float64{{-2}, {0}, {3}}},
	ir.OpLog:   {points: [][]float64{{0.1}, {1}, {50}}, kinks: [][]float64{{0}}},
	ir.OpLog2:  {points: [][]float64{{0.1}, {1}, {50}}, kinks: [][]float64{{0}}},
	ir.OpAdd:   {points: [][]float64{{1, 2}}},
	ir.OpSub:   {points: [][]float64{{1, 2}}},
	ir.OpMul:   {points: [][]float64{{3, -2}, {0, 5}}},
	ir.OpDiv:   {points: [][]float64{{3, -2}, {-1, 0.1}, {0, 4}}, kinks: [][]float64{{1, 0}}},
	ir.OpRem:   {points: [][]float64{{7.5, 2}, {-7.5, 2}, {7.5, -2}, {-7.5, -2}}, kinks: [][]float64{{4, 2}, {-4, 2}, {0, 3}, {1, 0}}},
	ir.OpMod:   {points: [][]float64{{7.5, 2}, {-7.5, 2}, {7.5, -2}, {-7.5, -2}}, kinks: [][]float64{{4, 2}, {-4, 2}, {0, 3}, {1, 0}}},
	ir.OpMin:   {points: [][]float64{{1, 2}, {2, 1}}, kinks: [][]float64{{2, 2}}},
	ir.OpMax:   {points: [][]float64{{1, 2}, {2, 1}}, kinks: [][]float64{{2, 2}}},
	ir.OpPow:   {points: [][]float64{{2, 3}, {0.5, -1.5}, {3, 0.2}, {3, 0}}, kinks: [][]float64{{0, 2}, {0, 1}, {0, 0.5}, {0, 0}, {0, -1}, {math.Inf(1), -1}}},
	ir.OpAtan2: {points: [][]float64{{1, 2}, {-1, 2}, {1, -2}, {-1, -2}, {0, 1}}, kinks: [][]float64{{0, 0}, {0, -1}, {math.Inf(1), math.Inf(1)}}},
	ir.OpFma:   {points: [][]float64{{2, 3, 4}, {-1, 0.5, 0}}},
}

// TestRules compares each rule with the oracle's partial derivatives and with differences, over the domain of its op and at
// its kinks, in both modes, in f32 and f64, also where the op stands in a loop, which keeps what the rule uses. The row of
// conversions and the one of selections are tested by kernels.
func TestRules(t *testing.T) {
	for _, c := range ir.Codes() {
		if ruleOf(c).times == nil || c == ir.OpConvert || c == ir.OpSelect {
			continue
		}
		if domain[c].points == nil {
			t.Errorf("%s is tested nowhere", c)
		}
		if err := judge(c); err != nil {
			t.Error(err)
		}
	}
}

// TestRulesThatAreWrong breaks each rule in each way, and sees that TestRules finds out: a derivative that is too large, of the wrong sign, or
// taken from the other operand; an infinite one that meets a path that was not taken; a value that a loop does not keep.
func TestRulesThatAreWrong(t *testing.T) {
	for _, c := range ir.Codes() {
		good := rules[c]
		if good.times == nil || c == ir.OpConvert || c == ir.OpSelect {
			continue
		}
		wrong := map[string]rule{}
		for i := range c.Info().Min {
			for name, factor := range map[string]float64{"large": 1.0001, "sign": -1} {
				bad := good
				bad.times = func(e *at, k int, d *ir.Value) *ir.Value {
					if k == i {
						d = e.mul(d, e.num(factor))
					}
					return good.times(e, k, d)
				}
				wrong[fmt.Sprint(name, i)] = bad
			}
		}
		if c.Info().Min == 2 && c != ir.OpAdd {
			bad := good
			bad.times = func(e *at, k int, d *ir.Value) *ir.Value { return good.times(e, 1-k, d) }
			wrong["exchanged"] = bad
		}
		if good.singular && len(domain[c].kinks) > 0 {
			bad := good
			bad.singular = false
			wrong["singular"] = bad
		}
		for bit := range result {
			if good.uses&(1<<bit) != 0 && good.uses&uy == 0 { // the result is computed from all operands
				bad := good
				bad.uses &^= 1 << bit
				wrong[fmt.Sprint("uses", bit)] = bad
			}
		}
		if good.uses&uy != 0 {
			bad := good
			bad.uses = 0
			wrong["uses"] = bad
		}
		for name, bad := range wrong {
			rules[c] = bad
			if judge(c) == nil {
				t.Errorf("nothing finds out that the rule of %s is broken: %s", c, name)
			}
		}
		rules[c] = good
	}
}

// judge returns what is wrong with the rule of an op.
func judge(c ir.Code) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %v", c, p)
		}
	}()
	for _, kind := range []ir.Kind{ir.F32, ir.F64} {
		for _, x := range domain[c].points {
			for carried := range x {
				if err := judgeAt(c, kind, x, carried, true); err != nil {
					return err
				}
			}
			if err := judgeAt(c, kind, x, -1, true); err != nil {
				return err
			}
		}
		for _, x := range domain[c].kinks {
			if err := judgeAt(c, kind, x, -1, false); err != nil {
				return err
			}
			if err := untaken(c, kind, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// judgeAt compares the derivatives by all operands at x. Carried is the operand that a loop around the op carries, -1 without a loop.
func judgeAt(c ir.Code, kind ir.Kind, x []float64, carried int, smooth bool) error {
	k, err := ir.Parse(opKernel(c, kind, len(x), carried))
	if err != nil {
		return err
	}
	tolerance := map[ir.Kind]float64{ir.F32: 2e-5, ir.F64: 1e-12}[kind]
	_, want := onTape(k, kind, x)
	back, tangent, err := byRules(k, kind, x)
	if err != nil {
		return err
	}
	for i := range x {
		for _, got := range []float64{back[i], tangent[i]} {
			same := got == want[i] || math.IsNaN(got) && math.IsNaN(want[i])
			if !same && !(math.Abs(got-want[i]) <= tolerance*(1e-3+math.Abs(want[i]))) {
				return fmt.Errorf("%s of %s at %v, carried %d: the derivative by operand %d is %v, by the tape %v", c, kind, x, carried, i, got, want[i])
			}
		}
		if !smooth || kind != ir.F64 {
			continue
		}
		at := func(h float64) float64 {
			moved := append([]float64{}, x...)
			moved[i] += h
			y, _ := onTape(k, kind, moved)
			return y
		}
		const h = 1e-5
		if d := (at(h) - at(-h)) / (2 * h); !(math.Abs(d-want[i]) <= 1e-5*(1+math.Abs(want[i]))) {
			return fmt.Errorf("%s at %v, carried %d: the derivative by operand %d is %v, by differences %v", c, x, carried, i, want[i], d)
		}
	}
	return nil
}

// untaken sees that the result multiplied by zero has no derivative, whatever that of the op is.
func untaken(c ir.Code, kind ir.Kind, x []float64) error {
	text := strings.Replace(opKernel(c, kind, len(x), -1), "store %q, %r", fmt.Sprintf("%%zero = const 0 : %s\n%%none = mul %%zero, %%r : %s\nstore %%q, %%none", kind, kind), 1)
	k, err := ir.Parse(text)
	if err != nil {
		return err
	}
	back, _, err := byRules(k, kind, x)
	if err != nil {
		return err
	}
	for i, d := range back {
		if d != 0 {
			return fmt.Errorf("%s of %s at %v: zero times the derivative by operand %d is %v", c, kind, x, i, d)
		}
	}
	return nil
}

// opKernel is the text of a kernel that stores the result of an op on the elements of X in Y. In a loop the operand that is carried
// stays near the element, and nothing but the rule wants it again.
func opKernel(c ir.Code, kind ir.Kind, n, carried int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel K() {\nint i32\nfield @X [%s] [3]\nfield @Y [%s] []\nfield @N [i32] []\nbody {\n", kind, kind)
	var names []string
	for i := range n {
		fmt.Fprintf(&b, "%%i%d = const %d : i32\n%%p%d = ptr @X.0 %%i%d : ptr\n%%x%d = load %%p%d : %s\n", i, i, i, i, i, i, kind)
		names = append(names, fmt.Sprintf("%%x%d", i))
	}
	if carried < 0 {
		fmt.Fprintf(&b, "%%r = %s %s : %s\n", c, strings.Join(names, ", "), kind)
	} else {
		own := names[carried]
		names[carried] = "%s"
		fmt.Fprintf(&b, "%%np = ptr @N.0 : ptr\n%%n = load %%np : i32\n%%little = const 0.001 : %s\n", kind)
		fmt.Fprintf(&b, "^0: %%r = for %%i0, %%n, %s : %s { (%%i: i32, %%s: %s)\n%%y = %s %s : %s\n", own, kind, kind, c, strings.Join(names, ", "), kind)
		fmt.Fprintf(&b, "%%v = mul %%y, %%little : %s\n%%on = add %%v, %s : %s\ncontinue ^0 %%on\n}\n", kind, own, kind)
	}
	b.WriteString("%q = ptr @Y.0 : ptr\nstore %q, %r\nreturn\n}\n}")
	return b.String()
}

// opMemory are the fields of such a kernel by name.
func opMemory(kind ir.Kind, x []float64) map[string]oracle.Cells {
	m := map[string]oracle.Cells{}
	for _, name := range []string{"X", "Y", "N", "X.grad", "Y.grad"} {
		m[name] = oracle.Cells{}
	}
	for i, v := range x {
		m["X"].Store([]int64{int64(i)}, 0, ir.FloatBits(kind, v))
	}
	m["N"].Store(nil, 0, 3)
	return m
}

func runOn(k *ir.Kernel, m map[string]oracle.Cells, tape *oracle.Tape) (map[string]*oracle.Variable, error) {
	env := &oracle.Env{Tape: tape}
	vars := map[string]*oracle.Variable{}
	for _, f := range k.Fields {
		env.Fields = append(env.Fields, m[f.Name])
		if tape != nil && f.Comps[0].IsFloat() {
			vars[f.Name] = tape.Variable()
		}
		env.Variables = append(env.Variables, vars[f.Name])
	}
	_, err := oracle.Run(context.Background(), k, env)
	return vars, err
}

// onTape returns the result and its derivatives by the oracle's tape.
func onTape(k *ir.Kernel, kind ir.Kind, x []float64) (y float64, dx []float64) {
	m, tape := opMemory(kind, x), &oracle.Tape{}
	vars, err := runOn(k, m, tape)
	if err != nil {
		panic(err)
	}
	back := tape.Back()
	back.Seed(vars["Y"], nil, 0, 1)
	back.Run()
	for i := range x {
		dx = append(dx, back.Adjoint(vars["X"], []int64{int64(i)}, 0))
	}
	return ir.FloatValue(kind, m["Y"].Load(nil, 0)), dx
}

// byRules returns the derivatives of both modes.
func byRules(k *ir.Kernel, kind ir.Kind, x []float64) (back, tangents []float64, err error) {
	of := func() map[*ir.Field]*ir.Field {
		all := map[*ir.Field]*ir.Field{}
		for _, f := range k.Fields {
			if f.Comps[0].IsFloat() {
				all[f] = &ir.Field{Name: f.Name + ".grad", Comps: f.Comps, Shape: f.Shape}
			}
		}
		return all
	}
	adjoint, err := Reverse(k, of(), Options{})
	if err != nil {
		return nil, nil, err
	}
	m := opMemory(kind, x)
	m["Y.grad"].Store(nil, 0, ir.FloatBits(kind, 1))
	if _, err := runOn(adjoint, m, nil); err != nil {
		return nil, nil, err
	}
	dual, err := Forward(k, of(), Options{})
	if err != nil {
		return nil, nil, err
	}
	for i := range x {
		at := []int64{int64(i)}
		back = append(back, ir.FloatValue(kind, m["X.grad"].Load(at, 0)))
		d := opMemory(kind, x)
		d["X.grad"].Store(at, 0, ir.FloatBits(kind, 1))
		if _, err := runOn(dual, d, nil); err != nil {
			return nil, nil, err
		}
		tangents = append(tangents, ir.FloatValue(kind, d["Y.grad"].Load(nil, 0)))
	}
	return back, tangents, nil
}
