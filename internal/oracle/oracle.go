package oracle

import (
	"context"
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/tally"
)

// ErrSteps is the error of a run that took more steps than its Env allows.
var ErrSteps = errors.New("oracle: the kernel takes more steps than allowed")

// Env is what a kernel runs on.
type Env struct {
	Fields   []Memory  // by ir.Field.Index; of components that are stored in fewer bits it has the codes
	Args     []uint64  // by argument slot; the slots of slices are not looked at
	Nodes    []*Node   // by ir.Field.Index: the node that a field is placed in, or is; nil, or missing, in dense trees
	Parts    [][]*Node // by ir.Field.Index: the node of each component, nil in dense trees; none where it is that of the field
	Groups   []Memory  // by ir.Group.Number: numbers that share an exponent; component n is the code of number n, the last the exponent
	Slices   []Slice   // by index of the parameter; those of scalars are not looked at
	Key      uint64    // random key of the launch
	MaxSteps int64     // ops to run at most; 0 for any number

	// Backward has parallel loops that run in no order run from the last iteration to the first: what a kernel computes should not depend on it.
	Backward bool

	Watcher   Watcher     // gets the accesses of the kernel; nil for none
	Tape      *Tape       // records what runs; nil for nothing
	Variables []*Variable // by ir.Field.Index: fields with adjoints on the tape; nil, or missing, for constants

	// Tallies count what is stored at the sites of the kernel's Measure; nil for nothing.
	Tallies []*tally.Tally

	// Record, if not nil, takes what the kernel hands to the host, in the order of
	// iterations: the site, the row-major number of the iteration, the values.
	Record func(site int, number uint64, values []uint64)
}

// A Result is what a run gives.
type Result struct {
	Values  []uint64 // the kernel's results
	Failure *Failure // the first failure, nil if there was none
}

// A Failure is an access with an index out of range, which read zero or wrote
// nothing, or a failure that lowering has made, which has a Site.
type Failure struct {
	Site   *ir.Site // nil for an index
	Values []uint64 // of the site's text

	Pos   ir.Pos
	What  string  // field, parameter, array or table
	Index []int64 // which index
	Shape []int64 // what would have been its limits
	Low   []int64 // lowest index along each axis; nil for all 0
	Loop  []int64 // index of the parallel iteration; nil outside parallel loops
	Count int     // number of failures of the run
}

// Run interprets k. An error means that the kernel did not run to its end: ctx
// was cancelled, it took too many steps, or it is not as lowering leaves kernels.
func Run(ctx context.Context, k *ir.Kernel, env *Env) (*Result, error) {
	p, err := New(k)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx, env)
}

// A Program is a kernel ready to be interpreted any number of times.
type Program struct {
	k     *ir.Kernel
	body  *block
	slots int // values
	used  map[int]bool
}

// Kernel returns the kernel that p interprets.
func (p *Program) Kernel() *ir.Kernel { return p.k }

// Run interprets the program.
func (p *Program) Run(ctx context.Context, env *Env) (*Result, error) {
	if len(env.Fields) < len(p.k.Fields) {
		return nil, fmt.Errorf("oracle: kernel %s has %d fields and the environment %d", p.k.Name, len(p.k.Fields), len(env.Fields))
	}
	for i, f := range p.k.Fields {
		if f.Sparse && (len(env.Nodes) <= i || env.Nodes[i] == nil) {
			return nil, fmt.Errorf("oracle: kernel %s works on cells of %s, and the environment says nothing of its node", p.k.Name, f.Name)
		}
	}
	for i, q := range p.k.Params {
		if q.Content == ir.ParamSlice && len(env.Slices) <= i {
			return nil, fmt.Errorf("oracle: kernel %s takes a slice %s, which the environment has not", p.k.Name, q.Name)
		}
		if q.Content != ir.ParamSlice && len(env.Args) < q.Slot+q.Comps {
			return nil, fmt.Errorf("oracle: kernel %s takes an argument %s, which the environment has not", p.k.Name, q.Name)
		}
	}
	if err := ctx.Err(); err != nil { // a short kernel would end before it looks
		return nil, err
	}
	m := &machine{
		p: p, env: env, ctx: ctx,
		vals: make([]uint64, p.slots), places: make([]place, p.slots),
	}
	m.rand.key = env.Key
	m.enter(0, true)
	if env.Tape != nil {
		m.refs = make([]ref, p.slots)
	}
	j := m.body()
	m.settle()
	if m.err != nil {
		return nil, m.err
	}
	if j.kind != ir.OpReturn {
		return nil, fmt.Errorf("oracle: kernel %s ends without a return", p.k.Name)
	}
	return &Result{Values: j.values.bits, Failure: m.failure}, nil
}
