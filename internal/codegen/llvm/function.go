package llvm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// A function is one under construction: of a task, or of an ir.Func.
type function struct {
	m         *module
	task      *ir.Task
	signature *ir.Signature   // of the task
	allocas   strings.Builder // stand first, so that LLVM makes registers of them
	prelude   strings.Builder // reads of the context, once each
	blocks    []*block
	cur       *block // where instructions go; nil where nothing is reached
	n         int    // names given
	locals    int64  // bytes of local arrays
	values    map[*ir.Value]string
	loads     map[string]string // what the prelude has read
	targets   map[*ir.Op]jumpTarget
	next      *jumpTarget // of a continue without a target: the next iteration of the task
	ret       func(args []*ir.Value)
	group     string // access group of the task's parallel loop, if it has one
	loopMD    string // loop metadata of the task's inner loop
	ahead     bool   // the task prefetches
	private   map[int64]bool
	windows   []*window
	lone      map[*ir.Op]bool // loads that are part of no vector
	streamed  bool            // lines have been stored past the caches without a window
	stop      func()          // writes the return of a function whose launch is stopped
	stopped   *block          // the block with that return, target of all polls; nil until there is a poll
	err       error
}

// A block is a basic block. Its phis get their operands as jumps to it appear.
type block struct {
	label string
	phis  []*phi
	text  strings.Builder
	preds int
}

type phi struct {
	name, typ string
	in        []string
}

// A jumpTarget is what a break or continue of an op jumps to. Either may be nil.
type jumpTarget struct {
	brk, cont *block
}

func (m *module) newFunction() *function {
	f := &function{m: m, values: map[*ir.Value]string{}, loads: map[string]string{}, targets: map[*ir.Op]jumpTarget{}, private: map[int64]bool{}}
	f.cur = f.block("start")
	f.cur.preds = 1
	return f
}

// fail notes that the kernel cannot be translated.
func (f *function) fail(o *ir.Op, format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("code for %s at line %d: %s", o.Code, o.Pos.Line, fmt.Sprintf(format, args...))
	}
}

// block makes a block, which follows all made before it.
func (f *function) block(what string) *block {
	b := &block{label: fmt.Sprintf("%s%d", what, len(f.blocks))}
	f.blocks = append(f.blocks, b)
	return b
}

// enter goes on in b, or nowhere if nothing jumps to b.
func (f *function) enter(b *block) {
	f.cur = b
	if b.preds == 0 {
		f.cur = nil
	}
}

func (f *function) name() string {
	f.n++
	return fmt.Sprintf("%%v%d", f.n)
}

// do writes an instruction without a result.
func (f *function) do(format string, args ...any) {
	f.cur.text.WriteString("  ")
	fmt.Fprintf(&f.cur.text, format, args...)
	f.cur.text.WriteByte('\n')
}

// inst writes an instruction and returns the name of its result.
func (f *function) inst(format string, args ...any) string {
	n := f.name()
	f.cur.text.WriteString("  " + n + " = ")
	fmt.Fprintf(&f.cur.text, format, args...)
	f.cur.text.WriteByte('\n')
	return n
}

// phi adds a parameter to b.
func (f *function) phi(b *block, typ string) *phi {
	p := &phi{name: f.name(), typ: typ}
	b.phis = append(b.phis, p)
	return p
}

// phis adds a parameter for each of vs and makes them stand for vs.
func (f *function) phis(b *block, vs []*ir.Value) {
	for _, v := range vs {
		f.values[v] = f.phi(b, typ(v.Type)).name
	}
}

// jump goes to b with values for its phis and ends the current block.
func (f *function) jump(b *block, values ...string) {
	f.flow(b, values)
	f.do("br label %%%s", b.label)
	f.cur = nil
}

// branch goes to yes or no and ends the current block; values are those of no.
func (f *function) branch(cond string, yes, no *block, values ...string) {
	f.flow(yes, nil)
	f.flow(no, values)
	f.do("br i1 %s, label %%%s, label %%%s", cond, yes.label, no.label)
	f.cur = nil
}

// weighed is branch with metadata of branch weights.
func (f *function) weighed(cond string, yes, no *block, weights string) {
	f.flow(yes, nil)
	f.flow(no, nil)
	f.do("br i1 %s, label %%%s, label %%%s%s", cond, yes.label, no.label, weights)
	f.cur = nil
}

// hardlyEver is the metadata of a branch whose first target is hardly ever taken.
func (m *module) hardlyEver() string {
	if m.seldom == "" {
		m.seldom = ", !prof " + m.node("!{!\"branch_weights\", i32 1, i32 1048575}")
	}
	return m.seldom
}

// flow notes an edge from the current block to b.
func (f *function) flow(b *block, values []string) {
	b.preds++
	for i, p := range b.phis {
		p.in = append(p.in, fmt.Sprintf("[ %s, %%%s ]", values[i], f.cur.label))
	}
}

// use is how v is written as an operand.
func (f *function) use(v *ir.Value) string {
	s, ok := f.values[v]
	if !ok {
		if f.err == nil {
			f.err = fmt.Errorf("code for a value of type %s that is defined nowhere", v.Type)
		}
		return "poison"
	}
	return s
}

func (f *function) uses(vs []*ir.Value) []string {
	s := make([]string, len(vs))
	for i, v := range vs {
		s[i] = f.use(v)
	}
	return s
}

// once reads something at the start of the function, the first time it is asked
// for. What a launch sets and tasks never write counts as invariant.
func (f *function) once(key, format string, args ...any) string {
	if n, ok := f.loads[key]; ok {
		return n
	}
	n := f.name()
	f.loads[key] = n
	fmt.Fprintf(&f.prelude, "  %s = %s\n", n, fmt.Sprintf(format, args...))
	return n
}

// slot reads a slot that the task is given.
func (f *function) slot(typ, what string, from ir.SlotSource, at int64, extra string) string {
	if f.task == nil {
		f.err = errors.Join(f.err, fmt.Errorf("code for a function that reads what tasks are given"))
		return "poison"
	}
	table, offset := f.context(launch.CtxSlots), 8*f.signature.Index(from, at)
	if offset == 0 {
		return f.once(what, "load %s, ptr %s, align 8, !invariant.load !0%s", typ, table, extra)
	}
	p := f.once("&"+what, "getelementptr inbounds i8, ptr %s, i64 %d", table, offset)
	return f.once(what, "load %s, ptr %s, align 8, !invariant.load !0%s", typ, p, extra)
}

// frame returns the address of an offset in the kernel's frame.
func (f *function) frame(at int64) string {
	return f.slot("ptr", fmt.Sprint("frame", at), ir.SlotFrame, at, "")
}

// context reads a pointer of the context.
func (f *function) context(offset int64) string {
	p := f.once(fmt.Sprint("&ctx", offset), "getelementptr inbounds i8, ptr %%ctx, i64 %d", offset)
	return f.once(fmt.Sprint("ctx", offset), "load ptr, ptr %s, align 8, !invariant.load !0", p)
}

// write appends the finished function after its header.
func (f *function) write(w *strings.Builder, header string) {
	w.WriteString(header + " {\nentry:\n")
	w.WriteString(f.allocas.String())
	w.WriteString(f.prelude.String())
	fmt.Fprintf(w, "  br label %%%s\n", f.blocks[0].label)
	for _, b := range f.blocks {
		if b.preds == 0 {
			continue
		}
		w.WriteString(b.label + ":\n")
		for _, p := range b.phis {
			fmt.Fprintf(w, "  %s = phi %s %s\n", p.name, p.typ, strings.Join(p.in, ", "))
		}
		w.WriteString(b.text.String())
	}
	w.WriteString("}\n\n")
}
