package sparse

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/layout"
)

// difference says in what the tree that was saved and the one that is to have it differ,
// by their descriptions. The saved one may be any text. Fields are those of this tree.
func difference(saved, mine string, fields []*layout.Field) string {
	if a, b := outline(saved), outline(mine); a != b {
		return fmt.Sprintf("it has %s, and this tree has %s", a, b)
	}
	if a, b, at := formatsOf(saved, mine); a != b {
		name := fmt.Sprintf("component %d of a field", at.comp)
		if at.field < len(fields) && at.comp < len(fields[at.field].Elem.Comps) {
			name = fields[at.field].NameOf(at.comp)
		}
		return fmt.Sprintf("%s has %s there, and %s in this tree", name, a, b)
	}
	return "its nodes are the same, but its fields have other types, places or lowest indices"
}

// A nodeLine is the line of a node in a description.
type nodeLine struct {
	depth       int
	kind        string
	axes, sizes string // numbers with spaces
	morton      bool
}

// readNode reads the line of a node: how deep it is, kind, axes, sizes, and whether it is in Morton order, as in
// "  dense [0 1] [4 4] cell 8 morton false at 0". It reports false for any other line.
func readNode(line string) (n nodeLine, ok bool) {
	rest := strings.TrimLeft(line, " ")
	n.depth = len(line) - len(rest)
	var cell, morton string
	for _, part := range []struct {
		to      *string
		end     string
		letters string // that it has
	}{
		{&n.kind, " [", "abcdefghijklmnopqrstuvwxyz"}, {&n.axes, "] [", "01234567 "}, {&n.sizes, "] cell ", "0123456789 "},
		{&cell, " morton ", "0123456789"}, {&morton, " at", "truefals"},
	} {
		if *part.to, rest, ok = strings.Cut(rest, part.end); !ok || strings.Trim(*part.to, part.letters) != "" {
			return n, false
		}
	}
	n.morton = morton == "true"
	return n, n.kind != "" && cell != "" && (n.morton || morton == "false")
}

// A formatLine is the line of the form of a packed component: the one with a number of the field with a number.
type formatLine struct {
	field, comp int
	format      string
}

// formatsIn finds these lines in a description, as in " 3: form int 5", below those of the fields.
func formatsIn(description string) (all []formatLine) {
	field := -1
	for line := range strings.SplitSeq(description, "\n") {
		if strings.HasPrefix(line, "field of ") {
			field++
		}
		number, text, ok := strings.Cut(strings.TrimPrefix(line, " "), ": ")
		comp, err := strconv.ParseUint(number, 10, 31)
		if ok && err == nil && field >= 0 && strings.HasPrefix(line, " ") && strings.HasPrefix(text, "form ") {
			all = append(all, formatLine{field, int(comp), text})
		}
	}
	return all
}

// formatsOf returns the first forms that differ, and of which component.
func formatsOf(saved, mine string) (a, b string, at formatLine) {
	was, is := formatsIn(saved), formatsIn(mine)
	for len(was) > 0 || len(is) > 0 {
		a, b = "no form", "no form"
		order := 0 // which of the two has the component that comes first
		switch {
		case len(was) == 0:
			order = 1
		case len(is) == 0:
			order = -1
		default:
			order = cmp.Or(cmp.Compare(was[0].field, is[0].field), cmp.Compare(was[0].comp, is[0].comp))
		}
		if order <= 0 {
			at, a, was = was[0], was[0].format, was[1:]
		}
		if order >= 0 {
			at, b, is = is[0], is[0].format, is[1:]
		}
		if a != b {
			return a, b, at
		}
	}
	return "", "", at
}

// outline has the nodes of a description in the way that they are written on the command
// line: "pointer(ij,4).{dense(ij,8); dynamic(k,100)}".
func outline(description string) string {
	var lines []nodeLine
	for line := range strings.SplitSeq(description, "\n") {
		if n, ok := readNode(line); ok {
			lines = append(lines, n)
		}
	}
	if len(lines) == 0 {
		return "no nodes"
	}
	text, _ := chainsOf(lines[1:], 1) // the first is the root
	return cmp.Or(text, "no nodes")
}

// chainsOf renders the nodes at a depth that lines begins with, each with what is below it,
// and returns the lines that are left.
func chainsOf(lines []nodeLine, depth int) (string, []nodeLine) {
	var chains []string
	for len(lines) > 0 && lines[0].depth == depth {
		chain := lines[0].kind + "(" + axesOf(lines[0].axes)
		for s := range strings.FieldsSeq(lines[0].sizes) {
			// A hash node without sizes has more cells than there are indices.
			if n, err := strconv.ParseInt(s, 10, 64); err == nil && n <= math.MaxInt32 {
				chain += "," + s
			}
		}
		chain += ")"
		if lines[0].morton {
			chain += ".morton()"
		}
		var rest string
		if rest, lines = chainsOf(lines[1:], depth+1); rest != "" {
			chain += "." + rest
		}
		chains = append(chains, chain)
	}
	if len(chains) > 1 {
		return "{" + strings.Join(chains, "; ") + "}", lines
	}
	return strings.Join(chains, ""), lines
}

// axesOf turns numbers of axes into letters.
func axesOf(numbers string) string {
	var out strings.Builder
	for n := range strings.FieldsSeq(numbers) {
		out.WriteByte("ijklmnop"[n[0]-'0'])
	}
	return out.String()
}
