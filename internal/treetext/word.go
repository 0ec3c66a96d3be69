package treetext

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/quant"
)

// A Pack is what one place or placeshared of a bit struct or bit array packs: one field in one or
// more forms, or fields that share an exponent.
type Pack struct {
	Places  []Place
	Formats []ti.Quant
	Shared  bool
	at      int
}

// wordKinds are the words for bit structs and bit arrays.
func wordKinds() []string { return []string{"bitstruct", "bitarray"} }

// IsWord reports whether n is a bit struct or a bit array.
func (n *Node) IsWord() bool { return slices.Contains(wordKinds(), n.Kind) }

// wordNode reads what a bit struct or bit array is given, behind the parenthesis.
func (p *parser) wordNode(n *Node, kind string, at int) *Node {
	c := &Node{Kind: kind, at: at, Parent: n}
	c.Bits = p.number()
	if kind == "bitarray" {
		p.need(',', "the bits of a word")
		c.Axes, _ = p.word("the axes of the bit array, such as j,")
		p.sizes(c)
	}
	n.Nodes = append(n.Nodes, c)
	return c
}

// pack reads what place and placeshared of a word are given.
func (p *parser) pack(n *Node, shared bool, at int) {
	k := Pack{Shared: shared, at: at}
	if shared {
		k.Formats = append(k.Formats, p.format())
		for p.accept(',') {
			k.Places = append(k.Places, p.place())
		}
		if len(k.Places) == 0 {
			p.fail(p.pos, "write placeshared(float(5,9),V)", "placeshared has no field")
		}
	} else {
		k.Places = append(k.Places, p.place())
		for p.accept(',') {
			k.Formats = append(k.Formats, p.format())
		}
		if len(k.Formats) == 0 {
			p.fail(at, "write place(X,fixed(21,8))", "a field of a %s is placed without a form", n.Kind)
		}
	}
	n.Packs, n.Fields = append(n.Packs, k), append(n.Fields, k.Places...)
}

const formatWords = "forms are int(bits), fixed(bits,limit) and float(exponent,fraction), with .unsigned(), .wrap() or .stochastic() behind them"

// format reads a form.
func (p *parser) format() (q ti.Quant) {
	name, at := p.word("a form, such as fixed(21,8),")
	if !slices.Contains([]string{"int", "fixed", "float"}, name) {
		p.fail(at, formatWords, "%q is no form", name)
	}
	p.need('(', name)
	switch name {
	case "int":
		q = ti.QuantInt(p.number())
	case "fixed":
		bits := p.number()
		p.need(',', "the bits of a number")
		q = ti.QuantFixed(bits, p.decimal())
	case "float":
		exp := p.number()
		p.need(',', "the bits of an exponent")
		q = ti.QuantFloat(exp, p.number())
	}
	p.need(')', "what "+name+" is given")
	for p.accept('.') {
		switch m, at := p.word("unsigned, wrap or stochastic"); m {
		case "unsigned":
			q = q.Unsigned()
		case "wrap":
			q = q.Wrap()
		case "stochastic":
			q = q.Stochastic()
		default:
			p.fail(at, formatWords, "a form has no %q", m)
		}
		p.need('(', "the word")
		p.need(')', "the parenthesis")
	}
	return q
}

// decimal reads a number with a point or an exponent.
func (p *parser) decimal() float64 {
	text, at := p.while(func(c byte) bool { return isDigit(c) || isLetter(c) || strings.IndexByte("+-.", c) >= 0 })
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.fail(at, "write it as 8 or 0.5", "%q is no number", text)
	}
	return v
}

// packs fills a bit struct or bit array below a node.
func (b *builder) packs(n *Node, above *ti.Node) error {
	b.Nodes[n] = above
	var place func(k Pack, fields []ti.AnyField)
	if n.Kind == "bitstruct" {
		w := above.BitStruct(n.Bits)
		place = func(k Pack, fields []ti.AnyField) {
			if k.Shared {
				w.PlaceShared(k.Formats[0], fields...)
			} else {
				w.Place(fields[0], k.Formats...)
			}
		}
		b.structs[n] = w
	} else {
		w := above.BitArray(n.Bits, ti.Axes(n.Axes), n.Sizes...)
		place = func(k Pack, fields []ti.AnyField) { w.Place(fields[0], k.Formats[0]) }
		b.arrays[n] = w
	}
	if err := b.mistake(n.at); err != nil {
		return err
	}
	for _, k := range n.Packs {
		if n.Kind == "bitarray" && (k.Shared || len(k.Formats) != 1) {
			return newError(b.t.Text, k.at, "give it one field and one form: place(X,int(1).unsigned())", "a bit array has one field in one form")
		}
		var fields []ti.AnyField
		for _, p := range k.Places {
			f, err := b.field(p)
			if err != nil {
				return err
			}
			fields = append(fields, f)
		}
		place(k, fields)
		if err := b.mistake(k.at); err != nil {
			return err
		}
	}
	return nil
}

// Word returns the bit struct or bit array that a field, or a member of it, is packed in; nil for
// none.
func (t *Tree) Word(path string) (word *Node) {
	t.visit(func(n *Node) {
		if n.IsWord() && word == nil && slices.ContainsFunc(n.Fields, func(p Place) bool { return p.Path == path || p.Field() == path }) {
			word = n
		}
	})
	return word
}

// Words returns the words of a bit struct or bit array, in the order of memory.
func (b *Built) Words(n *Node) ([]uint64, error) {
	switch n.Bits {
	case 8:
		return wordsOf[uint8](b, n)
	case 16:
		return wordsOf[uint16](b, n)
	case 32:
		return wordsOf[uint32](b, n)
	}
	return wordsOf[uint64](b, n)
}

func wordsOf[T uint8 | uint16 | uint32 | uint64](b *Built, n *Node) ([]uint64, error) {
	var words []T
	var err error
	if w := b.structs[n]; w != nil {
		words, err = ti.Words[T](w)
	} else {
		words, err = ti.ArrayWords[T](b.arrays[n])
	}
	out := make([]uint64, len(words))
	for i, w := range words {
		out[i] = uint64(w)
	}
	return out, err
}

// Quant returns a form as programs give it.
func Quant(f quant.Format) (q ti.Quant) {
	switch f.Class {
	case quant.Int:
		q = ti.QuantInt(f.Bits)
	case quant.Fixed:
		q = ti.QuantFixed(f.Bits, f.Limit)
	default:
		q = ti.QuantFloat(f.Exp, f.Frac)
	}
	if f.Unsigned {
		q = q.Unsigned()
	}
	if f.Wrap {
		q = q.Wrap()
	}
	if f.Stochastic {
		q = q.Stochastic()
	}
	return q
}
