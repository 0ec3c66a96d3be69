package mathlib

import (
	"sync"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// Eval computes a function on numbers of kind k, given and returned as their bits. The result has the bits
// that compiled code gives under strict maths. The checker and the passes fold constants with it, and the
// oracle computes with it.
func Eval(code ir.Code, k ir.Kind, args ...uint64) uint64 {
	at := key{code: code, t: ir.Scalar(k)}
	p, ok := programs.Load(at)
	if !ok { // assembled when first asked for: a process that folds nothing pays nothing
		l := Library{Target: target.Traits{Has: target.FMA}}
		p, _ = programs.LoadOrStore(at, newProgram(l.StrictFunc(code, at.t), map[*ir.Func]*program{}))
	}
	var result [1]uint64
	p.(*program).run(args, result[:])
	return result[0]
}

// programs has a *program by its key.
var programs sync.Map

// A program is a scalar function of the library as a list of steps. Each value has a register, and those of constants
// hold them from the beginning.
type program struct {
	steps   []step
	params  []int32
	results []int32
	free    sync.Pool // of register files, *[]uint64, with the constants in them
}

// A step sets one register, jumps, or calls.
type step struct {
	compute   operation // of the registers a, b and c, into to
	to        int32
	a, b, c   int32
	next      int32    // of a jump: where it goes
	unless    bool     // of a jump: taken only where register a is 0
	call      *program // of a call
	args, res []int32  // of a call
}

// run computes the results for args.
func (p *program) run(args, results []uint64) {
	file := p.free.Get().(*[]uint64)
	regs := *file
	for i, r := range p.params {
		regs[r] = args[i]
	}
	for at := 0; at < len(p.steps); at++ {
		s := &p.steps[at]
		switch {
		case s.compute != nil:
			regs[s.to] = s.compute(regs[s.a], regs[s.b], regs[s.c])
		case s.call != nil:
			var in, out [4]uint64
			for i, r := range s.args {
				in[i] = regs[r]
			}
			s.call.run(in[:len(s.args)], out[:len(s.res)])
			for i, r := range s.res {
				regs[r] = out[i]
			}
		case !s.unless || regs[s.a] == 0:
			at = int(s.next) - 1
		}
	}
	for i, r := range p.results {
		results[i] = regs[r]
	}
	p.free.Put(file)
}

// An assembler makes a program of a function.
type assembler struct {
	*program
	regs   map[*ir.Value]int32
	consts []uint64
	made   map[*ir.Func]*program
}

// newProgram makes the program of f, a scalar function; made has those of functions that it calls.
func newProgram(f *ir.Func, made map[*ir.Func]*program) *program {
	if p := made[f]; p != nil {
		return p
	}
	a := &assembler{&program{}, map[*ir.Value]int32{}, nil, made}
	a.params = a.registers(f.Body.Params)
	a.results = a.registers(a.block(f.Body).Args)
	consts := a.consts
	a.free.New = func() any {
		file := append([]uint64(nil), consts...)
		return &file
	}
	made[f] = a.program
	return a.program
}

func (a *assembler) register(v *ir.Value) int32 {
	r, ok := a.regs[v]
	if !ok {
		r = int32(len(a.consts))
		a.regs[v] = r
		a.consts = append(a.consts, 0)
	}
	return r
}

func (a *assembler) registers(vs []*ir.Value) []int32 {
	rs := make([]int32, len(vs))
	for i, v := range vs {
		rs[i] = a.register(v)
	}
	return rs
}

// block adds the steps of b and returns its terminator.
func (a *assembler) block(b *ir.Block) *ir.Op {
	for _, o := range b.Ops {
		switch {
		case o.Code.Is(ir.Terminator):
			return o
		case o.Code == ir.OpConst:
			a.consts[a.register(o.Result())] = o.Bits
		case o.Code == ir.OpIf:
			a.branch(o)
		case o.Code == ir.OpCall:
			a.steps = append(a.steps, step{call: newProgram(o.Func, a.made), args: a.registers(o.Args), res: a.registers(o.Results)})
		default:
			a.op(o)
		}
	}
	panic("mathlib: a block without a terminator")
}

// branch adds an if: a jump past the first region, the region, a jump past the second one, the region.
func (a *assembler) branch(o *ir.Op) {
	toElse := len(a.steps)
	a.steps = append(a.steps, step{a: a.register(o.Args[0]), unless: true})
	a.region(o, o.Regions[0])
	toEnd := len(a.steps)
	a.steps = append(a.steps, step{})
	a.steps[toElse].next = int32(len(a.steps))
	a.region(o, o.Regions[1])
	a.steps[toEnd].next = int32(len(a.steps))
}

// region adds a region of the if o, and moves what it yields to the results of o.
func (a *assembler) region(o *ir.Op, b *ir.Block) {
	for i, v := range a.block(b).Args {
		a.steps = append(a.steps, step{compute: first, a: a.register(v), to: a.register(o.Results[i])})
	}
}

func first(x, _, _ uint64) uint64 { return x }

// op adds an op of up to three operands.
func (a *assembler) op(o *ir.Op) {
	s := step{compute: primitive(o), to: a.register(o.Result())}
	for i, v := range o.Args {
		*[]*int32{&s.a, &s.b, &s.c}[i] = a.register(v)
	}
	a.steps = append(a.steps, s)
}
