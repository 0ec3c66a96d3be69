package llvm

import (
	"fmt"
	"sort"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/sparsert"
	"github.com/gotaichi/ti/internal/target"
)

// Options say how to translate, and for what.
type Options struct {
	option.Options
	target.Traits
	NoVariants bool // leaves out lane variants, since nothing will put them in place
}

// Late is the attribute of functions that are to be inlined after the loop
// vectoriser has run.
const Late = "ti-late"

// A module is the text under construction.
type module struct {
	opts      Options
	k         *ir.Kernel
	functions strings.Builder
	helpers   strings.Builder
	helped    map[string]bool
	tables    strings.Builder
	tabled    map[*ir.Table]int // number of each table that has been defined
	declared  map[string]string
	scopes    map[int32]string // alias class to metadata of an access
	classes   []aliasClass
	scopesOf  map[string]string // the same of accesses to several classes
	meta      strings.Builder
	nodes     int
	asides    int                            // functions of code that is hardly ever run
	word      int                            // node that says 8, 0 while there is none
	kept      []string                       // lane variants that nothing calls yet
	variants  map[*ir.Func][]*ir.Func        // of a scalar function
	numbers   map[*ir.Func]int               // by which the functions are named
	polling   map[*ir.Func]bool              // results of polls
	asking    map[*ir.Func]bool              // results of asksWorker
	runtime   map[sparsert.Function]*ir.Func // of the sparse runtime, as far as they are called
	seldom    string                         // metadata of a branch that is hardly ever taken; "" before its first use
	past      string                         // and of a store past the caches
	err       error
}

// Generate translates a task of k, whose function is then called [llvm.EntryName]. The text
// depends on the task alone, and names nothing as the source does: kernels that differ in
// names, or in other tasks, have equal texts for it.
func Generate(k *ir.Kernel, t *ir.Task, opts Options) (string, error) {
	m := newModule(k, opts)
	funcs := called(t, !opts.NoVariants)
	m.aliasScopes((&ir.Kernel{Funcs: funcs, Tasks: []*ir.Task{t}}).Blocks())
	for i, fn := range funcs {
		m.numbers[fn] = i
		if fn.Scalar != nil {
			m.variants[fn.Scalar] = append(m.variants[fn.Scalar], fn)
		}
	}
	for _, fn := range funcs {
		if err := m.function(fn); err != nil {
			return "", fmt.Errorf("function %s of kernel %s: %w", fn.Name, k.Name, err)
		}
	}
	if err := m.taskFunction(t); err != nil {
		return "", fmt.Errorf("task %d (%s) of kernel %s: %w", t.Index, t.Name, k.Name, err)
	}
	if m.err != nil {
		return "", fmt.Errorf("kernel %s: %w", k.Name, m.err)
	}
	return m.text(), nil
}

func newModule(k *ir.Kernel, opts Options) *module {
	m := &module{
		opts: opts, k: k, helped: map[string]bool{}, tabled: map[*ir.Table]int{}, declared: map[string]string{},
		scopes: map[int32]string{}, scopesOf: map[string]string{}, variants: map[*ir.Func][]*ir.Func{}, numbers: map[*ir.Func]int{},
		polling: map[*ir.Func]bool{}, asking: map[*ir.Func]bool{}, runtime: map[sparsert.Function]*ir.Func{},
	}
	m.node("!{}")                                      // !0, for !invariant.load
	m.node(fmt.Sprintf("!{i64 %d}", launch.BaseAlign)) // !1, for !align
	if align := opts.StackAlign; align > 0 {
		// LLVM finds out that it has to spill vectors when it is too late to align the stack for them.
		m.flag("override-stack-alignment", align)
	}
	return m
}

// text puts the module together.
func (m *module) text() string {
	var w strings.Builder
	if m.tables.Len() > 0 {
		w.WriteString(m.tables.String() + "\n")
	}
	if len(m.kept) > 0 {
		fmt.Fprintf(&w, "@llvm.compiler.used = appending global [%d x ptr] [ptr %s], section \"llvm.metadata\"\n\n",
			len(m.kept), strings.Join(m.kept, ", ptr "))
	}
	w.WriteString(m.functions.String())
	w.WriteString(m.helpers.String())
	names := make([]string, 0, len(m.declared))
	for name := range m.declared {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		w.WriteString(m.declared[name])
	}
	w.WriteString("\n" + m.attributes() + "\n" + m.meta.String())
	return w.String()
}

// attributes are those of tasks and functions (0), helpers to be inlined (1)
// and the rare path (2). Tables of jumps would lie in a section that tasks share, which
// cannot be cut. Without no-builtins, LLVM would make calls of memset
// and memcpy out of loops. Mustprogress is absent, since a kernel may loop
// forever.
func (m *module) attributes() string {
	common := `nounwind "no-builtins" "no-jump-tables"="true" "no-trapping-math"="true"`
	if m.opts.VectorBits > 0 {
		common += fmt.Sprintf(` "prefer-vector-width"="%d"`, m.opts.VectorBits)
	}
	if m.opts.Without.Has(option.Vectors) {
		// What both vectorisers heed, which a pipeline such as default<O3> switches on
		// whatever the options of its builder say.
		common += " noimplicitfloat"
	}
	if m.opts.Windows {
		common += ` noredzone "probe-stack"="inline-asm"`
	}
	return fmt.Sprintf("attributes #0 = { %s }\nattributes #1 = { %s alwaysinline }\nattributes #2 = { %s cold noinline }\n", common, common, common)
}

// flag adds a module flag, with which all modules of a program must agree.
func (m *module) flag(name string, value int) {
	const mustAgree = 1
	fmt.Fprintf(&m.meta, "!llvm.module.flags = !{%s}\n", m.node(fmt.Sprintf("!{i32 %d, !%q, i32 %d}", mustAgree, name, value)))
}

// node adds a metadata node and returns its name.
func (m *module) node(text string) string {
	name := fmt.Sprintf("!%d", m.nodes)
	m.nodes++
	fmt.Fprintf(&m.meta, "%s = %s\n", name, text)
	return name
}

// parallelLoop makes the metadata of the loop of a task, and the group that its accesses
// belong to. The group promises LLVM that the accesses have no dependences, see
// pass/independent.go; it is "" if that is not proven, and LLVM analyses the loop itself.
// A strided loop is not vectorised across iterations; one that prefetches is not
// unrolled, see unrollHint.
func (m *module) parallelLoop(t *ir.Task, prefetches bool) (group, loop string) {
	hints := ""
	if t.Independent {
		group = m.node("distinct !{}")
		hints += ", " + m.node(fmt.Sprintf("!{!\"llvm.loop.parallel_accesses\", %s}", group))
	}
	if !t.Independent && m.reorders() && goesOnAfterStore(t.Body) {
		hints += ", " + m.node("!{!\"llvm.loop.vectorize.enable\", i1 false}")
	} else if n := m.opts.ForceVectors; n > 0 {
		hints += ", " + m.node(fmt.Sprintf("!{!\"llvm.loop.vectorize.width\", i32 %d}", n))
	} else if t.Strided {
		hints += ", " + m.node("!{!\"llvm.loop.vectorize.enable\", i1 false}")
	} else if n := m.interleaved(t); n > 1 && !m.opts.Without.Has(option.Vectors) {
		hints += ", " + m.node(fmt.Sprintf("!{!\"llvm.loop.interleave.count\", i32 %d}", n))
	} else if m.branchesInCall(t.Body) {
		hints += ", " + m.node("!{"+oneVector+"}")
	}
	if prefetches {
		hints += ", " + m.node("!{!\"llvm.loop.unroll.disable\"}")
	} else if m.unrollsVectors() {
		hints += ", " + m.node("!{"+fewVectors+"}")
	}
	self := fmt.Sprintf("!%d", m.nodes)
	return group, m.node(fmt.Sprintf("distinct !{%s%s}", self, hints))
}

// reorders reports whether LLVM's vectoriser may move an access of a loop past another one of
// the same iteration that it depends on, as versions before 17 do with accesses to members of
// structs (llvm/llvm-project#63602). Where there may be such a pair it is kept away.
func (m *module) reorders() bool { return m.opts.Version > 0 && m.opts.Version < 17 }

// goesOnAfterStore reports whether memory is accessed in b after a first store.
func goesOnAfterStore(b *ir.Block) bool {
	stored, more := false, false
	ir.Visit(b, func(o *ir.Op) bool {
		more = more || stored && (o.Code == ir.OpLoad || o.Code == ir.OpStore || o.Code == ir.OpAtomic)
		stored = stored || o.Code == ir.OpStore
		return !more
	})
	return more
}

// An aliasClass has the node of its scope.
type aliasClass struct {
	class int32
	scope string
}

// aliasScopes makes a scope for every alias class in blocks: an access
// is in its own and in none of the others.
func (m *module) aliasScopes(blocks []*ir.Block) {
	var classes []int32
	for _, b := range blocks {
		ir.Visit(b, func(o *ir.Op) bool {
			if _, ok := m.scopes[o.Alias]; !ok && o.Alias != 0 {
				m.scopes[o.Alias] = ""
				classes = append(classes, o.Alias)
			}
			return true
		})
	}
	if len(classes) < 2 {
		return
	}
	sort.Slice(classes, func(i, j int) bool { return classes[i] < classes[j] })
	self := func() string { return fmt.Sprintf("!%d", m.nodes) }
	domain := m.node(fmt.Sprintf("distinct !{%s}", self()))
	scopes := make([]string, len(classes))
	for i := range classes {
		scopes[i] = m.node(fmt.Sprintf("distinct !{%s, %s}", self(), domain))
	}
	for i, c := range classes {
		others := append(append([]string{}, scopes[:i]...), scopes[i+1:]...)
		m.scopes[c] = m.scopesIn(scopes[i:i+1], others)
		m.classes = append(m.classes, aliasClass{c, scopes[i]})
	}
}

// scopesIn is the metadata of an access that is in some scopes, and in none of others.
func (m *module) scopesIn(in, out []string) string {
	s := ", !alias.scope " + m.node(fmt.Sprintf("!{%s}", strings.Join(in, ", ")))
	if len(out) > 0 {
		s += ", !noalias " + m.node(fmt.Sprintf("!{%s}", strings.Join(out, ", ")))
	}
	return s
}

// scope is the metadata of an access of an alias class.
func (m *module) scope(class int32) string { return m.scopes[class] }

// declare notes that an intrinsic is used.
func (m *module) declare(result, name string, types []string) {
	if _, ok := m.declared[name]; ok {
		return
	}
	m.declared[name] = fmt.Sprintf("declare %s @%s(%s)\n", result, name, strings.Join(types, ", "))
}

// helper defines a function of our own, once.
func (m *module) helper(name string, text func() string) {
	if !m.helped[name] {
		m.helped[name] = true
		m.helpers.WriteString(text())
	}
}

// useTable defines a constant table, once, and returns its name.
func (m *module) useTable(t *ir.Table) string {
	n, ok := m.tabled[t]
	if !ok {
		n = len(m.tabled)
		m.tabled[t] = n
	}
	name := fmt.Sprintf("@%s.table.%d", llvm.EntryName, n)
	if ok {
		return name
	}
	et, elem := ir.Scalar(t.Kind), memTyp(ir.Scalar(t.Kind))
	list := make([]string, len(t.Data))
	for i, bits := range t.Data {
		lit := constant(et, bits)
		if t.Kind == ir.Bool {
			lit = fmt.Sprint(bits & 1)
		}
		list[i] = elem + " " + lit
	}
	fmt.Fprintf(&m.tables, "%s = private unnamed_addr constant [%d x %s] [%s], align 64\n", name, len(list), elem, strings.Join(list, ", "))
	return name
}
