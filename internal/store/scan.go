package store

import (
	"reflect"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
)

// roomScanned is how many bytes of elements are copied before a scanner gets them.
const roomScanned = 16 << 10

// A Scanner takes elements, which lie one behind the other as Go has them.
type Scanner func(elements unsafe.Pointer, n int)

// Scan shows all active elements to scanners, many at a time as far as the layout allows, in any order. Each goroutine
// that takes part calls with, which calls scan with a scanner of its own. Of a tree that is closed meanwhile elements
// may be left out.
func (c *Field) Scan(with func(scan func(Scanner))) {
	if c.gather() != nil {
		return
	}
	if c.Contiguous() {
		size := int(c.typ.Size())
		_ = c.atOnce(false, func(lo, hi int) {
			with(func(f Scanner) { f(unsafe.Add(c.Start(), lo*size), hi-lo) })
		})
		return
	}
	buffered := func(f func(b *scanBuffer)) {
		with(func(s Scanner) {
			b := &scanBuffer{size: int(c.typ.Size()), to: s}
			f(b)
			b.flush()
		})
	}
	if b := c.anyBulk(false); b != nil {
		_ = c.whileMapped(false, func() error {
			b.inParts(func(b *bulk, i, parts int) {
				buffered(func(to *scanBuffer) {
					b.runs(i, parts, func(idx []int, many, _ int) bool {
						b.get(to.take(many), idx, many)
						return true
					})
				})
			})
			return nil
		})
		return
	}
	if !c.Sparse() || len(c.parts) > 1 || c.Unbounded() { // a part of an element may be inactive where another one is not
		with(func(f Scanner) {
			v := reflect.New(c.typ).UnsafePointer()
			for range c.Each(v) {
				f(v, 1)
			}
		})
		return
	}
	buffered(func(to *scanBuffer) {
		_ = c.locked(false, func() error {
			return c.eachCell(false, func(p *part, block unsafe.Pointer, idx []int) {
				v := to.take(1)
				for i := range p.comps {
					e := &p.comps[i]
					e.get(unsafe.Add(v, e.offset), unsafe.Add(block, e.access.Offset(idx)), idx)
				}
			})
		})
	})
}

// A scanBuffer has elements for a scanner.
type scanBuffer struct {
	size int // of an element
	to   Scanner
	room []byte // the first elements of it are there
	have int
}

// take returns room for more elements, which the scanner gets later.
func (b *scanBuffer) take(many int) unsafe.Pointer {
	if b.have+many > len(b.room)/max(1, b.size) {
		b.flush()
		if len(b.room) < many*b.size {
			b.room = make([]byte, max(many*b.size, roomScanned))
		}
	}
	at := unsafe.Add(unsafe.Pointer(unsafe.SliceData(b.room)), b.have*b.size)
	b.have += many
	return at
}

// flush gives the scanner the elements that room was taken for.
func (b *scanBuffer) flush() {
	b.to(unsafe.Pointer(unsafe.SliceData(b.room)), b.have)
	b.have = 0
}

// Real reads a Go scalar of a kind as a real number.
func Real(at unsafe.Pointer, k layout.Kind) float64 {
	switch {
	case isReal(k):
		return number(at, k)
	case k == layout.U64:
		return float64(*(*uint64)(at))
	default:
		return float64(integer(at, k))
	}
}
