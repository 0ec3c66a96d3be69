package layout

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// nodeStep adds a node of any kind.
type nodeStep struct {
	kind  NodeKind
	axes  string
	sizes []int
}

func grow(t *testing.T, n *Node, steps []nodeStep) *Node {
	t.Helper()
	for _, s := range steps {
		var err error
		switch s.kind {
		case Hash:
			n, err = n.Hash(s.axes, s.sizes...)
		case Dynamic:
			n, err = n.Dynamic(s.axes, s.sizes[0])
		default:
			n, err = n.add(s.kind, s.axes, s.sizes)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return n
}

var sparseTrees = map[string][]nodeStep{
	"pointer":             {{Pointer, "ij", []int{3, 2}}, {Dense, "ij", []int{4, 5}}},
	"pointer of pointer":  {{Pointer, "ij", []int{3, 2}}, {Pointer, "ji", []int{2}}, {Bitmasked, "ij", []int{3, 5}}, {Dense, "i", []int{2}}},
	"dense above pointer": {{Dense, "ij", []int{3, 2}}, {Pointer, "i", []int{3}}, {Dense, "j", []int{4}}},
	"bitmasked":           {{Bitmasked, "ij", []int{9, 11}}},
	"bitmasked twice":     {{Bitmasked, "i", []int{3}}, {Dense, "j", []int{2}}, {Bitmasked, "ij", []int{4, 3}}},
	"list":                {{Dynamic, "i", []int{37}}},
	"list in cells":       {{Dense, "i", []int{3}}, {Pointer, "ij", []int{2, 4}}, {Dynamic, "k", []int{19}}},
	"hash":                {{Hash, "ij", []int{7, 5}}, {Dense, "ij", []int{2, 3}}},
	"hash of lists":       {{Hash, "ij", []int{3, 5}}, {Dynamic, "k", []int{9}}},
}

// place is a byte of a block: number of the block, offset.
type place struct {
	block int
	off   int64
}

// TestSteps goes to every element of small sparse trees through a memory of
// blocks, and checks that what is found there is disjoint, in its block, and
// where the containers say.
func TestSteps(t *testing.T) {
	for name, steps := range sparseTrees {
		t.Run(name, func(t *testing.T) {
			tree := NewTree(0)
			n := grow(t, tree.Root(), steps)
			f := NewField(elem[[3]float32](t))
			if n.kind == Dynamic {
				if err := n.Chunk(4); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(n.Place(f, 0, 3), f.Ready()); err != nil {
				t.Fatal(err)
			}
			m := &memory{t: t, kinds: []*Block{tree.Blocks()[0]}, next: map[string]int{}, holder: map[place]string{}}
			checkIndices(f.Shape(), func(idx []int) {
				for c := range 3 {
					a := f.Access(c)
					b := m.descend(a.Steps, idx, a.Origin)
					off := a.Offset(idx)
					for k := range int64(4) {
						m.own(place{b, off + k}, fmt.Sprint("element ", idx, c))
					}
				}
			})
			m.containers()
		})
	}
}

func checkIndices(shape []int64, visit func([]int)) {
	idx := make([]int, len(shape))
	var descend func(k int)
	descend = func(k int) {
		if k == len(shape) {
			visit(idx)
			return
		}
		for idx[k] = range int(shape[k]) {
			descend(k + 1)
		}
	}
	descend(0)
}

// memory is a tree whose blocks are made as they are wanted.
type memory struct {
	t      *testing.T
	kinds  []*Block         // of each block
	next   map[string]int   // slot or table entry to block
	holder map[place]string // who has a byte
	slots  []place          // of pointer words, lengths and masks
}

func (m *memory) own(p place, who string) {
	if old, ok := m.holder[p]; ok && old != who {
		m.t.Fatalf("byte %v belongs to %q and %q", p, old, who)
	}
	if p.off < 0 || p.off >= m.kinds[p.block].Bytes {
		m.t.Fatalf("byte %v of %q lies outside of its block of %d bytes", p, who, m.kinds[p.block].Bytes)
	}
	m.holder[p] = who
}

func (m *memory) descend(steps []Step, idx []int, origin []int64) int {
	b := 0
	for _, s := range steps {
		at := place{b, s.Const + Sum(s.Terms, idx, origin)}
		if s.From > 0 && Sum(s.Cells, idx, origin) < s.From {
			if s.Near == nil {
				continue
			}
			at = place{b, s.Near.Const + Sum(s.Near.Terms, idx, origin)}
		}
		key, size := fmt.Sprintf("%d %v", s.Kind, at), int64(8)
		switch s.Kind {
		case StepMask:
			cell := Sum(s.Cells, idx, origin)
			at.off += cell / 64 * 8
			key = fmt.Sprintf("mask %v", at)
		case StepTable:
			size = TableBytes
			for _, c := range s.Cells {
				key += fmt.Sprint(" ", Sum([]Term{c}, idx, origin))
			}
		}
		who := fmt.Sprint(s.Kind, at)
		for k := range size {
			m.own(place{at.block, at.off + k}, who)
		}
		if !slices.Contains(m.slots, at) {
			m.slots = append(m.slots, at)
		}
		if s.Into == nil {
			continue
		}
		next, ok := m.next[key]
		if !ok {
			next = len(m.kinds)
			m.kinds = append(m.kinds, s.Into)
			m.next[key] = next
		}
		if m.kinds[next] != s.Into {
			m.t.Fatalf("%s leads to blocks of two kinds", key)
		}
		b = next
	}
	return b
}

// containers checks that the containers of the blocks are where the steps went.
func (m *memory) containers() {
	for number, kind := range m.kinds {
		for _, c := range kind.Containers {
			offsets := []int64{c.Const}
			for _, l := range c.Repeat {
				offsets = spreadOver(offsets, l)
			}
			if c.Node.Kind() == Pointer {
				for _, l := range c.Cells {
					offsets = spreadOver(offsets, l)
				}
			}
			for _, off := range offsets {
				if !slices.Contains(m.slots, place{number, off}) {
					m.t.Errorf("no step of a %s node goes to offset %d of block %d", c.Node.Kind(), off, number)
				}
			}
		}
	}
}

func spreadOver(offsets []int64, l Level) (out []int64) {
	for _, o := range offsets {
		for i := range l.Size {
			out = append(out, o+i*l.Stride)
		}
	}
	return out
}

func TestUnbounded(t *testing.T) {
	tree := NewTree(0)
	n := grow(t, tree.Root(), []nodeStep{{Hash, "ij", nil}, {Dense, "ij", []int{4, 6}}})
	f := NewField(elem[float32](t))
	if err := errors.Join(n.Place(f, 0, 1), f.Ready()); err != nil {
		t.Fatal(err)
	}
	if f.Origin()[0] != -4<<31 || f.Shape()[1] != 6<<32 {
		t.Errorf("origin %v, shape %v", f.Origin(), f.Shape())
	}
	s := f.Access(0).Steps[0]
	for _, tt := range []struct{ i, cell int }{{0, 0}, {3, 0}, {-1, -1}, {-4, -1}, {-5, -2}, {-1 << 31, -1 << 29}} {
		if got := Sum(s.Cells[:1], []int{tt.i, 0}, f.Origin()) - 1<<31; got != int64(tt.cell) {
			t.Errorf("index %d lies in cell %d, not %d", tt.i, got, tt.cell)
		}
	}
	cells, err := n.Parent().Cells()
	if err != nil || cells.Origin()[0] != -1<<31 || cells.Shape()[0] != 1<<32 {
		t.Errorf("cells have origin %v, shape %v, error %v", cells.Origin(), cells.Shape(), err)
	}
}

func TestSparseMistakes(t *testing.T) {
	root := func() *Node { return NewTree(0).Root() }
	tests := []struct {
		name string
		do   func() error
		kind ErrorKind
	}{
		{"below a list", func() error {
			_, err := grow(t, root(), []nodeStep{{Dynamic, "i", []int{4}}}).Dense("j", 4)
			return err
		}, BadSize},
		{"list with two axes", func() error { _, err := root().Dynamic("ij", 4); return err }, BadAxes},
		{"list along a used axis", func() error {
			_, err := grow(t, root(), []nodeStep{{Dense, "i", []int{4}}}).Dynamic("i", 4)
			return err
		}, BadAxes},
		{"list before another axis", func() error {
			_, err := grow(t, root(), []nodeStep{{Dense, "j", []int{4}}}).Dynamic("i", 4)
			return err
		}, BadAxes},
		{"list of none", func() error { _, err := root().Dynamic("i", 0); return err }, BadSize},
		{"deep hash", func() error { _, err := grow(t, root(), []nodeStep{{Dense, "i", []int{4}}}).Hash("i"); return err }, BadSize},
		{"chunk of a pointer", func() error { return grow(t, root(), []nodeStep{{Pointer, "i", []int{4}}}).Chunk(4) }, BadSize},
		{"empty chunk", func() error { return grow(t, root(), []nodeStep{{Dynamic, "i", []int{4}}}).Chunk(0) }, BadSize},
		{"z-order of a hash", func() error { return grow(t, root(), []nodeStep{{Hash, "i", []int{4}}}).Morton() }, BadSize},
		{"origin of an unbounded axis", func() error {
			tree := NewTree(0)
			grow(t, tree.Root(), []nodeStep{{Hash, "i", nil}})
			return tree.Origin("i", -4)
		}, BadAxes},
		{"unbounded axis with an origin", func() error {
			tree := NewTree(0)
			if err := tree.Origin("i", -4); err != nil {
				return err
			}
			_, err := tree.Root().Hash("i")
			return err
		}, BadAxes},
		{"too large a block", func() error {
			n := grow(t, root(), []nodeStep{{Pointer, "i", []int{4}}, {Dense, "jkl", []int{1 << 20, 1 << 20, 1 << 20}}})
			f := NewField(elem[float32](t))
			return errors.Join(n.Place(f, 0, 1), f.Ready())
		}, TooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var e *Error
			if err := tt.do(); !errors.As(err, &e) || e.Kind != tt.kind {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestStride checks that chunks of a size that is an even number of lines do not lie in few
// sets of the cache, that none overlap, and that large ones begin with a line.
func TestStride(t *testing.T) {
	chunk, cell := &Node{kind: Dynamic}, &Node{kind: Pointer}
	for n := int64(16); n < 1<<14; n = slotBytes(n + 1) {
		s := (&Block{Node: chunk, Bytes: n}).Stride()
		switch {
		case s < n || s > n+lineBytes:
			t.Errorf("chunks of %d bytes are %d apart", n, s)
		case s%(2*lineBytes) == 0:
			t.Errorf("chunks of %d bytes are %d apart, an even number of lines", n, s)
		case s%slotAlign != 0 || n >= 512 && s%lineBytes != 0:
			t.Errorf("chunks of %d bytes are %d apart, and so not aligned", n, s)
		}
		if s := (&Block{Node: cell, Bytes: n}).Stride(); s != n {
			t.Errorf("cells of %d bytes are %d apart", n, s)
		}
	}
}
