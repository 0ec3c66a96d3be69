package oracle_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/oracle"
)

// grow works on a tree of pointer blocks of 2x2 bitmasked cells, with origin -4, and
// on lists of at most 3 elements in pointer cells.
const grow = `kernel Grow(n: i32) i32, i32, i32, bool {
	int i32
	field @B [] [4 4] origin [-2 -2] node pointer sparse
	field @X [i32] [8 8] origin [-4 -4] node bitmasked sparse
	field @L [i32] [8 3] node dynamic sparse list
	field @N [i32] []
	body {
		%n = param 0 : i32
		%zero = const 0 : i32
		%one = const 1 : i32
		%three = const 3 : i32
		%minus = const -3 : i32
		activate @B %zero, %one
		%p = ptr @X.0 %minus, %three : ptr
		%read = load %p : i32
		%before = isactive @X %minus, %three : bool
		%old = atomic.add %p, %one : i32
		%q = ptr @X.0 %three, %minus : ptr
		store %q, %one
		%count = ptr @N.0 : ptr
		^0: fieldfor 1 @X { (%i: i32, %j: i32)
			%a = atomic.add %count, %one : i32
			%two = add %one, %one : i32
			%bi = floordiv %i, %two : i32
			%bj = floordiv %j, %two : i32
			deactivate @B %bi, %bj
			%on = isactive @X %i, %j : bool
			if %on {
				yield
			} else {
				%b = atomic.add %count, %n : i32
				yield
			}
			continue ^0
		}
		%after = load %p : i32
		^1: fieldfor 2 @B { (%ci: i32, %cj: i32)
			%c = atomic.add %count, %n : i32
			continue ^1
		}
		%k0 = append @L %three : i32
		%k1 = append @L %three : i32
		%lp = ptr @L.0 %three, %k1 : ptr
		store %lp, %n
		%k2 = append @L %three : i32
		%k3 = append @L %three : i32
		%len = count @L %three : i32
		%none = count @L %zero : i32
		shrink @L %zero, %zero
		%sum = load %count : i32
		%all = add %len, %none : i32
		return %sum, %k3, %all, %before
	}
}`

func sparseTree() (b, x, l *oracle.Node) {
	b = oracle.NewNode(nil, ir.NodePointer, []int{0, 1}, []int64{4, 4}, []int64{-2, -2}, false)
	x = oracle.NewNode(b, ir.NodeBitmasked, []int{0, 1}, []int64{2, 2}, []int64{-4, -4}, false)
	rows := oracle.NewNode(nil, ir.NodePointer, []int{0}, []int64{8}, []int64{0}, false)
	l = oracle.NewNode(rows, ir.NodeDynamic, []int{1}, []int64{3}, []int64{0, 0}, false)
	return b, x, l
}

func runSparse(t *testing.T, text string, nodes []*oracle.Node, fields []oracle.Memory, n uint64) *oracle.Result {
	t.Helper()
	k, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := oracle.Run(context.Background(), k, &oracle.Env{Fields: fields, Nodes: nodes, Args: []uint64{n}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSparse(t *testing.T) {
	b, x, l := sparseTree()
	cells, list, n := oracle.Cells{}, oracle.Cells{}, oracle.Cells{}
	x.Place(cells, 0, 1)
	l.Place(list, 0, 1)
	r := runSparse(t, grow, []*oracle.Node{b, x, l, nil}, []oracle.Memory{nil, cells, list, n}, 100)
	// Two cells are visited, both still active in the loop, and one block is left.
	if got := fmt.Sprint(r.Values[0], int32(r.Values[1]), r.Values[2], r.Values[3], r.Failure); got != "102 -1 3 0 <nil>" {
		t.Errorf("the kernel gives %s", got)
	}
	if got := fmt.Sprint(x.Cells(), b.Cells(), l.Cells()); got != "[] [[0 1]] [[3 0] [3 1] [3 2]]" {
		t.Errorf("active are %s", got)
	}
	for key, v := range cells {
		if v != 0 {
			t.Errorf("inactive %v holds %d", key, v)
		}
	}
	if list.Load([]int64{3, 1}, 0) != 100 {
		t.Error("the element appended is not there")
	}
}

// The order of a loop is that of the path, not row-major in the index.
func TestCellOrder(t *testing.T) {
	b, x, _ := sparseTree()
	h := oracle.NewNode(nil, ir.NodeHash, []int{1, 0}, []int64{8, 8}, []int64{0, 0}, false)
	z := oracle.NewNode(nil, ir.NodeDense, []int{0, 1}, []int64{2, 4}, []int64{0, 0}, true)
	for _, i := range [][]int64{{1, -1}, {0, 1}, {-4, 3}, {0, 0}, {-1, -4}} {
		x.Activate(i)
		h.Activate([]int64{i[1] + 4, i[0] + 4})
	}
	if got := fmt.Sprint(x.Cells()); got != "[[-4 3] [-1 -4] [1 -1] [0 0] [0 1]]" {
		t.Errorf("pointer and bitmasked: %s", got)
	}
	if got := fmt.Sprint(b.Cells()); got != "[[-2 1] [-1 -2] [0 -1] [0 0]]" {
		t.Errorf("blocks: %s", got)
	}
	if cells := h.Cells(); !slices.IsSortedFunc(cells, slices.Compare[[]int64]) || len(cells) != 5 {
		t.Errorf("hash: %v", cells)
	}
	if got := fmt.Sprint(z.Cells()); got != "[[0 0] [0 1] [1 0] [1 1] [0 2] [0 3] [1 2] [1 3]]" {
		t.Errorf("morton: %s", got)
	}
}

// Indices out of range fail the launch and do nothing.
func TestSparseRange(t *testing.T) {
	for _, c := range []struct{ op, want string }{
		{"activate @B %n, %n", "B [9 9] [4 4] 0"},
		{"deactivate @B %n, %n", "B [9 9] [4 4] 0"},
		{"%r = append @L %n : i32", "L [9] [8] -1"},
		{"%r = count @L %n : i32", "L [9] [8] 0"},
		{"shrink @L %n, %n", "L [9] [8] 0"},
		{"%on = isactive @B %n, %n : bool\n%r = convert %on : i32", "B [9 9] [4 4] 0"},
	} {
		result := "%r"
		if c.op[0] != '%' {
			result = "%zero"
		}
		text := "kernel K(n: i32) i32 {\nint i32\nfield @B [] [4 4] origin [-2 -2] node pointer sparse\nfield @L [i32] [8 3] node dynamic sparse list\nbody {\n" +
			"%n = param 0 : i32\n%zero = const 0 : i32\n" + c.op + "\nreturn " + result + "\n}\n}"
		b, _, l := sparseTree()
		r := runSparse(t, text, []*oracle.Node{b, l}, []oracle.Memory{nil, oracle.Cells{}}, 9)
		if r.Failure == nil {
			t.Errorf("%s does not fail", c.op)
			continue
		}
		if got := fmt.Sprint(r.Failure.What, " ", r.Failure.Index, " ", r.Failure.Shape, " ", int32(r.Values[0])); got != c.want {
			t.Errorf("%s: %s, want %s", c.op, got, c.want)
		}
		if len(b.Cells())+len(l.Cells()) > 0 {
			t.Errorf("%s has made something active", c.op)
		}
	}
}
