package session

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/tally"
)

// This file counts what fields hold when [Runtime.Count] begins and ends: many numbers at a time, as far as the layout allows.

// roomCounted is how many bytes of elements are copied before they are counted.
const roomCounted = 16 << 10

// A contentCount takes numbers of a field in tallies of its own.
type contentCount struct {
	field   *Field
	count   func(t *tally.Tally, of tally.Strided)
	tallies []*tally.Tally // of each component

	room []byte // for elements as Go has them, the first of which are there
	have int
}

// countContents counts what the field holds, in the tally of each kind. The number of goroutines shows nowhere, since counts are sums, least and
// largest numbers.
func (c *Field) countContents(of func(k layout.Kind) *tally.Tally, count func(t *tally.Tally, of tally.Strided)) {
	for i := range c.comps {
		of(c.comps[i].access.Kind) // in this order, whatever there is
	}
	var mu sync.Mutex
	counted := func(f func(n *contentCount)) {
		n := &contentCount{field: c, count: count}
		for i := range c.comps {
			n.tallies = append(n.tallies, tally.New(layout.ScalarKind(c.comps[i].access.Kind)))
		}
		f(n)
		n.flush()
		mu.Lock()
		defer mu.Unlock()
		for i := range c.comps {
			of(c.comps[i].access.Kind).Add(n.tallies[i])
		}
	}
	if c.contiguous() {
		size := int(c.typ.Size())
		_ = c.atOnce(func(lo, hi int) { // of a tree that is closed meanwhile nothing is told
			counted(func(n *contentCount) { n.elements(unsafe.Add(c.start(), lo*size), hi-lo) })
		})
		return
	}
	if b := c.anyBulk(false); b != nil {
		b.inParts(func(b *bulk, i, parts int) {
			counted(func(n *contentCount) {
				b.runs(i, parts, func(idx []int, many, _ int) bool {
					b.get(n.take(many), idx, many)
					return true
				})
			})
		})
		return
	}
	counted(func(n *contentCount) {
		if !c.sparse() || len(c.parts) > 1 || c.unbounded() { // a part of an element may be inactive where another one is not
			v := reflect.New(c.typ).UnsafePointer()
			for range c.Each(v) {
				n.elements(v, 1)
			}
			return
		}
		_ = c.locked(func() error {
			return c.eachCell(func(p *part, block unsafe.Pointer, idx []int) {
				v := n.take(1)
				for i := range p.comps {
					e := &p.comps[i]
					e.get(unsafe.Add(v, e.offset), unsafe.Add(block, e.access.Offset(idx)), idx)
				}
			})
		})
	})
}

// take returns room for more elements, which are counted later.
func (n *contentCount) take(many int) unsafe.Pointer {
	size := int(n.field.typ.Size())
	if n.have+many > len(n.room)/max(1, size) {
		n.flush()
		if len(n.room) < many*size {
			n.room = make([]byte, max(many*size, roomCounted))
		}
	}
	at := unsafe.Add(unsafe.Pointer(unsafe.SliceData(n.room)), n.have*size)
	n.have += many
	return at
}

// flush counts the elements that room was taken for.
func (n *contentCount) flush() {
	n.elements(unsafe.Pointer(unsafe.SliceData(n.room)), n.have)
	n.have = 0
}

// elements counts some elements, which lie one behind the other as Go has them.
func (n *contentCount) elements(at unsafe.Pointer, many int) {
	for i := range n.field.comps {
		p := &n.field.comps[i]
		n.count(n.tallies[i], tally.Strided{At: unsafe.Add(at, p.offset), Step: n.field.typ.Size(), N: many, Value: p.value})
	}
}

// value reads a Go scalar as a real number.
func (p *component) value(at unsafe.Pointer) float64 {
	switch k := p.access.Kind; {
	case p.isReal():
		return number(at, k)
	case k == layout.U64:
		return float64(*(*uint64)(at))
	default:
		return float64(integer(at, k))
	}
}
