//go:build !ti_ahead

package variant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/oracle/hostmem"
	"github.com/gotaichi/ti/internal/oracle/touched"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/tally"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// interpreting is the executor that runs kernels on the oracle.
type interpreting struct{ rt *Maker }

func newInterpreting(rt *Maker) (executor, error) { return interpreting{rt}, nil }

func (i interpreting) compiler() target.Compiler { return i.rt.Text }
func (interpreting) Device() Device              { return OracleDevice() }

// interpreter is a kernel for the oracle.
type interpreter struct {
	v       *Variant
	k       *ir.Kernel
	program *oracle.Program
	fields  []*hostmem.Field // of the host
	memory  []oracle.Memory  // of all fields of the kernel, views too
	groups  []*hostmem.Field // of the numbers that share an exponent, by ir.Group.Number
	output  *record.Output
	trees   []*sparse.Tree
	touched *touched.Judge // nil but where the compiler is verified

	args, results []uint64
}

func (interpreting) build(v *Variant) (ready func(freed bool) executable, err error) {
	k, start := v.Kernel, time.Now()
	tree, err := v.lower.Tree()
	if err != nil {
		return nil, fmt.Errorf("ti: %w", err)
	}
	o := v.options(v.late).Driver()
	o.Layout = driver.Layout(v.Scope.Layout)
	kernel, err := driver.Lower(&tree.Program.Program, k.Name, o)
	if err != nil {
		return nil, fmt.Errorf("ti: %w", err)
	}
	program, err := oracle.New(kernel)
	if err != nil {
		return nil, fmt.Errorf("ti: %w", err)
	}
	k.Program.Maker.Compiled.Add(1)
	k.Program.Maker.CompileTime.Add(int64(time.Since(start)))
	in := &interpreter{v: v, k: kernel, program: program, output: v.newOutput(driver.Sites(kernel))}
	in.output.InOrder = true
	if o.Verify || k.Program.Maker.Opt.Faults {
		if in.touched, err = judgeOf(&tree.Program.Program, k.Name, kernel, o); err != nil {
			return nil, fmt.Errorf("ti: %w", err)
		}
	}
	for _, t := range v.trees {
		if s := t.Sparse(); s != nil && !slices.Contains(in.trees, s) {
			in.trees = append(in.trees, s)
		}
	}
	for _, f := range kernel.Fields {
		if f.View != nil {
			in.memory = append(in.memory, v.viewMemory(f))
			continue
		}
		field := hostmem.NewField(v.memoryOf(f), f.Rank())
		in.fields, in.memory = append(in.fields, field), append(in.memory, field)
	}
	slots := 0
	for _, q := range kernel.Params {
		slots = max(slots, q.Slot+q.Slots())
	}
	in.args, in.results = make([]uint64, slots), make([]uint64, len(kernel.Results))
	in.bindGroups()
	v.setExtents(in.args, driver.Fields(kernel))
	return func(bool) executable { return in }, nil
}

func (in *interpreter) slots() (args, results []uint64) { return in.args, in.results }

func (in *interpreter) free() {}

func (in *interpreter) tasks() int { return 1 }

func (in *interpreter) descriptor() *launch.Kernel { return nil }

func (in *interpreter) launcher() launch.Launcher { return nil }

func (in *interpreter) prints() bool {
	return slices.ContainsFunc(in.k.Sites, func(s *ir.Site) bool { return s.Kind == site.Print })
}

func (in *interpreter) Run(ctx context.Context) error {
	p := in.v.Kernel.Program
	return in.RunAs(ctx, p.Maker.Numbers.Next(p))
}

func (in *interpreter) RunAs(ctx context.Context, number uint64) (err error) {
	v := in.v
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("ti: internal error while interpreting %s: %v", v.Kernel.Name, p)
		}
	}()
	m := v.Kernel.Program.Maker
	if r := m.Measuring; r != nil {
		start := time.Now()
		pos := v.Checked.Kernel(v.Kernel.Name).Pos
		task := launch.Name{Task: "interpreted", Place: launch.Place{File: pos.Filename, Line: pos.Line, Column: pos.Column}}
		defer func() { r.Add(in.k.Name, task, time.Since(start)) }()
	}
	if number != 0 {
		m.Interpreted.Add(1)
	}
	env := &oracle.Env{Args: v.Frame.Args, Key: launch.Key(m.Opt.Seed, number), Record: in.record}
	env.Fields = in.memory
	if n, counts := v.Role.(*counting); counts {
		env.Tallies = n.interpreted()
	}
	for _, g := range in.groups {
		env.Groups = append(env.Groups, g)
	}
	m.judge.join(in, env)
	trees, err := in.nodes(env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.finish(trees)) }()
	for _, q := range in.k.Params {
		s := oracle.Slice{}
		if q.Content == ir.ParamSlice {
			n := v.Frame.Args[q.Slot+1]
			s = oracle.Slice{Data: SliceBytes(v.Frame.Args[q.Slot], n, int(q.ElemSize())), Len: int64(n)}
		}
		env.Slices = append(env.Slices, s)
	}
	if in.output.Races != nil {
		in.output.Races.Begin(v.Kernel.Program.Maker.RecordRoom())
		defer in.output.Races.End()
	}
	in.output.Room()
	var run *touched.Run
	if in.touched != nil {
		run = in.touched.Watch(env)
	}
	trial := m.trees.begin(ctx, in, env, trees)
	r, err := in.program.Run(untilClosed{ctx, v.Kernel.Program.Maker.Stop}, env)
	if err == nil {
		if wrong := trial.compare(r); wrong != nil {
			return fmt.Errorf("ti: %w", wrong)
		}
	}
	if run != nil {
		if wrong := run.End(err == nil); wrong != nil {
			return fmt.Errorf("ti: %w", wrong)
		}
	}
	if printed := in.output.Flush(); err == nil && printed != nil {
		return printed
	}
	if tooMany, is := errors.AsType[*ir.TooManyIterations](err); is {
		return v.tooMany(tooMany, front.Position(in.k, tooMany.Pos))
	}
	switch {
	case errors.Is(err, diag.ErrClosed):
		return v.endedByClose()
	case err != nil:
		return fmt.Errorf("ti: launch of %s ended early: %w", v.Kernel.Name, err)
	}
	copy(v.Frame.Results, r.Values)
	if r.Failure == nil {
		return v.raceFailure(in.output.Races)
	}
	return in.failure(r.Failure)
}

// failure turns a failure that the interpreter has found into an error.
func (in *interpreter) failure(f *oracle.Failure) error {
	e := &RuntimeError{Kernel: in.v.Kernel.Name, Pos: front.Position(in.k, f.Pos), Err: diag.ErrRange, Count: f.Count}
	if f.Site != nil {
		e.explain(&f.Site.Site, f.Values)
	} else {
		e.describe(f.What, f.Index, f.Shape, f.Low)
	}
	if len(f.Loop) > 0 {
		e.Loop = store.Ints(f.Loop)
	}
	return e
}

// untilClosed is a context that is also done when a runtime is closed. Only its Err says so,
// which is all that the interpreter uses.
type untilClosed struct {
	context.Context
	closed <-chan struct{}
}

// Err returns diag.ErrClosed once the runtime is closed.
func (c untilClosed) Err() error {
	select {
	case <-c.closed:
		return diag.ErrClosed
	default:
		return c.Context.Err()
	}
}

// nodes describes the sparse trees of the kernel to the oracle.
func (in *interpreter) nodes(env *oracle.Env) (trees []*hostmem.Tree, err error) {
	lay := driver.Layout(in.v.Scope.Layout)
	if len(in.trees) == 0 {
		return nil, nil
	}
	for _, t := range in.trees {
		o, err := hostmem.NewTree(t)
		if err != nil {
			return nil, diag.Errorf(diag.ErrMemory, "%w", err)
		}
		trees = append(trees, o)
	}
	nodes := hostmem.Nodes(trees)
	for i, f := range in.k.Fields {
		env.Nodes, env.Parts = append(env.Nodes, nil), append(env.Parts, nil)
		n, ok := lay.Node(f)
		if !ok || f.View != nil {
			continue
		}
		env.Nodes[i] = nodes[n]
		for c := range f.Comps { // members may lie in several nodes, even of several trees
			part := nodes[lay.NodeOf(f, c)]
			if part != nil {
				part.Place(in.memory[i], c, c+1)
				if s := f.StoredAs(c); s != nil && s.Group != nil {
					part.Place(in.groups[s.Group.Number], 0, s.Group.Members+1)
				}
			}
			if home := nodes[n]; home != part { // the element goes by another node
				home.Place(in.memory[i], c, c+1)
				if s := f.StoredAs(c); s != nil && s.Group != nil {
					home.Place(in.groups[s.Group.Number], s.Member, s.Member+1)
				}
			}
			env.Parts[i] = append(env.Parts[i], part)
		}
	}
	return trees, nil
}

// finish gives the host back what the kernel has changed.
func (in *interpreter) finish(trees []*hostmem.Tree) error {
	var errs []error
	for _, t := range trees {
		if err := t.Finish(); err != nil {
			errs = append(errs, diag.Errorf(diag.ErrMemory, "%w", err))
		}
	}
	for _, f := range slices.Concat(in.fields, in.groups) {
		f.Flush()
	}
	return errors.Join(errs...)
}

// record takes a record of the interpreter, which runs everything in order.
func (in *interpreter) record(site int, number uint64, values []uint64) {
	in.output.Record(site, append([]uint64{number}, values...))
}

// memoryOf returns the elements of a kernel's field.
func (v *Variant) memoryOf(f *ir.Field) oracle.Memory {
	field := v.Scope.Named(f.Name)
	if field == nil {
		return oracle.Cells{}
	}
	number := func(comp int) int {
		if f.Host != nil {
			return f.Host[comp]
		}
		return comp
	}
	plain := hostmem.Memory(func(index []int64, comp int) (unsafe.Pointer, ir.Kind) {
		var idx store.Index
		return field.Address(number(comp), narrowed(&idx, index)), f.Comps[comp]
	})
	if f.Stored == nil {
		return plain
	}
	return &hostmem.Packed{Plain: plain, Code: func(index []int64, comp int) (c hostmem.Code, ok bool) {
		a := field.Access(number(comp))
		p := a.Packed
		if p == nil || p.Of().Group != nil { // those of groups are in the memory of the group
			return c, p != nil
		}
		var idx store.Index
		at := narrowed(&idx, index)
		return hostmem.Code{At: field.Address(number(comp), at), Word: p.Word.Kind.Bytes(), Shift: p.Bit(at, a.Origin), Bits: p.Of().Bits}, true
	}}
}

// narrowed stores an index in idx.
func narrowed(idx *store.Index, index []int64) []int {
	for k, i := range index {
		idx[k] = int(i)
	}
	return idx[:len(index)]
}

// bindGroups finds the memory of the numbers that share an exponent.
func (in *interpreter) bindGroups() {
	for i, f := range in.k.Fields {
		for c := range f.Stored {
			s := f.StoredAs(c)
			if s == nil || s.Group == nil || s.Group.Number < len(in.groups) {
				continue
			}
			field, n := in.v.Scope.Named(in.k.Fields[i].Name), c
			if f.Host != nil {
				n = f.Host[c]
			}
			p := field.Access(n).Packed
			of := p.Of().Group
			memory := &hostmem.Packed{Code: func(index []int64, member int) (hostmem.Code, bool) {
				var idx store.Index
				code := hostmem.Code{At: field.Address(n, narrowed(&idx, index)), Word: p.Word.Kind.Bytes(), Shift: of.Shift, Bits: int64(of.Coder.Exp)}
				if member < len(of.Members) {
					m := p.Word.Members[of.Members[member]]
					code.Shift, code.Bits = m.Shift, m.Bits
				}
				return code, true
			}}
			in.groups = append(in.groups, hostmem.NewField(memory, f.Rank()))
		}
	}
}

// viewMemory returns the elements of a view: whatever the launch passes.
func (v *Variant) viewMemory(f *ir.Field) oracle.Memory {
	return hostmem.Memory(func(index []int64, comp int) (unsafe.Pointer, ir.Kind) {
		n := int64(0)
		for a, i := range index {
			if a < len(f.View.Strides) {
				i *= int64(v.Frame.Args[f.View.Strides[a].LengthSlot()])
			}
			n += i
		}
		address := uintptr(v.Frame.Args[f.View.Param.Slot])
		base := *(*unsafe.Pointer)(unsafe.Pointer(&address))
		return unsafe.Add(base, n*f.View.Size+f.View.Offsets[comp]), f.Comps[comp]
	})
}

// interpreted returns what counts the stores of a kernel that is interpreted.
func (n *counting) interpreted() []*tally.Tally {
	if n.tallies == nil {
		for _, k := range n.layout.Kinds {
			n.tallies = append(n.tallies, tally.New(k))
		}
	}
	return n.tallies
}

// judgeOf returns what compares runs of a kernel on the oracle with what the compiler says that it does to fields. It
// is compiled for several threads, for which some passes make more tasks.
func judgeOf(p *typed.Program, name string, kernel *ir.Kernel, o driver.Options) (*touched.Judge, error) {
	o.Threads = max(o.Threads, judgedThreads)
	u, err := driver.Prepare(p, name, o.Layout, o)
	if err != nil {
		return nil, err
	}
	d, err := u.Describe()
	if err != nil {
		return nil, err
	}
	return touched.New(kernel, d)
}

const judgedThreads = 3
