package runtest

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
}

// A column is a field of some type.
type column interface {
	field() ti.AnyField
	set(i int, v reflect.Value)
	at(i int) any
}

type typedColumn[T any] struct{ f ti.Field[T] }

func (c *typedColumn[T]) field() ti.AnyField         { return &c.f }
func (c *typedColumn[T]) set(i int, v reflect.Value) { c.f.Set(v.Interface().(T), i) }
func (c *typedColumn[T]) at(i int) any               { return c.f.At(i) }

func columnOf[T any]() func() column { return func() column { return &typedColumn[T]{} } }

var columns = map[reflect.Type]func() column{}

func register[T any](name string) struct{} {
	t := reflect.TypeFor[T]()
	columns[t] = columnOf[T]()
	typeNames[t] = name
	return struct{}{}
}

var typeNames = map[reflect.Type]string{}

var _ = []struct{}{
	register[bool]("bool"), register[int8]("i8"), register[int16]("i16"), register[int32]("i32"), register[int64]("i64"),
	register[uint8]("u8"), register[uint16]("u16"), register[uint32]("u32"), register[uint64]("u64"),
	register[ti.Float16]("f16"), register[[3]ti.Float16]("[3]f16"), register[[2][2]ti.Float16]("[2][2]f16"),
	register[float32]("f32"), register[float64]("f64"),
	register[ti.Vec2]("vec2"), register[ti.Vec3]("vec3"), register[ti.Vec4]("vec4"),
	register[ti.IVec2]("ivec2"), register[ti.IVec3]("ivec3"), register[ti.IVec4]("ivec4"),
	register[ti.UVec2]("uvec2"), register[ti.UVec3]("uvec3"), register[ti.DVec2]("dvec2"), register[ti.DVec3]("dvec3"),
	register[ti.Mat2]("mat2"), register[ti.Mat3]("mat3"), register[ti.DMat2]("dmat2"), register[ti.DMat3]("dmat3"),
	register[ti.Mat4]("mat4"), register[ti.DMat4]("dmat4"),
	register[[3]bool]("[3]bool"), register[[2]bool]("[2]bool"), register[[2][3]float32]("[2][3]f32"),
	register[[3][2]float32]("[3][2]f32"), register[[2][2]int32]("[2][2]i32"), register[[5]float32]("[5]f32"), register[[6]float64]("[6]f64"),
}

const maxTuples = 192

// TestExpressions runs the tables in all variants but debug mode, which is right to
// complain of the numbers here that wrap, saturate or divide by zero.
func TestExpressions(t *testing.T) {
	rts := &runtimes{}
	defer rts.close(t)
	// Where operands lie has the programs to test it; one sparse layout is here.
	calm := slices.DeleteFunc(variants(), func(v variant) bool {
		return v.debug || !*allVariants && v.layout.sparse() && v.layout != bitmasked
	})
	for _, g := range groups() {
		t.Run(g.name, func(t *testing.T) {
			args := g.tuples()
			runIn(t, rts, calm, func(r *run) { g.run(r, args) })
		})
	}
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
func (g *group) run(r *run, tuples [][]reflect.Value) {
	ft := reflect.TypeOf(g.exprs[0].want)
	var decl, body strings.Builder
	var fields []ti.AnyField
	bind := ti.Bindings{}
	add := func(name string, t reflect.Type) column {
		make, ok := columns[t]
		if !ok {
			r.Fatalf("no column of type %v", t)
		}
		c := make()
		fields = append(fields, c.field())
		bind[name] = c.field()
		fmt.Fprintf(&decl, "\t%s field[%s]\n", name, typeNames[t])
		return c
	}
	var ins, outs []column
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
	r.place(ti.Shape{len(tuples)}, fields...)
	src := "package expr\n\nvar (\n" + decl.String() + ")\n\nfunc Run() {\n\tfor i := range A {\n" + body.String() + "\t}\n}\n"
	p := r.load(src, bind)
	for i, tuple := range tuples {
		for j, c := range ins {
			c.set(i, tuple[j])
		}
	}
	if _, err := p.Kernel("Run").Launch(context.Background()); err != nil {
		r.Fatal(err)
	}
	for j, e := range g.exprs {
		f := reflect.ValueOf(e.want)
		for i, tuple := range tuples {
			want, got := f.Call(tuple)[0].Interface(), outs[j].at(i)
			if !same(reflect.ValueOf(got), reflect.ValueOf(want), e.ulps) {
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

// same compares two values; floats may differ by ulps units in the last place,
// and all NaNs are alike, as are zeros.
func same(got, want reflect.Value, ulps int) bool {
	if h, ok := got.Interface().(ti.Float16); ok {
		return closeTo(float64(h.Float32()), float64(want.Interface().(ti.Float16).Float32()), ulps, 0x1p-10, 0x1p-24)
	}
	switch got.Kind() {
	case reflect.Array, reflect.Slice:
		if got.Len() != want.Len() {
			return false
		}
		for i := range got.Len() {
			if !same(got.Index(i), want.Index(i), ulps) {
				return false
			}
		}
		return true
	case reflect.Struct: // perhaps of types with other names
		for i := range got.NumField() {
			if got.NumField() != want.NumField() || !same(got.Field(i), want.Field(i), ulps) {
				return false
			}
		}
		return true
	case reflect.Float32:
		return closeTo(got.Float(), want.Float(), ulps, 0x1p-23, 0x1p-149)
	case reflect.Float64:
		return closeTo(got.Float(), want.Float(), ulps, 0x1p-52, 0x1p-1074)
	}
	return got.Interface() == want.Interface()
}

func closeTo(got, want float64, ulps int, eps, tiny float64) bool {
	switch {
	case got == want || got != got && want != want:
		return true
	case math.IsInf(got, 0) || math.IsInf(want, 0) || got != got || want != want:
		return false
	}
	return math.Abs(got-want) <= float64(ulps)*math.Max(math.Abs(want)*eps, tiny)
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
