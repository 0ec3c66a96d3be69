package ir

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/site"
)

// A NodeKind says how a node of a layout tree keeps its cells.
type NodeKind uint8

const (
	NodeDense     NodeKind = iota // all cells are there from the start
	NodePointer                   // a cell is made when it is first written or activated
	NodeBitmasked                 // room for all cells, and a bit for each that is active
	NodeDynamic                   // a list along the node's only axis, which is the last of the index
	NodeHash                      // as NodePointer, the cells in a table
)

var nodeNames = [...]string{
	NodeDense: "dense", NodePointer: "pointer", NodeBitmasked: "bitmasked", NodeDynamic: "dynamic", NodeHash: "hash",
}

// String returns the kind's name in the text form.
func (n NodeKind) String() string {
	if int(n) < len(nodeNames) {
		return nodeNames[n]
	}
	return fmt.Sprintf("node(%d)", uint8(n))
}

// sparse returns what the text form of a field says of its nodes: " node pointer sparse".
func (f *Field) sparse() string {
	s := ""
	if f.Node != NodeDense {
		s += " node " + f.Node.String()
	}
	if f.Sparse {
		s += " sparse"
	}
	if f.List {
		s += " list"
	}
	return s
}

// sparse reads what Field.sparse returns.
func (p *parser) sparse(f *Field) {
	if p.gotWord("node") {
		w, found := p.word(), false
		for i, n := range nodeNames {
			if n == w {
				f.Node, found = NodeKind(i), true
			}
		}
		if !found {
			p.fail("%q is no kind of node", w)
		}
	}
	f.Sparse = p.gotWord("sparse")
	f.List = p.gotWord("list")
}

// Hints are what the source says about a parallel loop and fields in it. They change no
// result; a back end may use them.
type Hints struct {
	BlockLocal    []*Field // keep the part that a block of iterations needs in fast memory
	CacheReadOnly []*Field // nothing writes to these while the loop runs
	BlockDim      int      // iterations that a block of threads takes; 0 is not said
	BitVectorize  int      // the loop must run on words of arrays of single bits; 0 is not said
}

// text returns the hints as the text form has them: " local [@A @B] readonly [@C] block 128".
func (h *Hints) text() string {
	if h == nil {
		return ""
	}
	list := func(word string, fs []*Field) string {
		if len(fs) == 0 {
			return ""
		}
		names := make([]string, len(fs))
		for i, f := range fs {
			names[i] = "@" + fieldName(f)
		}
		return " " + word + " [" + strings.Join(names, " ") + "]"
	}
	text := list("local", h.BlockLocal) + list("readonly", h.CacheReadOnly)
	if h.BlockDim != 0 {
		text += fmt.Sprintf(" block %d", h.BlockDim)
	}
	if h.BitVectorize != 0 {
		text += fmt.Sprintf(" bits %d", h.BitVectorize)
	}
	return text
}

// hints reads what Hints.text returns.
func (p *parser) hints(o *Op) {
	list := func(word string) (fs []*Field) {
		if p.gotWord(word) {
			p.want('[')
			for p.err == nil && !p.got(']') {
				fs = append(fs, p.fieldRef())
			}
		}
		return fs
	}
	h := Hints{BlockLocal: list("local"), CacheReadOnly: list("readonly")}
	if p.gotWord("block") {
		h.BlockDim = int(p.small(maxBlock))
	}
	if p.gotWord("bits") {
		h.BitVectorize = int(p.small(maxBlock))
	}
	if h.BlockLocal != nil || h.CacheReadOnly != nil || h.BlockDim != 0 || h.BitVectorize != 0 {
		o.Hints = &h
	}
}

// List returns the index of the list that a shrink makes shorter, and the length that it is to have.
func (o *Op) List() (index []*Value, length *Value) {
	n := len(o.Args) - 1
	return o.Args[:n:n], o.Args[n]
}

// TooLong is the site of the failure of a shrink to more elements than the list has, or to less than none, of a list that the source calls
// so. Its values are the number of elements and the length asked for.
func (o *Op) TooLong(list string) *Site {
	return &Site{Pos: o.Pos, Site: site.Site{Kind: site.Length, What: o.Field.Name, Text: []site.Piece{
		{Text: "resize: a list of " + list + " has "}, {Verb: "%d", Kind: scalar.I64},
		{Text: " elements, and is asked to have "}, {Verb: "%d", Kind: scalar.I64},
	}}}
}

// sparseField checks what f says of its nodes.
func (v *verifier) sparseField(f *Field) {
	switch {
	case int(f.Node) >= len(nodeNames):
		v.bad(Pos{}, "field %s lies in a node of kind %s", f.Name, f.Node)
	case f.Node != NodeDense && !f.Sparse:
		v.bad(Pos{}, "field %s lies in a %s node and is not sparse", f.Name, f.Node)
	case f.List != (f.Node == NodeDynamic):
		v.bad(Pos{}, "field %s lies in a %s node, and list is %t", f.Name, f.Node, f.List)
	case f.List && f.Rank() == 0:
		v.bad(Pos{}, "list %s has no axis", f.Name)
	case f.Sparse && (f.Extents != nil || f.View != nil):
		v.bad(Pos{}, "field %s is sparse, and its extents or elements are the caller's", f.Name)
	}
}

// cells checks the ops on the cells of nodes and on lists.
func (v *verifier) cells(o *Op) {
	f := o.Field
	if f == nil || !v.fields[f] {
		v.op(o, "the field is not the kernel's")
		return
	}
	if v.scope.fn != nil {
		v.op(o, "a function touches no memory but its own")
	}
	want := f.Rank()
	switch o.Code {
	case OpIsActive:
		v.is(o, Scalar(Bool))
	case OpMask:
		v.is(o, Scalar(U64))
		if o.Aux < 1 || o.Aux > 64 || 64%o.Aux != 0 {
			v.op(o, "%d cells of a mask, which is no power of two up to 64", o.Aux)
		}
	case OpAppend, OpCount, OpShrink:
		if !f.List {
			v.op(o, "%s is no list", f.Name)
			return
		}
		if o.Code != OpShrink { // which has the new length as well
			want--
			v.is(o, Scalar(v.k.Int))
		}
	}
	if len(o.Args) != want {
		v.op(o, "%d indices where %d are needed", len(o.Args), want)
	}
}

// hinted checks that the hints of a loop name fields of the kernel.
func (v *verifier) hinted(o *Op) {
	if o.Hints == nil {
		return
	}
	for _, fs := range [][]*Field{o.Hints.BlockLocal, o.Hints.CacheReadOnly} {
		for _, f := range fs {
			if f == nil || !v.fields[f] {
				v.op(o, "a hint names a field that is not the kernel's")
			}
		}
	}
}

// lists checks the lists of a task, and the bounds that are their lengths.
func (v *verifier) lists(t *Task) {
	for i, l := range t.Lists {
		switch {
		case l.Field == nil || !v.fields[l.Field]:
			v.bad(t.Pos, "list %d of task %q is of a field that is not the kernel's", i, t.Name)
		case !l.Field.Sparse:
			v.bad(t.Pos, "list %d of task %q is of %s, which is not sparse", i, t.Name, l.Field.Name)
		case l.Masks < 0:
			v.bad(t.Pos, "list %d of task %q has %d words of bits", i, t.Name, l.Masks)
		case l.Outer < 0:
			v.bad(t.Pos, "list %d of task %q tells %d dimensions apart", i, t.Name, l.Outer)
		}
	}
	for d, dim := range t.Dims {
		hi := dim.Hi
		switch {
		case dim.Lo.From == FromList:
			v.bad(t.Pos, "index %d of task %q begins at the length of a list", d, t.Name)
		case hi.From != FromList:
		case hi.Slot < 0 || hi.Slot >= int64(len(t.Lists)):
			v.bad(t.Pos, "index %d of task %q runs over list %d of %d", d, t.Name, hi.Slot, len(t.Lists))
		case d != 0 || dim.Lo != (Bound{}) || hi.Const != 0:
			v.bad(t.Pos, "task %q runs over a list, all of which has to be the range of its outermost index", t.Name)
		}
	}
}
