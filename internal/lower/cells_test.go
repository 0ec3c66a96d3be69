package lower_test

import (
	"context"
	"fmt"
	"go/token"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/lower"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

const sparseSource = `package p

var X field[i32, D1]
var L field[i32, D2]

func F() (n, last, full, inner i32) {
	X[5] = 1
	X[2] += 1
	X[7] = 3
	for p := range serial(X) {
		if p == 7 {
			break
		}
		n += 10
		last = p
	}
	for i := range 5 {
		if append(L[1], i) < 0 {
			full++
		}
	}
	for range serial(1) {
		for p := range serial(X) {
			inner += p
		}
		for j, v := range L[1] {
			inner += 100 * (j + v)
		}
	}
	deactivate(X, 5)
	for range X {
		inner += 10000
	}
	clear(L[1])
	n += len(L[1])
	return
}
`

// Loops over sparse fields, in order and not, and lists, from source to result.
func TestCells(t *testing.T) {
	file, errs := syntax.Parse("test.ti", sparseSource, token.Position{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	pkg, _ := check.Declare([]*syntax.File{file})
	prog, errs := pkg.Check(&check.Host{Fields: map[string]check.HostField{
		"X": {Shape: []int{8}, Node: typed.NodeBitmasked, Sparse: true},
		"L": {Shape: []int{4, 3}, Node: typed.NodeDynamic, Sparse: true, List: true},
	}})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	k := lower.Kernel(&prog.Program, prog.Kernel("F"), lower.Options{})
	if err := ir.Verify(k); err != nil {
		t.Fatalf("%v\n%s", err, k)
	}
	env := &oracle.Env{}
	for _, f := range k.Fields {
		n := oracle.NewNode(nil, ir.NodeBitmasked, []int{0}, []int64{8}, []int64{0}, false)
		if f.Name == "L" {
			n = oracle.NewNode(nil, ir.NodeDense, []int{0}, []int64{4}, []int64{0}, false)
			n = oracle.NewNode(n, ir.NodeDynamic, []int{1}, []int64{3}, []int64{0, 0}, false)
		}
		m := oracle.Cells{}
		n.Place(m, 0, 1)
		env.Nodes, env.Fields = append(env.Nodes, n), append(env.Fields, m)
	}
	r, err := oracle.Run(context.Background(), k, env)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.Values, r.Failure); got != "[20 5 2 20614] <nil>" {
		t.Errorf("the kernel gives %s\n%s", got, k)
	}
}
