package ontree

import (
	"context"
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

// A machine is the state of one run.
type machine struct {
	ctx context.Context
	env *Env
	int typed.Scalar // the source's int

	vars   map[*typed.Var]*object
	refs   map[*typed.Var]*place // parameters *T
	slices map[*typed.Var]*slice
	views  map[*typed.Var]*view

	numbers []int // see all

	kinds  map[typed.Type][]typed.Scalar
	consts map[*typed.Const][]uint64
	loops  map[*typed.Func]int // parallel loops in the body of a function
	sums   *sums               // of the parallel loop; nil outside

	random  stream
	ordinal int     // of the last parallel loop, in the order of the source
	branch  int     // how many branches are around, in which kernels have no parallel loops
	loop    []int64 // index of the parallel iteration
	inLoop  bool

	pending  []pending // cells to be deactivated
	failures int
	first    *Failure
	outputs  []Output
	steps    int64
}

// An object is the memory of a variable: its components.
type object struct{ comps []uint64 }

// A slice is the memory of a slice argument.
type slice struct {
	name string
	data []byte
	len  int64
	size int // bytes from one element to the next
	at   []int
}

// A view is what a view parameter stands for.
type view struct {
	*Field
	name string
}

// zero returns an object that holds zero.
func (m *machine) zero(t typed.Type) *object { return &object{make([]uint64, len(m.kindsOf(t)))} }

// kindsOf returns the scalar type of each component of a value of type t.
func (m *machine) kindsOf(t typed.Type) []typed.Scalar {
	if s, ok := t.(typed.Scalar); ok {
		return ofScalars[s : s+1]
	}
	ks, ok := m.kinds[t]
	if !ok {
		switch u := t.(type) {
		case *typed.Tuple:
			for _, e := range u.Types {
				ks = append(ks, typed.Leaves(e)...)
			}
		default:
			ks = typed.Leaves(t)
		}
		m.kinds[t] = ks
	}
	return ks
}

// ofScalars has each scalar type at its number.
var ofScalars = func() (list []typed.Scalar) {
	for s := range typed.UntypedFloat {
		list = append(list, s)
	}
	return list
}()

// all is the list of the numbers below n. Nobody changes it.
func (m *machine) all(n int) []int {
	for len(m.numbers) < n {
		m.numbers = append(m.numbers, len(m.numbers))
	}
	return m.numbers[:n:n]
}

// parameters binds the parameters of the kernel.
func (m *machine) parameters(k *typed.Func) {
	for i, p := range k.Params {
		a := m.env.Args[i]
		switch t := p.Type.(type) {
		case typed.Slice:
			lay := typed.MemoryOf(t.Elem)
			m.slices[p] = &slice{name: p.Name, data: a.Data, len: a.Len, size: lay.Size, at: lay.Offsets}
		case typed.View:
			m.views[p] = &view{a.View, p.Name}
		default:
			m.vars[p] = &object{slices.Clone(a.Bits)}
		}
	}
}

// field returns the memory of a field, and its name.
func (m *machine) field(f *typed.Field) (*Field, string) {
	if f.View != nil {
		v := m.views[f.View]
		return v.Field, v.name
	}
	g := m.env.Fields[f]
	if g == nil {
		notCovered("field %s, which the environment does not have", f.Name)
	}
	return g, f.Name
}

// fail counts a failure, and keeps the first.
func (m *machine) fail(f Failure) {
	m.failures++
	if m.first != nil {
		return
	}
	f.Loop = slices.Clone(m.loop)
	m.first = &f
}

// A pending cell is to be deactivated when the loop ends.
type pending struct {
	node  Node
	index []int64
}

// settle deactivates cells.
func (m *machine) settle() {
	for _, p := range m.pending {
		p.node.Deactivate(p.index)
	}
	m.pending = nil
}

// step counts a statement.
func (m *machine) step() {
	m.steps++
	if m.env.MaxSteps > 0 && m.steps > m.env.MaxSteps {
		panic(stop{ErrSteps})
	}
	if m.steps&1023 == 0 {
		if err := m.ctx.Err(); err != nil {
			panic(stop{err})
		}
	}
}

// failAt is the failure of a thing at a position.
func failAt(pos token.Position, kind FailureKind) Failure { return Failure{Pos: pos, Kind: kind} }
