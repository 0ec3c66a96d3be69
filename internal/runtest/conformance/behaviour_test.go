package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// A behaviour is one rule of the language about numbers, with an example: what an
// expression over a, b and c gives.
type behaviour struct {
	name string
	expr string
	args []any // of Go types that kernels have
	want any
}

// exampleVariants are the ways to run examples of rules.
var exampleVariants = []runtest.Variant{runtest.OracleVariant, runtest.KernelVariants[0], runtest.KernelVariants[2]}

// conform checks behaviours in two forms each: with arguments of a kernel, computed
// at run time, and with variables whose values the compiler knows.
func conform(t *testing.T, rows []behaviour) {
	var src strings.Builder
	src.WriteString("package conform\n")
	for i, b := range rows {
		var params, locals []string
		for j, a := range b.args {
			name := string(rune('a' + j))
			params = append(params, name+" "+runtest.TypeName(reflect.TypeOf(a)))
			locals = append(locals, fmt.Sprintf("\t%s := %s\n\t_ = %s\n", name, literal(a), name))
		}
		result := runtest.TypeName(reflect.TypeOf(b.want))
		fmt.Fprintf(&src, "func Run%d(%s) %s { return %s }\n", i, strings.Join(params, ", "), result, b.expr)
		fmt.Fprintf(&src, "func Known%d() %s {\n%s\treturn %s\n}\n", i, result, strings.Join(locals, ""), b.expr)
	}
	for _, v := range withTurns(t, exampleVariants) {
		rt, err := newStrict(t, v)
		if err != nil {
			t.Fatal(err)
		}
		p, err := rt.Compile(ti.Text("conform.ti", src.String()), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range rows {
			t.Run(b.name+"/"+v.Label, func(t *testing.T) {
				for _, started := range []struct {
					kernel string
					args   []any
				}{{fmt.Sprint("Run", i), b.args}, {fmt.Sprint("Known", i), nil}} {
					got, err := p.Kernel(started.kernel).Launch(context.Background(), started.args...)
					if err != nil {
						t.Fatal(err)
					}
					if !identical(got[0], b.want) {
						t.Errorf("%s of %v gives %v (%s), want %v", b.expr, b.args, got[0], started.kernel, b.want)
					}
				}
			})
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
}

// newStrict starts a runtime of a variant.
func newStrict(t *testing.T, v runtest.Variant) (*ti.Runtime, error) {
	defer runtest.Setenv("TI_VERIFY", "1")()
	if v.Opt != "" {
		defer runtest.Setenv("TI_OPT", v.Opt)()
	}
	return ti.New(ti.Config{Arch: v.Arch, Threads: 1, StrictMath: true})
}

// literal writes a value so that the source has exactly it.
func literal(v any) string {
	typ, text := runtest.TypeName(reflect.TypeOf(v)), fmt.Sprint(v)
	if a := reflect.ValueOf(v); a.Kind() == reflect.Array {
		var elems []string
		for i := range a.Len() {
			elems = append(elems, literal(a.Index(i).Interface()))
		}
		return typ + "{" + strings.Join(elems, ", ") + "}"
	}
	if h, ok := v.(ti.Float16); ok {
		v = h.Float32()
	}
	if f := reflect.ValueOf(v); f.CanFloat() {
		x := f.Float()
		switch {
		case math.IsNaN(x):
			text = "nan"
		case math.IsInf(x, 0):
			text = strings.ToLower(strings.TrimPrefix(fmt.Sprint(x), "+"))
		case x == 0 && math.Signbit(x): // constants have no negative zero
			bits := map[string]int{"f16": 16, "f32": 32, "f64": 64}[typ]
			return fmt.Sprintf("bitcast[%s](u%d(1 << %d))", typ, bits, bits-1)
		default:
			text = fmt.Sprintf("%x", x)
		}
	}
	return typ + "(" + text + ")"
}

// identical compares values to the bit, but for the bits of a NaN.
func identical(got, want any) bool {
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	if g.Type() != w.Type() {
		return false
	}
	if h, ok := got.(ti.Float16); ok {
		return h == want.(ti.Float16) || h.Float32() != h.Float32() && w.Interface().(ti.Float16).Float32() != w.Interface().(ti.Float16).Float32()
	}
	if g.CanFloat() {
		x, y := g.Float(), w.Float()
		return x == y && math.Signbit(x) == math.Signbit(y) || x != x && y != y
	}
	return got == want
}

// A mistake is an expression that is no constant of the language: what the error
// says of it.
type mistake struct {
	name, src string
	code      ti.Code
}

// reject checks that each source gives an error of its code.
func reject(t *testing.T, rows []mistake) {
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	for _, m := range rows {
		t.Run(m.name, func(t *testing.T) {
			_, err := rt.Compile(ti.Text("reject.ti", "package p\nfunc Run(a i32, x f32) {\n\t"+m.src+"\n}\n"), nil)
			wantCode(t, err, m.code)
		})
	}
}

// wantCode checks that the first mistake of a source is of a kind.
func wantCode(t *testing.T, err error, code ti.Code) {
	t.Helper()
	var e *ti.SourceError
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("got %v, want an error %v", err, code)
	}
}
