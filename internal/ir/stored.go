package ir

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/quant"
)

// Stored says how a component of a field is stored in fewer bits than its kind has. Coder is nil
// for one that is stored as it is.
//
// A load gives the number of the code, and a store its rounded one. An atomic add or sub of
// integers and fixed-point numbers adds the rounded operand to the code, and clamps; other atomics
// compute on the number. A store to one of a group's numbers rounds the others again. Those to several of them
// by one assignment, which the flag More joins, round each number once.
type Stored struct {
	Coder  *quant.Coder
	Group  *Group // of numbers that share an exponent; nil for none
	Member int    // which of the group's numbers it is
}

// A Group is numbers that share an exponent: components of fields, of which a kernel may know some.
type Group struct {
	Number  int // among the groups of the kernel
	Members int
}

// A WordOf says what a field of words holds: elements of a field are packed in each. The quantise
// pass makes such fields. Comp is one of the components in the word.
type WordOf struct {
	Field *Field
	Comp  int
	Cells []int64 // of a bit array: elements in a word along each axis; nil for one element
	Sums  bool    // has no words but sums of codes, in memory of the kernel that is zero between launches
}

// StoredAs returns how a component is stored, nil for one that is stored as it is.
func (f *Field) StoredAs(comp int) *Stored {
	if f.Stored == nil || f.Stored[comp].Coder == nil {
		return nil
	}
	return &f.Stored[comp]
}

// Choices returns the components that a ptr may mean.
func (o *Op) Choices() []int {
	if !o.Flags.Has(Dynamic) {
		return []int{int(o.Aux)}
	}
	var all []int
	for i := range int(o.Bits) {
		if c := int(o.Aux) + i*int(o.Stride); c < len(o.Field.Comps) {
			all = append(all, c)
		}
	}
	return all
}

// IsPacked reports whether a load, store or atomic accesses a component that is stored in fewer
// bits, or one that is chosen among such.
func (o *Op) IsPacked() bool {
	place := o.Args[0].Def
	if place == nil || place.Code != OpPtr || place.Field.Stored == nil {
		return false
	}
	for _, c := range place.Choices() {
		if place.Field.StoredAs(c) != nil {
			return true
		}
	}
	return false
}

// Ends emits the numbers between which a place clamps what is stored to it, infinite ones for a
// component that is stored as it is. Index is what stands for the last operand of a place that is
// Dynamic.
func (b *Builder) Ends(place *Op, index *Value, t Type) (lo, hi *Value) {
	of := func(c int) (float64, float64) {
		if s := place.Field.StoredAs(c); s != nil {
			return s.Coder.Ends(s.Group != nil)
		}
		return math.Inf(-1), math.Inf(1)
	}
	l, h := of(int(place.Aux))
	lo, hi = b.Float(t, l), b.Float(t, h)
	for i, c := range place.Choices() {
		if x, y := of(c); x != l || y != h {
			is := b.Op(OpEq, index, b.Int(index.Type, int64(i)))
			lo, hi = b.Op(OpSelect, is, b.Float(t, x), lo), b.Op(OpSelect, is, b.Float(t, y), hi)
		}
	}
	return lo, hi
}

// DrawsToStore reports whether a store or atomic rounds by a random number, of which it draws one.
func (o *Op) DrawsToStore() bool {
	if !o.IsPacked() {
		return false
	}
	f := o.Args[0].Def.Field
	for _, c := range o.Args[0].Def.Choices() {
		if s := f.StoredAs(c); s != nil && s.Coder.Stochastic {
			return true
		}
	}
	return false
}

// stored is how components are stored, in the text form.
func (f *Field) stored() string {
	if f.Word != nil {
		sums := ""
		if f.Word.Sums {
			sums = " sums"
		}
		return fmt.Sprintf(" word @%s.%d %d%s", name(f.Word.Field.Name), f.Word.Comp, f.Word.Cells, sums)
	}
	if f.Stored == nil {
		return ""
	}
	var parts []string
	for i := range f.Stored {
		s, text := f.StoredAs(i), ""
		if s != nil {
			text = s.Coder.String()
		}
		if s != nil && s.Group != nil {
			text += fmt.Sprintf(" shared %d %d of %d", s.Group.Number, s.Member, s.Group.Members)
		}
		parts = append(parts, fmt.Sprintf("%q", text))
	}
	return " stored [" + strings.Join(parts, " ") + "]"
}

// stored reads what Field.stored returns.
func (p *parser) stored(f *Field) {
	if p.gotWord("word") {
		f.Word = &WordOf{Field: p.fieldRef()}
		p.want('.')
		f.Word.Comp = int(p.int())
		if f.Word.Cells = p.ints(); len(f.Word.Cells) == 0 {
			f.Word.Cells = nil
		}
		f.Word.Sums = p.gotWord("sums")
	}
	if !p.gotWord("stored") {
		return
	}
	p.want('[')
	for i := 0; p.err == nil && !p.got(']'); i++ {
		text, shared, grouped := strings.Cut(p.name(), " shared ")
		s := Stored{}
		if text != "" && i < len(f.Comps) {
			format, err := quant.Parse(text)
			if err == nil {
				err = format.Check(f.Comps[i], grouped)
			}
			if err != nil {
				p.fail("%v", err)
				return
			}
			s.Coder = quant.New(format, f.Comps[i])
		}
		if grouped {
			n, members := 0, 0
			if _, err := fmt.Sscanf(shared, "%d %d of %d", &n, &s.Member, &members); err != nil {
				p.fail("%q does not say which of how many numbers of a group are meant", shared)
			}
			s.Group = p.group(f, n, members)
		}
		f.Stored = append(f.Stored, s)
	}
}

// group returns the group with a number, of which f, the field that is being read, may have others.
func (p *parser) group(f *Field, n, members int) *Group {
	for _, f := range append(slices.Clip(p.k.Fields), f) {
		for _, s := range f.Stored {
			if s.Group != nil && s.Group.Number == n {
				return s.Group
			}
		}
	}
	return &Group{n, members}
}

// storedField checks what a field says of how it is stored.
func (v *verifier) storedField(f *Field) {
	if f.Stored != nil && len(f.Stored) != len(f.Comps) {
		v.bad(Pos{}, "field %s has %d components and says of %d how they are stored", f.Name, len(f.Comps), len(f.Stored))
	}
	if w := f.Word; w != nil && (len(f.Comps) != 1 || !f.Comps[0].IsUnsigned() || !v.fields[w.Field]) {
		v.bad(Pos{}, "field %s is to hold words, and has no unsigned component or is of no field", f.Name)
	}
}
