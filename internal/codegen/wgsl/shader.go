package wgsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// A printer writes the shader of a task.
type printer struct {
	task   *ir.Task
	out    strings.Builder // the body of the entry point
	indent int
	count  int // names given
	names  map[*ir.Value]string
	places map[*ir.Value]place
	loops  []*loop
	jumps  int // over several loops
	args   []int64
	bases  []int64
	atomic map[int64]bool  // bases with atomic words
	used   map[string]bool // helpers
	errs   bool
	failed error
}

// Shader prints a task.
func Shader(t *ir.Task) (string, error) {
	p := &printer{task: t, indent: 1, names: map[*ir.Value]string{}, places: map[*ir.Value]place{}, atomic: map[int64]bool{}, used: map[string]bool{}}
	switch {
	case len(t.Lists) > 0:
		return "", unsupported("loops over sparse trees", t.Pos)
	case t.Partial != nil || len(t.Private) > 0 || t.Helper:
		return "", unsupported("partial results", t.Pos)
	}
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Code == ir.OpAtomic && !o.Flags.Has(ir.NonAtomic) {
				if n, is := baseOf(o.Args[0]); is {
					p.atomic[n] = true
				}
			}
			return true
		})
	}
	p.body()
	if p.failed != nil {
		return "", p.failed
	}
	return p.text(), nil
}

// baseOf is the entry of the base table that a place lies in.
func baseOf(v *ir.Value) (n int64, is bool) {
	for v.Def != nil && v.Def.Code == ir.OpOffset {
		v = v.Def.Args[0]
	}
	if v.Def == nil || v.Def.Code != ir.OpBase {
		return 0, false
	}
	return v.Def.Aux, true
}

func unsupported(what string, pos ir.Pos) error {
	return &target.Unsupported{Target: "wgsl", What: what, Pos: pos}
}

// refuse notes that o has no translation.
func (p *printer) refuse(o *ir.Op, what string) {
	if p.failed == nil {
		p.failed = unsupported(what, o.Pos)
	}
}

// line writes a line of the body.
func (p *printer) line(format string, args ...any) {
	p.out.WriteString(strings.Repeat("\t", p.indent))
	fmt.Fprintf(&p.out, format+"\n", args...)
}

// open begins a block, and close ends it.
func (p *printer) open(format string, args ...any) {
	p.line(format+" {", args...)
	p.indent++
}

func (p *printer) close() {
	p.indent--
	p.line("}")
}

// name makes a new one.
func (p *printer) name(prefix string) string {
	p.count++
	return fmt.Sprintf("%s%d", prefix, p.count)
}

// text is the whole shader.
func (p *printer) text() string {
	var w strings.Builder
	fmt.Fprintf(&w, "// %s\n", target.Symbol(p.task))
	for i, slot := range p.args {
		fmt.Fprintf(&w, "// given[%d] is the lower word of argument slot %d.\n", i+2, slot)
	}
	w.WriteString("@group(0) @binding(0) var<storage, read> given: array<u32>;\n")
	binding := 1
	if p.errs {
		fmt.Fprintf(&w, "@group(0) @binding(%d) var<storage, read_write> errs: array<atomic<u32>>; // failures, 1 plus the number of a site, and its values\n", binding)
		binding++
	}
	slices.Sort(p.bases)
	for _, n := range p.bases {
		word := "u32"
		if p.atomic[n] {
			word = "atomic<u32>"
		}
		fmt.Fprintf(&w, "@group(0) @binding(%d) var<storage, read_write> base%d: array<%s>;\n", binding, n, word)
		binding++
	}
	w.WriteString(helperTexts(p.used))
	fmt.Fprintf(&w, "\n@compute @workgroup_size(%d)\nfn main(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {\n", launch.DispatchThreads)
	if p.jumps > 0 {
		w.WriteString("\tvar escape: u32 = 0u;\n")
	}
	return w.String() + p.out.String() + "}\n"
}

// body writes what a thread does.
func (p *printer) body() {
	t := p.task
	alone := launch.InOrder(len(t.Dims), t.Threads, t.Helper)
	if alone {
		p.open("if (thread.x != 0u)")
		p.line("return;")
		p.close()
	}
	if len(t.Dims) == 0 {
		p.ops(t.Body)
		return
	}
	p.section(t.Prologue)
	var lows, sizes []string
	total := int64(1)
	for _, d := range t.Dims {
		lo, hi := p.bound(d, d.Lo), p.bound(d, d.Hi)
		size := hi + " - " + lo
		if d.Lo.From == ir.FromConst && d.Hi.From == ir.FromConst {
			n := max(0, d.Hi.Const-d.Lo.Const)
			if size = fmt.Sprintf("%du", n); n > launch.MaxIterations>>31 || total*max(1, n) > 1<<31 {
				p.failed = unsupported("loops of more than 2^31 iterations", t.Pos)
				return
			}
			total *= max(1, n)
		}
		lows, sizes = append(lows, lo), append(sizes, size)
	}
	first, stride := "given[0] + thread.x", fmt.Sprintf("groups.x * %du", launch.DispatchThreads)
	if alone {
		first, stride = "given[0]", "1u"
	}
	p.line("var at: u32 = %s;", first)
	p.loops = append(p.loops, &loop{})
	p.open("loop")
	p.open("if (at >= given[1])")
	p.line("break;")
	p.close()
	p.line("var rest: u32 = at;")
	for i := len(t.Dims) - 1; i >= 0; i-- {
		place := "rest"
		if i > 0 {
			place = fmt.Sprintf("rest %% (%s)", sizes[i])
		}
		v := t.Body.Params[i]
		p.define(v, nil, castWord(t.Dims[i].Kind, fmt.Sprintf("%s + %s", lows[i], place)))
		if i > 0 {
			p.line("rest = rest / (%s);", sizes[i])
		}
	}
	p.ops(t.Body)
	p.open("continuing")
	p.line("at = at + %s;", stride)
	p.close()
	p.close()
	p.loops = p.loops[:0]
	p.section(t.Epilogue)
}

func (p *printer) section(b *ir.Block) {
	if b != nil {
		p.ops(b)
	}
}

// bound is a limit as a word.
func (p *printer) bound(d ir.Dim, b ir.Bound) string {
	switch {
	case d.Kind.Bits() != 32:
		p.failed = unsupported("loops over "+d.Kind.String(), p.task.Pos)
	case b.From == ir.FromConst:
		return fmt.Sprintf("%du", uint32(b.Const))
	case b.From == ir.FromArg:
		return fmt.Sprintf("(given[%d] + %du)", p.argument(b.Slot), uint32(b.Const))
	default:
		p.failed = unsupported("bounds of loops that are computed", p.task.Pos)
	}
	return "0u"
}

// argument is the place of an argument slot in the buffer given.
func (p *printer) argument(slot int64) int {
	i := slices.Index(p.args, slot)
	if i < 0 {
		i = len(p.args)
		p.args = append(p.args, slot)
	}
	return 2 + i
}

// castWord makes a number of a kind of a word.
func castWord(k ir.Kind, word string) string {
	switch k {
	case ir.I32, ir.F32:
		return fmt.Sprintf("bitcast<%s>(%s)", k, word)
	case ir.Bool:
		return fmt.Sprintf("(%s) != 0u", word)
	}
	return word
}

// wordOf makes a word of a number.
func wordOf(k ir.Kind, v string) string {
	if k == ir.I32 || k == ir.F32 {
		return fmt.Sprintf("bitcast<u32>(%s)", v)
	}
	return v
}

// typ is the type of values of a kind; of 64 bits only the lower word is kept.
func (p *printer) typ(o *ir.Op, t ir.Type) string {
	switch k := t.Kind; {
	case t.Lanes > 1:
		p.refuse(o, "vectors of several iterations")
	case k == ir.I32 || k == ir.U32 || k == ir.F32 || k == ir.Bool:
		return k.String()
	case k == ir.I64 || k == ir.U64:
		return "u32"
	case k == ir.BlockRef || k == ir.Ptr:
		p.refuse(o, "addresses as numbers")
	default:
		p.refuse(o, k.String())
	}
	return "u32"
}

// define gives a value its name and number.
func (p *printer) define(v *ir.Value, o *ir.Op, number string) {
	if o == nil {
		o = &ir.Op{Pos: p.task.Pos}
	}
	n := p.name("v")
	p.line("let %s: %s = %s;", n, p.typ(o, v.Type), number)
	p.names[v] = n
}

// use is the name of a value.
func (p *printer) use(o *ir.Op, v *ir.Value) string {
	n, is := p.names[v]
	if !is {
		p.refuse(o, "addresses as numbers")
	}
	return n
}
