package launch

import (
	"fmt"

	"github.com/gotaichi/ti/internal/binform"
)

// Memory is elements of the caller that lie in an array. A machine that does not reach them works on a copy.
type Memory struct {
	Slot    int     // argument slot with the address
	Size    int64   // bytes of an element
	Shape   []int64 // extent along each axis; -1 for one that is an argument
	Extents []int   // argument slots of those, -1 for the others
	Strides []int   // argument slots of the distances between neighbours along each axis but the last, in elements; nil where there are no gaps
	Writes  bool    // some task may write there
}

// Bytes returns how many bytes lie from the first to the end of the last element of m, given the arguments of a launch.
func (m *Memory) Bytes(args []uint64) (n int64) {
	m.Runs(args, func(offset, bytes int64) { n = offset + bytes })
	return n
}

// Runs calls f for each run of elements of m that follow each other, given the arguments of a launch: with its offset and its length, in bytes.
func (m *Memory) Runs(args []uint64, f func(offset, bytes int64)) {
	extent := func(axis int) int64 {
		if n := m.Shape[axis]; n >= 0 {
			return n
		}
		return int64(args[m.Extents[axis]])
	}
	length := int64(1) // elements of a run
	for axis := range m.Shape {
		if n := extent(axis); axis >= len(m.Strides) {
			length *= max(0, n)
		}
	}
	if length == 0 {
		return
	}
	var runs func(axis int, first int64)
	runs = func(axis int, first int64) {
		if axis == len(m.Strides) {
			f(first*m.Size, length*m.Size)
			return
		}
		for i := range extent(axis) {
			runs(axis+1, first+i*int64(args[m.Strides[axis]]))
		}
	}
	runs(0, 0)
}

func (k *Kernel) checkMemory(m *Memory) error {
	ok := m.Slot >= 0 && m.Slot < k.Args && m.Size > 0 && len(m.Extents) == len(m.Shape) && len(m.Strides) <= max(0, len(m.Shape)-1)
	for i, slot := range m.Extents {
		ok = ok && slot < k.Args && (slot >= 0) == (m.Shape[i] < 0)
	}
	for _, slot := range m.Strides {
		ok = ok && slot >= 0 && slot < k.Args
	}
	if !ok {
		return fmt.Errorf("launch: the memory %+v of the caller is in no argument", *m)
	}
	return nil
}

func codeMemory(c *binform.Codec, m *Memory) {
	binform.Number(c, &m.Slot)
	binform.Number(c, &m.Size)
	binform.List(c, &m.Shape, binform.Number[int64])
	binform.List(c, &m.Extents, binform.Number[int])
	binform.List(c, &m.Strides, binform.Number[int])
	c.Flags(&m.Writes)
}
