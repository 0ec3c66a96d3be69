package ir

import (
	"errors"
	"fmt"
	"slices"
)

// maxProblems bounds how many problems Verify reports.
const maxProblems = 20

// Verify checks everything that the package documentation and the op table say
// about k, and returns all problems it finds (20 at most), each with the position
// and the op it is about. A kernel that lowering or a pass leaves in a form that
// Verify refuses is a bug of theirs.
func Verify(k *Kernel) error {
	if k == nil {
		return errors.New("ir: there is no kernel")
	}
	v := newVerifier(k)
	v.header()
	v.phases()
	for i, f := range k.Funcs {
		v.function(i, f)
	}
	switch {
	case k.Body != nil && k.Tasks != nil:
		v.bad(Pos{}, "the kernel has both a body and tasks")
	case k.Body != nil:
		v.scope = scope{kernel: true}
		v.open(k.Body, nil)
		v.ops(k.Body)
		v.close(k.Body)
	}
	for i, t := range k.Tasks {
		v.task(i, t)
	}
	return errors.Join(v.problems...)
}

// VerifyLowered is Verify for a kernel that access lowering has been over: no
// op is left that a back end need not know.
func VerifyLowered(k *Kernel) error {
	if err := Verify(k); err != nil {
		return err
	}
	v := newVerifier(k)
	if k.Body != nil {
		v.bad(Pos{}, "a kernel that is ready for a back end has tasks, not a body")
	}
	for _, t := range k.Tasks {
		for i, l := range t.Lists {
			if l.Base < 0 || l.Base >= len(k.Bases) {
				v.bad(t.Pos, "list %d of task %q has base %d, and there are %d bases", i, t.Name, l.Base, len(k.Bases))
			}
		}
	}
	for _, b := range k.Blocks() {
		Visit(b, func(o *Op) bool {
			if o.Code.Is(Abstract) {
				v.op(o, "%s is still there after access lowering", o.Code)
			}
			return true
		})
	}
	return errors.Join(v.problems...)
}

// scope is what jumps may do where the verifier stands.
type scope struct {
	kernel  bool   // the body of a kernel, outside all ops
	fn      *Func  // inside a function
	task    *Task  // inside a task
	section string // of a task: prologue, body or epilogue
	targets []*Op  // enclosing ops that may be continued or left, outermost first
	loop    *Op    // the parallel loop around
	parent  *Op    // the op whose region this is
}

type verifier struct {
	k        *Kernel
	problems []error
	values   map[*Value]visibility // of all that are defined so far
	visited  map[*Op]bool
	fields   map[*Field]bool
	params   map[*Param]bool
	tables   map[*Table]bool
	funcs    map[*Func]bool // those declared so far
	scope    scope
	numbers  *printer // of all values, once a problem is reported
}

// visibility says whether ops may use a value where the verifier stands.
type visibility uint8

const (
	visible visibility = iota + 1 // its scope is open
	ended                         // its scope is closed
)

func newVerifier(k *Kernel) *verifier {
	ops := 0
	for _, b := range k.Blocks() {
		ops += countOps(b)
	}
	return &verifier{
		k: k, values: make(map[*Value]visibility, ops), visited: make(map[*Op]bool, ops),
		fields: map[*Field]bool{}, params: map[*Param]bool{}, tables: map[*Table]bool{}, funcs: map[*Func]bool{},
	}
}

// countOps is about how many ops a block has. Maps that are made for so many need not grow.
func countOps(b *Block) int {
	if b == nil {
		return 0
	}
	n := len(b.Ops)
	for _, o := range b.Ops {
		if o == nil {
			continue
		}
		for _, r := range o.Regions {
			n += countOps(r)
		}
	}
	return n
}

// names knows the values by the numbers that the printed kernel has. Most kernels have no problem to report.
func (v *verifier) names() *printer {
	if v.numbers == nil {
		v.numbers = newPrinter()
		for _, b := range v.k.Blocks() {
			v.numbers.number(b)
		}
	}
	return v.numbers
}

// bad reports a problem at pos.
func (v *verifier) bad(pos Pos, format string, args ...any) {
	if len(v.problems) >= maxProblems {
		return
	}
	where := "kernel " + v.k.Name
	if pos.IsKnown() {
		file := fmt.Sprintf("file %d", pos.File)
		if int(pos.File) < len(v.k.Files) {
			file = v.k.Files[pos.File]
		}
		where = fmt.Sprintf("%s:%d:%d: %s", file, pos.Line, pos.Col, where)
	}
	v.problems = append(v.problems, fmt.Errorf("ir: %s: %s", where, fmt.Sprintf(format, args...)))
}

// op reports a problem of o, quoting its first line.
func (v *verifier) op(o *Op, format string, args ...any) {
	if len(v.problems) >= maxProblems {
		return
	}
	p := *v.names()
	p.sb.Reset()
	head := *o
	head.Regions, head.Pos = nil, Pos{}
	p.op(&head)
	text := p.sb.String()
	v.bad(o.Pos, "%s: in %q", fmt.Sprintf(format, args...), text[:len(text)-1])
}

func (v *verifier) header() {
	k := v.k
	names := map[string]bool{}
	slot := 0
	for _, q := range k.Params {
		if !q.Kind.IsNumber() && q.Kind != Bool && q.Content != ParamView || q.Comps < 1 {
			v.bad(Pos{}, "parameter %s has %d components of kind %s", q.Name, q.Comps, q.Kind)
		}
		if q.Kinds != nil {
			v.structParam(q)
		}
		if q.Slot != slot {
			v.bad(Pos{}, "parameter %s has slot %d where %d is next", q.Name, q.Slot, slot)
		}
		if names[q.Name] {
			v.bad(Pos{}, "two parameters are called %s", q.Name)
		}
		names[q.Name], v.params[q] = true, true
		slot += q.Slots()
	}
	if k.Int != I32 && k.Int != I64 {
		v.bad(Pos{}, "int is %s, neither i32 nor i64", k.Int)
	}
	for _, r := range k.Results {
		if !r.IsNumber() && r != Bool {
			v.bad(Pos{}, "a result has kind %s", r)
		}
	}
	clear(names)
	for i, f := range k.Fields {
		v.field(i, f)
		if names[f.Name] {
			v.bad(Pos{}, "two fields are called %s", f.Name)
		}
		names[f.Name], v.fields[f] = true, true
	}
	v.measure(k.Measure)
	v.parts()
	for i, t := range k.Tables {
		if t.Index != i || !t.Kind.IsNumber() && t.Kind != Bool || len(t.Data) == 0 {
			v.bad(Pos{}, "table %d (%s) has number %d, kind %s and %d elements", i, t.Name, t.Index, t.Kind, len(t.Data))
		}
		for _, bits := range t.Data {
			if !canonical(t.Kind, bits) {
				v.bad(Pos{}, "table %s holds %#x, which is no %s", t.Name, bits, t.Kind)
			}
		}
		v.tables[t] = true
	}
}

func (v *verifier) field(i int, f *Field) {
	if f.Index != i {
		v.bad(Pos{}, "field %s has number %d and stands at %d", f.Name, f.Index, i)
	}
	v.sparseField(f)
	v.storedField(f)
	for _, c := range f.Comps {
		if !c.IsNumber() && c != Bool {
			v.bad(Pos{}, "field %s has a component of kind %s", f.Name, c)
		}
	}
	if len(f.Origin) != len(f.Shape) && f.Origin != nil {
		v.bad(Pos{}, "field %s has %d axes and %d origins", f.Name, len(f.Shape), len(f.Origin))
	}
	if f.Extents != nil && len(f.Extents) != len(f.Shape) {
		v.bad(Pos{}, "field %s has %d axes and %d extents", f.Name, len(f.Shape), len(f.Extents))
		return
	}
	for a := range f.Shape {
		n, at := f.Extent(a)
		if at != nil && (f.Shape[a] != -1 || !v.params[at] || at.Content != ParamExtent && at.Content != ParamLength) || at == nil && n < 1 {
			v.bad(Pos{}, "field %s has an extent of %d along axis %d", f.Name, f.Shape[a], a)
		}
	}
	if w := f.View; w != nil && (!v.params[w.Param] || w.Param.Content != ParamView || len(w.Offsets) != len(f.Comps)) {
		v.bad(Pos{}, "field %s is a view of what is no view parameter, or has %d offsets", f.Name, len(w.Offsets))
	} else if w != nil && w.Strides != nil {
		v.strides(f)
	}
}

// strides checks those of a view.
func (v *verifier) strides(f *Field) {
	if n := len(f.View.Strides); n != len(f.Shape)-1 {
		v.bad(Pos{}, "field %s has %d axes and %d strides", f.Name, len(f.Shape), n)
	}
	for a, p := range f.View.Strides {
		if !v.params[p] || p.Content != ParamStride {
			v.bad(Pos{}, "field %s has a stride along axis %d that is no parameter for one", f.Name, a)
		}
	}
}

func (v *verifier) function(i int, f *Func) {
	if f.Body == nil {
		v.bad(Pos{}, "function %s has no body", f.Name)
		return
	}
	for _, g := range v.k.Funcs[:i] {
		if g.Name == f.Name {
			v.bad(Pos{}, "two functions are called %s", f.Name)
		}
	}
	if len(f.Body.Params) != len(f.Params) {
		v.bad(Pos{}, "function %s has %d parameters and its body %d", f.Name, len(f.Params), len(f.Body.Params))
	} else {
		for i, t := range f.Params {
			if f.Body.Params[i].Type != t {
				v.bad(Pos{}, "parameter %d of function %s is %s and in its body %s", i, f.Name, t, f.Body.Params[i].Type)
			}
		}
	}
	v.scope = scope{fn: f}
	v.open(f.Body, nil)
	v.ops(f.Body)
	v.close(f.Body)
	v.effects(f)
	v.funcs[f] = true
}

func (v *verifier) task(i int, t *Task) {
	if t.Index != i {
		v.bad(t.Pos, "task %q has number %d and stands at %d", t.Name, t.Index, i)
	}
	if t.Part < 0 || t.Part > max(0, len(v.k.Parts)-1) {
		v.bad(t.Pos, "task %q is of part %d of %d", t.Name, t.Part, len(v.k.Parts))
	}
	if t.First < 0 || t.First > t.Part {
		v.bad(t.Pos, "task %q is of parts from %d to %d", t.Name, t.First, t.Part)
	}
	if t.Body == nil {
		v.bad(t.Pos, "task %q has no body", t.Name)
		return
	}
	if len(t.Dims) == 0 && (t.Prologue != nil || t.Epilogue != nil) {
		v.bad(t.Pos, "task %q is serial and has a prologue or epilogue", t.Name)
	}
	dims := t.Dims
	if t.Batch > 0 {
		if len(dims) == 0 {
			v.bad(t.Pos, "task %q takes several iterations at a time, and has no dimension", t.Name)
			return
		}
		dims = append(slices.Clip(dims), dims[len(dims)-1])
	}
	if len(t.Body.Params) != len(dims) {
		v.bad(t.Pos, "the body of task %q has %d parameters for %d dimensions", t.Name, len(t.Body.Params), len(t.Dims))
	} else {
		for d, dim := range dims {
			if p := t.Body.Params[d]; p.Type != Scalar(dim.Kind) || !dim.Kind.IsInt() {
				v.bad(t.Pos, "index %d of task %q is %s in its body and %s in its bounds", d, t.Name, p.Type, dim.Kind)
			}
		}
	}
	v.lists(t)
	v.states(t.Pos, t.States)
	for _, s := range []struct {
		name string
		b    *Block
	}{{"prologue", t.Prologue}, {"body", t.Body}, {"epilogue", t.Epilogue}} {
		if s.b != nil {
			v.scope = scope{task: t, section: s.name}
			v.open(s.b, nil)
			v.ops(s.b)
			if s.b != t.Prologue {
				v.close(s.b)
			}
		}
	}
	v.close(t.Prologue)
}

// open makes the parameters of b visible.
func (v *verifier) open(b *Block, parent *Op) {
	if b.Parent != parent {
		v.bad(Pos{}, "a block's owner is not the op that it is a region of")
	}
	for i, p := range b.Params {
		if p.Block != b || p.Index != i || p.Def != nil {
			v.bad(Pos{}, "parameter %d (%s) of a block does not point back to it", i, v.names().def(p))
		}
		v.define(p, Pos{})
	}
}

func (v *verifier) define(x *Value, pos Pos) {
	if v.values[x] != 0 {
		v.bad(pos, "%s is defined twice", v.names().use(x))
	}
	if x.Type.Lanes < 1 || x.Type.Lanes > v.lanes() || !AnyKind.Allows(x.Type.Kind) {
		v.bad(pos, "%s has the type %s", v.names().use(x), x.Type)
	}
	v.values[x] = visible
}

// lanes is how many lanes a value may have: what functions with a derivative take as a whole is of any size, until the kernel is
// differentiated.
func (v *verifier) lanes() uint32 {
	if v.k.Tasks == nil {
		return 1 << 28
	}
	return 64
}

// close ends the visibility of what b defines.
func (v *verifier) close(b *Block) {
	if b == nil {
		return
	}
	for _, p := range b.Params {
		v.values[p] = ended
	}
	for _, o := range b.Ops {
		for _, r := range o.Results {
			v.values[r] = ended
		}
	}
}

// ops checks the ops of an open block.
func (v *verifier) ops(b *Block) {
	if b.Terminator() == nil {
		pos := Pos{}
		if len(b.Ops) > 0 {
			pos = b.Ops[len(b.Ops)-1].Pos
		} else if b.Parent != nil {
			pos = b.Parent.Pos
		}
		v.bad(pos, "a block does not end in a terminator")
	}
	var parts assignment
	for i, o := range b.Ops {
		if len(v.problems) >= maxProblems {
			return
		}
		if o == nil || o.Code == BadCode || o.Code >= numCodes {
			v.bad(Pos{}, "a block has an op without a code")
			continue
		}
		if v.visited[o] {
			v.op(o, "the op stands in two places")
			continue
		}
		v.visited[o] = true
		if o.Code.Is(Terminator) && i < len(b.Ops)-1 {
			v.op(o, "a terminator stands before the end of its block")
		}
		if v.operands(o) {
			v.rule(o)
			v.special(o)
		}
		v.regions(o)
		for i, r := range o.Results {
			if r.Def != o || r.Index != i || r.Block != nil {
				v.op(o, "result %d does not point back to its op", i)
			}
		}
		for _, o := range parts.next(v, o) {
			for _, r := range o.Results {
				v.define(r, o.Pos)
			}
		}
	}
}

// structParam checks what a parameter that is a struct, or a slice of them, has.
func (v *verifier) structParam(q *Param) {
	if len(q.Kinds) != q.Comps || q.Content == ParamSlice && len(q.Offsets) != q.Comps {
		v.bad(Pos{}, "parameter %s has %d components, %d kinds and %d offsets", q.Name, q.Comps, len(q.Kinds), len(q.Offsets))
		return
	}
	for i, k := range q.Kinds {
		if !k.IsNumber() && k != Bool || q.Content == ParamSlice && (q.Offsets[i] < 0 || q.Offsets[i]+int64(k.Size()) > q.Size) {
			v.bad(Pos{}, "component %d of parameter %s is %s, in an element of %d bytes", i, q.Name, k, q.Size)
		}
	}
}
