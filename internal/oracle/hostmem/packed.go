package hostmem

import (
	"unsafe"

	"github.com/gotaichi/ti/internal/ir"
)

// A Packed gives the oracle a field of which components are packed in words. What is so stored are
// codes; the other components are in Plain.
type Packed struct {
	Plain Memory
	Code  func(index []int64, comp int) (c Code, ok bool) // ok is false for a component in Plain
}

// A Code is where the code of a number lies.
type Code struct {
	At          unsafe.Pointer // of the word, nil for one that is not there
	Word        int64          // bytes
	Shift, Bits int64
}

// word returns the word as a place of memory.
func (c Code) word() Memory {
	kind := map[int64]ir.Kind{1: ir.U8, 2: ir.U16, 4: ir.U32, 8: ir.U64}[c.Word]
	return func([]int64, int) (unsafe.Pointer, ir.Kind) { return c.At, kind }
}

func (c Code) mask() uint64 {
	if c.Bits >= 64 {
		return ^uint64(0)
	}
	return 1<<c.Bits - 1
}

// Load returns a component, or its code.
func (p *Packed) Load(index []int64, comp int) uint64 {
	c, ok := p.Code(index, comp)
	if !ok {
		return p.Plain.Load(index, comp)
	}
	if c.At == nil {
		return 0
	}
	return c.word().Load(nil, 0) >> c.Shift & c.mask()
}

// Store sets a component, or its code.
func (p *Packed) Store(index []int64, comp int, bits uint64) {
	c, ok := p.Code(index, comp)
	if !ok {
		p.Plain.Store(index, comp, bits)
		return
	}
	if c.At != nil {
		w := c.word()
		w.Store(nil, 0, w.Load(nil, 0)&^(c.mask()<<c.Shift)|(bits&c.mask())<<c.Shift)
	}
}
