package pass

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// Tasks that differ only in numbers share their code: such a number becomes an argument, whose value is in the launch descriptor. A
// multigrid solver, for example, has the same loops for each of its levels; they differ in offsets of control blocks, and in the
// extents of a level and values computed from these. Loops over dense memory share code if they differ in numbers of their
// computation, such as the coefficients of a stencil, and not in addresses.
//
// A number stays constant if the code generator uses it for more than an operand: trip counts, divisors, shifts, strides and
// distances in innermost loops, which decide about vectors, and factors that it may multiply by others (see [chainedIn]).

const (
	leastShared   = 20  // the fewest ops of a task over a list whose shared compilation is worth an argument
	leastDense    = 8   // the same for other loops: LLVM's vectoriser takes as long for them as for hundreds of ops
	mostArguments = 256 // of a group of tasks
)

// share merges the code of tasks that have the same shape.
func share(s *state) {
	groups := map[string][]*ir.Task{}
	var shapes []string
	for _, t := range s.k.Tasks {
		if len(t.Dims) == 0 || size(t) < leastOf(t) {
			continue
		}
		shape := shapeOf(t)
		if groups[shape] == nil {
			shapes = append(shapes, shape)
		}
		groups[shape] = append(groups[shape], t)
	}
	n := 0
	for _, shape := range shapes {
		if g := groups[shape]; len(g) > 1 {
			n += shareGroup(s.k, g, n)
		}
	}
}

// leastOf is the number of ops from which on a task is worth an argument.
func leastOf(t *ir.Task) int {
	if len(t.Lists) == 0 {
		return leastDense
	}
	return leastShared
}

func size(t *ir.Task) (n int) {
	for _, b := range t.Blocks() {
		if b != nil {
			n += b.Size()
		}
	}
	return n
}

// A use is a constant operand that may become an argument.
type use struct {
	op  *ir.Op
	arg int
}

// freeUses lists the constant operands of a task that may become arguments, in the order of its ops.
func freeUses(t *ir.Task) (all []use) {
	chained := chainedIn(t)
	var visit func(b *ir.Block, innermost bool)
	visit = func(b *ir.Block, innermost bool) {
		for _, o := range b.Ops {
			for i, a := range o.Args {
				if isFree(t, o, a, innermost, chained) {
					all = append(all, use{o, i})
				}
			}
			for _, r := range o.Regions {
				visit(r, innermost || isInnermost(o))
			}
		}
	}
	for _, b := range t.Blocks() {
		visit(b, false)
	}
	return all
}

// isInnermost reports whether o is a loop without loops in it.
func isInnermost(o *ir.Op) bool {
	if !o.Code.Is(ir.Loop) {
		return false
	}
	inner := false
	for _, r := range o.Regions {
		ir.Visit(r, func(p *ir.Op) bool {
			inner = inner || p.Code.Is(ir.Loop)
			return !inner
		})
	}
	return !inner
}

// isFree reports whether an operand may become an argument: a number that the code generator uses only as an operand.
func isFree(t *ir.Task, o *ir.Op, a *ir.Value, innermost bool, chained map[*ir.Value]bool) bool {
	if a == nil || a.Def == nil || a.Def.Code != ir.OpConst || a.Type.Lanes > 1 || a.Type.Kind.Size() < 4 {
		return false
	}
	if o.Code == ir.OpStore || a.Type.Kind.IsFloat() {
		return isFreeData(o, chained)
	}
	if !a.Type.Kind.IsInt() || len(t.Lists) == 0 {
		return false
	}
	switch o.Code {
	case ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe, ir.OpEq, ir.OpNe:
		return true
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpOffset:
		return !innermost
	}
	return false
}

// shapeOf writes everything on which the code of a task depends, except its free uses. Slots and sites have the numbers by which the
// code refers to them.
func shapeOf(t *ir.Task) string {
	w := &shapeWriter{task: t, chained: chainedIn(t), sig: ir.SignatureOf(t), ids: map[*ir.Value]int{}, labels: map[*ir.Op]int{}, alias: aliasClasses{}}
	fmt.Fprintf(&w.b, "%v %v %v %v %v %v %v", t.Batch, t.Strided, t.Independent, t.Loop > 0, t.Parts, t.Partial, len(t.Variants))
	for _, d := range t.Dims {
		fmt.Fprintf(&w.b, " %v %v %d %d %d", d.Kind, d.Lo, d.Hi.From, d.Hi.Const, d.Hi.Div)
	}
	for _, l := range t.Lists {
		fmt.Fprintf(&w.b, " list %d %d", l.Outer, l.Masks)
	}
	for _, p := range t.Private {
		fmt.Fprintf(&w.b, " private %v %v", p.Op, p.Kind)
	}
	for _, v := range t.Variants {
		fmt.Fprintf(&w.b, " %s", v.Name)
	}
	for _, b := range t.Blocks() {
		w.block(b)
	}
	return w.b.String()
}

type shapeWriter struct {
	task    *ir.Task
	chained map[*ir.Value]bool // see chainedIn
	sig     *ir.Signature
	b       strings.Builder
	ids     map[*ir.Value]int
	labels  map[*ir.Op]int
	alias   aliasClasses
	inside  bool // of an innermost loop
}

// aliasClasses numbers alias classes in the order in which a task uses them, since the code distinguishes them only within a task.
type aliasClasses map[int32]int32

func (a aliasClasses) of(class int32) int32 {
	if class == 0 {
		return 0
	}
	if _, again := a[class]; !again {
		a[class] = int32(len(a) + 1)
	}
	return a[class]
}

func (w *shapeWriter) define(vs []*ir.Value) {
	for _, v := range vs {
		w.ids[v] = len(w.ids)
		fmt.Fprintf(&w.b, " %v", v.Type)
	}
}

func (w *shapeWriter) block(b *ir.Block) {
	w.b.WriteString(" {")
	if b != nil {
		w.define(b.Params)
		for _, o := range b.Ops {
			if o.Code != ir.OpConst {
				w.op(o)
			}
		}
	}
	w.b.WriteByte('}')
}

func (w *shapeWriter) op(o *ir.Op) {
	if o.Code.Is(ir.Loop) {
		w.labels[o] = len(w.labels)
	}
	aux, bits := o.Aux, o.Bits
	switch o.Code {
	case ir.OpParam, ir.OpArgPtr:
		aux = int64(w.sig.Index(ir.SlotArg, aux))
	case ir.OpBase:
		aux = int64(w.sig.Index(ir.SlotBase, aux))
	case ir.OpFrame:
		aux = int64(w.sig.Index(ir.SlotFrame, aux))
	case ir.OpFail, ir.OpRecord:
		aux = int64(w.sig.Site(aux))
	case ir.OpEntry:
		bits = 0 // a bound; the largest of the group holds for all
	}
	fmt.Fprintf(&w.b, "\n%d %d %d %d %d %d %x %d %d", o.Code, o.Flags, o.Atomic, o.Order, o.Kind, aux, bits, w.alias.of(o.Alias), o.Stride)
	if o.Table != nil {
		fmt.Fprintf(&w.b, " table %d", o.Table.Index)
	}
	if o.Param != nil {
		fmt.Fprintf(&w.b, " param %d", o.Param.Slot)
	}
	if o.Func != nil {
		fmt.Fprintf(&w.b, " func %s", o.Func.Name)
	}
	if o.Store != nil {
		fmt.Fprintf(&w.b, " store %d", *o.Store)
	}
	if o.Target != nil {
		fmt.Fprintf(&w.b, " to %d", w.labels[o.Target])
	}
	for _, a := range o.Args {
		w.operand(o, a)
	}
	w.b.WriteByte(':')
	w.define(o.Results)
	outside := w.inside
	w.inside = outside || isInnermost(o)
	for _, r := range o.Regions {
		w.block(r)
	}
	w.inside = outside
}

func (w *shapeWriter) operand(o *ir.Op, a *ir.Value) {
	switch {
	case a == nil:
		w.b.WriteString(" nil")
	case isFree(w.task, o, a, w.inside, w.chained):
		fmt.Fprintf(&w.b, " number %v", a.Type)
	case a.Def != nil && a.Def.Code == ir.OpConst:
		fmt.Fprintf(&w.b, " %v %x", a.Type, a.Def.Bits)
	default:
		w.b.WriteString(" %" + strconv.Itoa(w.ids[a]))
	}
}

// shareGroup turns the numbers in which tasks of one shape differ into arguments, and returns how many; first is the number of
// existing arguments.
func shareGroup(k *ir.Kernel, tasks []*ir.Task, first int) (n int) {
	uses := make([][]use, len(tasks))
	for i, t := range tasks {
		if uses[i] = freeUses(t); len(uses[i]) != len(uses[0]) {
			return 0 // never happens
		}
	}
	columns := map[string]int{} // the argument for the values that all tasks have at a use
	var order [][]uint64
	var kinds []ir.Kind
	at := make([]int, len(uses[0]))
	for j := range uses[0] {
		column := make([]uint64, len(tasks))
		for i := range tasks {
			u := uses[i][j]
			column[i] = u.op.Args[u.arg].Def.Bits
		}
		kind := uses[0][j].op.Args[uses[0][j].arg].Type.Kind
		at[j] = -1
		if slices.Min(column) == slices.Max(column) {
			continue
		}
		key := fmt.Sprint(kind, column)
		if _, again := columns[key]; !again {
			columns[key] = len(order)
			order, kinds = append(order, column), append(kinds, kind)
		}
		at[j] = columns[key]
	}
	if len(order) > mostArguments {
		return 0
	}
	equalEntries(tasks)
	for _, t := range tasks {
		classes := aliasClasses{}
		for _, b := range t.Blocks() {
			ir.Visit(b, func(o *ir.Op) bool {
				o.Alias = classes.of(o.Alias)
				return true
			})
		}
	}
	for i, t := range tasks {
		values := make([]*ir.Value, len(order))
		var ops []*ir.Op
		for c, column := range order {
			p := numberParam(k, first+n, kinds[c], column[i])
			n++
			o := ir.NewOp(ir.OpParam, t.Pos, []ir.Type{ir.Scalar(kinds[c])})
			o.Aux = int64(p.Slot)
			ops, values[c] = append(ops, o), o.Result()
		}
		b := t.Prologue
		if b == nil {
			b = t.Body
		}
		b.Ops = append(ops, b.Ops...)
		for j, u := range uses[i] {
			if at[j] >= 0 {
				u.op.Args[u.arg] = values[at[j]]
			}
		}
	}
	return n
}

// numberParam adds a hidden parameter with a value to k.
func numberParam(k *ir.Kernel, n int, kind ir.Kind, bits uint64) *ir.Param {
	slot := 0
	for _, p := range k.Params {
		slot = max(slot, p.Slot+p.Slots())
	}
	p := &ir.Param{Name: fmt.Sprintf("number.%d", n), Content: ir.ParamNumber, Kind: kind, Comps: 1, Slot: slot, Value: bits}
	k.Params = append(k.Params, p)
	return p
}

// equalEntries gives words of entries the bound that holds for all tasks.
func equalEntries(tasks []*ir.Task) {
	var all [][]*ir.Op
	for _, t := range tasks {
		var entries []*ir.Op
		for _, b := range t.Blocks() {
			ir.Visit(b, func(o *ir.Op) bool {
				if o.Code == ir.OpEntry {
					entries = append(entries, o)
				}
				return true
			})
		}
		all = append(all, entries)
	}
	for j := range all[0] {
		most := uint64(0)
		for i := range all {
			most = max(most, all[i][j].Bits)
		}
		for i := range all {
			all[i][j].Bits = most
		}
	}
}
