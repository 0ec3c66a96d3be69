package simulator

import "fmt"

// What an instruction does to the order of execution.
const (
	goesOn  = iota
	touches // memory that other threads reach: others may run before it
	jumps
	branches
	calls
	returns
	traps
	waits // at a barrier of the workgroup
)

// An inst is an instruction in the form in which it is run. Registers are numbers of scalars, for each lane of a subgroup; r, a, b and c are those of the first lane.
type inst struct {
	kind    int
	do      func(g *subgroup, in *inst)
	op, id  uint32 // as the module has them, for reports
	r       int
	a, b, c int
	n       int // scalars, or bytes
	f2      onTwo
	f1      onOne
	yes, no int // where branches go
	callee  *function
	class   uint32
	scope   uint32
	meaning uint32 // semantics
	align   int
}

// A function has its place in the code, and registers for what it takes and returns. There is no recursion, so each value has one register.
type function struct {
	entry         int
	params        []int
	result, width int
	typ           *typ
}

// A place says where a pointer leads: to a register that may be an array's first, with the number of a scalar in another register, or to memory.
type place struct {
	class  uint32
	base   int // register, or number of the first scalar in the memory of a group, or offset in push constants
	index  int // register with a number of scalars to go on by; -1 for none
	t      *typ
	of     *variable
	size   int // scalars of the variable
	table  *constant
	member *typ
}

// A code is a module for a number of lanes, with the values of its specialisation constants.
type code struct {
	*module
	lanes  int
	all    []inst
	funcs  map[uint32]*function
	main   *function
	regs   int            // for one lane
	regOf  map[uint32]int // by ids
	typeOf map[uint32]*typ
	places map[uint32]*place
	labels map[uint32]int
	shared int // scalars of a group's memory
	consts []int
	values []uint64
}

// compile makes code of a module.
func compile(m *module, lanes int) (c *code, err error) {
	defer func() {
		if r := recover(); r != nil {
			c, err = nil, fmt.Errorf("the module cannot be compiled: %v", r)
		}
	}()
	c = &code{module: m, lanes: lanes, funcs: map[uint32]*function{}, regOf: map[uint32]int{}, typeOf: map[uint32]*typ{}, places: map[uint32]*place{}, labels: map[uint32]int{}}
	for _, f := range m.funcs {
		t := m.typeOf(f.result)
		to := &function{typ: t, width: t.leaves}
		to.result = c.registers(t.leaves)
		for _, p := range f.params {
			to.params = append(to.params, c.define(p, m.types[p]))
		}
		c.funcs[f.id] = to
	}
	for _, f := range m.funcs {
		c.function(f)
	}
	for i := range c.all {
		if in := &c.all[i]; in.kind == jumps || in.kind == branches {
			in.yes, in.no = c.label(in.yes), c.label(in.no)
		}
	}
	c.main = c.funcs[m.entry]
	return c, nil
}

func (c *code) label(id int) int {
	at, is := c.labels[uint32(id)]
	if !is && id != 0 {
		panic(fmt.Sprintf("there is no block %d", id))
	}
	return at
}

// registers reserves some.
func (c *code) registers(n int) int {
	at := c.regs * c.lanes
	c.regs += n
	return at
}

// define gives an id its registers.
func (c *code) define(id uint32, t *typ) int {
	r := c.registers(t.leaves)
	c.regOf[id], c.typeOf[id] = r, t
	return r
}

// use is the register of an id, which may be a constant.
func (c *code) use(id uint32) int {
	if r, is := c.regOf[id]; is {
		return r
	}
	k := c.constOf(id)
	r := c.define(id, k.t)
	for i, v := range k.leaves {
		c.consts, c.values = append(c.consts, r+i*c.lanes), append(c.values, v)
	}
	return r
}

// is is the type of an id.
func (c *code) is(id uint32) *typ {
	if t := c.typeOf[id]; t != nil {
		return t
	}
	return c.constOf(id).t
}

func (c *code) add(in inst) { c.all = append(c.all, in) }

// function compiles one.
func (c *code) function(f *fn) {
	to := c.funcs[f.id]
	to.entry = len(c.all)
	for _, i := range f.body {
		c.instruction(to, i)
	}
}

// instruction compiles one.
func (c *code) instruction(f *function, i instruction) {
	a := i.args
	switch i.op {
	case opLabel:
		c.labels[a[0]] = len(c.all)
	case opSelectionMerge, opLoopMerge, opName:
	case opBranch:
		c.add(inst{kind: jumps, op: i.op, yes: int(a[0])})
	case opBranchConditional:
		c.add(inst{kind: branches, op: i.op, a: c.use(a[0]), yes: int(a[1]), no: int(a[2])})
	case opReturn:
		c.add(inst{kind: returns, op: i.op})
	case opReturnValue:
		c.move(f.result, c.use(a[0]), f.width)
		c.add(inst{kind: returns, op: i.op})
	case opUnreachable:
		c.add(inst{kind: traps, op: i.op})
	case opFunctionCall:
		c.call(a)
	case opVariable:
		c.local(a)
	case opAccessChain:
		c.chain(a)
	case opLoad:
		c.load(a)
	case opStore:
		c.store(a)
	case opMemoryBarrier, opControlBarrier:
		c.barrier(i)
	case opCompositeExtract:
		t, at := c.is(a[2]), c.use(a[2])
		for _, n := range a[3:] {
			for _, before := range t.members[:n] {
				at += before.leaves * c.lanes
			}
			t = t.members[n]
		}
		c.regOf[a[1]], c.typeOf[a[1]] = at, t
	case opCompositeConstruct:
		r := c.define(a[1], c.module.typeOf(a[0]))
		for _, id := range a[2:] {
			c.move(r, c.use(id), c.is(id).leaves)
			r += c.is(id).leaves * c.lanes
		}
	case opGroupNonUniformElect:
		c.add(inst{op: i.op, id: a[1], r: c.define(a[1], c.module.typeOf(a[0])), do: elect})
	default:
		c.compute(i)
	}
}

// move copies scalars.
func (c *code) move(to, from, n int) {
	for i := range n {
		c.add(inst{r: to + i*c.lanes, a: from + i*c.lanes, do: copies})
	}
}

func (c *code) call(a []uint32) {
	f := c.funcs[a[2]]
	for i, id := range a[3:] {
		c.move(f.params[i], c.use(id), c.is(id).leaves)
	}
	c.add(inst{kind: calls, op: opFunctionCall, id: a[1], callee: f})
	c.move(c.define(a[1], f.typ), f.result, f.width)
}

// compute compiles what computes scalars from scalars, and atomics.
func (c *code) compute(i instruction) {
	if c.atomic(i) {
		return
	}
	a := i.args
	t := c.module.typeOf(a[0])
	if t.leaves != 1 {
		refuse("instruction %d on composites", i.op)
	}
	in := inst{op: i.op, id: a[1]}
	args := a[2:]
	switch {
	case i.op == opBitcast:
		if from := c.is(a[2]); from.bits != t.bits {
			refuse("a bit cast from %d bits to %d", from.bits, t.bits)
		}
		c.regOf[a[1]], c.typeOf[a[1]] = c.use(a[2]), t
		return
	case i.op == opSelect:
		in.a, in.b, in.c, in.do = c.use(a[2]), c.use(a[3]), c.use(a[4]), selects
	case i.op >= opGroupNonUniformIAdd && i.op <= opGroupNonUniformBitXor:
		if a[3] != reduction {
			refuse("a scan of a subgroup")
		}
		in.a, in.f2, in.do = c.use(a[4]), binaryOf(i.op, t.bits), reduces
	case i.op == opExtInst:
		if a[2] != c.ext {
			refuse("instructions of set %d", a[2])
		}
		args = a[4:]
		if a[3] == extUMin {
			in.f2 = binaryOf(opAtomicUMin, t.bits)
		} else {
			in.f1 = c.extendedOf(a[3], t, extended(a[3], t.bits))
		}
	case len(args) == 2:
		n := c.is(a[2]).bits
		in.f2 = c.two(i.op, n, binaryOf(i.op, n))
	case len(args) == 1:
		if f := unaryOf(i.op, c.is(a[2]), t); f != nil {
			in.f1 = c.one(i.op, c.is(a[2]), t, f)
		}
	}
	switch {
	case in.do != nil:
	case in.f1 != nil:
		in.a, in.do = c.use(args[0]), computes1
	case in.f2 != nil:
		in.a, in.b, in.do = c.use(args[0]), c.use(args[1]), computes2
	default:
		refuse("the simulator does not know instruction %d", i.op)
	}
	in.r = c.define(a[1], t)
	if i.op == opConvertUToPtr {
		c.places[a[1]] = &place{class: t.class, t: t.to}
	}
	c.add(in)
}
