package main

import "fmt"

// Metapixels are squares of 2048×2048 cells that behave like single cells of Life: each counts its eight neighbours by the gliders that
// they send, and decides every 35,328 generations whether it is filled by streams of spaceships from then on. (OTCA metapixel, Brice Due, 2006.)
// Those at the border of a board differ by what would collide with a neighbour.
type metapixels struct {
	off [3][3]pattern // at the border before, inside, at the border behind, for rows and columns
	on  pattern       // inside
}

const (
	metaLevel = 11
	metaSize  = 1 << metaLevel
)

// readMetapixels takes them out of a board, a macrocell such as the file metapixel-galaxy.mc.gz of Golly, whose outermost two
// rows and columns on each side are off.
func readMetapixels(file string) (*metapixels, error) {
	data, err := readFile(file)
	if err != nil {
		return nil, err
	}
	m, err := parseMacrocell(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	board := make(map[[2]int]int)
	m.squaresOf(metaLevel, m.whole(), 0, 0, board)
	last := 0 // row and column
	for place := range board {
		last = max(last, place[0], place[1])
	}
	if len(board) != (last+1)*(last+1) || last < 4 {
		return nil, fmt.Errorf("%s has %d squares of %d×%d cells; expected those of a board of 5×5 or more metapixels", file, len(board), metaSize, metaSize)
	}
	at := [3]int{0, 1, last}
	var p metapixels
	for i := range 3 {
		for j := range 3 {
			p.off[i][j] = m.pattern(board[[2]int{at[i], at[j]}])
		}
	}
	off := board[[2]int{1, 1}]
	for i := 1; i < last; i++ {
		for j := 1; j < last; j++ {
			if on := board[[2]int{i, j}]; on != off {
				p.on = m.pattern(on)
				return &p, nil
			}
		}
	}
	return nil, fmt.Errorf("no metapixel of %s is on", file)
}

// squaresOf lists the squares of a level that are within a square, by row and column.
func (m *macrocell) squaresOf(level, number, row, col int, found map[[2]int]int) {
	if number == 0 {
		return
	}
	s := &m.squares[number-1]
	if s.level <= level {
		found[[2]int{row, col}] = number
		return
	}
	half := 1 << (s.level - 1 - level)
	for i, part := range s.parts {
		m.squaresOf(level, part, row+i/2*half, col+i%2*half, found)
	}
}

// stamp puts a metapixel onto a board for each of n×n cells of a model, none of which lives at its border.
func (p *metapixels) stamp(b *board, model pattern, n, top, left int) {
	live := make(map[[2]int]bool)
	for _, c := range model {
		live[c] = true
	}
	part := func(i int) int { return min(i, 1) + max(i-(n-2), 0) } // 0, 1 … 1, 2
	for i := range n {
		for j := range n {
			pixel := p.off[part(i)][part(j)]
			if live[[2]int{i, j}] {
				pixel = p.on
			}
			b.stamp(pixel, top+i*metaSize, left+j*metaSize)
		}
	}
}
