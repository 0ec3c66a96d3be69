package sparse

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
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

// nodeLine is the line of a node in a description: how deep it is, kind, axes, sizes, and
// whether it is in Morton order.
var nodeLine = regexp.MustCompile(`(?m)^( *)([a-z]+) \[([0-7 ]*)\] \[([0-9 ]*)\] cell [0-9]+ morton (true|false) at`)

// formLine is the line of the form of a packed component.
var formatLine = regexp.MustCompile(`(?m)^ ([0-9]+): (form [^\n]*)$`)

// formsOf returns the first forms that differ, and of which component.
func formatsOf(saved, mine string) (a, b, number string) {
	was, is := formatLine.FindAllStringSubmatch(saved, -1), formatLine.FindAllStringSubmatch(mine, -1)
	for i := range max(len(was), len(is)) {
		a, b = "no form", "no form"
		if i < len(was) {
			number, a = was[i][1], was[i][2]
		}
		if i < len(is) {
			number, b = is[i][1], is[i][2]
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
	lines := nodeLine.FindAllStringSubmatch(description, -1)
	if len(lines) == 0 {
		return "no nodes"
	}
	text, _ := chainsOf(lines[1:], 1) // the first is the root
	return cmp.Or(text, "no nodes")
}

// chainsOf renders the nodes at a depth that lines begins with, each with what is below it,
// and returns the lines that are left.
func chainsOf(lines [][]string, depth int) (string, [][]string) {
	var chains []string
	for len(lines) > 0 && len(lines[0][1]) == depth {
		chain := lines[0][2] + "(" + axesOf(lines[0][3])
		for s := range strings.FieldsSeq(lines[0][4]) {
			// A hash node without sizes has more cells than there are indices.
			if n, err := strconv.ParseInt(s, 10, 64); err == nil && n <= math.MaxInt32 {
				chain += "," + s
			}
		}
		chain += ")"
		if lines[0][5] == "true" {
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
