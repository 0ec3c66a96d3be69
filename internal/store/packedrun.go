package store

import (
	"io"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/quant"
)

// This file moves all elements of a dense field between words and Go values, a run at a time: of
// elements whose words lie at equal distances. What the forms are, and where the words lie, is looked
// at once a run; package quant has the loops over the numbers of one, packednumbers.go those over Go
// values.

// maxRun is how many elements a run has at most: so that its words and numbers stay in the first cache.
const maxRun = 1 << 10

// A bulk moves the elements of a field.
type bulk struct {
	field  *Field
	words  []*bulkWord
	plain  []*component // of the components those that are stored as Go does
	run    int64        // elements of a run along the last axis; it begins at a multiple of that
	size   uintptr      // from one element outside to the next
	stream bool         // outside are bytes of a stream, not Go values

	codes  []uint64
	reals  [][]float64 // for each component of a word
	whole  []int64
	access map[*component]int64 // of plain components: bytes from one element to the next
}

// A bulkWord is a word with components of the field.
type bulkWord struct {
	word    *layout.Word
	comps   []*component
	mask    uint64  // bits that the components set
	alone   bool    // no other bits of the word are in use
	step    int64   // bytes from one word of a run to the next
	per     int64   // elements of a run in each word; more than one in a bit array
	array   bool    // the word is of a bit array
	bitStep int64   // bits from one of them to the next
	direct  *direct // where the component is moved without buffers, else nil
	words   []uint64
}

// newBulk prepares to move elements; nil where they are to be moved one by one: those of sparse fields,
// and numbers that share an exponent with those of other fields.
func (c *Field) newBulk(stream bool) *bulk {
	if !c.isPacked() {
		return nil
	}
	return c.anyBulk(stream)
}

// anyBulk is newBulk for fields that are not packed, too.
func (c *Field) anyBulk(stream bool) *bulk {
	if c.Sparse() || c.Rank == 0 || c.lay.Len() == 0 {
		return nil
	}
	b := &bulk{field: c, size: c.typ.Size(), stream: stream, access: map[*component]int64{}}
	if stream {
		b.size = uintptr(c.streamed())
	}
	last := c.Rank - 1
	b.run = int64(c.Axes[last].Extent)
	for i := range c.comps {
		p := &c.comps[i]
		switch {
		case p.packed == nil:
			b.plain = append(b.plain, p)
			b.limit(p.access.Terms, last, 1)
			b.access[p] = linear(p.access.Terms, last, 1)
		case p.packed.Word.Array() && len(c.comps) > 1:
			return nil
		case p.packed.of.Group != nil && p.packed.mates != nil && len(p.packed.mates) < len(p.packed.of.Group.Members):
			return nil
		default:
			b.add(p)
		}
	}
	most := int64(1)
	for _, w := range b.words {
		w.place(b, last)
		most = max(most, w.per)
	}
	if b.run > maxRun {
		b.run = maxRun / most * most
	}
	b.allocate()
	return b
}

// add adds a component to the entry of its word.
func (b *bulk) add(p *component) {
	i := slices.IndexFunc(b.words, func(w *bulkWord) bool { return w.word == p.packed.Word })
	if i < 0 {
		i = len(b.words)
		b.words = append(b.words, &bulkWord{word: p.packed.Word, per: 1})
	}
	w := b.words[i]
	w.comps = append(w.comps, p)
	w.mask |= ones(p.packed.of.Bits) << p.packed.of.Shift
	if g := p.packed.of.Group; g != nil {
		w.mask |= ones(int64(g.Coder.Exp)) << g.Shift
	}
}

// place finds out how the words of runs lie.
func (w *bulkWord) place(b *bulk, last int) {
	p := w.comps[0]
	if w.array = w.word.Array(); w.array {
		w.per = w.word.Cells()[last]
		w.bitStep = linear(p.packed.Terms, last, 1)
		w.mask = 0
		for i := range w.per {
			w.mask |= ones(p.packed.of.Bits) << (i * w.bitStep)
		}
	}
	w.alone = w.mask == w.word.Used()
	b.limit(p.access.Terms, last, w.per)
	w.step = linear(p.access.Terms, last, w.per)
	w.direct = directOf(w)
}

// directOf returns the form of the one component in a word, nil if it is another.
func directOf(w *bulkWord) *direct {
	p := w.comps[0]
	c := p.packed.of.Coder
	if w.array || len(w.comps) != 1 || p.packed.of.Group != nil || p.access.Kind != layout.F32 || c.Class != quant.Fixed && c.Class != quant.Float {
		return nil
	}
	n := c.Width()
	d := &direct{
		coder: c, kind: w.word.Kind, keep: -1,
		bit: uint(p.packed.of.Shift), up: uint(64 - int64(n) - p.packed.of.Shift), down: uint(64 - n),
	}
	if c.Unsigned {
		d.keep = int64(c.Mask)
	}
	return d
}

// limit shortens runs to where an address changes by the same from each word to the next, of so many
// elements.
func (b *bulk) limit(terms []layout.Term, axis int, per int64) {
	for _, t := range terms {
		if t.Axis != axis {
			continue
		}
		if t.Div > per {
			b.run = gcd(b.run, t.Div)
		}
		if t.Mod > 0 {
			b.run = gcd(b.run, t.Div*t.Mod)
		}
	}
}

// linear returns by how much an address changes from one word to the next within a run.
func linear(terms []layout.Term, axis int, per int64) (stride int64) {
	for _, t := range terms {
		if t.Axis == axis && t.Div == per {
			stride += t.Stride
		}
	}
	return stride
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// runs calls f for one run after the other, in row-major order: its first element, their number, and
// how many elements come before. It ends early if f says so, or once the tree has been closed. Only
// those of part number part of parts are visited.
func (b *bulk) runs(part, parts int, f func(idx []int, n, before int) bool) {
	c := b.field
	last := c.Rank - 1
	extent, run := int(c.Axes[last].Extent), int(b.run)
	perRow := (extent + run - 1) / run
	all := int(c.lay.Len()) / extent * perRow
	sinceLook := 0
	for r := all * part / parts; r < all*(part+1)/parts; r++ {
		row, at := r/perRow, r%perRow*run
		n := min(run, extent-at)
		if sinceLook += n; sinceLook >= lookEvery {
			if sinceLook = 0; c.Over() {
				return
			}
		}
		before := row*extent + at
		var idx Index
		idx[last] = c.Axes[last].Origin + at
		for k := last - 1; k >= 0; k-- {
			e := int(c.Axes[k].Extent)
			idx[k] = c.Axes[k].Origin + row%e
			row /= e
		}
		if !f(idx[:c.Rank], n, before) {
			return
		}
	}
}

// fewElements are too few for another goroutine.
const fewElements = 1 << 15

// inParallel calls f for each run, by several goroutines at once, each of which has buffers of its own.
func (b *bulk) inParallel(f func(b *bulk, idx []int, n, before int)) {
	b.inParts(func(b *bulk, part, parts int) {
		b.runs(part, parts, func(idx []int, n, before int) bool {
			f(b, idx, n, before)
			return true
		})
	})
}

// inParts calls f for each part of the runs, as inParallel does.
func (b *bulk) inParts(f func(b *bulk, part, parts int)) {
	workers := max(1, min(runtime.GOMAXPROCS(0), int(b.field.lay.Len()/fewElements)))
	var others sync.WaitGroup
	for part := 1; part < workers; part++ {
		others.Go(func() { f(b.clone(), part, workers) })
	}
	f(b, 0, workers)
	others.Wait()
}

// clone returns a copy of b with buffers of its own.
func (b *bulk) clone() *bulk {
	d := *b
	d.words = make([]*bulkWord, len(b.words))
	for i, w := range b.words {
		own := *w
		d.words[i] = &own
	}
	d.allocate()
	return &d
}

// allocate makes the buffers.
func (b *bulk) allocate() {
	b.codes, b.whole, b.reals = make([]uint64, b.run), make([]int64, b.run), nil
	comps := 0
	for _, w := range b.words {
		w.words = make([]uint64, b.run/w.per)
		comps = max(comps, len(w.comps))
	}
	for range comps {
		b.reals = append(b.reals, make([]float64, b.run))
	}
}

// outside is where a component of the first of some elements outside lies.
func (b *bulk) outside(at unsafe.Pointer, p *component) unsafe.Pointer {
	return goValue{at, b.stream}.of(p)
}

// get copies the n elements of a run from idx on to those outside.
func (b *bulk) get(to unsafe.Pointer, idx []int, n int) {
	for _, p := range b.plain {
		copyStrided(b.outside(to, p), b.size, p.at(idx), uintptr(b.access[p]), p.size, n)
	}
	for _, w := range b.words {
		if w.direct != nil {
			w.direct.decode(b.outside(to, w.comps[0]), b.size, w.comps[0].at(idx), uintptr(w.step), n)
			continue
		}
		words := w.words[:n/int(w.per)]
		loadWords(words, w.comps[0].at(idx), w.step, w.word.Kind)
		for _, p := range w.comps {
			codes, bit := words, p.packed.Bit(idx, p.packed.origin)
			if w.array {
				codes, bit = b.spread(w, words, bit), 0
			}
			b.decode(p, codes, bit, b.outside(to, p), n)
		}
	}
}

// spread gives each element of a bit array a word of its own, with its code in the low bits.
func (b *bulk) spread(w *bulkWord, words []uint64, bit int64) []uint64 {
	i := 0
	for _, word := range words {
		word >>= uint(bit & 63)
		for range w.per {
			b.codes[i] = word
			word >>= uint(w.bitStep & 63)
			i++
		}
	}
	return b.codes[:i]
}

// decode stores the numbers of a component outside.
func (b *bulk) decode(p *component, words []uint64, bit int64, to unsafe.Pointer, n int) {
	m := p.packed.of
	switch g := m.Group; {
	case !p.isReal():
		m.Coder.Numbers(b.whole[:n], words, bit)
		putWhole(to, b.size, b.whole[:n], p.size)
		return
	case g != nil:
		g.Coder.DecodeGroups(b.reals[0][:n], words, bit, g.Shift)
	default:
		m.Coder.Decodes(b.reals[0][:n], words, bit)
	}
	putReal(to, b.size, b.reals[0][:n], p.access.Kind)
}

// put copies n elements from outside to those of the run from idx on.
func (b *bulk) put(from unsafe.Pointer, idx []int, n int) {
	defer b.field.exchanging()()
	for _, p := range b.plain {
		copyStrided(p.at(idx), uintptr(b.access[p]), b.outside(from, p), b.size, p.size, n)
	}
	for _, w := range b.words {
		if w.direct != nil && w.alone {
			w.direct.encode(w.comps[0].at(idx), uintptr(w.step), b.outside(from, w.comps[0]), b.size, n)
			continue
		}
		words := w.words[:n/int(w.per)]
		clear(words)
		codes := words
		if w.array {
			codes = b.codes[:n]
			clear(codes)
		}
		bit := int64(0)
		for i, p := range w.comps {
			if !w.array {
				bit = p.packed.of.Shift
			}
			b.encode(w, i, codes, bit, from, n)
		}
		mask := w.mask
		if w.array {
			bit = w.comps[0].packed.Bit(idx, w.comps[0].packed.origin)
			gather(words, codes, bit, w)
			mask <<= uint(bit & 63)
		}
		w.store(w.comps[0].at(idx), words, mask)
	}
}

// encode puts the codes of component i of a word, from outside, into words; those of a group when the
// first of it is asked for.
func (b *bulk) encode(w *bulkWord, i int, words []uint64, bit int64, from unsafe.Pointer, n int) {
	p := w.comps[i]
	m := p.packed.of
	switch g := m.Group; {
	case !p.isReal():
		getWhole(b.whole[:n], b.outside(from, p), b.size, p.access.Kind)
		m.Coder.EncodeInts(words, b.whole[:n], bit)
	case g == nil:
		getReal(b.reals[0][:n], b.outside(from, p), b.size, p.access.Kind)
		m.Coder.Encodes(words, b.reals[0][:n], bit)
	case !p.packed.led:
		var shifts []int64
		var vs [][]float64
		for _, q := range w.comps {
			if q.packed.of.Group == g {
				vs, shifts = append(vs, b.reals[len(vs)][:n]), append(shifts, q.packed.of.Shift)
				getReal(vs[len(vs)-1], b.outside(from, q), b.size, q.access.Kind)
			}
		}
		g.Coder.EncodeGroups(words, vs, shifts, g.Shift)
	}
}

// gather puts the codes of elements of a bit array together.
func gather(words, codes []uint64, bit int64, w *bulkWord) {
	i := 0
	for k := range words {
		word, at := uint64(0), bit
		for range w.per {
			word |= codes[i] << uint(at&63)
			at += w.bitStep
			i++
		}
		words[k] = word
	}
}

// store stores words that begin at an address. Where they have bits of other fields or rows, these
// stay what they are, whoever changes them meanwhile.
func (w *bulkWord) store(at unsafe.Pointer, words []uint64, mask uint64) {
	if w.alone {
		storeWords(at, w.step, words, w.word.Kind)
		return
	}
	for _, v := range words {
		for {
			old := loadWord(at, w.word.Kind)
			now := old&^mask | v
			if now == old || swapWord(at, w.word.Kind, old, now) {
				break
			}
		}
		at = unsafe.Add(at, w.step)
	}
}

// copyTo stores all elements outside, in row-major order.
func (b *bulk) copyTo(dst unsafe.Pointer) {
	b.inParallel(func(b *bulk, idx []int, n, before int) {
		b.get(unsafe.Add(dst, uintptr(before)*b.size), idx, n)
	})
}

// copyFrom sets all elements from those outside, in row-major order.
func (b *bulk) copyFrom(src unsafe.Pointer) {
	b.inParallel(func(b *bulk, idx []int, n, before int) {
		b.put(unsafe.Add(src, uintptr(before)*b.size), idx, n)
	})
}

// fill sets all elements to one outside.
func (b *bulk) fill(v unsafe.Pointer) {
	b.size = 0
	b.copyFrom(v)
}

// writeTo writes all elements as a stream has them.
func (b *bulk) writeTo(w io.Writer) (written int64, err error) {
	buf := make([]byte, 0, max(ioBuffer, int(b.run)*int(b.size)))
	flush := func() error {
		n, err := w.Write(buf)
		written, buf = written+int64(n), buf[:0]
		return err
	}
	b.runs(0, 1, func(idx []int, n, _ int) bool {
		at, size := len(buf), n*int(b.size)
		if at+size > cap(buf) {
			if err = flush(); err != nil {
				return false
			}
			at = 0
		}
		buf = buf[:at+size]
		if err = b.field.mapMemory(false); err == nil {
			b.get(unsafe.Pointer(&buf[at]), idx, n)
			err = b.field.unmapMemory()
		}
		return err == nil
	})
	if err == nil {
		err = b.field.Alive()
	}
	if err != nil {
		return written, err
	}
	return written, flush()
}

// readFrom sets all elements from what a stream has.
func (b *bulk) readFrom(r io.Reader) (read int64, err error) {
	left := b.field.lay.Len() * int64(b.size)
	buf := make([]byte, max(ioBuffer, int(b.run)*int(b.size)))
	have := buf[:0]
	b.runs(0, 1, func(idx []int, n, _ int) bool {
		size := n * int(b.size)
		if len(have) < size {
			rest := copy(buf, have)
			more := int(min(int64(len(buf)-rest), left-read))
			var got int
			got, err = io.ReadFull(r, buf[rest:rest+more])
			if read += int64(got); err != nil {
				err = short(err)
				return false
			}
			have = buf[:rest+more]
		}
		if err = b.field.mapMemory(true); err == nil {
			b.put(unsafe.Pointer(&have[0]), idx, n)
			err = b.field.unmapMemory()
		}
		have = have[size:]
		return err == nil
	})
	if err == nil {
		err = b.field.Alive()
	}
	return read, err
}

// isReal reports whether the component is a real number.
func (p *component) isReal() bool { return isReal(p.access.Kind) }

func isReal(k layout.Kind) bool { return k == layout.F16 || k == layout.F32 || k == layout.F64 }
