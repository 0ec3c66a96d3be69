package bind

import (
	"errors"
	"go/token"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// A field has the parts by which a ti.Field[T] is known.
type field[T any] struct {
	_    *T
	core store.Field
}

func newStore() *store.Store {
	return store.New(store.Config{
		Launches: &sync.Mutex{}, Budget: sparse.NewBudget(0), Threads: 1, Memory: device.Process{},
		Closed: func(*store.Tree) {}, Overwritten: func(*store.Field) {},
	})
}

// placed returns a field with elements of type T.
func placed[T any](st *store.Store, shape ...int) *field[T] {
	f := &field[T]{}
	f.core.Init(reflect.TypeFor[T]())
	st.Place(shape, &f.core)
	return f
}

// vars are the declarations of X, a field of one axis, and Dim, a constant, and of the kernel Step.
var vars = &outline.Package{
	Name:    "p",
	Vars:    []*outline.VarDecl{{Name: "X", Type: typed.FieldType{Elem: typed.F32, Rank: 1}}, {Name: "Dim", Type: typed.I32}},
	Kernels: []*outline.KernelDecl{{Name: "Step"}},
}

var here = token.Position{Filename: "host.go", Line: 7}

// bound binds vars to a host.
func bound(st *store.Store, host any) *Binder {
	b := New(st, vars, typed.WidthsOf(0, 0), here)
	b.Collect(host)
	b.Bind()
	return b
}

type host struct {
	X    *field[float32]
	Dim  int32
	Step func()
}

func TestBind(t *testing.T) {
	st := newStore()
	h := &host{X: placed[float32](st, 5), Dim: 3}
	b := bound(st, h)
	if len(b.Errs) > 0 {
		t.Fatal(b.Errs)
	}
	if len(b.Fields) != 1 || b.Fields[0].Path != "X" || b.Fields[0].Core != &h.X.core || b.Layout["X"].Field != h.X.core.Layout() {
		t.Errorf("the fields are %v", b.Fields)
	}
	if f := b.Host.Fields["X"]; !slices.Equal(f.Shape, []int{5}) || f.Elem != typed.Type(typed.F32) || f.Sparse {
		t.Errorf("the checker knows X as %+v", f)
	}
	if c := b.Host.Consts["Dim"]; len(c.Vals) != 1 || c.Vals[0] != typed.IntNum(3) {
		t.Errorf("the checker knows Dim as %+v", c)
	}
	if len(b.Funcs) != 1 || b.Funcs[0].Kernel != "Step" || b.Funcs[0].What != "field Step of bind.host" {
		t.Errorf("the funcs are %v", b.Funcs)
	}
	if h.X.core.Name() != "X" || !h.X.core.InUse() {
		t.Error("a bound field has no name, or is not ready")
	}
}

func TestMistakes(t *testing.T) {
	st := newStore()
	x := func() *field[float32] { return placed[float32](st, 5) }
	twice := x()
	for _, test := range []struct {
		name string
		host any
		code diag.Code
	}{
		{"no pointer", host{}, diag.HostType},
		{"nil", &host{Dim: 1}, diag.HostType},
		{"not placed", &host{X: &field[float32]{}}, diag.NotPlaced},
		{"another store", &host{X: placed[float32](newStore(), 5)}, diag.OtherRuntime},
		{"another type", &struct{ X, Dim int32 }{}, diag.HostType},
		{"unexported", &struct {
			X   *field[float32]
			dim int32
		}{X: x()}, diag.Unexported},
		{"no counterpart", &struct {
			X    *field[float32]
			Dim  int32
			Stop func()
		}{X: x()}, diag.NoCounterpart},
		{"no func", &struct {
			X    *field[float32]
			Dim  int32
			Step int
		}{X: x()}, diag.FuncSignature},
		{"misspelled", Bindings{"X": x(), "Dim": int32(1), "Din": int32(2)}, diag.NoCounterpart},
		{"nil in Bindings", Bindings{"X": x(), "Dim": nil}, diag.Unexported},
	} {
		b := bound(st, test.host)
		if len(b.Errs) != 1 || b.Errs[0].Code != test.code || b.Errs[0].Pos != here {
			t.Errorf("%s: %v; want one mistake %v", test.name, b.Errs, test.code)
		}
	}
	again := &outline.Package{Name: "p", Vars: []*outline.VarDecl{vars.Vars[0], {Name: "Y", Type: vars.Vars[0].Type}}}
	b := New(st, again, typed.WidthsOf(0, 0), here)
	b.Collect(Bindings{"X": twice, "Y": twice})
	if b.Bind(); len(b.Errs) != 1 || b.Errs[0].Code != diag.BoundTwice {
		t.Errorf("a field bound twice: %v", b.Errs)
	}
	b = bound(st, &struct{ X *field[float32] }{x()})
	if got := b.Unbound(); len(got) != 1 || got[0].Code != diag.NotBound {
		t.Errorf("a constant that is not bound: %v", got)
	}
}

// TestAgain changes what the host holds behind a pointer.
func TestAgain(t *testing.T) {
	st := newStore()
	h := &host{X: placed[float32](st, 5), Dim: 3}
	was := bound(st, h).Bound
	kernel := &outline.Kernel{Name: "Step", Fields: []*typed.Field{{Name: "X"}}, Consts: []string{"Dim"}}
	refs := was.Refs(kernel)
	if len(refs) != 1 || !refs[0].Same() {
		t.Fatalf("%d pointers lead to X", len(refs))
	}
	bind := func() (Bound, error) { return New(st, vars, typed.WidthsOf(0, 0), here).Again(&was, h) }
	same, err := bind()
	if err != nil || !reflect.DeepEqual(same.Fields, was.Fields) {
		t.Errorf("a host that has not changed: %v", err)
	}
	first := h.X
	h.X = placed[float32](st, 5)
	now, err := bind()
	if err != nil || now.Fields[0].Core != &h.X.core || now.Layout["X"].Field != h.X.core.Layout() {
		t.Errorf("X is bound to what it was, %v", err)
	}
	if refs[0].Same() || was.Fields[0].Core != &first.core || was.Layout["X"].Field != first.core.Layout() {
		t.Error("what was bound before has changed")
	}
	h.X = placed[float32](st, 6)
	if _, err := bind(); !errors.Is(err, diag.ErrArgs) {
		t.Errorf("a field of another shape: %v", err)
	}
	h.X = nil
	if _, err := bind(); err == nil {
		t.Error("a nil field is bound again")
	}
}

func TestConstants(t *testing.T) {
	st := newStore()
	h := &host{X: placed[float32](st, 5), Dim: 3}
	b := bound(st, h).Bound
	then := b.Snapshots([]string{"Dim", "none"})
	if b.IsStale() || len(then) != 1 || !then[0].Same() {
		t.Errorf("%d constants have changed", len(then))
	}
	h.Dim = 4
	if !b.IsStale() || then[0].Same() {
		t.Error("a change of a constant is not seen")
	}
	now := b.Read()
	if now.IsStale() || now.Host.Consts["Dim"].Vals[0] != typed.IntNum(4) || b.Host.Consts["Dim"].Vals[0] != typed.IntNum(3) {
		t.Errorf("the constants are %v, and were %v", now.Host.Consts, b.Host.Consts)
	}
}

func nowhere(string) (name string, base token.Position) { return "found", token.Position{Line: 9} }

func TestSource(t *testing.T) {
	fsys := fstest.MapFS{"b.ti": {Data: []byte("B")}, "a.ti": {Data: []byte("A")}}
	rng := Library("example.com/rng", Files(fsys, "*.ti"))
	s := Join(Text("", "main"), rng, Files(fsys, "a.ti"), rng)
	if errs := s.Mistakes(); len(errs) > 0 {
		t.Fatal(errs)
	}
	var got []string
	for _, f := range s.Files(nowhere) {
		got = append(got, f.Library+" "+f.Name+" "+f.Text)
	}
	want := []string{" found main", " a.ti A", "example.com/rng example.com/rng/a.ti A", "example.com/rng example.com/rng/b.ti B"}
	if !slices.Equal(got, want) {
		t.Errorf("the files are %q; want %q", got, want)
	}
	for name, test := range map[string]struct {
		s    Source
		code diag.Code
	}{
		"no files":         {Files(fsys, "*.go"), diag.UnreadableFile},
		"a library alone":  {rng, diag.BadLibrary},
		"no path":          {Join(Text("", "main"), Library("", Text("", "x"))), diag.BadLibrary},
		"another library":  {Join(Text("", "main"), rng, Library("example.com/rng", Text("", "x"))), diag.BadLibrary},
		"a broken pattern": {Files(fsys, "["), diag.UnreadableFile},
	} {
		if errs := test.s.Mistakes(); len(errs) != 1 || errs[0].Code != test.code {
			t.Errorf("%s: %v; want %v", name, errs, test.code)
		}
	}
	if one, two := rng.Mistakes(), rng.Mistakes(); len(one) != 1 || len(two) != 1 {
		t.Error("asking for mistakes makes one more")
	}
}

// TestConst describes values of all kinds that constants have.
func TestConst(t *testing.T) {
	for _, test := range []struct {
		v    any
		dims []int
		vals []typed.Num
	}{
		{true, nil, []typed.Num{typed.BoolNum(true)}},
		{uint8(200), nil, []typed.Num{typed.UintNum(200)}},
		{[2][1]float64{{1.5}, {2}}, []int{2, 1}, []typed.Num{typed.FloatNum(1.5), typed.FloatNum(2)}},
	} {
		v := reflect.ValueOf(test.v)
		if h := ConstOf(v); !IsConstant(v.Type()) || !slices.Equal(h.Dims, test.dims) || !reflect.DeepEqual(h.Vals, test.vals) {
			t.Errorf("%v is %+v", test.v, h)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[*int](), reflect.TypeFor[uintptr]()} {
		if IsConstant(of) {
			t.Errorf("a %v is taken for a constant", of)
		}
	}
}
