package main

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
)

// parseMacrocell reads a pattern in the form in which Golly keeps large ones: a tree of squares, each of which is described once.
// Lines, behind a header and comments, are numbered from 1. A line of dots, asterisks and dollars is a square of 8×8 cells; rows end
// with a dollar, and what is missing is dead. A line "k NW NE SW SE" is a square of 2ᵏ×2ᵏ, made of four smaller ones, which
// are named by their lines, or 0 if nothing lives in them. The last line is the whole.
func parseMacrocell(text string) (*macrocell, error) {
	var m macrocell
	lines := bufio.NewScanner(strings.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if line == "" || line[0] == '[' || line[0] == '#' {
			continue
		}
		if err := m.add(line); err != nil {
			return nil, fmt.Errorf("line %d of the pattern: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("the pattern cannot be read: %w", err)
	}
	if len(m.squares) == 0 {
		return nil, fmt.Errorf("the pattern has no square, as a line of dots, asterisks and dollars is")
	}
	return &m, nil
}

// A macrocell is a list of squares, each made of those before it.
type macrocell struct{ squares []square }

// A square has cells, if it is one of 8×8, or four parts.
type square struct {
	level int // 3 for 8×8
	cells [8]uint8
	parts [4]int // numbers of squares, from 1 on
}

const leafLevel = 3

// add adds the square that a line describes.
func (m *macrocell) add(line string) error {
	s := square{level: leafLevel}
	if strings.ContainsRune(".*$", rune(line[0])) {
		row, col := 0, 0
		for _, c := range line {
			switch {
			case c == '$':
				row, col = row+1, 0
				continue
			case row > 7 || col > 7:
				return fmt.Errorf("a square of 8×8 cells is smaller")
			case c == '*':
				s.cells[row] |= 1 << col
			case c != '.':
				return fmt.Errorf("found %q; expected one of the signs . * $", c)
			}
			col++
		}
		m.squares = append(m.squares, s)
		return nil
	}
	fields := strings.Fields(line)
	if len(fields) != 5 {
		return fmt.Errorf("found %d numbers; expected a level and four squares", len(fields))
	}
	for i, f := range fields {
		n, err := strconv.Atoi(f)
		switch {
		case err != nil:
			return fmt.Errorf("%q is not a number", f)
		case i == 0 && (n <= leafLevel || n > 30):
			return fmt.Errorf("level %d is not from %d to 30", n, leafLevel+1)
		case i == 0:
			s.level = n
		case n < 0 || n > len(m.squares) || n > 0 && m.squares[n-1].level != s.level-1:
			return fmt.Errorf("square %d is not one of those before that is half as large", n)
		default:
			s.parts[i-1] = n
		}
	}
	m.squares = append(m.squares, s)
	return nil
}

// whole is the number of the square that holds all others.
func (m *macrocell) whole() int { return len(m.squares) }

// pattern returns the live cells of a square.
func (m *macrocell) pattern(number int) (cells pattern) {
	m.collect(number, 0, 0, &cells)
	return cells
}

// collect appends the live cells of a square whose first cell is at [row, col].
func (m *macrocell) collect(number, row, col int, cells *pattern) {
	if number == 0 {
		return
	}
	s := &m.squares[number-1]
	if s.level == leafLevel {
		for i, bits := range s.cells {
			for j := range 8 {
				if bits>>j&1 != 0 {
					*cells = append(*cells, [2]int{row + i, col + j})
				}
			}
		}
		return
	}
	half := 1 << (s.level - 1)
	for i, part := range s.parts {
		m.collect(part, row+i/2*half, col+i%2*half, cells)
	}
}
