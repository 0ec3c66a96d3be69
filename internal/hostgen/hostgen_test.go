package hostgen_test

import (
	"go/token"
	"os"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/hostgen"
	"github.com/gotaichi/ti/internal/syntax"
)

//go:generate go run ../../cmd/ti bind testdata/kernels.ti -package hostgen_test -o struct_test.go

const kernels = "testdata/kernels.ti"

// TestStruct: struct_test.go is what the command writes today; kernels that no Go type stands for are named.
func TestStruct(t *testing.T) {
	file, errs := syntax.Parse(kernels, read(t, kernels), token.Position{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	pkg, errs := check.Declare([]*syntax.File{file})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	h := &hostgen.Host{Package: "hostgen_test", Type: "Kernels", Command: "ti bind testdata/kernels.ti -package hostgen_test -o struct_test.go", Sources: []string{"kernels.ti"}}
	for _, v := range pkg.Vars {
		h.Vars = append(h.Vars, hostgen.Var{Name: v.Name, Type: v.Type})
	}
	for _, d := range pkg.Kernels {
		h.Kernels = append(h.Kernels, hostgen.Kernel{Name: d.Name, Params: d.Params, Results: d.Results})
	}
	text, left, err := h.WriteStruct()
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != read(t, "struct_test.go") {
		t.Errorf("run go generate; the struct is\n%s", text)
	}
	if len(left) != 2 || left[0].Kernel != "Apply" || left[1].Kernel != "Own" {
		t.Errorf("left out are %v", left)
	}
}

// TestLaunch: the functions of the struct launch kernels with fields, nodes and bundles.
func TestLaunch(t *testing.T) {
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	s := Kernels{N: 3}
	rt.Place(ti.Shape{5}, &s.Marks)
	if err := rt.Load(read(t, kernels), &s); err != nil {
		t.Fatal(err)
	}
	var l Level
	var both [2]Level
	for _, l := range []*Level{&l, &both[0], &both[1]} {
		l.At = rt.NewTree().Dense(ti.IJ, 2, 3)
		l.At.Place(&l.X)
		l.Scale = 2
	}
	var all [3]ti.Field[float32]
	for i := range all {
		rt.Place(ti.Shape{4}, &all[i])
	}
	if err := s.Fill(&all[1], float32(1.5)); err != nil {
		t.Fatal(err)
	}
	if err := s.Copy(&all[2], &all[1]); err != nil {
		t.Fatal(err)
	}
	l.X.Fill(1)
	if sum, err := s.Scale(&l, &both, &all, l.At); err != nil || sum != 6*1.5+9+4 {
		t.Errorf("Scale gives %v, error %v", sum, err)
	}
	if found, n, err := s.Move(&s.Marks, Mark{ti.Vec2{1, 2}}); err != nil || found.N != 7 || n != 5 || s.Marks.At(4).At != (ti.Vec2{1, 2}) {
		t.Errorf("Move gives %v and %d, error %v", found, n, err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
