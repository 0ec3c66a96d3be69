package sparse

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/layout"
)

// The form of a saved tree, all numbers little-endian:
//
//	magic          8 bytes
//	version        uint32
//	n, description uint32, n bytes: nodes and fields, which have to be those of the reader
//	n, payload     uint64, n bytes
//	checksum       uint32, CRC-32C of all before
//
// The payload is the root block without its control words, and then what it leads to.
// Each block is written as it lies in memory, but with 1 in the place of a pointer, and
// the number of entries in that of the header of a table; the blocks that it leads to
// follow in that order, each with what it leads to in turn, those of a table by their
// coordinates.
const (
	magic         = "TISPARSE"
	formatVersion = 1
	mostText      = 1 << 20 // bytes of a description
)

// ErrSaved says that what is to be read is no tree that was saved, or is damaged, or was
// saved from another tree.
var ErrSaved = errors.New("this is not what was saved from such a tree")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// summed counts and sums up what is written.
type summed struct {
	w   io.Writer
	n   int64
	sum uint32
	err error
}

func (s *summed) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n := len(p)
	if s.w != nil {
		n, s.err = s.w.Write(p)
		s.sum = crc32.Update(s.sum, castagnoli, p[:n])
	}
	s.n += int64(n)
	return n, s.err
}

// WriteTo writes topology and data.
func (t *Tree) WriteTo(w io.Writer) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var size summed
	if err := t.save(&size); err != nil {
		return 0, err
	}
	out := &summed{w: w}
	_, _ = out.Write(header(t.description(), size.n))
	if err := t.save(out); err != nil {
		return out.n, err
	}
	_, _ = out.Write(binary.LittleEndian.AppendUint32(nil, out.sum))
	return out.n, out.err
}

// rootBytes is the size of the root block without control words.
func (t *Tree) rootBytes() int64 {
	if t.lay.Sparse() {
		return t.lay.Control()
	}
	return t.lay.Bytes()
}

// save writes the payload.
func (t *Tree) save(w *summed) error {
	scratch := make([][]byte, len(t.pools))
	return t.saveBlock(w, dead{t.lay.Blocks()[0], t.base}, scratch)
}

// saveBlock writes a block and what it leads to. Scratch has room for a block of each
// kind, made when it is first needed.
func (t *Tree) saveBlock(w *summed, d dead, scratch [][]byte) error {
	if w.err != nil {
		return w.err
	}
	n := d.kind.Bytes
	if d.kind.ID == 0 {
		n = t.rootBytes()
	}
	var next []dead
	var words []uint64 // offsets of pointers that are not 0
	for _, p := range t.links(d.kind) {
		eachPlace(d.block+uint64(p.off), p.levels, func(place uint64) {
			if b := t.load(place); b != 0 {
				words = append(words, place-d.block)
				next = append(next, dead{p.into, b})
			}
		})
	}
	if w.w == nil {
		w.n += n
	} else {
		if scratch[d.kind.ID] == nil {
			scratch[d.kind.ID] = make([]byte, n)
		}
		buf := scratch[d.kind.ID]
		copy(buf, t.bytes(d.block, n))
		for _, at := range words {
			binary.LittleEndian.PutUint64(buf[at:], 1)
		}
		for _, h := range t.tables(d.kind) {
			clear(buf[h.Const : h.Const+layout.TableBytes])
			binary.LittleEndian.PutUint64(buf[h.Const:], uint64(len(t.tableBlocks(h))))
		}
		_, _ = w.Write(buf)
	}
	for _, h := range t.tables(d.kind) {
		for _, b := range t.tableBlocks(h) {
			next = append(next, dead{h.Into[0], b})
		}
	}
	for _, d := range next {
		if err := t.saveBlock(w, d, scratch); err != nil {
			return err
		}
	}
	return w.err
}

// link is an array of pointers in a kind of block: the places are off plus levels.
type link struct {
	off    int64
	levels []layout.Level
	into   *layout.Block
}

// links returns the pointers in a kind of block.
func (t *Tree) links(kind *layout.Block) []link {
	var out []link
	if c := t.listOf(kind); c != nil {
		for i, b := range c.Into[:len(c.Into)-1] {
			if b == kind {
				out = append(out, link{0, []layout.Level{{Size: c.Fan[i+1], Stride: wordBytes}}, c.Into[i+1]})
			}
		}
		return out
	}
	for _, c := range kind.Containers {
		levels := append([]layout.Level{}, c.Repeat...)
		switch c.Node.Kind() {
		case layout.Pointer:
			out = append(out, link{c.Const, append(levels, c.Cells...), c.Into[0]})
		case layout.Dynamic:
			for _, l := range listLinks(c) {
				out = append(out, link{c.Const + l.off, slices.Concat(levels, l.levels), l.into})
			}
		}
	}
	return out
}

// listLinks returns the pointers that stand behind the length of a list, from there.
func listLinks(c *layout.Container) []link {
	var out []link
	if c.Near > 0 {
		out = append(out, link{wordBytes, []layout.Level{{Size: c.Near, Stride: wordBytes}}, c.Into[len(c.Into)-1]})
	}
	return append(out, link{wordBytes * (1 + c.Near), []layout.Level{{Size: c.Fan[0], Stride: wordBytes}}, c.Into[0]})
}

// tables returns the hash nodes whose header is in a kind of block.
func (t *Tree) tables(kind *layout.Block) []*layout.Container {
	var out []*layout.Container
	for _, c := range kind.Containers {
		if c.Node.Kind() == layout.Hash {
			out = append(out, c)
		}
	}
	return out
}

// tableBlocks returns the blocks of a hash node by their coordinates.
func (t *Tree) tableBlocks(c *layout.Container) []uint64 {
	h := t.nodes[c.Node.Number()].table
	words := hashed(h)
	out := make([]uint64, 0, len(words)/(1+h.rank))
	for i := 0; i < len(words); i += 1 + h.rank {
		out = append(out, words[i])
	}
	return out
}

// description says in words what the bytes of the tree mean.
func (t *Tree) description() string {
	var s strings.Builder
	for _, b := range t.lay.Blocks() {
		fmt.Fprintf(&s, "block %d of %d bytes\n", b.ID, b.Bytes)
	}
	var descend func(n *layout.Node, depth int)
	descend = func(n *layout.Node, depth int) {
		b, off, levels := n.Array()
		fmt.Fprintf(&s, "%*s%s %v %v cell %d morton %t at %d:%d %v\n", depth, "", n.Kind(), n.Axes(), n.Sizes(), n.CellBytes(), n.IsMorton(), b.ID, off, levels)
		for _, c := range n.Children() {
			descend(c, depth+1)
		}
	}
	descend(t.lay.Blocks()[0].Node, 0)
	for _, c := range t.lay.Containers() {
		fmt.Fprintf(&s, "container %d near %d fan %v chunk %d\n", c.Node.Number(), c.Near, c.Fan, c.Chunk)
	}
	for _, f := range t.lay.Fields() {
		fmt.Fprintf(&s, "field of %d %v %v\n", len(f.Elem.Comps), f.Shape(), f.Origin())
		for c := range f.Elem.Comps {
			if f.Tree(c) != t.lay {
				continue
			}
			a := f.Access(c)
			fmt.Fprintf(&s, " %d: %v at %d %v steps %d\n", c, a.Kind, a.Const, a.Terms, len(a.Steps))
			if p := a.Packed; p != nil {
				m := p.Of()
				fmt.Fprintf(&s, " %d: form %v in bits %d to %d of %v %v%s\n", c, m.Coder.Format, m.Shift, m.Shift+m.Bits-1, p.Word.Kind, p.Terms, shared(m.Group))
			}
		}
	}
	return s.String()
}

// shared says which numbers share an exponent.
func shared(g *layout.Group) string {
	if g == nil {
		return ""
	}
	return fmt.Sprintf(" shared by %v at %d", g.Members, g.Shift)
}
