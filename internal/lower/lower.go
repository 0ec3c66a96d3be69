package lower

import (
	"cmp"
	"fmt"
	"go/token"
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/typed"
)

// Options are choices of the host that lowering has to know.
type Options struct {
	option.Options

	// Launch names the fields whose extents are read at launch, as far as the kernel
	// does not need them as constants, each with the first of those fields that has
	// the same shape: an index that is in range for one is for the other.
	Launch map[string]string

	// Gradient asks for a kernel to be differentiated: accumulation into an element of a field is an atomic in serial
	// code too, values that are constant to differentiation are marked, and lengths are told from square
	// roots at 0.
	Gradient bool

	// Whole lets calls of functions with a derivative of their own, if Gradient asks for these, take and give values of
	// many components, each as the lanes of one value: autodiff takes these apart when it has differentiated the kernel.
	// Otherwise such functions are inlined.
	Whole bool

	// Stops marks values that are constant to derivatives by stopGrad, as Gradient does, in a kernel that is not differentiated.
	Stops bool

	// Accesses asks debug mode for a record of each access to a field, in serial code too, where accumulation is an atomic then.
	Accesses bool

	// Groups returns the groups of numbers with one exponent that a component of a field, or its tangent, is in. It may be nil.
	Groups func(f *ir.Field, comp int) []any

	// Packed reports whether a component of a field is stored in fewer bits. It may be nil.
	Packed func(f *ir.Field, comp int) bool

	// MaxOps limits the ops of a kernel: Kernel panics with TooLarge beyond it. 0 is no limit.
	MaxOps int
}

// TooLarge is the value that Kernel panics with if a kernel has more than Options.MaxOps
// ops. Lowering stops in the middle, before the ops fill the memory; Kernel has the ops
// made so far, and is not valid IR.
type TooLarge struct{ Kernel *ir.Kernel }

// Kernel lowers kernel k of program p.
func Kernel(p *typed.Program, k *typed.Func, opt Options) *ir.Kernel {
	l := &lowerer{
		kernel:    &ir.Kernel{Name: k.Name, Int: kindOf(p.Lib.Int), DoneSlot: -1},
		root:      k,
		launch:    opt.Launch,
		debug:     opt.Debug,
		checkNaN:  opt.CheckNaN,
		gradient:  opt.Gradient,
		whole:     opt.Whole,
		stops:     opt.Gradient || opt.Stops,
		accesses:  opt.Accesses,
		unchecked: opt.Unchecked,

		maxUnrolled: cmp.Or(opt.MaxUnrolled, typed.MaxUnrolled),

		env:      map[*typed.Var]binding{},
		fields:   map[*typed.Field]*ir.Field{},
		files:    map[string]uint16{},
		tables:   map[string]*ir.Table{},
		funcs:    map[*typed.Func]*ir.Func{},
		targets:  map[typed.Stmt]*target{},
		assigned: map[typed.Stmt]effects{},
		sites:    map[ir.Pos][]int64{},
		reported: map[*ir.Op]bool{},
		sizes:    map[*ir.Value]bool{},

		halfUpdates: map[*ir.Op]bool{},
		groups:      opt.Groups,
		packed:      opt.Packed,
		shared:      map[*ir.Field][][]any{},
	}
	l.kernel.Body = &ir.Block{}
	l.b = ir.NewBuilder(l.kernel.Body)
	if opt.MaxOps > 0 {
		l.b.Limit(opt.MaxOps, func() { panic(TooLarge{l.kernel}) })
	}
	if opt.Strict {
		l.b.Flags = ir.Strict
	}
	l.at(k.Pos)
	l.params(k)
	for _, f := range k.Fields {
		if _, node := f.Elem.(typed.NodeType); !node { // a node only if an op names it
			l.field(f)
		}
	}
	l.body(k)
	l.silence()
	if opt.Debug {
		touches(l.kernel, opt.Accesses)
	}
	l.gatherHalves()
	if opt.Strict {
		ir.Visit(l.kernel.Body, relax)
	}
	return l.kernel
}

// relax takes the Strict flag off an op that computes no float.
func relax(o *ir.Op) bool {
	if r := o.Result(); r == nil || !r.Type.Kind.IsFloat() {
		o.Flags &^= ir.Strict
	}
	return true
}

// A lowerer is the state of lowering one kernel.
type lowerer struct {
	kernel          *ir.Kernel
	b               *ir.Builder
	debug, checkNaN bool // see Options
	gradient        bool // likewise
	whole           bool // likewise
	stops           bool // likewise
	accesses        bool // likewise
	unchecked       bool // likewise
	maxUnrolled     int

	loops     int64 // parallel loops so far
	iterating bool  // in one of them
	promised  int64 // vectors so far that are promised to differ

	root     *typed.Func // the kernel
	launch   map[string]string
	env      map[*typed.Var]binding
	journal  []undo // changes of env, newest last
	fields   map[*typed.Field]*ir.Field
	files    map[string]uint16
	tables   map[string]*ir.Table
	funcs    map[*typed.Func]*ir.Func
	targets  map[typed.Stmt]*target
	assigned map[typed.Stmt]effects
	sites    map[ir.Pos][]int64 // numbers of the sites at a position
	reported map[*ir.Op]bool    // places in sections whose index is checked already
	sizes    map[*ir.Value]bool // of sections along an axis, which are not negative

	halfUpdates map[*ir.Op]bool // atomics on halves whose old value the source does not use; see gather.go

	groups func(f *ir.Field, comp int) []any // see Options
	packed func(f *ir.Field, comp int) bool  // likewise
	shared map[*ir.Field][][]any             // what it says of the components

	fn     *inline // the function whose body is being lowered in place of a call; nil in a kernel's own
	called bool    // what is being lowered is a function that is called

	// See compose.go.
	frames  []*frame
	wrapper *wrapper
	guard   *ir.Value     // if not nil, the loop to be lowered next runs only if it is true
	dims    []typed.Range // if not nil, the bounds of that loop
}

// params gives each of the kernel's parameters its argument slots and loads those
// passed by value.
func (l *lowerer) params(k *typed.Func) {
	for _, v := range k.Params {
		if t, ok := v.Type.(typed.View); ok {
			l.view(v, t, k)
			continue
		}
		slot := l.nextSlot()
		p := l.param(v, slot)
		l.kernel.Params = append(l.kernel.Params, p)
		if p.Content == ir.ParamSlice {
			l.bind(v, binding{slice: p})
		} else {
			l.at(v.Pos)
			vals := make([]*ir.Value, p.Comps)
			for i := range vals {
				o := ir.NewOp(ir.OpParam, l.b.Pos, []ir.Type{ir.Scalar(p.KindOf(i))})
				o.Aux = int64(slot + i)
				vals[i] = l.b.Emit(o)
			}
			l.define(v, vals)
		}
	}
}

// body lowers the kernel's own statements.
func (l *lowerer) body(k *typed.Func) {
	for _, r := range k.Results {
		l.kernel.Results = append(l.kernel.Results, kindsOf(r.Type)...)
	}
	l.results(k)
	if !l.stmts(k.Body.List) {
		l.b.Return(l.zeros(l.kernel.Results)...)
	}
}

// results starts the life of f's named results.
func (l *lowerer) results(f *typed.Func) {
	for _, r := range f.Results {
		if r.Name != "" {
			l.define(r, nil)
		}
	}
}

// field returns the IR's form of f, making it at its first use.
func (l *lowerer) field(f *typed.Field) *ir.Field {
	if f.View != nil {
		return l.env[f.View].view
	}
	if g := l.fields[f]; g != nil {
		return g
	}
	g := &ir.Field{Name: f.Name, Index: len(l.kernel.Fields)}
	if _, node := f.Elem.(typed.NodeType); !node {
		g.Comps, g.Host = kindsOf(f.Elem), f.Comps
	}
	g.Node, g.Sparse, g.List = nodeKinds[f.Node], f.Sparse, f.List
	for a := range f.Shape {
		g.Shape = append(g.Shape, int64(f.Shape[a]))
		g.Origin = append(g.Origin, int64(f.Origin[a]))
	}
	if l.launched(f) {
		l.launchExtents(g)
	}
	l.fields[f] = g
	l.kernel.Fields = append(l.kernel.Fields, g)
	return g
}

// at sets the position of the ops that follow.
func (l *lowerer) at(p token.Position) {
	if p.Line <= 0 {
		return
	}
	file, ok := l.files[p.Filename]
	if !ok {
		file = uint16(len(l.kernel.Files))
		l.files[p.Filename] = file
		l.kernel.Files = append(l.kernel.Files, p.Filename)
	}
	l.b.Pos = ir.Pos{File: file, Line: uint32(p.Line), Col: uint16(min(max(p.Column, 0), math.MaxUint16))}
}

// kindOf returns the IR's kind of a scalar type.
func kindOf(s typed.Scalar) ir.Kind {
	if k := s.Kind(); k != ir.Invalid && !s.IsUntyped() {
		return k
	}
	panic(fmt.Sprintf("lower: type %s in a checked tree", s))
}

// kindsOf returns the kinds of the components of t.
func kindsOf(t typed.Type) []ir.Kind {
	if tu, ok := t.(*typed.Tuple); ok {
		var ks []ir.Kind
		for _, e := range tu.Types {
			ks = append(ks, kindsOf(e)...)
		}
		return ks
	}
	leaves := typed.Leaves(t)
	ks := make([]ir.Kind, len(leaves))
	for i, s := range leaves {
		ks[i] = kindOf(s)
	}
	return ks
}

// kindsOfValues returns the kinds of values.
func kindsOfValues(vs []*ir.Value) []ir.Kind {
	ks := make([]ir.Kind, len(vs))
	for i, v := range vs {
		ks[i] = v.Type.Kind
	}
	return ks
}

// typesOf returns the types of values.
func typesOf(vs []*ir.Value) []ir.Type {
	ts := make([]ir.Type, len(vs))
	for i, v := range vs {
		ts[i] = v.Type
	}
	return ts
}

// zero appends the zero of kind k.
func (l *lowerer) zero(k ir.Kind) *ir.Value { return l.b.Const(ir.Scalar(k), 0) }

// zeros appends a zero for each kind.
func (l *lowerer) zeros(ks []ir.Kind) []*ir.Value {
	vs := make([]*ir.Value, len(ks))
	for i, k := range ks {
		vs[i] = l.zero(k)
	}
	return vs
}

// int appends a constant of the source's int.
func (l *lowerer) int(n int64) *ir.Value { return l.b.Int(ir.Scalar(l.kernel.Int), n) }

// num appends the constant n, an integer or float of v's type.
func (l *lowerer) num(like *ir.Value, n float64) *ir.Value { return l.numOf(like.Type.Kind, n) }

// numOf appends the constant n of kind k.
func (l *lowerer) numOf(k ir.Kind, n float64) *ir.Value {
	if k.IsFloat() {
		return l.b.Float(ir.Scalar(k), n)
	}
	return l.b.Int(ir.Scalar(k), int64(n))
}
