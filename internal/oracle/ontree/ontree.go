package ontree

import (
	"context"
	"errors"
	"fmt"
	"go/token"

	"github.com/gotaichi/ti/internal/typed"
)

// Memory is where the elements of a field or view are. Components are numbered as in the source, indices are in range,
// and a component is the bits of its type in the low bits of a word.
type Memory interface {
	Load(index []int64, comp int) uint64
	Store(index []int64, comp int, bits uint64)
}

// A Field is a field of the host, a node, or what a launch passes for a view.
type Field struct {
	Memory
	Shape, Origin []int64 // by axis; Origin may be nil for zeros

	Home  Node   // by which elements are active, or the node that it is; nil in a dense tree
	Parts []Node // by component, where it is placed; nil for Home
}

// A Node is the cells of a node of a sparse tree. Whatever is placed in a cell that becomes inactive becomes zero.
type Node interface {
	Active(index []int64) bool
	Activate(index []int64) // the cell and all above it
	Deactivate(index []int64)
	Cells() [][]int64 // those that are active, in the order of the memory

	// Of a dynamic node. The index of a list lacks the axis of the node.
	Len(list []int64) int64
	Grow(list []int64) int64 // the index of the new element, -1 for a list that is full
	Shrink(list []int64, to int64)
}

// An Arg is what a launch passes for a parameter: Bits for a value, Data and Len for a slice, View for a view.
type Arg struct {
	Bits []uint64 // one for each component
	Data []byte   // elements one after the other, as Go lays them out
	Len  int64
	View *Field
}

// Env is what a kernel runs on.
type Env struct {
	Fields map[*typed.Field]*Field
	Args   []Arg  // by parameter of the kernel
	Key    uint64 // random key of the launch
	Strict bool   // strict maths: without it vectors are normalised by a reciprocal

	// Math computes a transcendental function on numbers of a type, given and returned as bits.
	Math func(fn typed.Fn, s typed.Scalar, args ...uint64) uint64

	MaxSteps int64 // statements to run at most; 0 for any number
}

// A Result is what a run gives.
type Result struct {
	Values   []uint64 // components of the results
	Failures int      // places at which something failed, each time that it did
	First    *Failure // nil if nothing failed
	Outputs  []Output // in the order of the run
}

// A Failure is an index out of range, or an assertion that does not hold.
type Failure struct {
	Pos   token.Position
	Kind  FailureKind
	What  string  // the field or slice
	Index []int64 // of the element
	Shape []int64
	Loop  []int64 // index of the parallel iteration; nil outside of parallel loops

	Values []uint64 // of an assertion's text
}

// A FailureKind says what failed.
type FailureKind uint8

// The kinds of failures.
const (
	BadIndex     FailureKind = iota // of an element
	BadComponent                    // of a component chosen at run time
	BadSection                      // of a section, or of bounds of one
	FalseAssert
	BadLength // of resize
)

// An Output is what a print hands to the host.
type Output struct {
	Format []typed.TextPart
	Number uint64 // of the iteration of the parallel loop; 0 outside
	Values []uint64
}

// NotCovered is the error of a run that reached something that the package does not know.
type NotCovered struct{ What string }

// Error says what it is.
func (n NotCovered) Error() string { return "ontree: not covered: " + n.What }

// ErrSteps is the error of a run that took more steps than its Env allows.
var ErrSteps = errors.New("ontree: the kernel takes more steps than allowed")

// ErrIterations is the error of a parallel loop with more iterations than launches allow.
var ErrIterations = errors.New("ontree: a parallel loop has too many iterations")

// Run interprets kernel k of p.
func Run(ctx context.Context, p *typed.Program, k *typed.Func, env *Env) (r *Result, err error) {
	m := &machine{
		ctx: ctx, env: env, int: p.Lib.Int,
		vars: map[*typed.Var]*object{}, refs: map[*typed.Var]*place{}, slices: map[*typed.Var]*slice{}, views: map[*typed.Var]*view{},
		kinds: map[typed.Type][]typed.Scalar{}, consts: map[*typed.Const][]uint64{}, loops: map[*typed.Func]int{},
	}
	m.random.key = env.Key
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stop:
			r, err = nil, p.err
		default:
			r, err = nil, fmt.Errorf("ontree: internal error: %v", p)
		}
	}()
	m.parameters(k)
	for _, v := range k.Results {
		m.vars[v] = m.zero(v.Type)
	}
	x := m.stmts(k.Body.List)
	m.settle()
	r = &Result{Failures: m.failures, First: m.first, Outputs: m.outputs}
	if x != nil {
		r.Values = x.values
	}
	return r, nil
}

// A stop is the panic that ends a run.
type stop struct{ err error }

func notCovered(format string, args ...any) {
	panic(stop{NotCovered{fmt.Sprintf(format, args...)}})
}
