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

	{name: "even elements that are written, and odd ones that are read", a: even + "; add %j %i %1; r @X %j; w @X %i; end", b: even + "; add %j %i %1; r @X %j; w @X %i; end", fused: true},
	{name: "an even neighbour of an even element", head: "0 6, 0 6", a: even + "; w @X %i; end", b: even + "; add %j %i %2; r @X %j; w @Y %i; end"},
	{name: "even elements, and any", head: "0 7, 0 7", a: even + "; w @X %i; end", b: "add %j %i %1; r @X %j; w @Y %i"},
	{name: "a neighbour that is beyond the end", head: "0 8, 0 8", a: "if rem %i %2 ne %0; add %j %i %1; r @Y %j; end; w @X %i", b: "w @Z %i"},
	{name: "odd elements by the other branch", head: "0 6, 0 6", a: even + "; else; w @X %i; fi", b: even + "; add %j %i %2; r @X %j; w @Y %i; end", fused: true},
	{name: "the two branches of a condition", a: even + "; w @X %i; end", b: even + "; else; sub %j %i %1; r @X %j; w @Y %i; fi"},
	{name: "a rest of the iteration for odd elements", head: "0 6, 0 6", a: even + "; continue ^1; none; w @X %i", b: "if rem %i %2 ne %0; continue ^2; none; add %j %i %2; r @X %j; w @Y %i", fused: true},
	{name: "a rest of the iteration behind the other branch", head: "0 6, 0 6", a: even + "; else; continue ^1; }; add %j %i %1; w @X %j", b: even + "; add %j %i %2; r @X %j; w @Y %i; end", fused: true},
	{name: "a block that is left for even elements", head: "0 6, 0 6", a: "^8: block {; " + even + "; break ^8; none; yield; }; w @X %i", b: even + "; add %j %i %2; r @X %j; end; w @Y %i"},
	{name: "remainders of negative numbers", head: "m4 4, m4 4", a: "if rem %i %2 ne %1; w @N %i; end", b: "if rem %i %2 eq %1; sub %j %i %4; r @N %j; w @M %i; end"},
	{name: "remainders that are rounded down", head: "m4 4, m4 4", a: "if mod %i %2 ne %1; w @N %i; end", b: "if rem %i %2 eq %1; sub %j %i %4; r @N %j; w @M %i; end", fused: true},
	{name: "remainders of numbers that are not negative", head: "0 6, 0 6", a: "if rem %i %2 ne %1; w @X %i; end", b: "if rem %i %2 eq %1; add %j %i %2; r @X %j; w @Y %i; end", fused: true},
	{name: "remainders by three", head: "0 7, 0 7", a: "if rem %i %3 eq %0; w @X %i; end", b: "if rem %i %3 eq %0; add %j %i %1; r @X %j; w @Y %i; end", fused: true},
	{name: "remainders by three of numbers that wrap", a: "add %c %i %big; if rem %c %3 eq %0; w @X %i; end", b: "add %c %i %big; if rem %c %3 eq %0; %b = lt %i, %4 : bool; if %b {; add %j %i %4; r @X %j; yield; } else {; yield; }; w @Y %i; end"},
	{name: "bits", head: "0 6, 0 6", a: "if and %i %1 eq %0; w @X %i; end", b: "if and %i %1 ne %0; add %j %i %2; r @X %j; w @Y %i; end", fused: true},
	{name: "remainders by four and by two", head: "0 6, 0 6", a: "if rem %i %4 eq %1; w @X %i; end", b: even + "; add %j %i %2; r @X %j; w @Y %i; end", fused: true},
	{name: "black elements that are written, and white ones that are read", head: "over @K, over @K", a: "add %s %i %c; if rem %s %2 eq %0; add %j %c %1; r2 @G %i %j; w2 @G %i; end", b: "add %s %i %c; if rem %s %2 eq %0; add %j %c %1; r2 @G %i %j; w2 @H %i; end", fused: true},
	{name: "black elements that are written and read", head: "over @K, over @K", a: "add %s %i %c; if rem %s %2 eq %0; w2 @G %i; end", b: "add %s %i %c; if rem %s %2 eq %1; add %j %c %1; r2 @G %i %j; w2 @H %i; end"},
	{name: "an axis that differs", head: "over @K, over @K", a: "if rem %c %2 eq %0; w2 @G %i; end", b: "if rem %c %2 eq %0; add %j %c %1; r2 @G %0 %j; w2 @H %i; end", fused: true},
	{name: "an axis that does not differ", head: "over @K, over @K", a: "if rem %c %2 eq %0; w2 @G %i; end", b: "if rem %c %2 eq %0; add %j %i %0; r2 @G %0 %c; w2 @H %i; end"},
	{name: "even indices by a product", head: "0 4, 0 4", a: "mul %j %i %2; w @X %j", b: "mul %a %i %2; add %j %a %1; r @X %j; w @Y %i", fused: true},
	{name: "multiples of two and four", head: "0 2, 0 2", a: "mul %j %i %4; w @X %j", b: "mul %j %i %2; r @X %j; w @Y %i"},
	{name: "a shift that launches share", head: "0 2, 0 2", a: even + "; add %j %i %p; w @X %j; end", b: even + "; add %a %i %p; add %j %a %1; r @X %j; w @Y %i; end", unchecked: true, fused: true},
	{name: "a shift in one of them", head: "0 2, 0 2", a: even + "; add %j %i %p; w @X %j; end", b: even + "; add %j %i %1; r @X %j; w @Y %i; end", unchecked: true},
	{name: "a reversed index", a: even + "; sub %j %7 %i; w @X %j; end", b: even + "; r @X %i; w @Y %i; end", fused: true},
	{name: "a reversed index that meets", a: even + "; sub %j %7 %i; w @X %j; end", b: even + "; else; r @X %i; w @Y %i; fi"},

	{name: "cells of one node", head: "over @P, over @P", a: "r @P %i; w @P %i", b: "r @P %i; w @Y %i", fused: true},
	{name: "cells of different nodes", head: "over @P, over @Q", a: "r @P %i; w @P %i", b: "r @Q %i; w @Q %i"},
	{name: "a cell beside that of the iteration", head: "over @P, over @P", a: "w @P %0", b: "r @P %i; w @Y %i"},
	{name: "cells of another tree that the first activates", head: "over @P, over @P", a: "w @Q %i", b: "r @P %i; w @P %i", fused: true},
	{name: "cells of another tree that the second activates", head: "over @P, over @P", a: "w @Y %i", b: "w @Q %i"},
	{name: "cells that both activate", a: "w @Q %i", b: "r @Q %i; w @Q %i", fused: true},
	{name: "cells of two trees", a: "w @P %i", b: "w @Q %i"},
	{name: "neighbours that the second activates", head: "0 4, 0 4", a: "mul %j %i %2; w @Q %j", b: "mul %a %i %2; add %j %a %1; w @Q %j"},
	{name: "cells that the first may activate", a: even + "; w @Q %i; end", b: "w @Q %i"},
	{name: "cells that the first activates unless it ends early", a: even + "; continue ^1; none; w @Q %i", b: "w @Q %i"},
	{name: "cells that the second may activate", a: "w @Q %i", b: even + "; w @Q %i; end", fused: true},
	{name: "sums in cells that both activate", a: "s @Q %i", b: "s @Q %i", fused: true},
	{name: "sums in neighbours that the second activates", head: "0 7, 0 7", a: "s @Q %i", b: "add %j %i %1; s @Q %j"},
	{name: "sums in one cell, and in those of iterations", a: "s @Q %0", b: "s @Q %i"},
	{name: "a tree over whose cells the loops run", head: "over @P, over @P", a: "w @P %0", b: "w @Y %i"},
	{name: "components in one node", a: "w @Split %i", b: "w @Split %i", fused: true},
	{name: "components in two nodes", a: "w @Split %i", b: "w1 @Split %i"},
	{name: "an element of a list that is made longer", head: "0 1, 0 1", a: "wl @L %i", b: "w @Y %i"},
	{name: "cells that loops of one part activate", a: "w @Q %i", b: "w @Q %i", withoutPart: true},
	{name: "serial code that asks for cells", between: "%n = isactive @Q %0 : bool", a: "w @Y %i", b: "w @Z %i", fused: true},
	{name: "serial code that asks for cells that are activated", between: "%n = isactive @Q %0 : bool", a: "w @Q %i", b: "w @Z %i"},
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
	{name: "a sum of the second loop for which there may be no memory", a: "w @Y %i", b: "n @I %0", deterministic: true},
	{name: "a sum of the first loop for which there may be no memory", a: "n @I %0", b: "w @Y %i", deterministic: true, fused: true},
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

// even opens an if for even indices.
const even = "if rem %i %2 eq %0"

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
	field @K [f32] [8 7]
	field @N [f32] [16] origin [-8]
	field @M [f32] [8] origin [-4]
	field @P [f32] [8] origin [0] node dense sparse
	field @Q [f32] [8] origin [0] node dense sparse
	field @Split [f32 f32] [8] origin [0] node dense sparse
	field @L [f32] [8 40] origin [0 0] node dynamic sparse list
	table #0 T f32 [0x1p+00 0x1p+01]
	site #0 assert "" []
`

const pairBody = `	body {
		%p = param 0 : i32
		%0 = const 0 : i32
		%1 = const 1 : i32
		%2 = const 2 : i32
		%3 = const 3 : i32
		%4 = const 4 : i32
		%m4 = const -4 : i32
		%big = const 2147483645 : i32
		%6 = const 6 : i32
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

var pairNames = regexp.MustCompile(`%([ijacobs]|[qt]\d)\b`)

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

// pairOps writes ops: "r @X %i as %j" reads an element, "w" writes one, "if rem %i %2 eq %0" opens an if, "s" adds to one, "n" to an integer, "m" is a maximum.
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
		case "w1": // the second component
			fmt.Fprintf(&b, "%s = ptr %s.1 %s : ptr\nstore %s, %%f\n", place, w[1], w[2], place)
		case "wl":
			fmt.Fprintf(&b, "%s = ptr %s.0 %s, %%0 : ptr\nstore %s, %%f\n", place, w[1], w[2], place)
		case "s":
			ptr()
			fmt.Fprintf(&b, "%%o = atomic.add %s, %%f : f32\n", place)
		case "m":
			ptr()
			fmt.Fprintf(&b, "%%o = atomic.max %s, %%f : f32\n", place)
		case "n":
			ptr()
			fmt.Fprintf(&b, "%%o = atomic.add %s, %%1 : i32\n", place)
		case "r2":
			fmt.Fprintf(&b, "%s = ptr %s.0 %s, %s : ptr\n%s = load %s : f32\n", place, w[1], w[2], w[3], value, place)
		case "add", "sub", "mul", "mod":
			fmt.Fprintf(&b, "%s = %s %s, %s : i32\n", w[1], w[0], w[2], w[3])
		case "if":
			if len(w) != 6 {
				b.WriteString(op + "\n")
				break
			}
			fmt.Fprintf(&b, "%%q%d = %s %s, %s : i32\n%%t%d = %s %%q%d, %s : bool\nif %%t%d {\n", n, w[1], w[2], w[3], n, w[4], n, w[5], n)
		case "else":
			b.WriteString("yield\n} else {\n")
		case "none": // of an if without a yield
			b.WriteString("} else {\nyield\n}\n")
		case "end": // of an if without an else
			b.WriteString("yield\n} else {\nyield\n}\n")
		case "fi": // of one with an else
			b.WriteString("yield\n}\n")
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
			if f.List {
				all, env.Fields, env.Nodes = append(all, cells), append(env.Fields, cells), append(env.Nodes, listNode(f, cells))
				continue
			}
			node = oracle.NewNode(oracle.NewNode(nil, ir.NodePointer, []int{0}, []int64{1}, f.Origin, false), ir.NodeDense, []int{0}, []int64{8}, f.Origin, false)
			node.Place(cells, 0, 1)
			if len(f.Comps) > 1 {
				oracle.NewNode(oracle.NewNode(nil, ir.NodePointer, []int{0}, []int64{1}, f.Origin, false), ir.NodeDense, []int{0}, []int64{8}, f.Origin, false).Place(cells, 1, 2)
			}
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

// listNode is a node of lists of at most 40 elements.
func listNode(f *ir.Field, cells oracle.Cells) *oracle.Node {
	above := oracle.NewNode(nil, ir.NodePointer, []int{0}, []int64{8}, f.Origin[:1], false)
	n := oracle.NewNode(above, ir.NodeDynamic, []int{1}, []int64{40}, f.Origin, false)
	n.Place(cells, 0, 1)
	return n
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
