package session

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
	for i := range c.comps {
		p := &c.comps[i]
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

// put copies components from a Go value to memory. at and from say where each lies.
func put(comps []component, at, from func(i int) unsafe.Pointer, idx []int) {
	for i := range comps {
		switch p := &comps[i]; {
		case p.packed == nil:
			move(at(i), from(i), p.size)
		case p.packed.led:
		default:
			p.packed.store(at(i), idx, func(mate int) (unsafe.Pointer, layout.Kind) {
				return from(i + mate), comps[i+mate].access.Kind
			}, func(mate int) int { return comps[i+mate].packed.Member })
		}
	}
}

// store stores the component, or those of its group, in the word at an address.
func (p *packing) store(at unsafe.Pointer, idx []int, from func(mate int) (unsafe.Pointer, layout.Kind), member func(mate int) int) {
	if g := p.of.Group; g != nil {
		update(at, p.Word.Kind, func(w uint64) uint64 {
			vs := p.group(w)
			for _, m := range p.mates {
				v, k := from(m)
				for i, n := range g.Members {
					if n == member(m) {
						vs[i] = number(v, k)
					}
				}
			}
			codes := make([]uint64, len(vs))
			w = insert(w, g.Coder.EncodeGroup(vs, codes), g.Shift, int64(g.Coder.Exp))
			for i, n := range g.Members {
				w = insert(w, codes[i], p.Word.Members[n].Shift, p.Word.Members[n].Bits)
			}
			return w
		})
		return
	}
	v, k := from(0)
	var code uint64
	if k == layout.F16 || k == layout.F32 || k == layout.F64 {
		code = p.of.Coder.Encode(number(v, k))
	} else {
		code = p.of.Coder.EncodeInt(integer(v, k))
	}
	bit := p.Bit(idx, p.origin)
	update(at, p.Word.Kind, func(w uint64) uint64 { return insert(w, code, bit, p.of.Bits) })
}

// group returns the numbers of the component's group in a word.
func (p *packing) group(w uint64) []float64 {
	g := p.of.Group
	vs := make([]float64, len(g.Members))
	for i, n := range g.Members {
		vs[i] = g.Coder.DecodeGroup(w>>p.Word.Members[n].Shift, g.Exponent(w))
	}
	return vs
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

// update replaces a word by f of it, atomically. Go compares and swaps 32 bits or more, so that a
// smaller word takes its neighbours along, which stay what they are.
func update(at unsafe.Pointer, k layout.Kind, f func(w uint64) uint64) {
	if k == layout.U64 {
		for p := (*uint64)(at); ; {
			if old := atomic.LoadUint64(p); atomic.CompareAndSwapUint64(p, old, f(old)) {
				return
			}
		}
	}
	within := uintptr(at) & 3
	p, shift, bits := (*uint32)(unsafe.Add(at, -int(within))), int64(8*within), 8*k.Size()
	for {
		old := atomic.LoadUint32(p)
		now := insert(uint64(old), f(uint64(old)>>shift&ones(bits)), shift, bits)
		if atomic.CompareAndSwapUint32(p, old, uint32(now)) {
			return
		}
	}
}

// isPacked reports whether some number of the field lies in a word with others.
func (c *Field) isPacked() bool {
	return slices.ContainsFunc(c.comps, func(p component) bool { return p.packed != nil })
}
