package main

import (
	"fmt"
	"strings"
)

// pattern is a set of live cells, given as row and column.
type pattern [][2]int

// parseRLE reads a pattern in the run-length form in which collections of Life patterns keep them: a header line
// "x = W, y = H, …", then runs of b (dead), o (alive) and $ (end of a row), each with an optional count, up to "!".
// Lines that start with # are comments.
func parseRLE(text string) (pattern, error) {
	var cells pattern
	row, col, count, header := 0, 0, 0, false
	for number, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		if !header {
			if !strings.HasPrefix(line, "x") {
				return nil, fmt.Errorf("line %d of the pattern should be its header, \"x = …, y = …\"", number+1)
			}
			header = true
			continue
		}
		for _, c := range line {
			switch {
			case '0' <= c && c <= '9':
				if count = 10*count + int(c-'0'); count > 1<<20 {
					return nil, fmt.Errorf("line %d of the pattern has a run of more than a million cells", number+1)
				}
				continue
			case c == 'o':
				for range max(count, 1) {
					cells = append(cells, [2]int{row, col})
					col++
				}
			case c == 'b':
				col += max(count, 1)
			case c == '$':
				row, col = row+max(count, 1), 0
			case c == '!':
				return cells, nil
			default:
				return nil, fmt.Errorf("line %d of the pattern has %q; expected a count, b, o or the signs $ and ! that end rows and patterns", number+1, c)
			}
			count = 0
		}
	}
	return nil, fmt.Errorf("the pattern has no end, an exclamation mark as its last character")
}
