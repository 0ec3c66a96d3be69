package ir

import (
	"fmt"
	"strconv"
)

// This file prints ops: results, arguments, attributes.

// op prints one op, after a label if something jumps to it.
func (p *printer) op(o *Op) {
	p.tabs()
	if l, ok := p.labels[o]; ok {
		p.printf("^%d: ", l)
	}
	for i, r := range o.Results {
		p.text(sep(i, ", "))
		p.text(p.def(r))
	}
	if len(o.Results) > 0 {
		p.text(" = ")
	}
	p.text(o.Code.String())
	if o.Code == OpAtomic {
		p.printf(".%s", o.Atomic)
	}
	if o.Tally != TallyAll {
		p.printf(".%s", o.Tally)
	}
	p.text(o.Order.String())
	p.text(o.Flags.String())
	p.text(p.attrs(o))
	for i, a := range o.Args {
		p.text(sep(i, ","))
		p.text(" ")
		p.text(p.use(a))
	}
	for i, r := range o.Results {
		p.text(sepOr(i, " :", ","))
		p.text(" ")
		p.text(r.Type.String())
	}
	if o.Alias != 0 {
		p.printf(" alias %d", o.Alias)
	}
	p.text(o.Pos.String())
	for i, r := range o.Regions {
		p.text(sep(i, " else"))
		p.text(" {")
		if r != nil && len(r.Params) > 0 {
			p.printf(" (")
			p.params(r.Params)
			p.printf(")")
		}
		p.printf("\n")
		p.body(r)
		p.tabs()
		p.printf("}")
	}
	p.printf("\n")
}

// threads is the text of a limit on threads, with a space in front.
func threads(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" threads %d", n)
}

// attrs returns what stands between the name and the operands of o, with a
// space in front.
func (p *printer) attrs(o *Op) string {
	limit := ""
	if o.Flags.Has(Dynamic) {
		limit = fmt.Sprintf("/%d", o.Bits)
		if o.Stride != 1 {
			limit += fmt.Sprintf("*%d", o.Stride)
		}
	}
	switch o.Code {
	case OpConst:
		if len(o.Results) == 0 {
			return " 0"
		}
		return " " + number(o.Results[0].Type.Kind, o.Bits)
	case OpFrame:
		if o.Kind != Invalid {
			return fmt.Sprintf(" %d %d x %s", o.Aux, o.Bits, o.Kind)
		}
		return fmt.Sprintf(" %d", o.Aux)
	case OpParam, OpBase, OpArgPtr, OpShuffle, OpLane, OpPart:
		return fmt.Sprintf(" %d", o.Aux)
	case OpUnique:
		if o.Bits > 1 {
			return fmt.Sprintf(" %d.%d of %d", o.Aux, o.Stride, o.Bits)
		}
	case OpSlide:
		return fmt.Sprintf(" %d %d %d", o.Aux, o.Bits, o.Stride)
	case OpParFor:
		return fmt.Sprintf(" %d%s%s%s", o.Aux, phase(o.Phase), threads(o.Bits), o.Hints.text())
	case OpLen:
		return " $" + paramName(o.Param)
	case OpElem:
		return fmt.Sprintf(" $%s.%d%s", paramName(o.Param), o.Aux, limit)
	case OpPtr:
		return fmt.Sprintf(" @%s.%d%s", fieldName(o.Field), o.Aux, limit)
	case OpFieldFor:
		return fmt.Sprintf(" %d%s%s%s @%s", o.Aux, phase(o.Phase), threads(o.Bits), o.Hints.text(), fieldName(o.Field))
	case OpActivate, OpDeactivate, OpAppend, OpCount, OpShrink:
		return " @" + fieldName(o.Field)
	case OpIsActive:
		if o.Aux != 0 {
			return fmt.Sprintf(" first %d @%s", o.Aux, fieldName(o.Field))
		}
		return " @" + fieldName(o.Field)
	case OpVisit:
		return " @" + fieldName(o.Field)
	case OpMask:
		return fmt.Sprintf(" %d @%s", o.Aux, fieldName(o.Field))
	case OpEntry:
		return fmt.Sprintf(" %d.%d %d", o.Stride, o.Aux, o.Bits)
	case OpListMask:
		return fmt.Sprintf(" %d.%d", o.Stride, o.Aux)
	case OpGrow, OpFind, OpEnter:
		return o.Store.text()
	case OpAlloc:
		return fmt.Sprintf(" %d x %s", o.Aux, o.Kind)
	case OpLookup:
		if o.Table == nil {
			return " #-1"
		}
		return fmt.Sprintf(" #%d", o.Table.Index)
	case OpCall:
		if o.Func == nil {
			return " @none"
		}
		return " @" + dotted(o.Func.Name)
	case OpFail:
		return fmt.Sprintf(" #%d %d", o.Aux, o.Bits)
	case OpRecord, OpTally:
		return fmt.Sprintf(" #%d", o.Aux)
	case OpBreak, OpContinue:
		if o.Target == nil {
			return ""
		}
		return fmt.Sprintf(" ^%d", p.labels[o.Target])
	}
	return ""
}

// def prints v where it is defined: with the name of its variable, if any.
func (p *printer) def(v *Value) string {
	if isIdent(v.Name) {
		return p.use(v) + "." + v.Name
	}
	return p.use(v)
}

func (p *printer) use(v *Value) string {
	if v == nil {
		return "%nil"
	}
	if n, ok := p.ids[v]; ok {
		return "%" + strconv.Itoa(n)
	}
	n, ok := p.outer[v]
	if !ok {
		n = len(p.outer)
		p.outer[v] = n
	}
	return "%x" + strconv.Itoa(n)
}
