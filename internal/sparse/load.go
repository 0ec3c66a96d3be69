package sparse

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/gotaichi/ti/internal/layout"
)

// ReadFrom replaces topology and data by what WriteTo wrote from a tree with the same
// nodes and fields. After an error the tree is as it was. It reads no byte more.
func (t *Tree) ReadFrom(r io.Reader) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	in := &reader{r: r}
	const around = 1 << 20 // bytes of a payload, at most, that are not memory of the tree
	room := t.budget.Left() + t.counted() + around
	payload, err := in.payload(t, room, ErrMemory)
	if err != nil {
		return in.n, err
	}
	c := check{t: t, left: payload, blocks: make([]int64, len(t.pools))}
	if err := c.tree(); err != nil {
		return in.n, err
	}
	return in.n, t.replace(payload)
}

// reader counts and sums up what is read.
type reader struct {
	r   io.Reader
	n   int64
	sum uint32
}

// bytes reads n bytes. Their room grows as they come, since n may be anything.
func (r *reader) bytes(n int64) ([]byte, error) {
	var b bytes.Buffer
	got, err := io.CopyN(&b, r.r, n)
	r.n += got
	if err == io.EOF {
		err = fmt.Errorf("%w: it ends after %d bytes", io.ErrUnexpectedEOF, r.n)
	}
	if err != nil {
		return nil, err
	}
	r.sum = crc32.Update(r.sum, castagnoli, b.Bytes())
	return b.Bytes(), nil
}

// payload reads everything and checks what is around the payload. It does not read a payload
// of more than room bytes: the error is long then, or ErrSaved if the payload is of another
// tree anyway.
func (r *reader) payload(t *Tree, room int64, long error) ([]byte, error) {
	description := t.description()
	head, err := r.bytes(int64(len(magic)) + 8)
	if err != nil {
		return nil, err
	}
	version, n := binary.LittleEndian.Uint32(head[len(magic):]), binary.LittleEndian.Uint32(head[len(magic)+4:])
	switch {
	case string(head[:len(magic)]) != magic:
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrSaved, magic)
	case version != formatVersion:
		return nil, fmt.Errorf("%w: it has version %d of the form, and this program knows %d", ErrSaved, version, formatVersion)
	case n > mostText:
		return nil, fmt.Errorf("%w: a description of %d bytes", ErrSaved, n)
	}
	text, err := r.bytes(int64(n))
	if err != nil {
		return nil, err
	}
	size, err := r.bytes(8)
	if err != nil {
		return nil, err
	}
	bytes := binary.LittleEndian.Uint64(size)
	switch same := string(text) == description; {
	case bytes > mostBytes:
		return nil, fmt.Errorf("%w: %d bytes of data", ErrSaved, bytes)
	case bytes > uint64(room) && same:
		return nil, fmt.Errorf("%w: %d bytes of data", long, bytes)
	case bytes > uint64(room):
		return nil, fmt.Errorf("%w: %s", ErrSaved, difference(string(text), description, t.lay.Fields()))
	}
	payload, err := r.bytes(int64(bytes))
	if err != nil {
		return nil, err
	}
	want := r.sum
	sum, err := r.bytes(4)
	if err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(sum) != want {
		return nil, fmt.Errorf("%w: the checksum is wrong, so it is damaged", ErrSaved)
	}
	if string(text) != description {
		return nil, fmt.Errorf("%w: %s", ErrSaved, difference(string(text), description, t.lay.Fields()))
	}
	return payload, nil
}

// check goes over a payload and finds out whether it is a tree.
type check struct {
	t      *Tree
	left   []byte
	blocks []int64 // of each kind
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrSaved, fmt.Sprintf(format, args...))
}

func (c *check) tree() error {
	t := c.t
	if err := c.block(t.lay.Blocks()[0], t.rootBytes()); err != nil {
		return err
	}
	if len(c.left) > 0 {
		return damaged("%d bytes are left over", len(c.left))
	}
	need := int64(0)
	for id, p := range t.pools {
		if p == nil {
			continue
		}
		if c.blocks[id] > p.slots {
			return ErrMemory
		}
		need += roundUp(c.blocks[id]*p.bytes, pieceBytes) - p.counted
	}
	if need > t.budget.Left() {
		return ErrMemory
	}
	return nil
}

// block checks a block and what it leads to.
func (c *check) block(kind *layout.Block, n int64) error {
	if int64(len(c.left)) < n {
		return damaged("a block is cut off")
	}
	b := c.left[:n]
	c.left = c.left[n:]
	c.blocks[kind.ID]++
	if err := c.containers(kind, b); err != nil {
		return err
	}
	pointers, err := c.t.pointersIn(kind, b)
	if err != nil {
		return err
	}
	for _, p := range pointers {
		if err := c.block(p.into, p.into.Bytes); err != nil {
			return err
		}
	}
	for _, h := range c.t.tables(kind) {
		if err := c.table(h, binary.LittleEndian.Uint64(b[h.Const:])); err != nil {
			return err
		}
	}
	return nil
}

// child is a pointer in the bytes of a block.
type child struct {
	off  int64
	into *layout.Block
}

// pointersIn returns the pointers in the bytes of a block that was saved, in order.
func (t *Tree) pointersIn(kind *layout.Block, b []byte) (out []child, err error) {
	for _, l := range t.links(kind) {
		eachPlace(uint64(l.off), l.levels, func(off uint64) {
			switch v := binary.LittleEndian.Uint64(b[off:]); v {
			case 0:
			case 1:
				out = append(out, child{int64(off), l.into})
			default:
				err = damaged("%#x in the place of a pointer", v)
			}
		})
	}
	return out, err
}

// containers checks lengths and masks, and that what is inactive is zero.
func (c *check) containers(kind *layout.Block, b []byte) (err error) {
	for _, k := range kind.Containers {
		count := int64(1)
		for _, l := range k.Cells {
			count *= l.Size
		}
		eachPlace(uint64(k.Const), k.Repeat, func(off uint64) {
			switch k.Node.Kind() {
			case layout.Dynamic:
				if n := binary.LittleEndian.Uint64(b[off:]); n > uint64(k.Node.Sizes()[0]) {
					err = damaged("a list of %d elements", n)
				}
			case layout.Bitmasked:
				mask, cells := b[off:off+uint64(k.First)], b[off+uint64(k.First):]
				for i := range k.First * 8 {
					switch {
					case mask[i/8]>>(i%8)&1 != 0:
						if i >= count {
							err = damaged("a mask has bits for no cell")
						}
					case i < count && !zeroes(cells[i*k.CellBytes:(i+1)*k.CellBytes]):
						err = damaged("an inactive cell is not zero")
					}
				}
			}
		})
	}
	return err
}

// zeroes reports whether all bytes are 0.
func zeroes(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// table checks the blocks of a table.
func (c *check) table(h *layout.Container, n uint64) error {
	kind := h.Into[0]
	if n > uint64(len(c.left))/uint64(kind.Bytes) {
		return damaged("a table of %d cells", n)
	}
	var last []uint32
	order := alphabetical(h.Node)
	for range n {
		if int64(len(c.left)) < kind.Bytes {
			return damaged("a block is cut off")
		}
		coords := coordsIn(c.left, kind.Rank)
		for i, s := range h.Node.Sizes() {
			if int64(coords[i]) >= s {
				return damaged("a cell %v of a table", coords)
			}
		}
		if last != nil && compareIn(order, last, coords) >= 0 {
			return damaged("cell %v of a table comes after cell %v", coords, last)
		}
		last = coords
		if err := c.block(kind, kind.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// coordsIn returns the coordinates that the bytes of a block begin with.
func coordsIn(b []byte, rank int) []uint32 {
	out := make([]uint32, rank)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

// replace makes the tree that of a payload which was found good, and for which there is
// memory: that blocks are rounded up and given back later than they could be, or that other
// trees take theirs at this very moment, is no reason to lose what was there.
func (t *Tree) replace(payload []byte) error {
	root := t.lay.Blocks()[0]
	gone, err := t.absences()
	if err != nil {
		return err
	}
	if err := t.drop(root.Node); err != nil {
		return err
	}
	defer t.notifyAbsences(gone)
	b := builder{t: t, left: payload}
	if !b.block(root, t.base, t.rootBytes()) {
		_ = t.drop(root.Node)
		return ErrMemory
	}
	return nil
}

// builder makes the blocks of a payload.
type builder struct {
	t    *Tree
	left []byte
}

// block fills a block that is zero, and makes what it leads to; false means that there
// is no memory.
func (w *builder) block(kind *layout.Block, block uint64, n int64) bool {
	b := w.left[:n]
	w.left = w.left[n:]
	t := w.t
	pointers, _ := t.pointersIn(kind, b) // which check has seen
	if kind.ID == 0 {
		for _, s := range t.plain() {
			copy(t.changing(block+uint64(s.off), s.n), b[s.off:])
		}
	} else {
		copy(t.changing(block, n), b)
	}
	for _, p := range pointers {
		t.store(block+uint64(p.off), 0)
	}
	for _, p := range pointers {
		next := t.pools[p.into.ID].takeGranted()
		if next == 0 || !w.block(p.into, next, p.into.Bytes) {
			return false
		}
		t.store(block+uint64(p.off), next)
	}
	for _, h := range t.tables(kind) {
		for range binary.LittleEndian.Uint64(b[h.Const:]) {
			coords := coordsIn(w.left, h.Into[0].Rank)
			next := t.pools[h.Into[0].ID].takeGranted()
			if next == 0 || !w.block(h.Into[0], next, h.Into[0].Bytes) {
				return false
			}
			t.nodes[h.Node.Number()].table.put(coords, next)
		}
	}
	if t.listOf(kind) == nil {
		t.trim(kind, block)
	}
	return true
}

// trim zeroes what lies in the chunks of the lists of a block beyond their lengths.
func (t *Tree) trim(kind *layout.Block, block uint64) {
	for _, c := range kind.Containers {
		if c.Node.Kind() != layout.Dynamic {
			continue
		}
		k := &t.nodes[c.Node.Number()]
		eachPlace(block+uint64(c.Const), c.Repeat, func(place uint64) {
			length := t.length(c.Node, place)
			for i := length / c.Chunk; i*c.Chunk < c.Node.Sizes()[0]; i++ {
				if b := t.chunk(k, place, i, false); b != 0 {
					from := max(0, length-i*c.Chunk) * c.CellBytes
					t.door.clear(b+uint64(from), c.Chunk*c.CellBytes-from)
				}
			}
		})
	}
}
