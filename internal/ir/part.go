package ir

import (
	"fmt"
	"slices"
)

// This file has the parts of linked kernels. Package driver links the kernels of several launches: their bodies stand one behind the
// other in one kernel.

// A Part is a kernel that was linked into another one.
type Part struct {
	Name string
	Args int // the first of its argument slots
	Key  int // the slot with the key of its random numbers, a u64; -1 if it draws none

	Loops int64 // how many ordinals of loops the parts before it have: random numbers depend on those of its own source

	// DoneSlot is that of a kernel by itself, of which later tasks of the part alone are meant: a return in the part ends the part.
	DoneSlot int64

	// Calls has the fields that the part's source calls by another name than the linked kernel does, in the order of their numbers.
	Calls []Call
}

// A Call is the name of a field in the source of a part.
type Call struct {
	Field *Field
	Name  string
}

// maxParts bounds how many kernels are linked.
const maxParts = 1 << 16

// PartOf returns a part, nil if the kernel was not linked.
func (k *Kernel) PartOf(n int) *Part {
	if n < len(k.Parts) {
		return &k.Parts[n]
	}
	return nil
}

// NameIn returns what the source of a part calls a field: its name if the kernel was not linked.
func (k *Kernel) NameIn(part int, f *Field) string {
	if part < len(k.Parts) {
		for _, c := range k.Parts[part].Calls {
			if c.Field == f {
				return c.Name
			}
		}
	}
	return f.Name
}

// text is the part in the text form: Smooth args 2 key -1 loops 3 done 16 calls @X y @Z x.
func (p *Part) text() string {
	s := fmt.Sprintf("%s args %d key %d loops %d", name(p.Name), p.Args, p.Key, p.Loops)
	if p.DoneSlot >= 0 {
		s += fmt.Sprintf(" done %d", p.DoneSlot)
	}
	for i, c := range p.Calls {
		if i == 0 {
			s += " calls"
		}
		s += fmt.Sprintf(" @%s %s", fieldName(c.Field), name(c.Name))
	}
	return s
}

// part reads what Part.text returns.
func (p *parser) part() Part {
	n := Part{Name: p.name(), DoneSlot: -1}
	p.wantWord("args")
	n.Args = int(p.small(1 << 40))
	p.wantWord("key")
	n.Key = int(p.int())
	p.wantWord("loops")
	n.Loops = p.small(1 << 40)
	if p.gotWord("done") {
		n.DoneSlot = p.small(1 << 40)
	}
	if p.gotWord("calls") {
		for p.err == nil && p.peek('@') {
			f := p.fieldRef()
			n.Calls = append(n.Calls, Call{f, p.name()})
		}
	}
	return n
}

// parts checks those of the kernel.
func (v *verifier) parts() {
	last := 0
	for i := range v.k.Parts {
		p := &v.k.Parts[i]
		if p.Args < last {
			v.bad(Pos{}, "the arguments of part %d begin at slot %d, those of the part before at %d", i, p.Args, last)
		}
		last = p.Args
		if p.Key >= 0 && !slices.ContainsFunc(v.k.Params, func(q *Param) bool { return q.Slot == p.Key && q.Content == ParamValue && q.Kind == U64 }) {
			v.bad(Pos{}, "the key of part %d is in slot %d, which no u64 has", i, p.Key)
		}
		for j, c := range p.Calls {
			if !v.fields[c.Field] || j > 0 && p.Calls[j-1].Field.Index >= c.Field.Index {
				v.bad(Pos{}, "part %d names no field of the kernel, or out of order", i)
				break
			}
		}
	}
}

// partOp checks the beginning of a part.
func (v *verifier) partOp(o *Op) {
	if !v.scope.kernel {
		v.op(o, "a part begins in the body of a kernel, outside of other ops")
	}
	if o.Aux < 1 || o.Aux >= int64(len(v.k.Parts)) {
		v.op(o, "the kernel has %d parts", len(v.k.Parts))
	}
}
