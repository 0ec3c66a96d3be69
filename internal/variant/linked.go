package variant

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/threadblock"
)

// Linked is the code of several launches that follow each other, compiled as one kernel.
type Linked struct {
	Kernel   *launch.Kernel
	WhyApart func() []string // why loops of the launches are not fused
	parts    []*Variant
	code     launch.Launcher
	entry    *codeEntry
	maker    *Maker
	joined   bool // its arguments are those of the parts, one behind the other

	Layout job.Layout // where the fields of Kernel lie, by their names in it
}

// CanLink reports whether launches of v can be linked with others at all.
func (v *Variant) CanLink() bool {
	c, compiles := v.Kernel.Program.Maker.Exec.(*compiling)
	return compiles && c.maker != nil && v.Kernel.Program.Maker.Shipped == nil && front.Linked && !v.reduced.Load()
}

// A NothingSaved is why launches are not linked that could be: the linked kernel has as many tasks as its parts.
type NothingSaved struct{ of *linking }

// Error says so.
func (*NothingSaved) Error() string { return "the linked kernel has as many tasks as its parts" }

// WhyApart says why loops of the launches are not fused.
func (e *NothingSaved) WhyApart() []string { return e.of.whyApart() }

// Link compiles launches of these variants, in their order, as one kernel whose extents are constants. The error is a [job.Apart] if that cannot be
// done. Nothing is compiled, and the error is a NothingSaved, if the linked kernel is not worth it with so many tasks. same has the arguments of each launch
// that are the same as others in each run; nil stands for none.
func Link(parts []*Variant, same [][]job.SameArg, worthwhile func(tasks int) bool) (*Linked, error) {
	return link(parts, same, how{fewer: true}, worthwhile)
}

// LinkSettled is Link for launches, of which there may be one, that find all cells active that they need. Their code activates none, and is not to be launched
// where it would have to.
func LinkSettled(parts []*Variant, same [][]job.SameArg) (*Linked, error) {
	l, err := link(parts, same, how{settled: true}, func(int) bool { return true })
	if err == nil {
		l.WhyApart = nil // it holds the lowered kernels
	}
	return l, err
}

// LinkRows is Link for launches that are run piece by piece, of which there may be one. Its stores stay in the caches, where the next launch
// finds them.
func LinkRows(parts []*Variant, same [][]job.SameArg) (*Linked, error) {
	l, err := link(parts, same, how{without: option.Stream}, func(int) bool { return true })
	if err == nil {
		l.WhyApart = nil // it holds the lowered kernels
	}
	return l, err
}

// A how says how launches are linked.
type how struct {
	without option.Switches // parts of the compiler
	fewer   bool            // only if that saves tasks
	settled bool            // all cells that they need are active
}

func link(parts []*Variant, same [][]job.SameArg, h how, worthwhile func(tasks int) bool) (*Linked, error) {
	of := newLinking(parts, same, h)
	m := of.maker
	a, err := of.answer()
	switch {
	case err != nil:
		return nil, err
	case a.Apart != nil:
		return nil, a.Apart
	case !worthwhile(a.Tasks):
		return nil, &NothingSaved{of}
	}
	areas, ok := of.areas(a)
	if !ok {
		return nil, errors.New("internal error: fields of linked kernels lie nowhere")
	}
	entry, err := m.codeOf(&ready{answer: &a.Answer, areas: areas, unit: func() (*front.Unit, error) {
		u, err := of.lowered()
		if err != nil {
			return nil, err
		}
		return u.unit, nil
	}})
	if err != nil {
		return nil, err
	}
	l := &Linked{WhyApart: sync.OnceValue(of.whyApart), Kernel: entry.compiled.Launch, parts: parts, entry: entry, maker: m, Layout: of.layout(a)}
	out := parts[0].newOutput(l.Kernel.Sites)
	data := launch.Data{Bases: m.bases(areas, l.Kernel.Bases), Sink: out, Seed: m.Opt.Seed, Block: func(part int) threadblock.Block { return parts[part].Kernel.threadBlock() }}
	if g := topologyOf(l.Kernel, l.Layout, parts...); g != nil {
		data.Trees, out.Topology = g, g
	}
	l.code = entry.loaded.Bind(data)
	l.joined = l.argumentsJoin()
	return l, nil
}

// argumentsJoin reports whether the argument slots of the kernel are those of the parts, in their order, with no key among them.
func (l *Linked) argumentsJoin() bool {
	next := 0
	for i := range l.Kernel.Parts {
		if l.Kernel.Parts[i].Args != next {
			return false
		}
		next += l.parts[i].Plan().Slots
	}
	return l.Kernel.Parts[len(l.parts)-1].Key < 0
}

// setAll is [Concurrent.SetAll].
func (l *Linked) setAll(args []uint64) bool {
	if !l.joined {
		return false
	}
	copy(l.code.Args(), args)
	return true
}

// Set gives a part its arguments, and the number of its launch.
func (l *Linked) Set(part int, args []uint64, number uint64) {
	p, slots := &l.Kernel.Parts[part], l.code.Args()
	for i, bits := range args { // there are few
		slots[p.Args+i] = bits
	}
	if p.Key >= 0 {
		slots[p.Key] = launch.Key(l.maker.Opt.Seed, number)
	}
}

// Tasks is how many tasks a launch runs.
func (l *Linked) Tasks() int { return tasksOf(l.Kernel) }

// tasksOf is how many tasks a launch of a kernel runs.
func tasksOf(k *launch.Kernel) (n int) {
	for i := range k.Tasks {
		if !k.Tasks[i].Helper {
			n++
		}
	}
	return n
}

// Run makes the launches. Number is that of the last one. If one fails, part is its number among them. ran is how many of them have run, also those that
// failed. The caller holds the launch lock, or is the queue.
func (l *Linked) Run(ctx context.Context, number uint64) (ran, part int, err error) {
	fault, err := launch.Run(ctx, l.code, number)
	switch in, is := errors.AsType[*launch.InPart](err); {
	case errors.Is(err, launch.ErrSums): // nothing has run, and each part knows how to do without the sums
		return 0, 0, nil
	case is:
		return in.Part + 1, in.First, l.parts[in.First].ended(ctx, in.Err)
	case err != nil:
		return len(l.parts), 0, l.parts[0].ended(ctx, err)
	case fault != nil:
		return len(l.parts), fault.Part, failureOf(l.parts[fault.Part].Kernel.Name, l.Kernel.Sites, l.code.Args(), fault)
	}
	return len(l.parts), 0, nil
}

// Rows returns what runs launches piece by piece; false if the machine cannot. The caller has checked that the kernel can be run so.
func (l *Linked) Rows() (launch.RowLauncher, bool) {
	r, ok := l.code.(launch.RowLauncher)
	return r, ok
}

// RunRows runs a piece of a launch.
func (l *Linked) RunRows(ctx context.Context, number uint64, task int, r launch.Range) error {
	rows, _ := l.Rows()
	if err := rows.RunRows(ctx, number, task, r); err != nil {
		return l.parts[l.Kernel.Tasks[task].First].ended(ctx, err)
	}
	return nil
}

// Free gives the code back. The caller holds the launch lock, and does not launch it again.
func (l *Linked) Free() {
	l.code.Free()
	l.maker.codes.release(l.entry)
}

// Alive reports whether it can still be launched: the code of its parts is there, and their trees are open.
func (l *Linked) Alive() bool {
	return !slices.ContainsFunc(l.parts, func(v *Variant) bool { return !v.Alive() })
}

// Alive reports whether launches of v can still be made: its code is there, and its trees are open.
func (v *Variant) Alive() bool {
	return v.Ready.Load() && !slices.ContainsFunc(v.trees, (*store.Tree).Closed)
}
