//go:build !ti_ahead

package variant

import (
	"unsafe"

	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/oracle/ontree"
	"github.com/gotaichi/ti/internal/typed"
)

// An overlay is memory of the host with changes that the host does not get.
type overlay struct {
	rank  int
	kinds []typed.Scalar
	at    func(index []int64, comp int) unsafe.Pointer
	cells map[oracle.Key]uint64
}

func (o *overlay) key(index []int64, comp int) oracle.Key {
	k := oracle.Key{Comp: comp}
	copy(k.Index[:], index)
	return k
}

// Load returns a component: the changed one, or that of the host.
func (o *overlay) Load(index []int64, comp int) uint64 {
	k := o.key(index, comp)
	x, known := o.cells[k]
	if !known {
		x = hostBits(o.at(index, comp), o.kinds[comp])
		o.cells[k] = x
	}
	return x
}

// Store changes a component.
func (o *overlay) Store(index []int64, comp int, bits uint64) { o.cells[o.key(index, comp)] = bits }

// hostBits reads a component of the host.
func hostBits(p unsafe.Pointer, s typed.Scalar) uint64 {
	if p == nil {
		return 0
	}
	switch s.Bits() {
	case 1:
		if *(*uint8)(p) != 0 {
			return 1
		}
		return 0
	case 8:
		return uint64(*(*uint8)(p))
	case 16:
		return uint64(*(*uint16)(p))
	case 32:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// A sliceCopy is a slice argument, and the tree's copy of it.
type sliceCopy struct {
	name      string
	data, own []byte
	memory    typed.Memory
	kinds     []typed.Scalar
}

func (c *sliceCopy) compare(say func(string, ...any)) {
	for at := 0; at+c.memory.Size <= len(c.data) && c.memory.Size > 0; at += c.memory.Size {
		for comp, s := range c.kinds {
			n := at + c.memory.Offsets[comp]
			got, want := hostBits(unsafe.Pointer(&c.data[n]), s), hostBits(unsafe.Pointer(&c.own[n]), s)
			if !alike(s, got, want) {
				say("component %d of %s[%d] is %s, and of the tree %s", comp, c.name, at/c.memory.Size, shown(s, got), shown(s, want))
			}
		}
	}
}

// A viewCopy is a view argument, and the tree's copy of it.
type viewCopy struct {
	name  string
	shape []int64
	own   *overlay
	reach [2]uintptr // its memory, and what lies between its rows
}

// mostCopied is how many components of a view are copied.
const mostCopied = 1 << 20

// copyView copies the view in the slots args.
func copyView(name string, t typed.View, args []uint64) (c viewCopy, err error) {
	m := typed.MemoryOf(t.Elem)
	c = viewCopy{name: name, own: &overlay{rank: t.Rank, kinds: typed.Leaves(t.Elem), cells: map[oracle.Key]uint64{}}}
	total := int64(len(c.own.kinds))
	last := int64(0)
	for a := range t.Rank {
		n := int64(args[1+a])
		c.shape = append(c.shape, n)
		total *= n
		step := int64(1)
		if a < t.Rank-1 {
			step = int64(args[1+t.Rank+a])
		}
		last += (n - 1) * step
	}
	if total > mostCopied {
		return c, ontree.NotCovered{What: "a large view"}
	}
	address := uintptr(args[0])
	c.own.at = func(index []int64, comp int) unsafe.Pointer {
		n := int64(0)
		for a, i := range index {
			if a < t.Rank-1 {
				i *= int64(args[1+t.Rank+a])
			}
			n += i
		}
		base := *(*unsafe.Pointer)(unsafe.Pointer(&address))
		return unsafe.Add(base, n*int64(m.Size)+int64(m.Offsets[comp]))
	}
	if total > 0 {
		c.reach = [2]uintptr{address, address + uintptr((last+1)*int64(m.Size))}
		c.each(func(index []int64, comp int) { c.own.Load(index, comp) })
	}
	return c, nil
}

// each calls f for each component of each element.
func (c *viewCopy) each(f func(index []int64, comp int)) {
	index := make([]int64, len(c.shape))
	var nest func(a int)
	nest = func(a int) {
		if a < len(index) {
			for i := range c.shape[a] {
				index[a] = i
				nest(a + 1)
			}
			return
		}
		for comp := range c.own.kinds {
			f(index, comp)
		}
	}
	nest(0)
}

func (c *viewCopy) compare(say func(string, ...any)) {
	c.each(func(index []int64, comp int) {
		s := c.own.kinds[comp]
		got, want := hostBits(c.own.at(index, comp), s), c.own.Load(index, comp)
		if !alike(s, got, want) {
			say("component %d of %s%v is %s, and of the tree %s", comp, c.name, index, shown(s, got), shown(s, want))
		}
	})
}
