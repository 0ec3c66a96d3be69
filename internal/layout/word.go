package layout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/quant"
)

// A Word is a machine word in each cell of a node, which numbers of few bits are packed in: a
// bit struct, whose members are components of fields, or a bit array, which has the elements of
// one field.
type Word struct {
	Kind    Kind // U8 to U64
	Members []Member
	Groups  []*Group

	node   *Node // in whose cells it lies; of a bit array the node of the elements
	array  bool
	access Access // of the word, by the indices of its cell
	used   int64  // bits
	offset int64  // in a cell of node
}

// A Member is a number in a word: its code lies from bit Shift on.
type Member struct {
	Field *Field
	Comp  int
	Shift int64
	Bits  int64
	Coder *quant.Coder // of a number that shares its exponent, its Frac is that of the code
	Group *Group       // nil for a number without a shared exponent
}

// A Group is numbers of a word that share an exponent, which lies above their fractions.
type Group struct {
	Word    *Word
	Members []int // numbers of members of the word
	Shift   int64 // of the exponent
	Coder   *quant.Coder
}

// Packed says where in a word the number of an [Access] lies, whose address is that of the word.
type Packed struct {
	Word   *Word
	Member int
	Terms  []Term // of a bit array: bits from the first element
}

// Of returns the member that is meant.
func (p *Packed) Of() *Member { return &p.Word.Members[p.Member] }

// Bit returns the number of the lowest bit of the code of an element.
func (p *Packed) Bit(idx []int, origin []int64) int64 {
	return p.Of().Shift + Sum(p.Terms, idx, origin)
}

// Array reports whether the word is of a bit array.
func (w *Word) Array() bool { return w.array }

// Bits returns the number of bits of the word.
func (w *Word) Bits() int64 { return 8 * w.Kind.Bytes() }

// Used returns the bits that are in use.
func (w *Word) Used() uint64 {
	n := w.used
	if w.array {
		n *= w.node.cells()
	}
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// Home returns the node in whose cells the word lies.
func (w *Word) Home() *Node {
	if w.array {
		return w.node.parent
	}
	return w.node
}

// Access returns the address formula of the word. Its indices are those of the elements, divided
// by [Word.Cells].
func (w *Word) Access() *Access { return &w.access }

// Cells returns the elements in a word of a bit array along each axis of its fields, nil for a bit
// struct.
func (w *Word) Cells() []int64 {
	if !w.array {
		return nil
	}
	axes := w.node.pathAxes()
	cells := make([]int64, len(axes))
	for i, a := range axes {
		cells[i] = w.node.extent(a) / w.node.parent.extent(a)
	}
	return cells
}

// Loops returns the loop nest for compiled code over the words, as [Field.Loops] does over elements; its indices are those
// of [Word.Access].
func (w *Word) Loops() []NestDim {
	index := w.node.positions()
	return nest(w.Home().wayBy((*Node).loopLevels, index).levels, index)
}

// cells is the number of cells of n.
func (n *Node) cells() int64 {
	c := int64(1)
	for _, s := range n.sizes {
		c = mulClamp(c, s)
	}
	return c
}

// wordKind returns the kind of a word of so many bits.
func wordKind(bits int) (Kind, error) {
	switch bits {
	case 8:
		return U8, nil
	case 16:
		return U16, nil
	case 32:
		return U32, nil
	case 64:
		return U64, nil
	}
	return 0, fail(BadWord, "give it 8, 16, 32 or 64", "a word of %d bits", bits)
}

// BitStruct adds a word to each cell of n.
func (n *Node) BitStruct(bits int) (*Word, error) {
	if n.tree.frozen {
		return nil, frozenError()
	}
	k, err := wordKind(bits)
	if err != nil {
		return nil, err
	}
	w := &Word{Kind: k, node: n}
	n.items = append(n.items, item{word: w})
	n.tree.words = append(n.tree.words, w)
	return w, nil
}

// BitArray adds an array of elements that lie in one word to each cell of n.
func (n *Node) BitArray(bits int, axes string, sizes ...int) (*Word, error) {
	k, err := wordKind(bits)
	if err != nil {
		return nil, err
	}
	if n.kind == Dynamic && !n.tree.frozen {
		return nil, fail(BadWord, "place the field in it by a bit struct, or the array in a node of another kind", "a bit array lies in a dynamic node, whose cells are stored one by one")
	}
	c, err := n.Dense(axes, sizes...)
	if err != nil {
		return nil, err
	}
	w := &Word{Kind: k, node: c, array: true}
	c.word = w
	n.tree.words = append(n.tree.words, w)
	return w, nil
}

// Place packs components lo to hi of f behind what the word has: in one form for all, or one each.
func (w *Word) Place(f *Field, lo, hi int, formats ...quant.Format) error {
	switch {
	case w.node.tree.frozen:
		return frozenError()
	case len(formats) != 1 && len(formats) != hi-lo:
		return fail(BadFormat, fmt.Sprintf("give one form for all, or %d", hi-lo), "%d forms for %s, which has %s", len(formats), f.describe(lo, hi), plural(hi-lo, "component"))
	}
	for c := lo; c < hi; c++ {
		format := formats[min(c-lo, len(formats)-1)]
		if err := w.takes(f, c, format, false); err != nil {
			return err
		}
	}
	if w.array {
		if err := w.takesArray(f, hi-lo, formats[0]); err != nil {
			return err
		}
	}
	if err := w.claim(f, lo, hi); err != nil {
		return err
	}
	for c := lo; c < hi; c++ {
		format := formats[min(c-lo, len(formats)-1)]
		w.add(Member{Field: f, Comp: c, Bits: int64(format.Width()), Coder: quant.New(format, f.Elem.Comps[c].Kind)})
	}
	return w.full()
}

// A Part is components Lo to Hi of a field.
type Part struct {
	Field  *Field
	Lo, Hi int
}

// PlaceShared packs components that share one exponent.
func (w *Word) PlaceShared(format quant.Format, parts ...Part) error {
	switch {
	case w.node.tree.frozen:
		return frozenError()
	case w.array:
		return fail(BadFormat, "use a BitStruct", "the elements of a bit array share no exponent")
	case len(parts) == 0:
		return fail(BadFormat, "give it the fields, or one field of vectors", "there is nothing to share the exponent of %v", format)
	}
	for _, p := range parts {
		for c := p.Lo; c < p.Hi; c++ {
			if err := w.takes(p.Field, c, format, true); err != nil {
				return err
			}
			if k, first := p.Field.Elem.Comps[c].Kind, parts[0].Field.Elem.Comps[parts[0].Lo].Kind; k != first {
				return fail(BadFormat, "let numbers of one kind share an exponent", "%s is %v, and shares its exponent with %v", p.Field.describe(c, c+1), k, first)
			}
		}
	}
	g := &Group{Word: w}
	for _, p := range parts {
		if err := w.claim(p.Field, p.Lo, p.Hi); err != nil {
			return err
		}
		for c := p.Lo; c < p.Hi; c++ {
			g.Coder = quant.New(format, p.Field.Elem.Comps[c].Kind)
			g.Members = append(g.Members, len(w.Members))
			w.add(Member{Field: p.Field, Comp: c, Bits: int64(format.FractionBits()), Coder: g.Coder, Group: g})
		}
	}
	g.Shift = w.used
	w.used += int64(format.Exp)
	w.Groups = append(w.Groups, g)
	return w.full()
}

// takes reports why a component cannot have a form here.
func (w *Word) takes(f *Field, c int, format quant.Format, shared bool) error {
	err := format.Check(f.Elem.Comps[c].Kind, shared)
	if e, ok := err.(*quant.Error); ok {
		return fail(BadFormat, e.Help, "%s: %s", f.describe(c, c+1), e.Msg)
	}
	return err
}

// takesArray reports why a field cannot be the one of a bit array.
func (w *Word) takesArray(f *Field, comps int, format quant.Format) error {
	switch {
	case len(w.Members) > 0:
		return fail(BadFormat, "give each field a bit array of its own, or use a BitStruct", "a bit array has one field, %s, and %s is placed in it too", w.Members[0].Field.describe(0, 0), f.describe(0, 0))
	case comps != 1:
		return fail(BadFormat, "place each component by itself, or use a BitStruct", "a bit array has numbers, and %s has %s", f.describe(0, 0), plural(comps, "component"))
	case format.Class == quant.Float:
		return fail(BadFormat, "use QuantFixed, or a BitStruct", "a bit array has integers or fixed-point numbers, and %v is neither", format)
	}
	return nil
}

// claim notes that the components lie in the word.
func (w *Word) claim(f *Field, lo, hi int) error {
	for c := lo; c < hi; c++ {
		if f.at[c].node != nil {
			return fail(Placed, "place each field, and each member, once", "%s is placed already", f.describe(lo, hi))
		}
	}
	if err := f.adopt(w.node); err != nil {
		return err
	}
	w.node.tree.note(f)
	for c := lo; c < hi; c++ {
		f.at[c].node = w.node
		f.at[c].packed = &Packed{Word: w, Member: len(w.Members) + c - lo}
		f.missing--
	}
	return nil
}

func (w *Word) add(m Member) {
	m.Shift = w.used
	w.used += m.Bits
	w.Members = append(w.Members, m)
}

// full reports members that need more bits than there are.
func (w *Word) full() error {
	n := w.used
	if w.array {
		n *= w.node.cells()
	}
	if n <= w.Bits() {
		return nil
	}
	if w.array {
		return fail(BadWord, "take fewer elements, fewer bits or a larger word", "%d elements of %d bits take %d bits, and the word of the bit array has %d", w.node.cells(), w.used, n, w.Bits())
	}
	return fail(BadWord, "take fewer bits, a larger word or another BitStruct", "%s take %d bits, and the word of the bit struct has %d", w.list(), n, w.Bits())
}

// list names the members with their bits.
func (w *Word) list() string {
	var parts []string
	listed := map[*Group]bool{}
	for _, m := range w.Members {
		parts = append(parts, fmt.Sprintf("%s (%d)", m.Field.describe(m.Comp, m.Comp+1), m.Bits))
		if g := m.Group; g != nil && !listed[g] && g.Members[len(g.Members)-1] == len(parts)-1 {
			listed[g] = true
			parts = append(parts, fmt.Sprintf("their exponent (%d)", g.Coder.Exp))
		}
	}
	return strings.Join(parts, ", ")
}

// Empty reports that nothing is placed in w.
func (w *Word) Empty() error {
	switch {
	case len(w.Members) > 0:
		return nil
	case w.array:
		return fail(BadWord, "place a field in it, or leave it out", "a bit array is empty")
	}
	return fail(BadWord, "place fields in it, or leave it out", "a bit struct is empty")
}

// emptyWord reports a word of the tree that nothing is placed in.
func (t *Tree) emptyWord() error {
	for _, w := range t.words {
		if err := w.Empty(); err != nil {
			return err
		}
	}
	return nil
}

// Words returns the bit structs and arrays of a tree in the order of their making.
func (t *Tree) Words() []*Word { return t.words }

// note notes that a field has components in the tree.
func (t *Tree) note(f *Field) {
	for _, g := range t.placed {
		if g == f {
			return
		}
	}
	t.placed = append(t.placed, f)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// packing completes the places of the components in the words of n, for their accesses.
func (n *Node) packing() {
	index := n.positions()
	for _, it := range n.items {
		if it.word != nil {
			it.word.resolve(n.wayBy((*Node).ownLevels, index), index)
		}
	}
	if w := n.word; w != nil {
		w.resolve(n.wayBy((*Node).ownLevels, index), index)
	}
}

// resolve computes the accesses of the members.
func (w *Word) resolve(way way, index func(axis int) int) {
	levels := way.levels
	var bits []Term
	if w.array {
		own := append([]level{}, levels[len(levels)-len(w.node.ownLevels()):]...)
		stride := w.used
		for k := len(own) - 1; k >= 0; k-- {
			own[k].stride = stride
			stride *= own[k].size
		}
		bits = terms(own, index)
		levels = levels[:len(levels)-len(own)]
	}
	at := terms(levels, index)
	w.access = Access{Tree: w.node.tree.id, Steps: way.steps, Const: way.off + w.offset, Terms: at, Kind: w.Kind}
	if w.array {
		home := w.node.parent.wayBy((*Node).ownLevels, index)
		w.access.Steps, w.access.Terms = home.steps, terms(home.levels, index)
	}
	for _, m := range w.Members {
		f, p := m.Field, &m.Field.at[m.Comp]
		p.packed.Terms = bits
		p.access = Access{
			Tree: w.node.tree.id, Steps: way.steps, Const: way.off + w.offset, Terms: at,
			Origin: f.origin, Shape: f.shape, Kind: f.Elem.Comps[m.Comp].Kind, Packed: p.packed,
		}
	}
}

// Run returns the offset of the first word and how many there are, in a frozen tree, if they follow
// each other without a gap.
func (w *Word) Run() (off, n int64, ok bool) {
	size := w.Kind.Bytes()
	home := w.Home()
	if w.node.tree.Sparse() {
		return 0, 0, false
	}
	way := home.wayBy((*Node).ownLevels, home.positions())
	off, n = way.off+w.offset, 1
	if w.array {
		off = way.off + w.node.offset
	}
	for k := len(way.levels) - 1; k >= 0; k-- {
		if way.levels[k].stride != n*size {
			return 0, 0, false
		}
		n *= way.levels[k].size
	}
	return off, n, true
}

// Exponent returns the shared exponent in a word.
func (g *Group) Exponent(w uint64) uint64 { return w >> g.Shift & (1<<g.Coder.Exp - 1) }

// SamePacking reports whether two numbers lie in words in the same way, among the same others.
func SamePacking(a, b *Packed) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Member != b.Member || a.Word.Kind != b.Word.Kind || len(a.Word.Members) != len(b.Word.Members) || !slices.Equal(a.Terms, b.Terms) {
		return false
	}
	for i, m := range a.Word.Members {
		n := b.Word.Members[i]
		if m.Shift != n.Shift || m.Bits != n.Bits || *m.Coder != *n.Coder || (m.Group == nil) != (n.Group == nil) || m.Group != nil && !slices.Equal(m.Group.Members, n.Group.Members) {
			return false
		}
	}
	return true
}
