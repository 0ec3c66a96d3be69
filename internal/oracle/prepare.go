package oracle

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// A block is an ir.Block with its values numbered.
type block struct {
	params []int
	ops    []*inst
}

// An inst is an ir.Op whose operands and results are slots of the machine.
type inst struct {
	op      *ir.Op
	args    []int
	results []int
	regions []*block
	target  *inst
	param   int    // index of the slice parameter in Kernel.Params
	fn      *block // called function
}

type preparer struct {
	k     *ir.Kernel
	slots map[*ir.Value]int
	used  map[int]bool // slots that are operands
	insts map[*ir.Op]*inst
	funcs map[*ir.Func]*block
	err   error
}

// New prepares k, which must have a body that ir.Verify accepts.
func New(k *ir.Kernel) (*Program, error) {
	if k.Body == nil {
		return nil, fmt.Errorf("oracle: kernel %s has no body; only kernels as they leave lowering can be interpreted", k.Name)
	}
	if err := ir.Verify(k); err != nil {
		return nil, fmt.Errorf("oracle: kernel %s is broken: %w", k.Name, err)
	}
	p := &preparer{k: k, slots: map[*ir.Value]int{}, used: map[int]bool{}, insts: map[*ir.Op]*inst{}, funcs: map[*ir.Func]*block{}}
	for _, f := range k.Funcs {
		p.funcs[f] = p.block(f.Body)
	}
	body := p.block(k.Body)
	if p.err != nil {
		return nil, p.err
	}
	return &Program{k: k, body: body, slots: len(p.slots), used: p.used}, nil
}

func (p *preparer) slot(v *ir.Value) int {
	n, ok := p.slots[v]
	if !ok {
		n = len(p.slots)
		p.slots[v] = n
	}
	return n
}

func (p *preparer) slotsOf(vs []*ir.Value) []int {
	ns := make([]int, len(vs))
	for i, v := range vs {
		ns[i] = p.slot(v)
	}
	return ns
}

func (p *preparer) block(b *ir.Block) *block {
	out := &block{params: p.slotsOf(b.Params)}
	for _, o := range b.Ops {
		out.ops = append(out.ops, p.inst(o))
	}
	return out
}

func (p *preparer) inst(o *ir.Op) *inst {
	in := &inst{op: o, args: p.slotsOf(o.Args), results: p.slotsOf(o.Results)}
	p.insts[o] = in
	for _, s := range in.args {
		p.used[s] = true
	}
	p.check(o)
	if o.Target != nil {
		in.target = p.insts[o.Target]
	}
	for i, q := range p.k.Params {
		if q == o.Param {
			in.param = i
		}
	}
	in.fn = p.funcs[o.Func]
	for _, r := range o.Regions {
		in.regions = append(in.regions, p.block(r))
	}
	return in
}

// check reports an op that lowering never makes.
func (p *preparer) check(o *ir.Op) {
	if p.err != nil {
		return
	}
	switch o.Code {
	case ir.OpBase, ir.OpArgPtr, ir.OpFrame, ir.OpOffset:
		p.err = fmt.Errorf("oracle: kernel %s has the op %s, which only passes make", p.k.Name, o.Code)
	}
	place := false
	switch o.Code {
	case ir.OpPtr, ir.OpElem, ir.OpCell, ir.OpAlloc:
		place = true
	}
	for _, r := range o.Results {
		if r.Type.Lanes != 1 {
			p.err = fmt.Errorf("oracle: kernel %s computes with %s; lanes are made by passes only", p.k.Name, r.Type)
		}
		if r.Type.Kind == ir.Ptr && !place {
			p.err = fmt.Errorf("oracle: kernel %s gets a place out of %s", p.k.Name, o.Code)
		}
	}
}
