package wgsl

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// A place is in the buffer of a base, at a distance in bytes, or in a local array, at an index.
type place struct {
	base  int64
	local string  // the array; "" for a base
	kind  ir.Kind // of its elements
	at    string  // distance or index, a word
}

// memory prints the ops with places.
func (p *printer) memory(o *ir.Op) {
	switch o.Code {
	case ir.OpBase:
		if !slices.Contains(p.bases, o.Aux) {
			p.bases = append(p.bases, o.Aux)
		}
		p.places[o.Results[0]] = place{base: o.Aux, at: "0u"}
	case ir.OpAlloc:
		n := p.name("a")
		p.line("var %s: array<%s, %d>;", n, p.typ(o, ir.Scalar(o.Kind)), max(1, o.Aux))
		if o.Kind.Bits() == 64 {
			p.refuse(o, o.Kind.String()+" in local arrays")
		}
		p.places[o.Results[0]] = place{local: n, kind: o.Kind, at: "0u"}
	case ir.OpCell:
		at, is := p.places[o.Args[0]]
		if !is || at.local == "" {
			p.refuse(o, "addresses as numbers")
			return
		}
		at.at = p.moved(at.at, wordOf(o.Args[1].Type.Kind, p.use(o, o.Args[1])))
		p.places[o.Results[0]] = at
	case ir.OpOffset:
		at, is := p.places[o.Args[0]]
		if !is {
			p.refuse(o, "addresses as numbers")
			return
		}
		d := p.use(o, o.Args[1])
		if at.local != "" {
			d = fmt.Sprintf("%s / %du", d, at.kind.Size())
		}
		at.at = p.moved(at.at, d)
		p.places[o.Results[0]] = at
	case ir.OpLoad:
		p.define(o.Results[0], o, p.load(o, o.Results[0].Type.Kind))
	case ir.OpStore:
		if len(o.Args) > 2 {
			p.refuse(o, "masked stores")
			return
		}
		p.store(o, o.Args[1].Type.Kind, p.use(o, o.Args[1]))
	case ir.OpAtomic:
		p.update(o)
	case ir.OpFail:
		p.fail(o)
	}
}

// moved adds a word to another one.
func (p *printer) moved(at, by string) string {
	if at == "0u" {
		return by
	}
	n := p.name("d")
	p.line("let %s: u32 = %s + %s;", n, at, by)
	return n
}

// element is what a place stands for, for numbers of a kind.
func (p *printer) element(o *ir.Op, k ir.Kind) (text string, at place) {
	at, is := p.places[o.Args[0]]
	switch {
	case !is:
		p.refuse(o, "addresses as numbers")
	case at.local != "":
		if k != at.kind {
			p.refuse(o, "numbers in local arrays of other ones")
		}
		return fmt.Sprintf("%s[%s]", at.local, at.at), at
	case k != ir.I32 && k != ir.U32 && k != ir.F32:
		p.refuse(o, k.String()+" in memory")
	}
	return fmt.Sprintf("base%d[(%s) >> 2u]", at.base, at.at), at
}

// load is the number at the place of an op.
func (p *printer) load(o *ir.Op, k ir.Kind) string {
	text, at := p.element(o, k)
	switch {
	case o.Code == ir.OpLoad && (len(o.Args) > 1 || o.Order != ir.Plain):
		p.refuse(o, "masked and ordered loads")
	case at.local != "":
		return text
	case p.atomic[at.base]:
		text = "atomicLoad(&" + text + ")"
	}
	return castWord(k, text)
}

// store writes it.
func (p *printer) store(o *ir.Op, k ir.Kind, v string) {
	text, at := p.element(o, k)
	switch {
	case o.Code == ir.OpStore && o.Order != ir.Plain:
		p.refuse(o, "ordered stores")
	case at.local != "":
		p.line("%s = %s;", text, v)
	case p.atomic[at.base]:
		p.line("atomicStore(&%s, %s);", text, wordOf(k, v))
	default:
		p.line("%s = %s;", text, wordOf(k, v))
	}
}

// direct are the atomics of WGSL for words, which serve signed numbers too.
var direct = map[ir.AtomicKind]string{ir.AtomicAdd: "atomicAdd", ir.AtomicSub: "atomicSub", ir.AtomicAnd: "atomicAnd", ir.AtomicOr: "atomicOr", ir.AtomicXor: "atomicXor"}

// update prints an atomic.
func (p *printer) update(o *ir.Op) {
	k := o.Results[0].Type.Kind
	text, at := p.element(o, k)
	if p.failed != nil {
		return
	}
	var args []string
	for _, v := range o.Args[1:] {
		args = append(args, p.use(o, v))
	}
	whole := k == ir.I32 || k == ir.U32
	f, simple := direct[o.Atomic]
	if o.Atomic == ir.AtomicXchg {
		f, simple, whole = "atomicExchange", true, true
	}
	switch {
	case o.Flags.Has(ir.NonAtomic) || at.local != "":
		p.define(o.Results[0], o, p.load(o, k))
		if o.Atomic != ir.AtomicLoad {
			p.store(o, k, p.combined(o, k, p.names[o.Results[0]], args))
		}
	case o.Atomic == ir.AtomicLoad:
		p.define(o.Results[0], o, castWord(k, "atomicLoad(&"+text+")"))
	case simple && whole:
		p.define(o.Results[0], o, castWord(k, fmt.Sprintf("%s(&%s, %s)", f, text, wordOf(k, args[0]))))
	default:
		p.exchange(o, k, text, args)
	}
}

// exchange tries until no other thread interferes.
func (p *printer) exchange(o *ir.Op, k ir.Kind, text string, args []string) {
	was := p.name("w")
	p.line("var %s: u32 = atomicLoad(&%s);", was, text)
	p.open("loop")
	old := p.name("v")
	p.line("let %s: %s = %s;", old, k, castWord(k, was))
	tried := p.name("x")
	p.line("let %s = atomicCompareExchangeWeak(&%s, %s, %s);", tried, text, was, wordOf(k, p.combined(o, k, old, args)))
	p.open("if (%s.exchanged)", tried)
	p.line("break;")
	p.close()
	p.line("%s = %s.old_value;", was, tried)
	p.close()
	p.define(o.Results[0], o, castWord(k, was))
}

// combined is the new value of a place that has the value old.
func (p *printer) combined(o *ir.Op, k ir.Kind, old string, args []string) string {
	switch o.Atomic {
	case ir.AtomicXchg:
		return args[0]
	case ir.AtomicCAS: // floats compare as numbers
		return fmt.Sprintf("select(%s, %s, %s == %s)", old, args[1], old, args[0])
	}
	code, ok := o.Atomic.Code()
	if !ok {
		p.refuse(o, "atomic."+o.Atomic.String())
		return old
	}
	return p.binary(o, code, k, old, args[0])
}

// fail counts a failure, and describes the first one.
func (p *printer) fail(o *ir.Op) {
	p.errs = true
	values := o.Args[:min(int(o.Bits), len(o.Args), launch.MaxValues)]
	p.line("atomicAdd(&errs[0], 1u);")
	p.used["claims"] = true
	p.open("if (claims(%du))", o.Aux+1)
	for i, v := range values {
		p.line("atomicStore(&errs[%d], %s);", i+2, wordOf(v.Type.Kind, p.use(o, v)))
	}
	p.close()
}

// given is the word of an argument.
func (p *printer) given(o *ir.Op) string { return fmt.Sprintf("given[%d]", p.argument(o.Aux)) }
