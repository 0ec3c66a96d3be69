package ir

import (
	"fmt"

	"github.com/gotaichi/ti/internal/site"
)

const (
	maxText  = 1 << 26 // bytes that Parse accepts
	maxDepth = 256     // nesting of regions
	maxOuter = 1 << 10 // dimensions that the entries of a list distinguish
	maxMasks = 1 << 20 // words of bits that they have
)

// Parse reads a kernel in the text form that Print writes. It never panics,
// whatever the text; the kernel may still be one that [Verify] refuses. Beyond
// what Print writes it takes names for values (%i), decimal floats, comments
// from // to the end of the line, and blank lines.
func Parse(text string) (*Kernel, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("ir text: %d bytes are more than the %d that a kernel may have", len(text), maxText)
	}
	p := &parser{
		scanner: scanner{text: text}, k: &Kernel{},
		fields: map[string]*Field{}, params: map[string]*Param{}, funcs: map[string]*Func{}, labels: map[string]*Op{},
	}
	if !p.peek('\n') && !p.peek('/') {
		p.wantWord("kernel")
	} else {
		p.eol()
		p.wantWord("kernel")
	}
	p.kernel()
	if p.err == nil && p.at < len(text) {
		p.fail("nothing may follow the kernel")
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.k, nil
}

type parser struct {
	scanner
	k      *Kernel
	fields map[string]*Field
	params map[string]*Param
	funcs  map[string]*Func
	values map[string]*Value // of the function, body or task
	labels map[string]*Op    // of the ops around
	depth  int
}

func (p *parser) kernel() {
	p.k.Name = p.name()
	p.signature()
	p.want('{')
	p.eol()
	scalars := map[*Func]string{}
	for p.err == nil && !p.got('}') {
		switch w := p.word(); w {
		case "int":
			p.k.Int = p.kind()
		case "file":
			p.k.Files = append(p.k.Files, p.name())
		case "field":
			p.field()
		case "table":
			p.table()
		case "bases":
			for _, n := range p.ints() {
				p.k.Bases = append(p.k.Bases, int(n))
			}
		case "sums":
			tree := int(p.int())
			p.k.Sums = append(p.k.Sums, Sums{tree, p.int()})
		case "site":
			p.site()
		case "measured":
			p.measure()
		case "part":
			p.k.Parts = append(p.k.Parts, p.part())
		case "phase":
			p.phaseLine()
		case "touches":
			if n := len(p.k.Phases); n > 0 {
				p.k.Phases[n-1].States = append(p.k.Phases[n-1].States, p.state())
			} else {
				p.fail("what a phase touches stands below it")
			}
		case "frame":
			p.k.FrameSize = p.int()
			p.wantWord("done")
			p.k.DoneSlot = p.int()
		case "func":
			p.function(scalars)
		case "body":
			if p.k.Body != nil {
				p.fail("the kernel has a body already")
			}
			p.values = map[string]*Value{}
			p.k.Body = p.section()
		case "task":
			p.task()
		default:
			p.fail("%q starts no part of a kernel", w)
		}
		p.eol()
	}
	p.eol()
	for _, f := range p.k.Funcs {
		if name, ok := scalars[f]; ok {
			if f.Scalar = p.funcs[name]; f.Scalar == nil {
				p.fail("the scalar function %s of %s is not there", name, f.Name)
			}
		}
	}
}

// signature reads (a: f32, v: f32*3, x: []f32) f32, i32.
func (p *parser) signature() {
	p.want('(')
	slot := 0
	for p.err == nil && !p.got(')') {
		if len(p.k.Params) > 0 {
			p.want(',')
		}
		q := &Param{Name: p.name(), Comps: 1, Slot: slot}
		p.want(':')
		p.paramType(q)
		if p.params[q.Name] != nil {
			p.fail("a second parameter is called %s", q.Name)
		}
		p.params[q.Name] = q
		p.k.Params = append(p.k.Params, q)
		slot += q.Slots()
	}
	if p.peek('{') {
		return
	}
	for _, t := range p.types() {
		p.k.Results = append(p.k.Results, t.Kind)
	}
}

// structType reads f32 i32} and, for a slice, what follows it.
func (p *parser) structType(q *Param) {
	for p.err == nil && !p.got('}') {
		q.Kinds = append(q.Kinds, p.kind())
	}
	if q.Comps = len(q.Kinds); q.Comps > 0 {
		q.Kind = q.Kinds[0]
	}
	if q.Content == ParamSlice {
		p.wantWord("at")
		q.Offsets = p.ints()
		p.wantWord("size")
		q.Size = p.small(1 << 40)
	}
}

// strides finds the parameters with the strides of a view.
func (p *parser) strides(f *Field) {
	for a := range len(f.Shape) - 1 {
		q := p.params[StrideName(f.Name, a)]
		if q == nil {
			p.fail("there is no parameter for the stride of %s along axis %d", f.Name, a)
		}
		f.View.Strides = append(f.View.Strides, q)
	}
}

// paramType reads f32, f32*3, []f32*2, {f32 i32}, view, extent, length, stride or number i64 512.
func (p *parser) paramType(q *Param) {
	if p.gotWord("number") {
		q.Content, q.Kind = ParamNumber, p.kind()
		q.Value = p.bits(q.Kind, p.constant())
		return
	}
	for content, name := range contentNames {
		if name != "" && p.gotWord(name) {
			if q.Content, q.Kind = ParamContent(content), I64; q.Content == ParamView {
				q.Kind = Ptr
			}
			return
		}
	}
	if p.got('[') {
		p.want(']')
		q.Content = ParamSlice
	}
	if p.got('{') {
		p.structType(q)
		return
	}
	q.Kind = p.kind()
	if p.got('*') {
		q.Comps = int(p.small(1 << 16))
	}
}

// field reads @X [f32 f32] [128 128] origin [0 0] node pointer sparse.
func (p *parser) field() {
	p.want('@')
	f := &Field{Name: p.name(), Index: len(p.k.Fields)}
	p.want('[')
	for p.err == nil && !p.got(']') {
		f.Comps = append(f.Comps, p.kind())
	}
	f.Shape = p.ints()
	if p.gotWord("origin") {
		f.Origin = p.ints()
	}
	if p.gotWord("like") {
		if f.Like = p.fieldRef(); f.Like != nil {
			f.Extents = f.Like.Extents
		}
	}
	for a, n := range f.Shape {
		if n == -1 && f.Like == nil {
			if f.Extents == nil {
				f.Extents = make([]*Param, len(f.Shape))
			}
			if f.Extents[a] = p.params[ExtentName(f.Name, a)]; f.Extents[a] == nil {
				p.fail("there is no parameter for the extent of %s along axis %d", f.Name, a)
			}
		}
	}
	if p.gotWord("view") {
		f.View = &View{Param: p.param(), Offsets: p.ints(), Size: p.int()}
		if p.gotWord("strides") {
			p.strides(f)
		}
	}
	if p.gotWord("host") {
		for _, n := range p.ints() {
			f.Host = append(f.Host, int(n))
		}
	}
	p.sparse(f)
	p.stored(f)
	if p.fields[f.Name] != nil {
		p.fail("a second field is called %s", f.Name)
	}
	p.fields[f.Name] = f
	p.k.Fields = append(p.k.Fields, f)
}

// table reads #0 Faces i32 [1 2 3].
func (p *parser) table() {
	p.want('#')
	if n := p.int(); n != int64(len(p.k.Tables)) {
		p.fail("table %d stands where table %d is due", n, len(p.k.Tables))
	}
	t := &Table{Index: len(p.k.Tables), Name: p.name(), Kind: p.kind()}
	p.want('[')
	for p.err == nil && !p.got(']') {
		t.Data = append(t.Data, p.bits(t.Kind, p.constant()))
	}
	p.k.Tables = append(p.k.Tables, t)
}

// site reads #0 index X [128 128] low [0 0] @0:1:2.
func (p *parser) site() {
	p.want('#')
	if n := p.int(); n != int64(len(p.k.Sites)) {
		p.fail("site %d stands where site %d is due", n, len(p.k.Sites))
	}
	s := &Site{}
	w, found := p.word(), false
	if s.Kind, found = site.ParseKind(w); !found {
		p.fail("%q is no kind of site", w)
	}
	s.What = p.name()
	s.Shape = p.ints()
	if p.gotWord("low") {
		s.Low = p.ints()
	}
	if p.gotWord("text") {
		s.Text = p.pieces()
	}
	s.Pos = p.pos()
	p.k.Sites = append(p.k.Sites, s)
}

// pieces reads ["x is " i32 "%d"].
func (p *parser) pieces() []site.Piece {
	var all []site.Piece
	p.want('[')
	for p.err == nil && !p.got(']') {
		if p.peek('"') {
			all = append(all, site.Piece{Text: p.name()})
			continue
		}
		k := p.kind()
		all = append(all, site.Piece{Kind: k, Verb: p.name()})
	}
	return all
}

// function reads @f(%0: f32) f32 scalar @g reads place { … }.
func (p *parser) function(scalars map[*Func]string) {
	p.want('@')
	f := &Func{Name: p.dotted(), Body: &Block{}}
	p.values = map[string]*Value{}
	p.blockParams(f.Body)
	f.Params = typesOf(f.Body.Params)
	start := p.at
	w := p.word()
	p.at = start
	if w != "" && w != "scalar" && w != "reads" && w != "writes" {
		f.Results = p.types()
	}
	if p.gotWord("scalar") {
		p.want('@')
		scalars[f] = p.dotted()
	}
	p.effects(&f.Effects)
	p.want('{')
	p.eol()
	p.block(f.Body)
	if p.funcs[f.Name] != nil {
		p.fail("a second function is called %s", f.Name)
	}
	p.funcs[f.Name] = f
	p.k.Funcs = append(p.k.Funcs, f)
}

// section reads a block that no op owns: (%0: i32) { … }.
func (p *parser) section() *Block {
	b := &Block{}
	if p.peek('(') {
		p.blockParams(b)
	}
	p.want('{')
	p.eol()
	p.block(b)
	return b
}

// task reads 0 "name" loop 1 i32 [0, 8), i32 [0, len $x) strided independent helper @0:1:2 { … }.
func (p *parser) task() {
	t := &Task{Index: len(p.k.Tasks)}
	if n := p.int(); n != int64(t.Index) {
		p.fail("task %d stands where task %d is due", n, t.Index)
	}
	t.Name = p.name()
	p.wantWord("loop")
	t.Loop = p.int()
	if p.gotWord("part") {
		t.Part = int(p.small(maxParts))
		if t.First = t.Part; p.gotWord("from") {
			t.First = int(p.small(maxParts))
		}
	}
	for p.err == nil && !p.peek('{') && !p.peek('@') && !t.Helper {
		if t.Helper = p.gotWord("helper"); t.Helper {
			break
		}
		if t.Strip == 0 && p.gotWord("strip") {
			t.Strip = p.small(1 << 20)
			continue
		}
		if t.Batch == 0 && p.gotWord("batch") {
			t.Batch = p.small(1 << 20)
			continue
		}
		if !t.Strided && p.gotWord("strided") {
			t.Strided = true
			continue
		}
		if !t.Independent && p.gotWord("independent") {
			t.Independent = true
			continue
		}
		if !t.Uneven && p.gotWord("uneven") {
			t.Uneven = true
			continue
		}
		if t.Threads == 0 && p.gotWord("threads") {
			t.Threads = int(p.small(maxThreads))
			continue
		}
		if t.BlockDim == 0 && p.gotWord("block") {
			t.BlockDim = int(p.small(maxBlock))
			continue
		}
		if len(t.Dims) > 0 {
			p.want(',')
		}
		t.Dims = append(t.Dims, p.dim())
	}
	t.Pos = p.pos()
	p.want('{')
	p.eol()
	p.values = map[string]*Value{}
	p.k.Tasks = append(p.k.Tasks, t)
	for p.err == nil && !p.got('}') {
		switch w := p.word(); w {
		case "nest":
			p.nest(t)
		case "list":
			q := TaskList{Base: int(p.int()), Field: p.fieldRef()}
			p.wantWord("outer")
			q.Outer = int(p.small(maxOuter))
			p.wantWord("masks")
			q.Masks = int(p.small(maxMasks))
			t.Lists = append(t.Lists, q)
		case "private":
			q := Private{Base: int(p.int())}
			q.Op = p.atomic(p.word())
			q.Kind = p.kind()
			p.wantWord("scratch")
			q.Scratch = int(p.int())
			p.wantWord("merge")
			q.Merge = int(p.int())
			t.Private = append(t.Private, q)
		case "touches":
			t.States = append(t.States, p.state())
		case "variants":
			for p.err == nil && p.got('@') {
				t.Variants = append(t.Variants, p.funcRef())
			}
		case "parts":
			t.Parts = int(p.small(maxThreads))
		case "partial":
			q := &Partial{}
			p.wantWord("scratch")
			q.Scratch = int(p.int())
			p.wantWord("words")
			q.Words = int(p.int())
			p.wantWord("merge")
			q.Merge = int(p.int())
			t.Partial = q
		case "prologue":
			p.once(&t.Prologue)
		case "body":
			p.once(&t.Body)
		case "epilogue":
			p.once(&t.Epilogue)
		default:
			p.fail("%q starts no part of a task", w)
		}
		p.eol()
	}
}

func (p *parser) once(b **Block) {
	if *b != nil {
		p.fail("the task has this part already")
		return
	}
	*b = p.section()
}

func (p *parser) nest(t *Task) {
	for p.err == nil && !p.gotWord("low") {
		d := NestDim{Axis: int(p.small(1 << 10))}
		p.want('*')
		d.Mul = p.int()
		t.Nest = append(t.Nest, d)
	}
	t.Low = p.ints()
}

// dim reads i32 [0, frame 16 + 1).
func (p *parser) dim() Dim {
	d := Dim{Kind: p.kind()}
	p.want('[')
	d.Lo = p.bound()
	p.want(',')
	d.Hi = p.bound()
	p.want(')')
	return d
}

func (p *parser) bound() Bound {
	var b Bound
	switch w := p.word(); w {
	case "":
		return Bound{Const: p.int()}
	case "frame":
		b.From, b.Slot = FromFrame, p.int()
	case "arg":
		b.From, b.Slot = FromArg, p.int()
	case "len":
		b.From, b.Param = FromLen, p.param()
		if p.got('/') {
			b.Div = p.int()
		}
	case "list":
		b.From, b.Slot = FromList, p.int()
	default:
		p.fail("%q is no bound", w)
	}
	if p.got('+') {
		b.Const = p.int()
	}
	return b
}

func (p *parser) param() *Param {
	p.want('$')
	n := p.name()
	q := p.params[n]
	if q == nil {
		p.fail("there is no parameter %s", n)
	}
	return q
}

func (p *parser) fieldRef() *Field {
	p.want('@')
	n := p.name()
	f := p.fields[n]
	if f == nil {
		p.fail("there is no field %s", n)
	}
	return f
}

func (p *parser) atomic(name string) AtomicKind {
	a, ok := ParseAtomic(name)
	if !ok {
		p.fail("there is no atomic %q", name)
	}
	return a
}
