package driver_test

import (
	"fmt"
	"strconv"
)

// snapshot writes all that a world consists of, a cell a line. If so asked, it looks
// whether what is not among the cells is inactive, and zero, at all indices.
func (p *plot) snapshot(w sparseWorld, everywhere bool) (string, error) {
	var b []byte
	gone := func(tree int) bool {
		h, ok := w.(hostWorld)
		return ok && h.destroyed(tree)
	}
	cells := map[*plotNode][][]int{}
	for _, n := range p.nodes {
		if gone(n.tree) {
			continue
		}
		list, err := w.cells(n)
		if err != nil {
			return "", err
		}
		for _, c := range list {
			b = append(append(appendIndex(append(b, n.name...), c), " is active"...), '\n')
		}
		cells[n] = list
	}
	for _, f := range p.fields {
		if gone(f.node.tree) {
			continue
		}
		for _, idx := range cells[f.node] {
			for c, v := range element(w, f, idx) {
				if v != 0 {
					b = append(append(appendIndex(append(b, f.name...), idx), f.elem.suffix[c]...), " = "...)
					b = append(strconv.AppendInt(b, int64(v), 10), '\n')
				}
			}
		}
		if !everywhere {
			continue
		}
		if err := p.elsewhere(w, f, cells[f.node]); err != nil {
			return "", err
		}
	}
	return string(b), nil
}

// elsewhere looks at the elements of a field that are not among its cells.
func (p *plot) elsewhere(w sparseWorld, f *plotField, cells [][]int) (err error) {
	active := map[[maxRank]int]bool{}
	for _, c := range cells {
		active[fixed(c)] = true
	}
	p.window(f.node, func(idx []int) {
		if is := w.active(f.node, idx); is != active[fixed(idx)] {
			err = fmt.Errorf("%s%v is active: %t, and among the cells: %t", f.name, idx, is, !is)
		} else if !is {
			for c, v := range element(w, f, idx) {
				if v != 0 {
					err = fmt.Errorf("%s%v%s is inactive and %d", f.name, idx, f.elem.suffix[c], int64(v))
				}
			}
		}
	})
	return err
}

// maxRank is the most axes that a field of a plot has.
const maxRank = 5

func fixed(idx []int) (to [maxRank]int) {
	copy(to[:], idx)
	return to
}

// element returns the components of an element.
func element(w sparseWorld, f *plotField, idx []int) []uint64 {
	if a, ok := w.(*apiWorld); ok {
		return a.fields[f].at(idx)
	}
	e := make([]uint64, len(f.elem.suffix))
	for c := range e {
		e[c] = w.load(f, idx, c)
	}
	return e
}

func appendIndex(b []byte, idx []int) []byte {
	for i, x := range idx {
		b = strconv.AppendInt(append(b, "[,"[min(i, 1)]), int64(x), 10)
	}
	return append(b, ']')
}

// window calls f for all indices of a node's cells, of unbounded ones for those that
// the test uses.
func (p *plot) window(n *plotNode, f func(idx []int)) {
	idx := make([]int, len(n.path))
	var nest func(d int)
	nest = func(d int) {
		if d == len(idx) {
			f(idx)
			return
		}
		for i := n.low[d]; i < n.high[d]; i++ {
			idx[d] = int(i)
			nest(d + 1)
		}
	}
	nest(0)
}
