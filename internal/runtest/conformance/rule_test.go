package conformance

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

// A rule is one behaviour of kernels: the body of a kernel, and what it returns. The
// fields of ruleFields are zero when it starts.
type rule struct {
	name string
	body string
	want any
}

// turns returns the variants in which to run the rules of a test: without optimisation those of a quarter of the tests.
func turns(t *testing.T) []runtest.Variant {
	return withTurns(t, ruleVariants)
}

// withTurns leaves out of variants those without optimisation unless it is the test's turn.
func withTurns(t *testing.T, variants []runtest.Variant) []runtest.Variant {
	return slices.DeleteFunc(slices.Clone(variants), func(v runtest.Variant) bool {
		return v.Opt == "0" && !randtest.Share(t.Name())
	})
}

// ruleVariants are the ways to run rules.
var ruleVariants = []runtest.Variant{
	{Label: "oracle", Arch: ti.Oracle, Threads: 1},
	{Label: "llvm-O0", Arch: ti.LLVM, Opt: "0", Threads: 1, Layout: runtest.SOA},
	{Label: "llvm-O3", Arch: ti.LLVM, Opt: "3", Threads: 3, Layout: runtest.Blocked},
}

const ruleFields = `
type Item struct {
	N i32
	P vec2
	T [2]i16
}

var (
	X, Y field[i32]
	U    field[u32]
	L    field[i64]
	A8   field[i8]
	A16  field[u16]
	F, G field[f32]
	D    field[f64]
	H    field[f16]
	B    field[bool]
	V    field[vec3]
	M    field[mat2]
	Q    field[Item]
	P, R field[i32, D2]
	W    field[vec2, D3]
	S    field[i32, D0]
	Z    field[vec2, D0]
)
`

// ruleItem is Item of ruleFields.
type ruleItem struct {
	N int32
	P ti.Vec2
	T [2]int16
}

// rules runs the kernels of all rows, which may use ruleFields and the declarations
// of decl: one program, one kernel a row.
func rules(t *testing.T, decl string, rows []rule) {
	var src strings.Builder
	src.WriteString("package conform\n" + ruleFields + decl)
	for i, row := range rows {
		fmt.Fprintf(&src, "\nfunc Row%d() %s {\n%s\n}\n", i, runtest.TypeName(reflect.TypeOf(row.want)), row.body)
	}
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	runtest.RunIn(t, rts, turns(t), func(r *runtest.Run) {
		host := ruleHost(r)
		p, err := r.RT.Compile(ti.Text("conform.ti", src.String()), host)
		runtest.OK(r, err)
		for i, row := range rows {
			r.TB.(*testing.T).Run(row.name, func(t *testing.T) {
				for _, f := range host {
					if _, err := f.(ti.AnyField).ReadFrom(zeros{}); err != nil {
						t.Fatal(err)
					}
				}
				got, err := p.Kernel(fmt.Sprint("Row", i)).Launch(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if !runtest.Same(reflect.ValueOf(got[0]), reflect.ValueOf(row.want), 4) {
					t.Errorf("%s\ngives %v, want %v", row.body, got[0], row.want)
				}
			})
		}
	})
}

// ruleHost places the fields of ruleFields.
func ruleHost(r *runtest.Run) ti.Bindings {
	host := ti.Bindings{}
	add := func(shape ti.Shape, names string, fields ...ti.AnyField) {
		r.Place(shape, fields...)
		for i, name := range strings.Fields(names) {
			host[name] = fields[i]
		}
	}
	add(ti.Shape{12}, "X Y U L A8 A16 F G D H B V M Q",
		new(ti.Field[int32]), new(ti.Field[int32]), new(ti.Field[uint32]), new(ti.Field[int64]), new(ti.Field[int8]), new(ti.Field[uint16]),
		new(ti.Field[float32]), new(ti.Field[float32]), new(ti.Field[float64]), new(ti.Field[ti.Float16]), new(ti.Field[bool]),
		new(ti.Field[ti.Vec3]), new(ti.Field[ti.Mat2]), new(ti.Field[ruleItem]))
	add(ti.Shape{4, 6}, "P R", new(ti.Field[int32]), new(ti.Field[int32]))
	add(ti.Shape{2, 4, 6}, "W", new(ti.Field[ti.Vec2]))
	add(nil, "S Z", new(ti.Field[int32]), new(ti.Field[ti.Vec2]))
	return host
}

// zeros is a stream of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

var _ io.Reader = zeros{}
