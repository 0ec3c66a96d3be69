package expression

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// An expr is an expression over a, b, c, and what it must give for Go arguments.
type expr struct {
	text string
	want any // a func of the arguments
	ulps int // how far a float may be off, in units in the last place
}

// A group is expressions over the same arguments.
type group struct {
	name  string
	args  string // names of the arguments; "a b c" if empty
	pools []any  // for each argument a slice of values; nil for the pool of its type
	exprs []expr

	rewrite func(source string) string // what is run in the place of the source; nil for the source itself
}

const maxTuples = 192

// TestExpressions runs the tables in all variants but debug mode, which is right to
// complain of the numbers here that wrap, saturate or divide by zero.
func TestExpressions(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	// Where operands lie has the programs to test it; one sparse layout is here.
	calm := slices.DeleteFunc(runtest.Variants(), func(v runtest.Variant) bool {
		return v.Debug || !runtest.AllVariants() && v.Layout.Sparse() && v.Layout != runtest.Bitmasked
	})
	for i, g := range groups() {
		t.Run(g.name, func(t *testing.T) {
			args := g.tuples()
			runtest.RunIn(t, rts, runtest.TakeTurns(calm, i), func(r *runtest.Run) { g.run(r, args) })
		})
	}
}

// TestDeterminism compiles groups twice.
func TestDeterminism(t *testing.T) {
	var cases []func(r *runtest.Run)
	for _, g := range groups() {
		args := g.tuples()
		cases = append(cases, func(r *runtest.Run) { g.run(r, args) })
	}
	runtest.SameObjects(t, cases)
}

// groups returns all tables.
func groups() []group {
	var gs []group
	for _, table := range [][]group{integerGroups(), floatGroups(), conversionGroups(), vectorGroups(), mathGroups(), halfGroups()} {
		gs = append(gs, table...)
	}
	return gs
}

// tuples returns the arguments to try: all combinations, or a sample of them.
func (g *group) tuples() [][]reflect.Value {
	ft := reflect.TypeOf(g.exprs[0].want)
	pools := make([]reflect.Value, ft.NumIn())
	n := 1
	for i := range pools {
		if i < len(g.pools) && g.pools[i] != nil {
			pools[i] = reflect.ValueOf(g.pools[i])
		} else {
			pools[i] = pool(ft.In(i))
		}
		n *= pools[i].Len()
	}
	random := rand.New(rand.NewPCG(1, uint64(n)))
	var out [][]reflect.Value
	for i := range min(n, maxTuples) {
		var tuple []reflect.Value
		rest := i
		for _, p := range pools {
			at := rest % p.Len()
			rest /= p.Len()
			if n > maxTuples {
				at = random.IntN(p.Len())
			}
			tuple = append(tuple, p.Index(at))
		}
		out = append(out, tuple)
	}
	for len(out)%12 != 0 { // so that all layouts have blocks
		out = append(out, out[0])
	}
	return out
}

// run evaluates the group's expressions in one kernel.
func (g *group) run(r *runtest.Run, tuples [][]reflect.Value) {
	ft := reflect.TypeOf(g.exprs[0].want)
	var decl, body strings.Builder
	var fields []ti.AnyField
	bind := ti.Bindings{}
	add := func(name string, t reflect.Type) runtest.Column {
		c := runtest.NewColumn(t)
		if c == nil {
			r.Fatalf("no column of type %v", t)
		}
		fields = append(fields, c.Field())
		bind[name] = c.Field()
		fmt.Fprintf(&decl, "\t%s field[%s]\n", name, runtest.TypeName(t))
		return c
	}
	var ins, outs []runtest.Column
	names := strings.Fields(g.args)
	if g.args == "" {
		names = []string{"a", "b", "c"}
	}
	for i := range ft.NumIn() {
		name := string(rune('A' + i))
		ins = append(ins, add(name, ft.In(i)))
		fmt.Fprintf(&body, "\t\t%s := %s[i]\n\t\t_ = %s\n", names[i], name, names[i])
	}
	for i, e := range g.exprs {
		et := reflect.TypeOf(e.want)
		name := fmt.Sprintf("R%d", i)
		outs = append(outs, add(name, et.Out(0)))
		fmt.Fprintf(&body, "\t\t%s[i] = %s\n", name, e.text)
	}
	r.Place(ti.Shape{len(tuples)}, fields...)
	src := "package expr\n\nvar (\n" + decl.String() + ")\n\nfunc Run() {\n\tfor i := range A {\n" + body.String() + "\t}\n}\n"
	if g.rewrite != nil {
		src = g.rewrite(src)
	}
	p := r.Load(src, bind)
	for i, tuple := range tuples {
		for j, c := range ins {
			c.Set(i, tuple[j])
		}
	}
	if _, err := p.Kernel("Run").Launch(context.Background()); err != nil {
		r.Fatal(err)
	}
	for j, e := range g.exprs {
		f := reflect.ValueOf(e.want)
		for i, tuple := range tuples {
			want, got := f.Call(tuple)[0].Interface(), outs[j].At(i)
			if !runtest.Same(reflect.ValueOf(got), reflect.ValueOf(want), e.ulps) {
				r.Errorf("%s of %s = %v, want %v", e.text, text(tuple), got, want)
				break
			}
		}
	}
}

// text prints arguments.
func text(tuple []reflect.Value) string {
	var parts []string
	for _, v := range tuple {
		parts = append(parts, fmt.Sprint(v.Interface()))
	}
	return strings.Join(parts, ", ")
}

// pool returns values of type t that are worth trying.
func pool(t reflect.Type) reflect.Value {
	random := rand.New(rand.NewPCG(2, uint64(t.Size())))
	var vals []reflect.Value
	add := func(v any) { vals = append(vals, reflect.ValueOf(v).Convert(t)) }
	if t == reflect.TypeFor[ti.Float16]() {
		return reflect.ValueOf(halves)
	}
	switch t.Kind() {
	case reflect.Bool:
		add(false)
		add(true)
	case reflect.Array:
		elem := pool(t.Elem())
		for range 24 {
			v := reflect.New(t).Elem()
			for i := range t.Len() {
				v.Index(i).Set(elem.Index(random.IntN(elem.Len())))
			}
			vals = append(vals, v)
		}
	case reflect.Float32, reflect.Float64:
		for _, f := range floats {
			add(f)
		}
	default:
		bits := int(t.Size()) * 8
		for _, n := range []int64{0, 1, 2, 3, 5, 7, 10, 31, 100} {
			add(n)
			add(-n)
		}
		for _, s := range []int{bits - 1, bits / 2} {
			for d := int64(-2); d <= 2; d++ {
				add(int64(1)<<s + d)
			}
		}
		for range 4 {
			add(int64(random.Uint64()))
		}
	}
	s := reflect.MakeSlice(reflect.SliceOf(t), 0, len(vals))
	return reflect.Append(s, vals...)
}

var floats = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -0.3, 100, 0.1, 7, -7, 2,
	1e10, -1e10, 1e-10, 1e30, 5e9, 1 << 31, 1<<31 - 1, 1 << 24, 1<<24 + 1, 1e-40, math.Inf(1), math.Inf(-1), math.NaN(),
}
