package ir

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Print writes k's text form to w. It changes nothing in k, and prints broken
// code too: a value that is defined nowhere prints as %x0, %x1, …
func Print(w io.Writer, k *Kernel) error { return newPrinter().write(w, k) }

func (p *printer) write(w io.Writer, k *Kernel) error {
	for _, b := range k.Blocks() {
		p.number(b)
	}
	p.kernel(k)
	_, err := io.WriteString(w, p.sb.String())
	return err
}

// String returns k's text form.
func (k *Kernel) String() string {
	var sb strings.Builder
	_ = Print(&sb, k) // a strings.Builder never fails
	return sb.String()
}

// PrintBlock writes the ops of b to w. Values from outside b print as %x0, %x1, …
// in the order they are first used.
func PrintBlock(w io.Writer, b *Block) error {
	p := newPrinter()
	p.number(b)
	p.block(b)
	_, err := io.WriteString(w, p.sb.String())
	return err
}

// String returns the text form of o with its regions; its operands print as %x0,
// %x1, … as what they are is known to the whole only.
func (o *Op) String() string {
	p := newPrinter()
	p.number(&Block{Ops: []*Op{o}})
	p.op(o)
	return strings.TrimSuffix(p.sb.String(), "\n")
}

type printer struct {
	sb     strings.Builder
	indent int
	ids    map[*Value]int
	labels map[*Op]int
	outer  map[*Value]int
}

func newPrinter() *printer {
	return &printer{ids: map[*Value]int{}, labels: map[*Op]int{}, outer: map[*Value]int{}}
}

// number gives numbers to the values of b as Number does, and labels to the ops
// that jumps name, in the order of their first jump.
func (p *printer) number(b *Block) {
	if b == nil {
		return
	}
	for _, v := range b.Params {
		p.ids[v] = len(p.ids)
	}
	for _, o := range b.Ops {
		for _, v := range o.Results {
			p.ids[v] = len(p.ids)
		}
		if o.Target != nil {
			if _, ok := p.labels[o.Target]; !ok {
				p.labels[o.Target] = len(p.labels)
			}
		}
		for _, r := range o.Regions {
			p.number(r)
		}
	}
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(&p.sb, format, args...) }

// text is printf without a format, for what is printed most.
func (p *printer) text(s string) { p.sb.WriteString(s) }

func (p *printer) line(format string, args ...any) {
	p.tabs()
	p.printf(format, args...)
	p.sb.WriteByte('\n')
}

func (p *printer) tabs() {
	for range p.indent {
		p.sb.WriteByte('\t')
	}
}

func (p *printer) kernel(k *Kernel) {
	p.printf("kernel %s(", name(k.Name))
	for i, q := range k.Params {
		if i > 0 {
			p.printf(", ")
		}
		p.printf("%s: %s", name(q.Name), q.typeString())
	}
	p.printf(")")
	for i, r := range k.Results {
		p.printf("%s %s", sep(i, ","), r)
	}
	p.printf(" {\n")
	p.indent = 1
	p.header(k)
	for _, f := range k.Funcs {
		p.function(f)
	}
	if k.Body != nil {
		p.region("body", k.Body)
	}
	for _, t := range k.Tasks {
		p.task(t)
	}
	p.indent = 0
	p.printf("}\n")
}

// formNames are the types, in the text form, of parameters that the source does not
// have as such.
var contentNames = [...]string{ParamView: "view", ParamExtent: "extent", ParamLength: "length", ParamStride: "stride"}

// ExtentName is the name of the parameter with the extent of a field along an axis.
func ExtentName(field string, axis int) string { return fmt.Sprintf("%s.%d", field, axis) }

// StrideName is the name of the parameter with the stride of a view along an axis.
func StrideName(field string, axis int) string { return fmt.Sprintf("%s.stride.%d", field, axis) }

// typeString returns "f32", "f32*3" for three components, "[]f32*3" for a slice
// of such elements, "{f32 i32}" for a struct, "[]{f32 i32} at [0 4] size 8" for a
// slice of such.
func (q *Param) typeString() string {
	switch q.Content {
	case ParamNumber:
		return fmt.Sprintf("number %s %s", q.Kind, number(q.Kind, q.Value))
	case ParamView, ParamExtent, ParamLength, ParamStride:
		return contentNames[q.Content]
	}
	s := q.Kind.String()
	if q.Kinds != nil {
		s = fmt.Sprintf("{%s}", strings.Trim(fmt.Sprint(q.Kinds), "[]"))
		if q.Content == ParamSlice {
			s = fmt.Sprintf("[]%s at %d size %d", s, q.Offsets, q.Size)
		}
		return s
	}
	if q.Content == ParamSlice {
		s = "[]" + s
	}
	if q.Comps != 1 {
		s += "*" + strconv.Itoa(q.Comps)
	}
	return s
}

func (p *printer) header(k *Kernel) {
	if k.Int != Invalid {
		p.line("int %s", k.Int)
	}
	for _, f := range k.Files {
		p.line("file %q", f)
	}
	for _, f := range k.Fields {
		origin := ""
		if len(f.Origin) > 0 {
			origin = fmt.Sprintf(" origin %d", f.Origin)
		}
		if f.Like != nil {
			origin += " like @" + name(f.Like.Name)
		}
		if v := f.View; v != nil {
			origin += fmt.Sprintf(" view $%s %d %d", paramName(v.Param), v.Offsets, v.Size)
			if v.Strides != nil {
				origin += " strides"
			}
		}
		if f.Host != nil {
			origin += fmt.Sprintf(" host %d", f.Host)
		}
		p.line("field @%s %v %d%s%s", name(f.Name), f.Comps, f.Shape, origin, f.sparse()+f.stored())
	}
	for _, t := range k.Tables {
		data := make([]string, len(t.Data))
		for i, b := range t.Data {
			data[i] = number(t.Kind, b)
		}
		p.line("table #%d %s %s [%s]", t.Index, name(t.Name), t.Kind, strings.Join(data, " "))
	}
	if len(k.Bases) > 0 {
		p.line("bases %d", k.Bases)
	}
	for _, s := range k.Sums {
		p.line("sums %d %d", s.Tree, s.Bytes)
	}
	for i, s := range k.Sites {
		low := ""
		if len(s.Low) > 0 {
			low = fmt.Sprintf(" low %d", s.Low)
		}
		p.line("site #%d %s %s %d%s%s%s", i, s.Kind, name(s.What), s.Shape, low, s.text(), s.Pos.String())
	}
	p.measure(k.Measure)
	for i := range k.Parts {
		p.line("part %s", k.Parts[i].text())
	}
	for i := range k.Phases {
		p.line("phase %d%s", i+1, k.Phases[i].text())
		p.indent++
		p.states(k.Phases[i].States)
		p.indent--
	}
	if k.Tasks != nil || k.FrameSize != 0 || k.DoneSlot != 0 {
		p.line("frame %d done %d", k.FrameSize, k.DoneSlot)
	}
}

// text returns the pieces of a site: text ["x is " i32 "%d"].
func (s *Site) text() string {
	if len(s.Text) == 0 {
		return ""
	}
	parts := make([]string, len(s.Text))
	for i, t := range s.Text {
		if t.Verb == "" {
			parts[i] = strconv.Quote(t.Text)
		} else {
			parts[i] = t.Kind.String() + " " + strconv.Quote(t.Verb)
		}
	}
	return " text [" + strings.Join(parts, " ") + "]"
}

func (p *printer) function(f *Func) {
	p.tabs()
	p.printf("func @%s(", dotted(f.Name))
	if f.Body != nil {
		p.params(f.Body.Params)
	}
	p.printf(")")
	for i, r := range f.Results {
		p.printf("%s %s", sep(i, ","), r)
	}
	if f.Scalar != nil {
		p.printf(" scalar @%s", dotted(f.Scalar.Name))
	}
	p.printf("%s", f.Effects.text())
	p.printf(" {\n")
	p.body(f.Body)
	p.line("}")
}

func (p *printer) task(t *Task) {
	p.tabs()
	p.printf("task %d %q loop %d", t.Index, t.Name, t.Loop)
	if t.Part > 0 {
		p.printf(" part %d", t.Part)
		if t.First != t.Part {
			p.printf(" from %d", t.First)
		}
	}
	for i, d := range t.Dims {
		p.printf("%s %s [%s, %s)", sep(i, ","), d.Kind, d.Lo, d.Hi)
	}
	if t.Strip > 0 {
		p.printf(" strip %d", t.Strip)
	}
	if t.Batch > 0 {
		p.printf(" batch %d", t.Batch)
	}
	if t.Strided {
		p.printf(" strided")
	}
	if t.Independent {
		p.printf(" independent")
	}
	if t.Uneven {
		p.printf(" uneven")
	}
	p.printf("%s", threads(uint64(t.Threads)))
	if t.BlockDim > 0 {
		p.printf(" block %d", t.BlockDim)
	}
	if t.Helper {
		p.printf(" helper")
	}
	p.printf("%s {\n", t.Pos.String())
	p.indent++
	if len(t.Nest) > 0 {
		nest := ""
		for _, d := range t.Nest {
			nest += fmt.Sprintf(" %d*%d", d.Axis, d.Mul)
		}
		p.line("nest%s low %d", nest, t.Low)
	}
	for _, q := range t.Lists {
		p.line("list %d @%s outer %d masks %d", q.Base, fieldName(q.Field), q.Outer, q.Masks)
	}
	for _, q := range t.Private {
		p.line("private %d %s %s scratch %d merge %d", q.Base, q.Op, q.Kind, q.Scratch, q.Merge)
	}
	p.states(t.States)
	if t.Parts > 0 {
		p.line("parts %d", t.Parts)
	}
	if q := t.Partial; q != nil {
		p.line("partial scratch %d words %d merge %d", q.Scratch, q.Words, q.Merge)
	}
	if len(t.Variants) > 0 {
		p.tabs()
		p.printf("variants")
		for _, f := range t.Variants {
			p.printf(" @%s", dotted(f.Name))
		}
		p.printf("\n")
	}
	p.region("prologue", t.Prologue)
	p.region("body", t.Body)
	p.region("epilogue", t.Epilogue)
	p.indent--
	p.line("}")
}

// region prints a block that no op owns, or nothing if there is none.
func (p *printer) region(what string, b *Block) {
	if b == nil {
		return
	}
	p.tabs()
	p.printf("%s", what)
	if len(b.Params) > 0 {
		p.printf("(")
		p.params(b.Params)
		p.printf(")")
	}
	p.printf(" {\n")
	p.body(b)
	p.line("}")
}

func (p *printer) body(b *Block) {
	p.indent++
	p.block(b)
	p.indent--
}

func (p *printer) block(b *Block) {
	if b == nil {
		return
	}
	for _, o := range b.Ops {
		p.op(o)
	}
}

func (p *printer) params(vs []*Value) {
	for i, v := range vs {
		p.printf("%s%s: %s", sep(i, ", "), p.def(v), v.Type)
	}
}
