package store

import (
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/layout"
)

// This file moves numbers between Go values and the words that they are packed in. Stores are
// atomic on the word, so that goroutines may set fields that share one. The machines that this
// package runs on are little-endian.

// A packing is what a component in a word has besides its address.
type packing struct {
	*layout.Packed
	of     *layout.Member
	origin []int64
	mates  []int // of the first component of a field in a group: the distances of all in it, 0 first
	led    bool  // the component is in the mates of one before it
}

// packings completes the components that lie in words.
func (c *Field) packings() {
	own := map[*layout.Word]int{} // members
	defer func() {
		for w, n := range own {
			c.mixed = c.mixed || n < len(w.Members)
		}
	}()
	for i := range c.comps {
		p := &c.comps[i]
		if p.access.Packed != nil {
			own[p.access.Packed.Word]++
		}
		if p.access.Packed == nil {
			continue
		}
		p.packed = &packing{Packed: p.access.Packed, of: p.access.Packed.Of(), origin: p.access.Origin}
		if p.packed.of.Group == nil {
			continue
		}
		for k := range i {
			if q := c.comps[k].packed; q != nil && q.mates != nil && q.of.Group == p.packed.of.Group {
				q.mates, p.packed.led = append(q.mates, i-k), true
			}
		}
		if !p.packed.led {
			p.packed.mates = []int{0}
		}
	}
}

// get copies a component from memory to a Go value.
func (p *component) get(v, at unsafe.Pointer, idx []int) {
	if p.packed == nil {
		move(v, at, p.size)
		return
	}
	p.packed.decode(v, p.access.Kind, loadWord(at, p.packed.Word.Kind), idx)
}

// A where says where components lie: in a block, at distances from the first of a part, or where
// their address formulas say.
type where struct {
	block, first unsafe.Pointer
	part         *part
}

// of is the address of component i at idx.
func (w where) of(comps []component, i int, idx []int) unsafe.Pointer {
	switch {
	case w.block != nil:
		return unsafe.Add(w.block, comps[i].access.Offset(idx))
	case w.part != nil:
		return w.part.from(w.first, i, idx)
	}
	return comps[i].at(idx)
}

// A goValue is an element outside the field: a Go value, or bytes of a stream.
type goValue struct {
	at     unsafe.Pointer
	stream bool
}

func (v goValue) of(p *component) unsafe.Pointer {
	if v.stream {
		return unsafe.Add(v.at, p.stream)
	}
	return unsafe.Add(v.at, p.offset)
}

// put copies components from a value to memory.
func put(comps []component, to where, from goValue, idx []int) {
	for i := range comps {
		switch p := &comps[i]; {
		case p.packed == nil:
			move(to.of(comps, i, idx), from.of(p), p.size)
		case p.packed.led:
		case p.packed.of.Group != nil:
			storeGroup(comps[i:], to.of(comps, i, idx), from)
		default:
			p.packed.store(to.of(comps, i, idx), from.of(p), p.access.Kind, idx)
		}
	}
}

// store stores a Go scalar in the word at an address.
func (p *packing) store(at, v unsafe.Pointer, k layout.Kind, idx []int) {
	var code uint64
	if k == layout.F16 || k == layout.F32 || k == layout.F64 {
		code = p.of.Coder.Encode(number(v, k))
	} else {
		code = p.of.Coder.EncodeInt(integer(v, k))
	}
	bit, n := p.Bit(idx, p.origin), p.of.Bits
	for done := false; !done; {
		w := loadWord(at, p.Word.Kind)
		done = swapWord(at, p.Word.Kind, w, insert(w, code, bit, n))
	}
}

// storeGroup stores the first of some components, with all of its field that are in its group, in
// the word at an address. The others of the group are rounded anew.
func storeGroup(comps []component, at unsafe.Pointer, from goValue) {
	p := comps[0].packed
	g := p.of.Group
	vs, codes := make([]float64, len(g.Members)), make([]uint64, len(g.Members))
	for done := false; !done; {
		old := loadWord(at, p.Word.Kind)
		for i, n := range g.Members {
			vs[i] = g.Coder.DecodeGroup(old>>p.Word.Members[n].Shift, g.Exponent(old))
		}
		for _, m := range p.mates {
			c := &comps[m]
			vs[slices.Index(g.Members, c.packed.Member)] = number(from.of(c), c.access.Kind)
		}
		w := insert(old, g.Coder.EncodeGroup(vs, codes), g.Shift, int64(g.Coder.Exp))
		for i, n := range g.Members {
			w = insert(w, codes[i], p.Word.Members[n].Shift, p.Word.Members[n].Bits)
		}
		done = swapWord(at, p.Word.Kind, old, w)
	}
}

// code returns the code of the component in a word.
func (p *packing) code(w uint64, idx []int) uint64 {
	return w >> p.Bit(idx, p.origin) & ones(p.of.Bits)
}

// decode stores the component of a word as a Go scalar.
func (p *packing) decode(v unsafe.Pointer, k layout.Kind, w uint64, idx []int) {
	code := p.code(w, idx)
	number := 0.0
	switch g := p.of.Group; {
	case g != nil:
		number = g.Coder.DecodeGroup(code, g.Exponent(w))
	case k == layout.F16 || k == layout.F32 || k == layout.F64:
		number = p.of.Coder.Decode(code)
	}
	switch k {
	case layout.F16:
		*(*uint16)(v) = half.From64(number)
	case layout.F32:
		*(*float32)(v) = float32(number)
	case layout.F64:
		*(*float64)(v) = number
	default:
		n := p.of.Coder.Number(code)
		move(v, unsafe.Pointer(&n), uintptr(k.Size()))
	}
}

// number reads a Go scalar that is a real number.
func number(v unsafe.Pointer, k layout.Kind) float64 {
	switch k {
	case layout.F16:
		return half.To64(*(*uint16)(v))
	case layout.F32:
		return float64(*(*float32)(v))
	}
	return *(*float64)(v)
}

// integer reads a Go scalar that is an integer or bool, a uint64 by its bits.
func integer(v unsafe.Pointer, k layout.Kind) int64 {
	switch k {
	case layout.I8:
		return int64(*(*int8)(v))
	case layout.I16:
		return int64(*(*int16)(v))
	case layout.I32:
		return int64(*(*int32)(v))
	case layout.U8, layout.Bool:
		return int64(*(*uint8)(v))
	case layout.U16:
		return int64(*(*uint16)(v))
	case layout.U32:
		return int64(*(*uint32)(v))
	}
	return *(*int64)(v)
}

func ones(n int64) uint64 {
	if n >= 64 {
		return math.MaxUint64
	}
	return 1<<n - 1
}

// insert puts a code of n bits into a word.
func insert(w, code uint64, shift, n int64) uint64 {
	mask := ones(n)
	return w&^(mask<<shift) | code&mask<<shift
}

// loadWord reads a word.
func loadWord(at unsafe.Pointer, k layout.Kind) uint64 {
	switch k {
	case layout.U8:
		return uint64(*(*uint8)(at))
	case layout.U16:
		return uint64(*(*uint16)(at))
	case layout.U32:
		return uint64(atomic.LoadUint32((*uint32)(at)))
	}
	return atomic.LoadUint64((*uint64)(at))
}

// swapWord replaces a word if it still is old. Go compares and swaps 32 bits or more, so that a
// smaller word takes its neighbours along, which stay what they are.
func swapWord(at unsafe.Pointer, k layout.Kind, old, now uint64) bool {
	if k == layout.U64 {
		return atomic.CompareAndSwapUint64((*uint64)(at), old, now)
	}
	within := uintptr(at) & 3
	p, shift, bits := (*uint32)(unsafe.Add(at, -int(within))), int64(8*within), 8*k.Bytes()
	for {
		all := atomic.LoadUint32(p)
		if uint64(all)>>shift&ones(bits) != old {
			return false
		}
		if atomic.CompareAndSwapUint32(p, all, uint32(insert(uint64(all), now, shift, bits))) {
			return true
		}
	}
}

// exchanging is held while the host exchanges words that have numbers of other fields, too. See [TreeState].
func (c *Field) exchanging() (end func()) {
	if !c.mixed {
		return func() {}
	}
	for _, t := range c.uses {
		t.stores.RLock()
	}
	return func() {
		for _, t := range c.uses {
			t.stores.RUnlock()
		}
	}
}

// TryAlone keeps the host from exchanging such words until end is called, for a kernel that stores to them. It reports
// false if the host does so now.
func (c *Field) TryAlone() (end func(), ok bool) {
	if !c.mixed {
		return func() {}, true
	}
	for i, t := range c.uses {
		if !t.stores.TryLock() {
			for _, t := range c.uses[:i] {
				t.stores.Unlock()
			}
			return nil, false
		}
	}
	return func() {
		for _, t := range c.uses {
			t.stores.Unlock()
		}
	}, true
}

// isPacked reports whether some number of the field lies in a word with others.
func (c *Field) isPacked() bool {
	return slices.ContainsFunc(c.comps, func(p component) bool { return p.packed != nil })
}
