package pass

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/pass/passtest"
)

// launchPairs are two launches, as the ops of their bodies with the index %i, and what stands between the loops. Loops that are told apart are
// not fused; each row fails a test if the condition that it names is dropped.
var launchPairs = []struct {
	name                   string
	head, a, between, b    string // a loop's head is "over @X" or "0 8", or what head says for both
	fused                  bool
	strict, deterministic  bool
	unchecked, withoutPart bool
}{
	{name: "a copy after another", a: "r @X %i; w @Y %i", b: "r @Y %i; w @Z %i", fused: true},
	{name: "loops of one part", a: "r @X %i; w @Y %i", b: "r @Y %i; w @Z %i", withoutPart: true},
	{name: "a neighbour of what was written", head: "0 7, 0 7", a: "w @Y %i", b: "add %j %i %1; r @Y %j; w @Z %i"},
	{name: "an element that is written by a neighbour later", head: "0 7, 0 7", a: "add %j %i %1; r @X %j; w @Y %i", b: "w @X %i"},
	{name: "different neighbours that are read alone", head: "0 7, 0 7", a: "add %j %i %1; r @X %j; w @Y %i", b: "r @X %i; w @Z %i", fused: true},
	{name: "an index out of range", a: "add %j %i %8; r @X %j; w @Y %i", b: "w @Z %i"},
	{name: "an index out of range, unchecked", a: "add %j %i %8; r @X %j; w @Y %i", b: "w @Z %i", unchecked: true, fused: true},
	{name: "an index in the second loop that is data", a: "w @Z %i", b: "r @I %i as %j; w @Y %j"},
	{name: "a failure", a: "w @Z %i", b: "fail #0 0; w @Y %i"},
	{name: "different ranges", head: "0 8, 0 7", a: "w @Y %i", b: "w @Z %i"},
	{name: "different numbers of threads", head: "0 8, threads 2 0 8", a: "w @Y %i", b: "w @Z %i"},
	{name: "one loop in order", head: "0 8, serial 0 8", a: "w @Y %i", b: "w @Z %i"},
	{name: "different hints", head: "local [@X] over @X, over @X", a: "w @Y %i", b: "w @Z %i"},
	{name: "equal hints", head: "local [@X] over @X, local [@X] over @X", a: "w @Y %i", b: "w @Z %i", fused: true},
	{name: "fields of one shape", head: "over @X, over @Y", a: "r @X %i; w @Y %i", b: "w @Z %i", fused: true},
	{name: "fields of different shapes", head: "over @X, over @S", a: "w @Y %i", b: "w @S %i"},
	{name: "fields of different origins", head: "over @X, over @O", a: "w @Y %i", b: "w @O %i"},
	{name: "fields in different orders of memory", head: "over @Block, over @G", a: "w2 @Block %i", b: "w2 @G %i"},
	{name: "fields of two axes", head: "over @H, over @G", a: "w2 @H %i", b: "w2 @G %i", fused: true},
	{name: "a field and its range", head: "over @X, 0 8", a: "w @Y %i", b: "w @Z %i", fused: true},

	{name: "cells of one node", head: "over @P, over @P", a: "r @P %i; w @P %i", b: "r @P %i; w @Y %i", fused: true},
	{name: "cells of different nodes", head: "over @P, over @Q", a: "r @P %i; w @P %i", b: "r @Q %i; w @Q %i"},
	{name: "a cell beside that of the iteration", head: "over @P, over @P", a: "w @P %0", b: "r @P %i; w @Y %i"},
	{name: "a cell of another node", head: "over @P, over @P", a: "w @Q %i", b: "r @P %i; w @Y %i"},
	{name: "a cell that is activated", head: "over @P, over @P", a: "activate @Q %i", b: "r @P %i; w @Y %i"},
	{name: "inactive elements that are read", head: "over @P, over @P", a: "r @Q %i; w @P %i", b: "r @P %i; w @Y %i", fused: true},
	{name: "a dense field and a sparse one", head: "over @X, over @P", a: "w @Y %i", b: "w @Z %i"},
	{name: "a sparse loop and the range of its field", head: "over @P, 0 8", a: "w @P %i", b: "w @Y %i"},

	{name: "an array of the iteration", a: "%a = alloc 4 x f32 : ptr; %c = cell %a, %1 : ptr; store %c, %f; w @Y %i", b: "w @Z %i", fused: true},
	{name: "an index of such an array that is data", a: "%a = alloc 4 x f32 : ptr; r @I %i as %j; %c = cell %a, %j : ptr; store %c, %f; w @Y %i", b: "w @Z %i"},
	{name: "arrays that are large", a: "%a = alloc 3000 x f32 : ptr; %c = cell %a, %1 : ptr; store %c, %f", b: "%a = alloc 3000 x f32 : ptr; %c = cell %a, %1 : ptr; store %c, %f"},

	{name: "an iteration that may end early", a: "%b = lt %i, %7 : bool; if %b {; continue ^1; } else {; yield; }; w @Y %i", b: "w @Z %i", fused: true},
	{name: "an iteration of the second loop that may end early", a: "w @Y %i", b: "%b = lt %i, %7 : bool; if %b {; continue ^2; } else {; yield; }; w @Z %i", fused: true},
	{name: "a look-up that may fail", a: "%a = lookup #0 %i : f32; w @Y %i of %a", b: "w @Z %i"},
	{name: "a look-up", a: "%a = lookup #0 %1 : f32; w @Y %i of %a", b: "w @Z %i", fused: true},
	{name: "sums", a: "s @T %0", b: "s @T %0", fused: true},
	{name: "sums in a fixed order", a: "s @T %0", b: "s @T %0", strict: true},
	{name: "a sum in a fixed order", a: "s @T %0", b: "w @Y %i", strict: true},
	{name: "a sum that depends on chunks", a: "s @T %0", b: "w @Y %i", deterministic: true},
	{name: "sums of integers", a: "n @I %0", b: "n @I %0", strict: true, deterministic: true, fused: true},
	{name: "a sum and its value", a: "s @T %0", b: "r @T %0; w @Y %i"},
	{name: "a sum whose old value is used", a: "s @T %0; w @Y %i of %o", b: "s @T %0"},
	{name: "a sum and a maximum", a: "s @T %0", b: "m @T %0"},

	{name: "serial code that computes", between: "%n = add %0, %1 : i32", a: "w @Y %i", b: "w @Z %i", fused: true},
	{name: "serial code on other memory", between: "w @T %0", a: "w @Y %i", b: "w @Z %i", fused: true},
	{name: "serial code that reads what is written", between: "r @Y %0; w @T %0", a: "w @Y %i", b: "w @Z %i"},
	{name: "serial code that writes what is read", between: "w @X %0", a: "r @X %i; w @Y %i", b: "w @Z %i"},
	{name: "serial code that writes what the second loop reads", between: "w @X %0", a: "w @Y %i", b: "r @X %i; w @Z %i", fused: true},
	{name: "serial code that may need memory", between: "activate @P %0", a: "w @Y %i", b: "w @Z %i"},
	{name: "serial code that may activate", between: "w @P %0", a: "w @Y %i", b: "w @Z %i"},
	{name: "another loop", between: "^9: parfor 9 %0, %1 { (%k: i32); w @T %k; continue ^9; }", a: "w @Y %i", b: "w @Z %i", fused: true},
	{name: "another loop over any range", between: "^9: parfor 9 %0, %p { (%k: i32); w @T %0; continue ^9; }", a: "w @Y %i", b: "w @Z %i", fused: true},
	{name: "another loop that may be too long", between: "^9: parfor 9 %0, %p, %0, %p, %0, %p { (%k: i32, %l: i32, %m: i32); w @T %0; continue ^9; }", a: "w @Y %i", b: "w @Z %i"},
}

// pairHeader and pairBody are what stands before the loops.
const pairHeader = `kernel Pair(p: i32) {
	int i32
	field @X [f32] [8]
	field @Y [f32] [8]
	field @Z [f32] [8]
	field @S [f32] [7]
	field @O [f32] [8] origin [1]
	field @T [f32] [1]
	field @I [i32] [8]
	field @Block [f32] [8 8]
	field @G [f32] [8 8]
	field @H [f32] [8 8]
	field @P [f32] [8] origin [0] node dense sparse
	field @Q [f32] [8] origin [0] node dense sparse
	table #0 T f32 [0x1p+00 0x1p+01]
	site #0 assert "" []
`

const pairBody = `	body {
		%p = param 0 : i32
		%0 = const 0 : i32
		%1 = const 1 : i32
		%7 = const 7 : i32
		%8 = const 8 : i32
		%f = const 0x1p+00 : f32
`

// pairKernel writes a kernel with the loops of a pair.
func pairKernel(head, a, between, b string, linked bool) string {
	if head == "" {
		head = "0 8, 0 8"
	}
	one, two, _ := strings.Cut(head, ", ")
	part := "part 1"
	if !linked {
		part = ""
	}
	return pairHeader + "part A args 0 key -1 loops 0\npart B args 1 key -1 loops 1\n" + pairBody + pairLoop(1, one, a) + pairOps(between, "k") + part + "\n" + pairLoop(2, two, b) + "\t\treturn\n\t}\n}\n"
}

var pairNames = regexp.MustCompile(`%([ijacob])\b`)

func pairLoop(n int, head, body string) string {
	op, rest := "parfor", fmt.Sprint(n)
	if r, serial := strings.CutPrefix(head, "serial "); serial {
		op, head = "parfor.serial", r
	}
	switch before, field, over := strings.Cut(head, "over "); {
	case over:
		op, rest = "fieldfor", fmt.Sprint(n, " ", before, field)
	default:
		fields := strings.Fields(head)
		k := len(fields) - 2
		rest += fmt.Sprintf(" %s %%%s, %%%s", strings.Join(fields[:k], " "), fields[k], fields[k+1])
	}
	params := "%i: i32"
	if strings.Contains(body, "w2") {
		params += ", %c: i32"
	}
	text := fmt.Sprintf("^%d: %s %s { (%s)\n%scontinue ^%d\n}\n", n, op, rest, params, pairOps(body, fmt.Sprint("l", n)), n)
	return pairNames.ReplaceAllString(text, fmt.Sprint("%${1}", n)) // each value has a name of its own
}

// pairOps writes ops: "r @X %i as %j" reads an element, "w" writes one, "s" adds to one, "n" to an integer, "m" is a maximum.
func pairOps(text, names string) string {
	var b strings.Builder
	n := 0
	for op := range strings.SplitSeq(text, "; ") {
		w := strings.Fields(op)
		if len(w) == 0 {
			continue
		}
		n++
		place := fmt.Sprintf("%%%sp%d", names, n)
		value := fmt.Sprintf("%%%sv%d", names, n)
		if len(w) == 5 && w[3] == "as" || len(w) == 5 && w[3] == "of" {
			value = w[4]
		}
		ptr := func() { fmt.Fprintf(&b, "%s = ptr %s.0 %s : ptr\n", place, w[1], w[2]) }
		switch w[0] {
		case "r":
			ptr()
			kind := "f32"
			if w[1] == "@I" {
				kind = "i32"
			}
			fmt.Fprintf(&b, "%s = load %s : %s\n", value, place, kind)
		case "w":
			ptr()
			if len(w) < 5 {
				value = "%f"
			}
			fmt.Fprintf(&b, "store %s, %s\n", place, value)
		case "w0":
			fmt.Fprintf(&b, "%s = ptr %s.0 : ptr\nstore %s, %%f\n", place, w[1], place)
		case "r0":
			fmt.Fprintf(&b, "%s = ptr %s.0 : ptr\n%s = load %s : f32\n", place, w[1], value, place)
		case "w2":
			fmt.Fprintf(&b, "%s = ptr %s.0 %s, %%c : ptr\nstore %s, %%f\n", place, w[1], w[2], place)
		case "s":
			ptr()
			fmt.Fprintf(&b, "%%o = atomic.add %s, %%f : f32\n", place)
		case "m":
			ptr()
			fmt.Fprintf(&b, "%%o = atomic.max %s, %%f : f32\n", place)
		case "n":
			ptr()
			fmt.Fprintf(&b, "%%o = atomic.add %s, %%1 : i32\n", place)
		case "add":
			fmt.Fprintf(&b, "%s = add %s, %s : i32\n", w[1], w[2], w[3])
		default:
			b.WriteString(op + "\n")
		}
	}
	return b.String()
}

// TestLaunchPairs fuses the loops of launches, or does not.
func TestLaunchPairs(t *testing.T) {
	for _, c := range launchPairs {
		text := pairKernel(c.head, c.a, c.between, c.b, !c.withoutPart)
		k, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		o := Options{Layout: passtest.Layout{}, Options: option.Options{Level: 3, Verify: true, Strict: c.strict, Deterministic: c.deterministic, Unchecked: c.unchecked}}
		if err := ir.Verify(k); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := RunStage(k, o, "states"); err != nil {
			t.Fatal(err)
		}
		before := k.String()
		fields := interpreted(t, before)
		if err := RunStage(k, o, "loopfusion"); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		loops := 0
		for _, o := range k.Body.Ops {
			if o.IsParallel() && o.Aux < 9 {
				loops++
			}
		}
		if fused := loops == 1; fused != c.fused {
			t.Errorf("%s: fused %v\n%s\n%s", c.name, fused, before, k)
		}
		if err := ir.Verify(k); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, k)
		}
		if got := interpreted(t, k.String()); !reflect.DeepEqual(got, fields) {
			t.Errorf("%s: the fields are %v, want %v\n%s", c.name, got, fields, k)
		}
		checkStates(t, c.name, k, o)
	}
}

// interpreted runs a kernel on the oracle, and returns its fields.
func interpreted(t *testing.T, text string) []oracle.Cells {
	t.Helper()
	k, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	env := &oracle.Env{Args: []uint64{3}}
	var all []oracle.Cells
	for i, f := range k.Fields {
		cells := oracle.Cells{}
		var node *oracle.Node
		if f.Sparse {
			node = oracle.NewNode(oracle.NewNode(nil, ir.NodePointer, []int{0}, []int64{1}, f.Origin, false), ir.NodeDense, []int{0}, []int64{8}, f.Origin, false)
			node.Place(cells, 0, 1)
			if f.Name == "P" {
				node.Activate([]int64{2})
			}
		}
		for at := range int64(8) {
			if f.Rank() == 1 && f.Comps[0] == ir.F32 {
				cells.Store([]int64{at}, 0, ir.FloatBits(ir.F32, float64(i)+float64(at)/8))
			}
		}
		all, env.Fields, env.Nodes = append(all, cells), append(env.Fields, cells), append(env.Nodes, node)
	}
	if _, err := oracle.Run(t.Context(), k, env); err != nil {
		t.Fatal(err)
	}
	return all
}

// checkStates splits a kernel, and compares what tasks store with their states: these name all of it, and what they call whole is stored.
func checkStates(t *testing.T, name string, k *ir.Kernel, o Options) {
	t.Helper()
	if err := RunStage(k, o, "split"); err != nil { // it finds the phases of all loops
		t.Errorf("%s: %v", name, err)
		return
	}
	for _, task := range k.Tasks {
		stored := map[*ir.Field]bool{}
		ir.Visit(task.Body, func(o *ir.Op) bool {
			if o.Code == ir.OpStore || o.Code == ir.OpAtomic {
				if at := o.Args[0].Def; at.Code == ir.OpPtr {
					stored[at.Field] = true
				}
			}
			return true
		})
		written := map[*ir.Field]bool{}
		for _, s := range task.States {
			for _, v := range s.Values {
				written[s.Field] = written[s.Field] || v.Use&ir.Writes != 0
				if v.Whole && !stored[s.Field] {
					t.Errorf("%s: task %d says that it writes all of %s\n%s", name, task.Index, s.Field.Name, k)
				}
			}
		}
		for f := range stored {
			if !written[f] {
				t.Errorf("%s: task %d does not say that it writes %s\n%s", name, task.Index, f.Name, k)
			}
		}
	}
}
