package ir_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

func texts(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatal("no test texts", err)
	}
	m := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m[f] = string(b)
	}
	return m
}

func TestPrintIsInverseOfParse(t *testing.T) {
	for file, text := range texts(t) {
		k, err := ir.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if err := ir.Verify(k); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if got := k.String(); got != text {
			t.Errorf("%s prints otherwise:\n%s", file, firstDifference(got, text))
		}
		for _, b := range k.Blocks() {
			c := ir.CloneBlock(b, nil)
			if got, want := blockText(c), blockText(b); got != want {
				t.Errorf("%s: the clone of a block prints otherwise:\n%s", file, firstDifference(got, want))
			}
		}
	}
}

func blockText(b *ir.Block) string {
	var sb strings.Builder
	_ = ir.PrintBlock(&sb, b)
	return sb.String()
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
	return "one is longer"
}

// wrap makes a kernel of a body that may use %i, %f, %b (arguments), field X of
// two f32, rank 1, node N, list L, slice s, and array %a of 4 f32.
func wrap(body string) string {
	return `kernel K(n: i32, x: f32, y: bool, s: []f32) f32 {
	int i32
	field @X [f32 f32] [8] origin [0]
	field @N [] [8 8] node pointer sparse
	field @L [f32] [8 64] node dynamic sparse list
	body {
		%i = param 0 : i32
		%f = param 1 : f32
		%b = param 2 : bool
		%a = alloc 4 x f32 : ptr
` + body + `
	}
}`
}

func TestVerify(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`return %f`, ``},
		{`return %i`, `result 0 is i32 where f32 is needed`},
		{`return`, `0 of 1 results`},
		{`%c = add %i, %i : i32`, `does not end in a terminator`},
		{"return %f\nreturn %f", `before the end of its block`},
		{"%c = add %i, %f : i32\nreturn %f", `operands of types i32 and f32`},
		{"%c = add %i, %i : i64\nreturn %f", `the result is i64 where the operands give i32`},
		{"%c = add %b, %b : bool\nreturn %f", `add takes no bool`},
		{"%c = sin %i : i32\nreturn %f", `sin takes no i32`},
		{"%c = add.nowrap %f, %f : f32\nreturn %f", `only integer ops can be nowrap`},
		{"%c = add.inbounds %i, %i : i32\nreturn %f", `cannot have the flags ".inbounds"`},
		{"%c = select %i, %f, %f : f32\nreturn %f", `the condition is i32`},
		{"%c = lt %f, %f : f32\nreturn %f", `where the operands give bool`},
		{"%c = neg %i, %i : i32\nreturn %f", `neg has 2 operands`},
		{"%c = bitcast %f : u64\nreturn %f", `has not the bits`},
		{"%c = param 3 : f32\nreturn %f", `argument slot 3`},
		{"%c = ptr @X.2 %i : ptr\nreturn %f", `component 2 of an element of 2`},
		{"%c = ptr @X.0 : ptr\nreturn %f", `0 indices where 1 are needed`},
		{"%c = ptr.dynamic @X.1/2 %i, %i : ptr\nreturn %f", `component 2 of an element of 2`},
		{"%c = ptr @X.0 %i : ptr\n%d = load %c : i32\nreturn %f", `the place holds f32`},
		{"%c = elem $s.0 %f : ptr\nreturn %f", `elem takes no f32`},
		{"%c = cell %f, %i : ptr\nreturn %f", `cell takes an array`},
		{"%c = atomic.and %a, %f : f32\nreturn %f", `atomic.and takes no f32`},
		{"%c = atomic.cas %a, %f : f32\nreturn %f", `atomic.cas has 2 operands`},
		{"%c = base 0 : ptr\nreturn %f", `there are 0 bases`},
		{"fail #0 1 %i\nreturn %f", `there are 0 sites`},
		{"if %b {\n%c = neg %f : f32\nyield\n} else {\nyield\n}\nreturn %c", `not visible`},
		{"%c = if %b : f32 {\nyield\n} else {\nyield %f\n}\nreturn %c", `0 of 1 values`},
		{"if %i {\nyield\n} else {\nyield\n}\nreturn %f", `if takes no i32`},
		{"%c = if %b : f32 {\nreturn %f\n} else {\nreturn %f\n}\nreturn %f", `both regions jump`},
		{"^0: for %i, %i {(%j: i32)\nyield\n}\nreturn %f", `yield ends`},
		{"^0: for %i, %i {(%j: i64)\ncontinue ^0\n}\nreturn %f", `parameter of the region 0 is i64`},
		{"^0: for %i, %i {(%j: i32)\ncontinue ^0 %j\n}\nreturn %f", `1 of 0 values`},
		{"^0: parfor 1 %i, %i {(%j: i32)\nbreak ^0\n}\nreturn %f", `cannot be left by break`},
		{"^0: parfor 1 %i, %i {(%j: i32)\nreturn %f\n}\nreturn %f", `return inside a parallel loop`},
		{"^0: parfor 0 %i, %i {(%j: i32)\ncontinue ^0\n}\nreturn %f", `ordinal 0`},
		{"^0: for %i, %i {(%j: i32)\n^1: parfor 1 %i, %i {(%k: i32)\ncontinue ^0\n}\ncontinue ^0\n}\nreturn %f", `outside the outermost scope`},
		{"^0: block {\n^1: parfor 1 %i, %i {(%j: i32)\ncontinue ^1\n}\nyield\n}\nreturn %f", `outside the outermost scope`},
		{"continue", `the jump has no target`},
		{"activate @N %i, %i\nreturn %f", ``},
		{"activate @N %i\nreturn %f", `1 indices where 2 are needed`},
		{"deactivate @X %f\nreturn %f", `deactivate takes no f32`},
		{"%c = isactive @N %i, %i : i32\nreturn %f", `where the operands give bool`},
		{"%c = append @L %i : i32\n%d = count @L %i : i32\nshrink @L %i, %i\nreturn %f", ``},
		{"%c = append @L %i, %i : i32\nreturn %f", `2 indices where 1 are needed`},
		{"%c = append @L %i : i64\nreturn %f", `where the operands give i32`},
		{"%c = count @X : i32\nreturn %f", `X is no list`},
		{"shrink @N %i, %i\nreturn %f", `N is no list`},
		{"%c = ptr @N.0 %i, %i : ptr\nreturn %f", `component 0 of an element of 0`},
		{"%c = ptr @X.0 %i : ptr\n%d = ptr @X.1 %i : ptr\nstore.more %c, %f\n%e = neg %f : f32\nstore %d, %e\nreturn %f", ``},
		{"%c = ptr @X.0 %i : ptr\n%j = add %i, %i : i32\n%d = ptr @X.1 %j : ptr\nstore.more %c, %f\nstore %d, %f\nreturn %f", `part of an assignment to another element`},
		{"%c = ptr @X.0 %i : ptr\n%d = ptr @X.1 %i : ptr\nstore.more %c, %f\n%e = load %d : f32\nstore %d, %e\nreturn %f", `stands between parts of an assignment`},
		{"%c = ptr @X.0 %i : ptr\nstore.more %c, %f\nreturn %f", `stands between parts of an assignment`},
		{"%c = ptr @X.0 %i : ptr\n%d = ptr @X.1 %i : ptr\n%e = atomic.add.more %c, %f : f32\n%g = atomic.add %d, %f : f32\nreturn %e", ``},
		{"%c = ptr @X.0 %i : ptr\n%d = ptr @X.1 %i : ptr\n%e = atomic.add.more %c, %f : f32\n%g = atomic.add %d, %e : f32\nreturn %f", `not visible`},
		{"%c = ptr @X.0 %i : ptr\n%d = ptr @X.1 %i : ptr\n%e = atomic.add.more %c, %f : f32\n%g = atomic.sub %d, %f : f32\nreturn %f", `stands between parts of an assignment`},
	} {
		k, err := ir.Parse(wrap(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		err = ir.Verify(k)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.body, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %q", c.body, err, c.want)
		}
	}
}

func TestVerifyNodes(t *testing.T) {
	for _, c := range []struct{ field, want string }{
		{`field @Y [f32] [8] node hash sparse`, ``},
		{`field @Y [f32] [8] node bitmasked`, `bitmasked node and is not sparse`},
		{`field @Y [f32] [8] node dynamic sparse`, `list is false`},
		{`field @Y [f32] [8] node pointer sparse list`, `list is true`},
		{`field @Y [f32] [] node dynamic sparse list`, `list Y has no axis`},
	} {
		k, err := ir.Parse("kernel K() {\nint i32\n" + c.field + "\nbody {\nreturn\n}\n}")
		if err != nil {
			t.Errorf("%s: %v", c.field, err)
			continue
		}
		err = ir.Verify(k)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %v, want %q", c.field, err, c.want)
		}
	}
}

func TestVerifyViews(t *testing.T) {
	const params = `a: view, "a.0": length, "a.1": length, "a.stride.0": stride, "b.stride.0": length`
	for _, c := range []struct{ field, want string }{
		{"field @a [f32] [-1 -1] origin [0 0] view $a [0] 4", ``},
		{"field @a [f32] [-1 -1] origin [0 0] view $a [0] 4 strides", ``},
		{"field @b [f32] [2 3] origin [0 0] view $a [0] 4 strides", `stride along axis 0 that is no parameter`},
		{"field @a [f32] [-1 -1 2] origin [0 0 0] view $a [0] 4 strides", `there is no parameter for the stride of a along axis 1`},
	} {
		text := "kernel K(" + params + ") {\n\tint i32\n\t" + c.field + "\n\tbody {\n\t\treturn\n\t}\n}\n"
		k, err := ir.Parse(text)
		if err == nil {
			if got := k.String(); got != text {
				t.Errorf("%s prints otherwise:\n%s", c.field, firstDifference(got, text))
			}
			err = ir.Verify(k)
		}
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %v, want %q", c.field, err, c.want)
		}
	}
}

func TestVerifyLists(t *testing.T) {
	for _, c := range []struct{ task, want string }{
		{"i64 [0, list 0) {\nlist 0 @Y outer 0 masks 0\n", ``},
		{"i64 [0, list 0), i32 [0, 4) {\nlist 0 @Y outer 0 masks 0\n", ``},
		{"i32 [0, 4), i64 [0, list 0) {\nlist 0 @Y outer 0 masks 0\n", `the range of its outermost index`},
		{"i64 [0, list 1) {\nlist 0 @Y outer 0 masks 0\n", `runs over list 1 of 1`},
		{"i64 [1, list 0) {\nlist 0 @Y outer 0 masks 0\n", `the range of its outermost index`},
		{"i64 [0, list 0 + 1) {\nlist 0 @Y outer 0 masks 0\n", `the range of its outermost index`},
		{"i64 [list 0, 4) {\nlist 0 @Y outer 0 masks 0\n", `begins at the length`},
		{"i64 [0, list 0) {\nlist 0 @Z outer 0 masks 0\n", `which is not sparse`},
		{"i64 [0, list 0) {\nlist 2 @Y outer 0 masks 0\n", `base 2, and there are 1 bases`},
	} {
		params := "i64"
		if strings.Contains(c.task, "), i32") {
			params = "i64, %j: i32"
		} else if strings.Contains(c.task, "), i64") {
			params = "i32, %j: i64"
		}
		k, err := ir.Parse("kernel K() {\nint i32\nfield @Y [f32] [8] node hash sparse\nfield @Z [f32] [8]\nbases [0]\ntask 0 \"t\" loop 1 " + c.task + "body(%i: " + params + ") {\ncontinue\n}\n}\n}")
		if err != nil {
			t.Errorf("%s: %v", c.task, err)
			continue
		}
		err = ir.VerifyLowered(k)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %v, want %q", c.task, err, c.want)
		}
	}
}

func TestVerifyBatch(t *testing.T) {
	const list = "list 0 @Y outer 0 masks 0\n"
	for _, c := range []struct{ task, params, want string }{
		{"[0, list 0) batch 8 {\n" + list, "%i: i64, %j: i64", ``},
		{"[0, list 0) batch 8 {\n" + list, "%i: i64", `has 1 parameters`},
		{"[0, list 0) batch 8 {\n" + list, "%i: i64, %j: i32", `index 1`},
		{"[0, 8) batch 8 {\n", "%i: i64, %j: i64", ``},
		{"[0, 8), i32 [0, arg 0) batch 8 {\n", "%i: i64, %j: i32, %k: i32", ``},
		{"[0, 8), i32 [0, arg 0) batch 8 {\n", "%i: i64, %j: i32, %k: i64", `index 2`},
	} {
		k, err := ir.Parse("kernel K() {\n\tint i32\n\tfield @Y [f32] [8] node hash sparse\n\tbases [0]\n\ttask 0 \"t\" loop 1 i64 " + c.task + "\t\tbody(" + c.params + ") {\n\t\t\tcontinue\n\t\t}\n\t}\n}")
		if err != nil {
			t.Errorf("%s: %v", c.task, err)
			continue
		}
		err = ir.VerifyLowered(k)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %v, want %q", c.task, err, c.want)
		}
		if again, err := ir.Parse(k.String()); err != nil || again.Tasks[0].Batch != 8 {
			t.Errorf("%s: printed and read again: %v", k, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `line 1: "kernel" was expected`},
		{"kernel K() {", `starts no part of a kernel, at the end`},
		{"kernel K() {\n\tint f\n}", `line 2: a kind such as f32 was expected`},
		{"kernel K() {\n}\nx", `nothing may follow`},
		{wrap("%c = nop %i : i32"), `there is no op "nop"`},
		{wrap("%c = neg.fast %i : i32"), `there is no flag "fast"`},
		{wrap("%c = neg %q : i32"), `%q is not defined before it is used`},
		{wrap("%i = neg %i : i32"), `%i is defined twice`},
		{wrap("%c = const 300 : u8"), `"300" is no constant of kind u8`},
		{wrap("%c = const 1e999 : f64"), `is no constant of kind f64`},
		{wrap("%c, %d = neg %i : i32"), `2 names for 1 results`},
		{wrap("%c = ptr @Y.0 %i : ptr"), `there is no field Y`},
		{wrap("%c = lookup #0 %i : i32"), `there is no table 0`},
		{"kernel K() {\nfield @Y [f32] [8] node tree\n}", `"tree" is no kind of node`},
		{wrap("atomic.strict %i, %i : i32"), `an atomic names what it does`},
		{wrap("atomic %i, %i : i32"), `an atomic names what it does`},
		{wrap("continue ^3"), `no op around has the label ^3`},
		{wrap(strings.Repeat("block {\n", 300)), `nested more than 256 deep`},
	} {
		_, err := ir.Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: got %v, want %q", c.text, err, c.want)
		}
	}
}

func TestPrintBroken(t *testing.T) {
	b := &ir.Block{}
	lost := &ir.Value{Type: ir.Scalar(ir.F32)}
	ir.NewBuilder(b).Op(ir.OpAdd, lost, nil)
	if got, want := blockText(b), "%0 = add %x0, %nil : f32\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := b.Ops[0].String(), "%0 = add %x0, %nil : f32"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range texts(f) {
		f.Add(text)
	}
	f.Add(wrap("return %f"))
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ir.Parse(text)
		if err != nil {
			return
		}
		_ = ir.Verify(k) // must not panic
		once := k.String()
		k2, err := ir.Parse(once)
		if err != nil {
			t.Fatalf("what Print wrote does not parse: %v\n%s", err, once)
		}
		if twice := k2.String(); twice != once {
			t.Fatalf("Print and Parse are not inverse:\n%s", firstDifference(twice, once))
		}
	})
}
