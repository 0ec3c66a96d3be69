package explain

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// functionTexts divides LLVM code into functions.
func functionTexts(code string) map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split("\n"+code, "\ndefine ")[1:] {
		name := functionName.FindStringSubmatch(part)
		body, _, ok := strings.Cut(part, "\n}")
		if name != nil && ok {
			out[name[1]] = body
		}
	}
	return out
}

var (
	functionName = regexp.MustCompile(`@"?([^"( ]+)"?\(`)
	label        = regexp.MustCompile(`(?m)^"?([-.A-Za-z0-9_]+)"?:`)
	vectorType   = regexp.MustCompile(`<(\d+) x (?:float|double|half|i8|i16|i32|i64)>`)
	gather       = regexp.MustCompile(`@llvm\.masked\.(gather|scatter)`)
)

// vectors says how a function works on vectors, "" if it does not, and whether
// these are of several iterations. lanes is the size of the packets that the code
// was made of, 0 if of none.
func vectors(function string, lanes int) (text string, across bool) {
	width := 0
	gathers := false
	marks := label.FindAllStringSubmatchIndex(function, -1)
	for i, m := range marks {
		if !strings.HasPrefix(function[m[2]:m[3]], "vector.body") {
			continue
		}
		end := len(function)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		body := function[m[1]:end]
		width = max(width, usualWidth(body))
		gathers = gathers || gather.MatchString(body)
	}
	switch {
	case lanes > 0:
		return fmt.Sprintf("vectors of %d iterations", lanes), true
	case width > 0 && gathers:
		return fmt.Sprintf("vectorised by LLVM, %d iterations at once, with gathers", width), true
	case width > 0:
		return fmt.Sprintf("vectorised by LLVM, %d iterations at once", width), true
	}
	if w := usualWidth(function); w > 0 {
		return fmt.Sprintf("vectors of %d numbers within an iteration", w), false
	}
	return "", false
}

// usualWidth is the width of most vectors in code.
func usualWidth(code string) int {
	count, best := map[int]int{}, 0
	for _, m := range vectorType.FindAllStringSubmatch(code, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		count[n]++
		if count[n] > count[best] || count[n] == count[best] && n > best {
			best = n
		}
	}
	return best
}
