package conformance

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// A routine is one rule about statements and functions, with an example: what the
// body of a device function of a, b and c returns.
type routine struct {
	name string
	body string
	args []any // of Go types that kernels have
	want any
}

// lanes is the number of calls of a routine in parallel.
const lanes = 16

// conformRoutines checks routines that may use decls. Each is called in a parallel
// loop: first with its arguments, then with integers among the first two increased by
// up to 3, so that neighbouring iterations go different ways; there the machine code
// must agree with the oracle.
func conformRoutines(t *testing.T, decls string, rows []routine, libraries ...ti.Source) {
	var src strings.Builder
	src.WriteString("package conform\n" + decls + "\n")
	for i, b := range rows {
		var params, args []string
		for j, a := range b.args {
			name, typ := string(rune('a'+j)), runtest.TypeName(reflect.TypeOf(a))
			params = append(params, name+" "+typ)
			switch _, isInt := a.(int32); {
			case isInt && j == 0:
				name += " + k%4"
			case isInt && j == 1:
				name += " + k/4"
			}
			args = append(args, name)
		}
		fmt.Fprintf(&src, "func row%d(%s) %s {\n%s\n}\n", i, strings.Join(params, ", "), resultType(b.want), b.body)
		fmt.Fprintf(&src, "func Row%d(%s) { for k := range out { out[k] = row%d(%s) } }\n", i,
			strings.Join(append(params, "out []"+resultType(b.want)), ", "), i, strings.Join(args, ", "))
	}
	first := make([]any, len(rows)) // what the oracle gives
	runConform(t, src.String(), nil, func(i int) string { return rows[i].name }, len(rows), func(r *runtest.Run, p *ti.Program, i int) {
		b := rows[i]
		out := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(b.want)), lanes, lanes)
		_, err := p.Kernel(fmt.Sprint("Row", i)).Launch(context.Background(), append(slices.Clone(b.args), out.Interface())...)
		runtest.OK(r, err)
		if got := out.Index(0); !runtest.Same(got, reflect.ValueOf(b.want), 4) {
			r.Errorf("of %v it is %v, want %v:\n%s", b.args, got, b.want, b.body)
		}
		if first[i] == nil {
			first[i] = out.Interface()
		} else if !runtest.Same(out, reflect.ValueOf(first[i]), 4) {
			r.Errorf("of %v and more it is %v, and %v on the oracle:\n%s", b.args, out, first[i], b.body)
		}
	}, libraries...)
}

// resultType is the kernel type of a Go value.
func resultType(v any) string {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Struct {
		return t.Name() // the declarations have it under the same name
	}
	return runtest.TypeName(t)
}

// A call is one rule about kernels, with an example: a kernel Run with its arguments,
// and what they and its results are afterwards.
type call struct {
	name string
	src  string
	args []any
	want []any // the results, and then the contents of each slice among the arguments
}

var kernelName = regexp.MustCompile(`\bRun\b`)

// conformCalls checks calls. Their sources may use decls, whose fields host binds, if
// it is not nil; each declares a kernel Run, and what else it declares is its own when
// its name ends in an underscore.
func conformCalls(t *testing.T, decls string, host func(r *runtest.Run) any, rows []call) {
	var src strings.Builder
	src.WriteString("package conform\n" + decls + "\n")
	for i, b := range rows {
		text := kernelName.ReplaceAllString(b.src, fmt.Sprint("Run", i))
		src.WriteString(ownName.ReplaceAllString(text, fmt.Sprintf("${1}%d", i)) + "\n")
	}
	runConform(t, src.String(), host, func(i int) string { return rows[i].name }, len(rows), func(r *runtest.Run, p *ti.Program, i int) {
		b := rows[i]
		var args, slicesOf []any
		for _, a := range b.args {
			if v := reflect.ValueOf(a); v.Kind() == reflect.Slice {
				c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
				reflect.Copy(c, v)
				a = c.Interface()
				slicesOf = append(slicesOf, a)
			}
			args = append(args, a)
		}
		got, err := p.Kernel(fmt.Sprint("Run", i)).Launch(context.Background(), args...)
		runtest.OK(r, err)
		got = append(got, slicesOf...)
		if len(got) != len(b.want) {
			r.Fatalf("%d results and slices, and %d are expected", len(got), len(b.want))
		}
		for k := range got {
			if g, w := reflect.ValueOf(got[k]), reflect.ValueOf(b.want[k]); g.Kind() != w.Kind() || g.Kind() != reflect.Struct && g.Type() != w.Type() || !runtest.Same(g, w, 4) {
				r.Errorf("of %v value %d is %v, want %v:\n%s", b.args, k, got[k], b.want[k], b.src)
			}
		}
	})
}

// ownName matches names that end in an underscore.
var ownName = regexp.MustCompile(`\b([a-zA-Z]+)_\b`)

// runConform compiles src, with libraries that it imports, in those of exampleVariants whose turn it is, and calls f for
// each of n rows.
func runConform(t *testing.T, src string, host func(r *runtest.Run) any, name func(i int) string, n int, f func(r *runtest.Run, p *ti.Program, i int), libraries ...ti.Source) {
	for _, v := range withTurns(t, exampleVariants) {
		rt, out := v.NewRuntime(t)
		all := &runtest.Run{TB: t, Variant: v, RT: rt, Out: out}
		var bound any
		if host != nil {
			bound = host(all)
		}
		p, err := rt.Compile(ti.Join(append([]ti.Source{ti.Text("conform.ti", src)}, libraries...)...), bound)
		runtest.OK(all, err)
		for i := range n {
			t.Run(name(i)+"/"+v.Label, func(t *testing.T) {
				out.Reset()
				f(&runtest.Run{TB: t, Variant: v, RT: rt, Out: out}, p, i)
			})
		}
		all.Close()
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An effect is one rule about what a launch prints or how it fails, with an example:
// statements of a kernel with an argument n.
type effect struct {
	name string
	body string
	n    int32
	want string // what is printed, or part of the message
}

// conformPrints checks what statements print.
func conformPrints(t *testing.T, decls string, rows []effect) {
	runEffects(t, decls, rows, func(r *runtest.Run, b effect, err error) {
		runtest.OK(r, err)
		if got := r.Out.String(); got != b.want {
			r.Errorf("printed %q, want %q:\n%s", got, b.want, b.body)
		}
	})
}

// conformFailures checks that launches fail with err and what they say.
func conformFailures(t *testing.T, decls string, is error, rows []effect) {
	runEffects(t, decls, rows, func(r *runtest.Run, b effect, err error) {
		if !errors.Is(err, is) || !strings.Contains(err.Error(), b.want) {
			r.Errorf("the error is %v, want %v with %q:\n%s", err, is, b.want, b.body)
		}
	})
}

func runEffects(t *testing.T, decls string, rows []effect, f func(r *runtest.Run, b effect, err error)) {
	var src strings.Builder
	src.WriteString("package conform\n" + decls + "\n")
	for i, b := range rows {
		fmt.Fprintf(&src, "func Run%d(n i32) {\n%s\n}\n", i, b.body)
	}
	runConform(t, src.String(), nil, func(i int) string { return rows[i].name }, len(rows), func(r *runtest.Run, p *ti.Program, i int) {
		_, err := p.Kernel(fmt.Sprint("Run", i)).Launch(context.Background(), rows[i].n)
		f(r, rows[i], err)
	})
}

// A slip is one kind of mistake in a source, and what the error says of it.
type slip struct {
	name string
	src  string // statements of a kernel with the parameters of slipKernel, or declarations
	code ti.Code
	says string // part of the message or of the help
}

const slipKernel = "func Run(a, b i32, x, y f32, c bool, v vec3, m mat2, s []f32) {\n\t%s\n}\n"

// conformSlips checks that each source gives its error. decls are visible to
// statements and declarations.
func conformSlips(t *testing.T, decls string, rows []slip) {
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	for _, m := range rows {
		t.Run(m.name, func(t *testing.T) {
			src := m.src
			if !declaration.MatchString(src) {
				src = fmt.Sprintf(slipKernel, src)
			}
			_, err := rt.Compile(ti.Text("slip.ti", "package p\n"+decls+"\n"+src), nil)
			var all ti.SourceErrors
			if !errors.As(err, &all) {
				t.Fatalf("%s gives %v, want an error %v", m.src, err, m.code)
			}
			if !slices.ContainsFunc(all, func(e *ti.SourceError) bool {
				return e.Code == m.code && strings.Contains(e.Msg+" "+e.Help, m.says)
			}) {
				t.Errorf("%s gives\n%v\nwant an error %v with %q", m.src, err, m.code, m.says)
			}
		})
	}
}

var declaration = regexp.MustCompile(`(?m)^(func|type|import|const [A-Z]|var [A-Z]|//ti:)`)
