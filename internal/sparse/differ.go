package sparse

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// difference says in what the tree that was saved and the one that is to have it differ,
// by their descriptions. The saved one may be any text.
func difference(saved, mine string) string {
	if a, b := outline(saved), outline(mine); a != b {
		return fmt.Sprintf("it has %s, and this tree has %s", a, b)
	}
	if a, b, number := formatsOf(saved, mine); a != b {
		return fmt.Sprintf("component %s has %s there, and %s in this tree", number, a, b)
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

// A formatLine is the line of the form of a packed component.
type formatLine struct{ number, format string }

// formatsIn finds these lines in a description, as in " 3: form int 5".
func formatsIn(description string) (all []formatLine) {
	for line := range strings.SplitSeq(description, "\n") {
		number, text, ok := strings.Cut(strings.TrimPrefix(line, " "), ": ")
		if ok && strings.HasPrefix(line, " ") && number != "" && strings.Trim(number, "0123456789") == "" && strings.HasPrefix(text, "form ") {
			all = append(all, formatLine{number, text})
		}
	}
	return all
}

// formatsOf returns the first forms that differ, and of which component.
func formatsOf(saved, mine string) (a, b, number string) {
	was, is := formatsIn(saved), formatsIn(mine)
	for i := range max(len(was), len(is)) {
		a, b = "no form", "no form"
		if i < len(was) {
			number, a = was[i].number, was[i].format
		}
		if i < len(is) {
			number, b = is[i].number, is[i].format
		}
		if a != b {
			return a, b, number
		}
	}
	return "", "", ""
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
