package autodiff_test

import (
	"context"
	"errors"
	"go/token"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/lower"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

var noPos token.Position

// A setting has the fields that test kernels work on: X is given, the others are computed.
var setting = map[string][]int{"X": {6}, "Y": {6}, "Z": {6}, "L": {}, "N": {6}, "M": {3, 4}, "W": {6}, "C": {3}, "V": {6}, "O": {6}, "P": {2, 4}, "T": {2, 3, 3}}

// origins are the lowest indices of fields, where these are not 0.
var origins = map[string][]int{"O": {-2}, "P": {-4, -1}}

const header = `package a

var (
	X, Y, Z field[f64, D1]
	L       field[f64, D0]
	N       field[i32, D1]
	M       field[f64, D2]
	V       field[dvec2, D1]
	O       field[f64, D1] // from -2 on
	P       field[f64, D2] // from -4 and -1 on
	T       field[f64, D3]
)

`

// checked is a source with the declarations that all have, beside other files.
func checked(t testing.TB, source string, more ...string) *check.Program {
	t.Helper()
	var files []*syntax.File
	for i, s := range append([]string{header + source}, more...) {
		file, errs := syntax.Parse(string(rune('a'+i))+".ti", s, noPos)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		files = append(files, file)
	}
	pkg, errs := check.Declare(files)
	host := &check.Host{Fields: map[string]check.HostField{}, Widths: typed.Widths{Int: typed.I32, Float: typed.F64}}
	for name, shape := range setting {
		host.Fields[name] = check.HostField{Shape: shape, Origin: origins[name]}
	}
	prog, others := pkg.Check(host)
	if errs = append(errs, others...); len(errs) > 0 {
		t.Fatal(errs)
	}
	return prog
}

// lowered compiles kernel K of a source for differentiation.
func lowered(t testing.TB, source string) *ir.Kernel {
	t.Helper()
	return readied(t, checked(t, source))
}

// readied lowers kernel K and takes it through the passes that come before it is differentiated.
func readied(t testing.TB, prog *check.Program) *ir.Kernel {
	t.Helper()
	k := lower.Kernel(&prog.Program, prog.Kernel("K"), lower.Options{Gradient: true})
	for _, stage := range []string{"simplify", "cse", "dce", "rand"} {
		if err := pass.RunStage(k, pass.Options{}, stage); err != nil {
			t.Fatal(err)
		}
	}
	if err := ir.Verify(k); err != nil {
		t.Fatalf("%v\n%s", err, k)
	}
	return k
}

// adjoint differentiates k with respect to all its fields of floats.
func adjoint(t testing.TB, k *ir.Kernel) (*ir.Kernel, error) { return adjointIn(t, k, manner{}) }

// adjointIn makes the adjoint in some manner.
func adjointIn(t testing.TB, k *ir.Kernel, m manner) (*ir.Kernel, error) {
	grad := adjointsOf(k)
	keys := func(f *ir.Field) *ir.Field {
		return &ir.Field{Name: f.Name + ".key", Comps: []ir.Kind{ir.I64}, Shape: f.Shape, Origin: f.Origin}
	}
	reads := new(autodiff.Reads)
	back, err := autodiff.Reverse(k, grad, autodiff.Options{Keys: keys, Record: oldValues, Reads: reads, Without: m.without, Entries: m.entries})
	if err != nil {
		return nil, err
	}
	if err := ir.Verify(back); err != nil {
		t.Fatalf("%v\n%s", err, back)
	}
	for dropped := true; dropped; dropped = autodiff.DropLoads(back) {
		if err := pass.RunStage(back, pass.Options{}, "dce"); err != nil {
			t.Fatal(err)
		}
	}
	return back, reads.Check(back)
}

// adjointsOf makes the adjoints of the fields of floats.
func adjointsOf(k *ir.Kernel) map[*ir.Field]*ir.Field {
	grad := map[*ir.Field]*ir.Field{}
	for _, f := range k.Fields {
		if f.Comps[0].IsFloat() {
			grad[f] = &ir.Field{Name: f.Name + ".grad", Comps: f.Comps, Shape: f.Shape, Origin: f.Origin}
		}
	}
	return grad
}

// oldValues makes the field of the old values of atomics.
func oldValues(*ir.Op) *ir.Field {
	return &ir.Field{Name: "old values", Comps: []ir.Kind{ir.I64}, Shape: []int64{10_000}}
}

// recorded is k as a tape launches it.
func recorded(t testing.TB, k *ir.Kernel) *ir.Kernel { return recordedWithout(t, k, 0) }

func recordedWithout(t testing.TB, k *ir.Kernel, without option.Switches) *ir.Kernel {
	t.Helper()
	r, err := autodiff.Record(k, adjointsOf(k), autodiff.Options{Record: oldValues, Without: without})
	if err != nil {
		t.Fatal(err)
	}
	if r == nil {
		return k
	}
	if err := ir.Verify(r); err != nil {
		t.Fatalf("%v\n%s", err, r)
	}
	return r
}

// A memory has fields by name.
type memory map[string]oracle.Cells

func newMemory(x []float64) memory {
	m := memory{"old values": oracle.Cells{}}
	for name, shape := range setting {
		m[name], m[name+".grad"], m[name+".key"] = oracle.Cells{}, oracle.Cells{}, oracle.Cells{}
		if name == "N" {
			for i := range shape[0] {
				m[name].Store([]int64{int64(i)}, 0, uint64(i*5%4))
			}
		}
	}
	for i, v := range x {
		m["X"].Store([]int64{int64(i)}, 0, math.Float64bits(v))
	}
	return m
}

func (m memory) run(t testing.TB, k *ir.Kernel) {
	t.Helper()
	env := &oracle.Env{Args: make([]uint64, 8), Key: 1, MaxSteps: 5e7, Record: func(int, uint64, []uint64) {}}
	for _, f := range k.Fields {
		env.Fields = append(env.Fields, m[f.Name])
	}
	r, err := oracle.Run(context.Background(), k, env)
	if err != nil {
		t.Fatalf("%v\n%s", err, k)
	}
	if r.Failure != nil {
		t.Fatalf("%s fails at %v: %v\n%s", k.Name, r.Failure.Pos, r.Failure.Site, k)
	}
}

// outputs calls f for all elements of the fields that kernels compute.
func outputs(f func(name string, index []int64)) {
	for _, name := range []string{"Y", "Z", "L", "M", "W"} {
		shape := setting[name]
		switch len(shape) {
		case 0:
			f(name, nil)
		case 1:
			for i := range shape[0] {
				f(name, []int64{int64(i)})
			}
		case 2:
			for i := range shape[0] * shape[1] {
				f(name, []int64{int64(i / shape[1]), int64(i % shape[1])})
			}
		}
	}
}

// compare compares ⟨w, J v⟩ by differences with ⟨Jᵀ w, v⟩ for random v and w.
func compare(t testing.TB, k, back *ir.Kernel, x []float64, rng *rand.Rand) {
	t.Helper()
	v := make([]float64, len(x))
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	m := newMemory(x)
	m.run(t, recorded(t, k))
	w := map[string]float64{}
	key := func(name string, index []int64) string { return name + string(append([]byte{}, bytesOf(index)...)) }
	outputs(func(name string, index []int64) {
		s := rng.NormFloat64()
		w[key(name, index)] = s
		m[name+".grad"].Store(index, 0, math.Float64bits(s))
	})
	m.run(t, back)
	got := 0.0
	for i := range x {
		got += v[i] * math.Float64frombits(m["X.grad"].Load([]int64{int64(i)}, 0))
	}
	at := func(h float64) float64 {
		moved := make([]float64, len(x))
		for i := range x {
			moved[i] = x[i] + h*v[i]
		}
		m := newMemory(moved)
		m.run(t, k)
		sum := 0.0
		outputs(func(name string, index []int64) {
			sum += w[key(name, index)] * math.Float64frombits(m[name].Load(index, 0))
		})
		return sum
	}
	d := func(h float64) float64 { return (at(h) - at(-h)) / (2 * h) }
	const h = 1e-4
	want := (4*d(h/2) - d(h)) / 3
	for name := range setting {
		for at, bits := range m[name+".key"] {
			if bits != 0 {
				t.Errorf("a key of %s at %v remains\n%s", name, at, back)
			}
		}
	}
	if near(got, want, 1e-6) {
		return
	}
	// A condition may change within so much, and a sum of steps may hide there. Of a derivative of millions the quotient is
	// good for yet smaller steps only.
	if want = d(1e-7); !near(got, want, 1e-5) && !near(got, d(1e-8), 1e-5) && !near(got, d(1e-9), 1e-5) {
		t.Errorf("the adjoint gives %v, differences %v\n%s\n%s", got, want, k, back)
	}
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*(math.Abs(want)+1)
}

func bytesOf(index []int64) (b []byte) {
	for _, i := range index {
		b = append(b, byte(i))
	}
	return b
}

func TestReverse(t *testing.T) {
	for n, c := range kernels {
		t.Run(c.name, func(t *testing.T) {
			others := manners
			if !randtest.All() {
				others = others[n%len(others):][:1]
			}
			if strings.HasPrefix(c.name, "long") {
				others = slices.DeleteFunc(slices.Clone(others), func(m manner) bool { return m.entries > 0 })
			}
			s := newSubject(t, c.source, others...)
			rng := rand.New(rand.NewPCG(1, 2))
			for range 3 {
				x := make([]float64, 6)
				for i := range x {
					x[i] = 0.3 + rng.Float64()
				}
				s.agree(t, x, rng, 1e-10)
			}
		})
	}
}

func TestUnsupported(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"func K() { for i := range X { Y[i] = X[i]; Y[i] *= X[i] } }", "multiplied or divided in place"},
		{"func K() { for i := range X { Y[i] = X[i]; Y[i] = Y[i]*2 } }", "after it was"},
		{"func K() { for i := range X { Y[i] = X[i]; Y[i] = 2*X[i] } }", "after it was given"},
		{"func K() { for i := range X { Y[i] += X[i]; if i > 2 { Y[i] = 2*X[i] } } }", "after it was given"},
		{"func K() { for i := range X { for k := range 3 { Y[i] = X[k] } } }", "serial loop"},
		{"func K() { for i := range X { for k := range 3 { if X[k] > 1 { Y[i] = X[k] } } } }", "serial loop"},
		{"func K() { for i := range X { for k := range 3 { Y[i] = X[k]; if X[k] > 1 { break } } } }", "serial loop"},
		{"func K() { for i := range X { for a := range 2 { for k := range 3 { if X[k] > 1 { Y[i] = X[k]; break } }; L += X[a] } } }", "serial loop"},
		{"func K() { for i := range X { s := f64(0); for k := range 3 { s += Z[i]*X[k]; Z[i] = 1 }; Y[i] = s } }", "overwritten after"},
		{"func f() f64 { Y[0] = X[1]; return X[2] }\nfunc K() { Y[0] = X[0]; Y[0] = min(Y[0], f()) }", "after it was"},
	} {
		_, err := adjoint(t, lowered(t, c.source))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v and not about %q", c.source, err, c.want)
		}
	}
}

// TestReloaded sees that the backward pass does not load what its iteration has stored.
func TestReloaded(t *testing.T) {
	for body, want := range map[string]bool{
		"for i := range X { Y[i] = X[i]*2; Z[i] = Y[i]*Y[i] }":                           false,
		"for i := range X { Y[i] = X[i]*2 }; for i := range X { Z[i] = Y[i]*Y[i] }":      true,
		"for i := range X { Y[i] = X[i]*2; Y[i] += X[0]; Z[i] = Y[i]*Y[i] }":             true,
		"for i := range X { k := atomicAdd(&N[0], 1); Y[i] = X[k%6]; Z[i] = Y[i]*Y[i] }": false,
	} {
		back, err := adjoint(t, lowered(t, "func K() { "+body+" }"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		ir.Visit(back.Body, func(o *ir.Op) bool {
			found = found || o.Code == ir.OpLoad && o.Args[0].Def.Code == ir.OpPtr && o.Args[0].Def.Field.Name == "Y"
			return true
		})
		if found != want {
			t.Errorf("%s: the backward pass loads Y: %v\n%s", body, found, back)
		}
	}
}

// TestSpoiledPlace looks at the place of the read in the message, which is that of another file nowhere.
func TestSpoiledPlace(t *testing.T) {
	const k, f = "func K() { for i := range X { Y[i] = f(i); X[i] += 1 } }", "func f(i int) f64 { return X[i]*X[i] }"
	for _, c := range []struct {
		prog *check.Program
		want string
	}{
		{checked(t, k+"\n"+f), "after it was read at 15:28, and"},
		{checked(t, k, "package a\n"+f), "after it was read, and"},
	} {
		_, err := adjoint(t, readied(t, c.prog))
		if u, ok := errors.AsType[*autodiff.Unsupported](err); !ok || !strings.Contains(u.Msg, c.want) {
			t.Errorf("the error is %v and not about %q", err, c.want)
		}
	}
}

// TestSpoiled has kernels that change what their own backward pass reads again, and others that are alike and do not.
func TestSpoiled(t *testing.T) {
	const (
		added  = "is changed after it was read"
		stored = "is overwritten after it was read"
		given  = "is stored to after it was given a value"
		each   = "is stored to in each iteration of a serial loop"
	)
	for _, c := range []struct{ body, want string }{
		{"for i := range X { Y[i] = X[i]*X[i]; X[i] += 1 }", added},
		{"for i := range X { Y[i] = X[i]*2; X[i] += 1 }", ""},
		{"for i := range X { Y[i] = sin(X[i]); X[i] -= Z[i] }", added},
		{"for i := range X { Y[i] = sin(X[i]); X[i] = min(X[i], Z[i]) }", added},
		{"for i := range X { Y[i] = sin(X[i]); X[i] = Z[i] }", "overwritten after"},
		{"for i := range X { X[i] += 1; Y[i] = X[i]*X[i] }", ""},
		{"for i := range X { Y[i] = X[i]*X[i]; Z[i] += 1 }", ""},
		{"for i := range X { if X[i] > 0 { Y[i] = Z[i] }; X[i] += 1 }", added},
		{"for i := range X { if i > 2 { Y[i] = X[i]*X[i] } else { X[i] += 1 } }", ""},
		{"for i := range X { if i > 2 { Y[i] = X[i]*X[i]; continue }; X[i] += 1 }", ""},
		{"for i := range X { if i > 2 { Y[i] = X[i]*X[i] }; if i < 5 { X[i] += 1 } }", added},
		{"for i := range X { Z[i] += stopGrad(Y[i]); v, w := X[i]*2, X[i]*3; if X[i] > 1 { Y[i] = v } else { Y[i] = w } }", ""},
		{"for i := range X { if X[i] > 1 { if X[i] > 2 { continue }; Y[i] = X[i]*X[i] } else { Z[i] = X[i] }; Y[i] = 2*X[i] }", given},
		{"for i := range X { if X[i] > 1 { if X[i] > 2 { Y[i] = X[i]*X[i]; continue }; Z[i] = 1 } else { Z[i] = X[i] }; Y[i] = 2*X[i] }", ""},

		// In serial loops.
		{"out: for i := range X { for k := range serial(3) { if X[k] > 1 { continue out }; Y[i] += X[k] }; Y[i] = 2*X[i] }", given},
		{"out: for i := range X { for k := range serial(3) { if X[k] > 1 { Y[i] += X[k]; continue out } }; Y[i] = 2*X[i] }", ""},
		{"for i := range X { s := f64(0); for k := range serial(3) { X[i] += Z[k]; s += X[i]*X[i] }; Y[i] = s }", added},
		{"for i := range X { s := f64(0); for range serial(3) { s += X[i]*X[i] }; X[i] += 1; Y[i] = s }", added},
		{"for i := range X { s := f64(0); for k := range serial(3) { s += X[k]*X[k]; X[k] += 1 }; Y[i] = s }", added},
		{"for i := range X { s := f64(0); for range serial(N[i]) { s += X[i]; X[i] += 1 }; Y[i] = s }", ""},
		{"for i := range X { s := X[i]; for s < 2 { s += Z[i]*s }; Y[i] = s; X[i] += 1 }", added},
		{"for i := range X { s := f64(0); for k := range serial(3) { if k > 0 { X[i] += 1 }; if Z[k] > 1 { s = X[i]*X[i]; break } }; Y[i] = s }", ""},
		{"for i := range X { s := f64(0); for k := range serial(3) { if k > 0 { X[i] += 1 }; s += X[i]*X[i]; if Z[k] > 1 { break } }; Y[i] = s }", added},
		{"for i := range X { for k := range serial(3) { M[i%3][k+1] = M[i%3][k]*M[i%3][k] } }", ""},

		// In two loops over the same range.
		{"for i := range X { Y[i] = X[i]*X[i] }; for i := range X { X[i] += 1 }", added},
		{"for i := range X { Y[i] = X[i]*X[i] }; for i := range X { X[i] = 1 }", stored},
		{"for i := range X { Y[i] = X[i]*2 }; for i := range X { X[i] = 1 }", ""},
		{"for i := range X { X[i] += 1 }; for i := range X { Y[i] = X[i]*X[i] }", ""},
		{"for i := range X { Y[i] = X[i] }; for i := range X { Y[i] = 2*X[i] }", given},
		{"for i := range X { Y[i] = X[i] }; for i := range X { Z[i] = 3*Y[i] }; for i := range X { Y[i] = 0 }", ""},
		{"for i := range X { Y[i] = X[i] }; for i := range X { Y[i] = 0 }; for i := range X { Z[i] = 3*Y[i] }", given},
		{"for i := range X { Y[i] += X[i] }; for i := range X { Y[i] = 2*Z[i] }", given},
		{"for i := range X { Y[i] = 1 }; for i := range X { Y[i] = 2*X[i] }", ""},
		{"for i := range X { Y[i] = X[i] }; for i := range X { Y[i] += 2*X[i] }", ""},
		{"for i := range X { if N[i] > 0 { Y[i] = X[i] } }; for i := range X { if N[i] <= 0 { Y[i] = 2*X[i] } }", ""},
		{"for i := range 3 { Y[i] = X[i] }; for i := range 3 { Y[i+3] = 2*X[i] }", ""},
		{"for i := range 3 { Y[i] = X[i] }; for i := range span(3, 6) { Y[i] = 2*X[i] }", ""},

		// In each iteration of a serial loop.
		{"for range serial(3) { for i := range serial(6) { Y[i] = 2*X[i] } }", each},
		{"for range serial(3) { for i := range serial(6) { Y[i] = 2 } }", ""},
		{"for k := range serial(3) { for i := range serial(3) { M[2-i][1] = X[k] } }", each},
		{"for k := range serial(3) { for i := range serial(3) { M[i][k] = X[i] } }", ""},
		{"for k := range serial(3) { for i := range span(2*k, 2*k+2) { Y[i] = X[i] } }", ""},
		{"for k := range serial(3) { for i := range serial(6) { if i/2 == k { Y[i] = X[i] } } }", ""},
		{"for i := range X { for k := range serial(2) { for j := range serial(3) { if N[i] > 0 { M[i%3][j] = X[k] } } } }", ""},
		{"for k := range serial(3) { for i := range serial(6) { Y[N[i]] = X[k] } }", ""},
		{"for i := range 5 { Y[i] = X[i+1]*X[i+1] }; for i := range 5 { X[i+1] += 1 }", added},
		{"for i := range 5 { Y[i] = X[i+1]*X[i+1] }; for i := range 5 { X[i] += 1 }", ""},
		{"for i := range 3 { Y[i] = X[i]*X[i] }; for i := range 2 { X[i+3] += 1 }", ""},
		{"for i := range X { Y[i] = X[N[i]]*X[N[i]] }; for i := range X { X[N[i]] += 1 }", ""}, // N may have changed
		{"s := f64(0); for k := range serial(6) { s += X[k]*X[k] }; for k := range serial(6) { X[k] += 1 }; Y[0] = s", added},
		{"L += X[1]*X[1]; for i := range X { Y[i] = L*X[i] }; L += 1", added},

		// Numbers that derivatives do not go through, but that they need.
		{"for i := range X { Y[i] = X[N[i]]; N[i] += 1 }", added},
		{"for i := range X { Y[i] = X[N[i]]; N[i] = 0 }", stored},
		{"for i := range X { if N[i] > 0 { Y[i] = X[i] } }; for i := range X { N[i] = 0 }", stored},
		{"for i := range X { Y[i] = X[i]*f64(N[i]); N[i] = 0 }", stored},
		{"for i := range X { Y[i] = X[i]+f64(N[i]); N[i] = 0 }", ""},
		{"for i := range X { N[i] = i; Y[i] = X[i] }", ""},
	} {
		_, err := adjoint(t, lowered(t, "func K() { "+c.body+" }"))
		u, _ := errors.AsType[*autodiff.Unsupported](err)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.body, err)
		case c.want != "" && (u == nil || !u.Access || !strings.Contains(u.Msg, c.want)):
			t.Errorf("%s: the error is %v and not about %q", c.body, err, c.want)
		}
	}
}
