package llvm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// partsKernel has a task for each of sizes, of about so many ops, and the first
// and the last call a function that calls another, with a variant of lanes.
func partsKernel(sizes []int) *ir.Kernel {
	k := newKernel()
	f32 := ir.Scalar(ir.F32)
	fn := func(name string, t ir.Type, op ir.Code, calls, scalar *ir.Func) *ir.Func {
		f := &ir.Func{Name: name, Params: []ir.Type{t}, Results: []ir.Type{t}, Body: &ir.Block{}, Scalar: scalar}
		b := ir.NewBuilder(f.Body)
		v := b.Op(op, f.Body.AddParam(t, "x"))
		if calls != nil {
			v = b.Call(calls, v)[0]
		}
		b.Jump(ir.OpReturn, nil, v)
		k.Funcs = append(k.Funcs, f)
		return f
	}
	inner := fn("inner", f32, ir.OpNeg, nil, nil)
	lanes := fn("inner.4", ir.Type{Kind: ir.F32, Lanes: 4}, ir.OpNeg, nil, inner)
	outer := fn("outer", f32, ir.OpAbs, inner, nil)
	fn("other", f32, ir.OpAbs, nil, nil)
	for i, n := range sizes {
		t := &ir.Task{Name: fmt.Sprint("task ", i), Index: i, Body: &ir.Block{}}
		b := ir.NewBuilder(t.Body)
		v := b.Float(f32, 1)
		for range n {
			v = b.Op(ir.OpAdd, v, v)
		}
		if i == 0 || i == len(sizes)-1 {
			b.Call(outer, v)
			t.Variants = []*ir.Func{lanes}
		}
		b.Jump(ir.OpReturn, nil)
		k.Tasks = append(k.Tasks, t)
	}
	return k
}

func TestParts(t *testing.T) {
	for _, test := range []struct {
		name  string
		sizes []int
		want  string // tasks of each part
	}{
		{"none", nil, "[]"},
		{"one, large", []int{5000}, "[0]"},
		{"small", []int{20, 30}, "[0 1]"},
		{"two", []int{800, 1100}, "[1] [0]"},
		{"balanced", []int{130, 900, 120, 850, 140, 110}, "[1] [3] [0 2 4 5]"},
		{"many", slices.Repeat([]int{800}, 20), "[0 13] [14 19] [1 7 15] [2 8 16] [3 9 17] [4 10 18] [5 11] [6 12]"},
	} {
		k := partsKernel(test.sizes)
		var got []string
		for _, p := range Parts(k) {
			var tasks []int
			for _, task := range p {
				tasks = append(tasks, task.Index)
			}
			got = append(got, fmt.Sprint(tasks))
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: parts %s, want %s", test.name, s, test.want)
		}
	}
}

// TestCalled looks for the functions of each task: what it calls, and the variants of that, if they are asked for.
func TestCalled(t *testing.T) {
	testCalled(t, true, "inner inner.4 outer")
	testCalled(t, false, "inner outer")
}

func testCalled(t *testing.T, variants bool, all string) {
	k := partsKernel([]int{900, 1000, 1100})
	var got []string
	for _, task := range k.Tasks {
		names := []string{}
		for _, fn := range called(task, variants) {
			names = append(names, fn.Name)
		}
		got = append(got, strings.Join(names, " "))
		text, err := Generate(k, task, Options{Traits: target.Traits{Version: 19}, NoVariants: !variants})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, fmt.Sprintf("@task.fn.%d(", len(names)-1)) != (len(names) > 0) || strings.Contains(text, "@task.fn.2(") != (len(names) > 2) {
			t.Errorf("functions %v, but the text is\n%s", names, text)
		}
	}
	if want := []string{all, "", all}; !slices.Equal(got, want) {
		t.Errorf("functions %q, want %q", got, want)
	}
}
