package ir

import "fmt"

// A Store is what code must know of a kind of block of a sparse tree: offsets from
// the tree's base, and a size. The words there are those of package layout.
type Store struct {
	Control int64 // of the words of the kind of block
	Changed int64 // of the words of the node whose cells the blocks are
	Bytes   int64 // from one block to the next
	Table   int64 // of the header of the table, where a table leads to the blocks
}

// text is the store in the text form, with a space in front.
func (s *Store) text() string {
	if s == nil {
		return " []"
	}
	return fmt.Sprintf(" [%d %d %d %d]", s.Control, s.Changed, s.Bytes, s.Table)
}

// store reads what Store.text returns.
func (p *parser) store() *Store {
	p.want('[')
	s := &Store{}
	for _, n := range []*int64{&s.Control, &s.Changed, &s.Bytes, &s.Table} {
		*n = p.small(1 << 47)
	}
	p.want(']')
	return s
}

// blocks checks the ops on the blocks of sparse trees.
func (v *verifier) blocks(o *Op) {
	if v.scope.fn != nil {
		v.op(o, "a function touches no memory but its own")
		return
	}
	var memory, blocks int // operands of these kinds, before the integers
	switch o.Code {
	case OpFollow:
		memory, blocks = 1, 1
	case OpGrow:
		memory = 2
	case OpFind:
		memory, blocks = 1, 1
	case OpEntry:
		if t := o.Results[0].Type; t.Lanes != 1 || namesBlock(t.Kind) != (o.Aux == 0) || !namesBlock(t.Kind) && !t.Kind.IsInt() {
			v.op(o, "word %d of an entry is no %s", o.Aux, t)
		}
		return
	case OpListMask:
		v.is(o, Scalar(U64))
		for _, a := range o.Args {
			if a.Type != Scalar(I64) {
				v.op(o, "an operand is %s, not i64", a.Type)
			}
		}
		return
	case OpVisit:
		if o.Field == nil || !v.fields[o.Field] || len(o.Args) != 1+o.Field.Rank() {
			v.op(o, "there is a block, and an index for each axis of a field")
		}
		blocks = 1
	case OpEnter:
		memory = 1
	case OpRoot:
		memory = 1
	}
	if o.Store == nil && (o.Code == OpGrow || o.Code == OpFind || o.Code == OpEnter) {
		v.op(o, "there is no store")
	}
	for i, a := range o.Args {
		ok := a.Type.Kind.IsInt()
		switch {
		case i < memory:
			ok = a.Type.Kind == Ptr
		case i < memory+blocks:
			ok = namesBlock(a.Type.Kind) && (o.Code == OpVisit || a.Type == o.Results[0].Type)
		}
		if !ok || a.Type.Lanes != 1 {
			v.op(o, "operand %d is %s", i, a.Type)
		}
	}
}

// namesBlock reports whether values of a kind may stand for blocks.
func namesBlock(k Kind) bool { return k == BlockRef || k == Ptr }

// Words returns the number of words of an entry of l: the address of a block, its
// coordinates, the outer dimensions, of a list the number of its elements, and the bits.
func (l *TaskList) Words() int {
	n := 1 + l.Field.Rank() + l.Outer + l.Masks
	if l.Field.List {
		n++
	}
	return n
}
