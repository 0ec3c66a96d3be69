//go:build !ti_ahead

package variant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/mathlib"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/oracle/hostmem"
	"github.com/gotaichi/ti/internal/oracle/ontree"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/typed"
)

// A TreeJudge compares launches on the oracle, which interprets the IR that lowering makes, with those of package ontree, which
// interprets the tree that lowering starts from. Both begin with the same memory. A launch fails if they differ in an element, a
// result, a record of printed text, or in whether and where the launch fails first.
type TreeJudge struct {
	Judged    int            // launches
	Uncovered map[string]int // launches that were not compared, by reason

	// MaxSteps limits the statements of a run; 0 is no limit.
	MaxSteps int64
}

// TreeJudge makes m, whose kernels are interpreted, compare its launches from the first call on. The caller holds the launch lock, or launches
// nothing yet.
func (m *Maker) TreeJudge() *TreeJudge {
	if m.trees == nil {
		m.trees = &TreeJudge{Uncovered: map[string]int{}}
	}
	return m.trees
}

// A treeTrial is a launch that has run on the tree and is to run on the oracle.
type treeTrial struct {
	in      *interpreter
	env     *oracle.Env
	tree    *ontree.Result
	fields  map[string]*overlay // by name
	trees   []*hostmem.Tree     // the tree's own copies
	nodes   map[*layout.Node]*oracle.Node
	host    map[*layout.Node]*oracle.Node // those of the oracle
	views   []viewCopy
	slices  []sliceCopy
	results []typed.Scalar
	records []treeRecord // of the oracle
	exact   bool         // failures are to be the same
}

// A treeRecord is printed text of the oracle.
type treeRecord struct {
	site   *ir.Site
	number uint64
	values []uint64
}

// begin runs a launch on the tree. It returns nil if that cannot be.
func (j *TreeJudge) begin(ctx context.Context, in *interpreter, env *oracle.Env, trees []*hostmem.Tree) *treeTrial {
	if j == nil {
		return nil
	}
	t := &treeTrial{in: in, env: env, fields: map[string]*overlay{}, host: hostmem.Nodes(trees)}
	err := t.run(ctx, j.MaxSteps)
	if err != nil {
		reason := err.Error()
		if not, is := errors.AsType[ontree.NotCovered](err); is {
			reason = not.What
		}
		j.Uncovered[reason]++
		return nil
	}
	j.Judged++
	record := env.Record
	env.Record = func(n int, number uint64, values []uint64) {
		if s := in.k.Sites[n]; s.Kind == site.Print {
			t.records = append(t.records, treeRecord{s, number, slices.Clone(values)})
		}
		record(n, number, values)
	}
	return t
}

func (t *treeTrial) run(ctx context.Context, steps int64) error {
	v := t.in.v
	switch v.Role.(type) {
	case plain, aside, unshipped:
	default:
		return ontree.NotCovered{What: "a kernel made of another one"}
	}
	o := v.options(v.late).Driver()
	t.exact = !o.Debug && !o.CheckNaN
	tree, err := v.lower.Tree()
	if err != nil {
		return err
	}
	p := &tree.Program.Program
	k := p.Kernel(v.Kernel.Name)
	for _, tree := range t.in.trees {
		own, err := hostmem.NewTree(tree)
		if err != nil {
			return err
		}
		t.trees = append(t.trees, own)
	}
	t.nodes = hostmem.Nodes(t.trees)
	env := &ontree.Env{Fields: map[*typed.Field]*ontree.Field{}, Key: t.env.Key, Strict: o.Strict, Math: treeMath, MaxSteps: steps}
	for _, f := range k.Fields {
		if err := t.field(env, f); err != nil {
			return err
		}
	}
	if err := t.arguments(env, k); err != nil {
		return err
	}
	for _, r := range k.Results {
		t.results = append(t.results, typed.Leaves(r.Type)...)
	}
	t.tree, err = ontree.Run(untilClosed{ctx, v.Kernel.Program.Maker.Stop}, p, k, env)
	if err == nil && o.Unchecked && t.tree.First != nil {
		return ontree.NotCovered{What: "a failure without checks"}
	}
	return err
}

// field gives the tree its own copy of a field.
func (t *treeTrial) field(env *ontree.Env, f *typed.Field) error {
	g := &ontree.Field{}
	for a := range f.Shape {
		g.Shape, g.Origin = append(g.Shape, int64(f.Shape[a])), append(g.Origin, int64(f.Origin[a]))
	}
	env.Fields[f] = g
	lay := t.in.v.Scope.Layout
	if home := t.nodes[lay.Node(f.Name)]; home != nil && f.Sparse {
		g.Home = home
	}
	if _, node := f.Elem.(typed.NodeType); node {
		return nil
	}
	c := t.in.v.Scope.Named(f.Name)
	if c == nil {
		return fmt.Errorf("no field %s", f.Name)
	}
	host := c.Shape()
	for a := range g.Shape {
		if f.Symbolic { // which code may read at launch
			g.Shape[a] = int64(host[a])
		}
	}
	kinds := typed.Leaves(f.Elem)
	number := func(comp int) int {
		if f.Comps != nil {
			return f.Comps[comp]
		}
		return comp
	}
	for comp := range kinds {
		if c.Access(number(comp)).Packed != nil {
			return ontree.NotCovered{What: "numbers in fewer bits"}
		}
	}
	own := &overlay{rank: f.Rank, kinds: kinds, cells: map[oracle.Key]uint64{}, at: func(index []int64, comp int) unsafe.Pointer {
		return c.Address(number(comp), narrow(index))
	}}
	g.Memory = own
	t.fields[f.Name] = own
	for comp := range kinds {
		if g.Home == nil {
			break
		}
		home, part := t.nodes[lay.Node(f.Name)], t.nodes[lay[f.Name].Field.NodeOf(lay[f.Name].First+number(comp))]
		g.Parts = append(g.Parts, nil)
		home.Place(own, comp, comp+1)
		if part != nil && part != home {
			g.Parts[comp] = part
			part.Place(own, comp, comp+1)
		}
	}
	return nil
}

func narrow(index []int64) []int {
	out := make([]int, len(index))
	for a, i := range index {
		out[a] = int(i)
	}
	return out
}

// arguments gives the tree copies of the arguments, in the slots of the calling convention: one for each component of a value, the address and
// length of a slice, and address, extents and the distances of all axes but the last of a view.
func (t *treeTrial) arguments(env *ontree.Env, k *typed.Func) error {
	args := t.env.Args
	var memory [][2]uintptr
	for _, p := range k.Params {
		switch kind := p.Type.(type) {
		case typed.Slice:
			m := typed.MemoryOf(kind.Elem)
			data := SliceBytes(args[0], args[1], m.Size)
			own := slices.Clone(data)
			t.slices = append(t.slices, sliceCopy{p.Name, data, own, m, typed.Leaves(kind.Elem)})
			env.Args = append(env.Args, ontree.Arg{Data: own, Len: int64(args[1])})
			memory = append(memory, [2]uintptr{uintptr(args[0]), uintptr(args[0]) + uintptr(len(data))})
			args = args[2:]
		case typed.View:
			c, err := copyView(p.Name, kind, args)
			if err != nil {
				return err
			}
			t.views = append(t.views, c)
			env.Args = append(env.Args, ontree.Arg{View: &ontree.Field{Memory: c.own, Shape: c.shape}})
			memory = append(memory, c.reach)
			args = args[2*kind.Rank:]
		default:
			kinds := typed.Leaves(p.Type)
			a := ontree.Arg{}
			for i, s := range kinds {
				a.Bits = append(a.Bits, low(s, args[i]))
			}
			env.Args = append(env.Args, a)
			args = args[len(kinds):]
		}
	}
	for i, a := range memory {
		for _, b := range memory[:i] {
			if a[0] < b[1] && b[0] < a[1] {
				return ontree.NotCovered{What: "arguments that share memory"}
			}
		}
	}
	return nil
}

// low keeps the bits that a value of type s has.
func low(s typed.Scalar, x uint64) uint64 {
	if n := s.Bits(); n < 64 {
		if s == typed.Bool {
			return x & 1
		}
		return x & (1<<n - 1)
	}
	return x
}

var treeMathCodes = map[typed.Fn]ir.Code{
	typed.Sin: ir.OpSin, typed.Cos: ir.OpCos, typed.Tan: ir.OpTan, typed.Asin: ir.OpAsin, typed.Acos: ir.OpAcos, typed.Atan: ir.OpAtan,
	typed.Sinh: ir.OpSinh, typed.Cosh: ir.OpCosh, typed.Tanh: ir.OpTanh, typed.Exp: ir.OpExp, typed.Exp2: ir.OpExp2,
	typed.Log: ir.OpLog, typed.Log2: ir.OpLog2, typed.Rsqrt: ir.OpRsqrt, typed.Cbrt: ir.OpCbrt, typed.Atan2: ir.OpAtan2, typed.Pow: ir.OpPow,
}

func treeMath(fn typed.Fn, s typed.Scalar, args ...uint64) uint64 {
	return mathlib.Eval(treeMathCodes[fn], s.Kind(), args...)
}

// compare compares the launch on the oracle, which has given r, with that on the tree.
func (t *treeTrial) compare(r *oracle.Result) error {
	if t == nil {
		return nil
	}
	var wrong []string
	say := func(format string, args ...any) {
		if len(wrong) < mostWrong {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	t.compareFields(say)
	t.compareCells(say)
	for _, c := range t.views {
		c.compare(say)
	}
	for _, c := range t.slices {
		c.compare(say)
	}
	for i, s := range t.results {
		if got, want := low(s, r.Values[i]), t.tree.Values[i]; !alike(s, got, want) {
			say("component %d of the results is %s, and of the tree %s", i, shown(s, got), shown(s, want))
		}
	}
	t.compareRecords(say)
	t.compareFailures(r.Failure, say)
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("launch of %s: the oracle and the typed tree differ:\n%s", t.in.v.Kernel.Name, strings.Join(wrong, "\n"))
}

// mostWrong is how many differences are told.
const mostWrong = 8

// alike compares numbers bit for bit, but for NaNs.
func alike(s typed.Scalar, x, y uint64) bool {
	if s.IsFloat() && ir.FloatValue(s.Kind(), x) != ir.FloatValue(s.Kind(), x) {
		return ir.FloatValue(s.Kind(), y) != ir.FloatValue(s.Kind(), y)
	}
	return x == y
}

func shown(s typed.Scalar, x uint64) string {
	if s.IsFloat() {
		return fmt.Sprintf("%v (%#x)", ir.FloatValue(s.Kind(), x), x)
	}
	return fmt.Sprintf("%d", int64(ir.IntBits(s.Kind(), int64(x))))
}

func (t *treeTrial) compareFields(say func(string, ...any)) {
	for i, f := range t.in.k.Fields {
		own := t.fields[f.Name]
		if own == nil || f.View != nil {
			continue
		}
		keys := map[oracle.Key]bool{}
		for k := range own.cells {
			keys[k] = true
		}
		if m, is := t.in.memory[i].(*hostmem.Field); is {
			for k := range m.Known() {
				keys[k] = true
			}
		}
		for k := range keys {
			index, s := k.Index[:own.rank], own.kinds[k.Comp]
			if got, want := low(s, t.in.memory[i].Load(index, k.Comp)), own.Load(index, k.Comp); !alike(s, got, want) {
				say("component %d of %s%v is %s, and of the tree %s", k.Comp, f.Name, index, shown(s, got), shown(s, want))
			}
		}
	}
}

// compareCells compares which cells of sparse trees are active.
func (t *treeTrial) compareCells(say func(string, ...any)) {
	for n, own := range t.nodes {
		got, want := t.host[n].Cells(), own.Cells()
		if !slices.EqualFunc(got, want, slices.Equal) {
			say("of a node of sizes %d the cells %d are active, and of the tree %d", n.Sizes(), got, want)
		}
	}
}

func (t *treeTrial) compareRecords(say func(string, ...any)) {
	if got, want := len(t.records), len(t.tree.Outputs); got != want {
		say("%d prints, and %d of the tree", got, want)
		return
	}
	for i, got := range t.records {
		want := t.tree.Outputs[i]
		same := got.number == want.Number && len(got.site.Text) == len(want.Format) && len(got.values) == len(want.Values)
		n := 0
		for k := 0; same && k < len(want.Format); k++ {
			a, b := got.site.Text[k], want.Format[k]
			same = a.Text == b.Text && a.Verb == b.Verb
			if b.Verb != "" && same {
				same = a.Kind == b.Kind.Kind() && alike(b.Kind, low(b.Kind, got.values[n]), want.Values[n])
				n++
			}
		}
		if !same {
			say("print %d is %v %v of iteration %d, and of the tree %v %v of iteration %d", i, got.site.Text, got.values, got.number, want.Format, want.Values, want.Number)
		}
	}
}

func (t *treeTrial) compareFailures(got *oracle.Failure, say func(string, ...any)) {
	want := t.tree.First
	switch {
	case got == nil && want == nil:
		return
	case want == nil && !t.exact: // a check of debug mode
		return
	case got == nil:
		say("the launch does not fail, and of the tree fails %+v", *want)
		return
	case want == nil:
		say("the launch fails %+v, and not that of the tree", *got)
		return
	case !t.exact:
		return
	}
	at := front.Position(t.in.k, got.Pos)
	same := at.Filename == want.Pos.Filename && at.Line == want.Pos.Line && (at.Column == want.Pos.Column || want.Kind == ontree.BadSection)
	same = same && slices.Equal(got.Loop, want.Loop)
	switch want.Kind {
	case ontree.BadIndex:
		same = same && got.What == want.What && slices.Equal(got.Index, want.Index) && slices.Equal(got.Shape, want.Shape)
	case ontree.FalseAssert:
		same = same && got.Site != nil && got.Site.Kind == site.Assert && len(got.Values) == len(want.Values)
	case ontree.BadSection:
		same = same && got.Site != nil && got.Site.Kind == site.Section
	case ontree.BadLength:
		same = same && got.Site != nil
	case ontree.BadComponent:
		same = same && got.Site == nil
	}
	if !same {
		say("the launch fails first at %v: %+v, and that of the tree %+v", at, *got, *want)
	}
}
