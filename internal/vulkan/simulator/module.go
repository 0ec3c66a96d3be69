package simulator

import "fmt"

// A family says what a type is.
type family int

const (
	aVoid family = iota
	aBool
	anInt
	aFloat
	aComposite // vector, array or struct
	aPointer
	aFunction
)

// A typ is a type of a module. Composites are kept as the scalars in them, one behind the other.
type typ struct {
	family  family
	bits    int
	members []*typ // of a composite
	leaves  int    // scalars in all
	class   uint32 // of a pointer
	to      *typ   // of a pointer
	offsets []int  // of the members of a struct in memory
}

// A constant has the bits of its scalars.
type constant struct {
	t      *typ
	leaves []uint64
}

// A variable is one of a module, or of a function.
type variable struct {
	t       *typ // what it holds
	class   uint32
	builtIn uint32
	init    *constant
}

// A block of instructions as words: op, and operands.
type instruction struct {
	op   uint32
	args []uint32
}

// A fn is a function as it was written.
type fn struct {
	id, result uint32
	params     []uint32
	body       []instruction
}

// A module is the words of SPIR-V, read.
type module struct {
	types    map[uint32]*typ
	consts   map[uint32]*constant
	vars     map[uint32]*variable
	funcs    []*fn
	entry    uint32
	size     [3]uint32 // of a workgroup
	ext      uint32    // the id of GLSL.std.450
	offsets  map[[2]uint32]int
	builtIns map[uint32]uint32
	specs    map[uint32]uint32 // numbers of specialisation constants
	pushes   int               // bytes of push constants
	leeway   Leeway
	keeps    map[uint32]bool // subnormal numbers of so many bits
	nearest  map[uint32]bool // rounding, likewise
	can      map[uint32]bool // capabilities
}

// spec gives a specialisation constant its value.
type spec map[uint32]uint32

// A broken module ends what is done with it.
type broken string

func (b broken) Error() string { return string(b) }

func refuse(format string, args ...any) { panic(broken(fmt.Sprintf(format, args...))) }

// read reads a module, whose specialisation constants have these values.
func read(words []uint32, values spec) (m *module, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("the module cannot be read: %v", r)
		}
	}()
	if len(words) < headerWords || words[0] != magic {
		refuse("it does not begin like one")
	}
	m = &module{types: map[uint32]*typ{}, consts: map[uint32]*constant{}, vars: map[uint32]*variable{}, offsets: map[[2]uint32]int{}, builtIns: map[uint32]uint32{}, specs: map[uint32]uint32{}, keeps: map[uint32]bool{}, nearest: map[uint32]bool{}, can: map[uint32]bool{}, size: [3]uint32{1, 1, 1}}
	var f *fn
	for words = words[headerWords:]; len(words) > 0; {
		n := words[0] >> 16
		if n == 0 || int(n) > len(words) {
			refuse("an instruction has %d words", n)
		}
		i := instruction{words[0] & 0xffff, words[1:n]}
		words = words[n:]
		switch {
		case i.op == opFunction:
			f = &fn{id: i.args[1], result: i.args[0]}
			m.funcs = append(m.funcs, f)
		case i.op == opFunctionEnd:
			f = nil
		case f != nil && i.op == opFunctionParameter:
			f.params = append(f.params, i.args[1])
			m.types[i.args[1]] = m.typeOf(i.args[0])
		case f != nil:
			f.body = append(f.body, i)
		default:
			m.declare(i, values)
		}
	}
	if m.entry == 0 {
		refuse("it has no entry point")
	}
	for id, b := range m.builtIns {
		if c := m.consts[id]; b == givenSize && c != nil {
			m.size = [3]uint32{uint32(c.leaves[0]), uint32(c.leaves[1]), uint32(c.leaves[2])}
		}
	}
	return m, nil
}

func (m *module) typeOf(id uint32) *typ {
	t := m.types[id]
	if t == nil {
		refuse("%d is no type", id)
	}
	return t
}

func (m *module) constOf(id uint32) *constant {
	c := m.consts[id]
	if c == nil {
		refuse("%d is no constant", id)
	}
	return c
}

// declare reads an instruction outside of functions.
func (m *module) declare(i instruction, values spec) {
	a := i.args
	switch i.op {
	case opMemoryModel, opName:
	case opCapability:
		m.can[a[0]] = true
	case opExtInstImport:
		m.ext = a[0]
	case opEntryPoint:
		if a[0] != executionCompute {
			refuse("its entry point is of kind %d", a[0])
		}
		m.entry = a[1]
	case opExecutionMode:
		switch a[1] {
		case modeLocalSize:
			m.size = [3]uint32{a[2], a[3], a[4]}
		case modeKeep:
			m.keeps[a[2]] = true
		case modeNearest:
			m.nearest[a[2]] = true
		}
	case opDecorate:
		switch a[1] {
		case decorateSpec:
			m.specs[a[0]] = a[2]
		case decorateBuiltIn:
			m.builtIns[a[0]] = a[2]
		}
	case opMemberDecorate:
		if a[2] == decorateOffset {
			m.offsets[[2]uint32{a[0], a[1]}] = int(a[3])
		}
	case opVariable:
		m.global(a)
	default:
		if !m.declareType(i.op, a) {
			m.declareConstant(i.op, a, values)
		}
	}
}

func (m *module) global(a []uint32) {
	v := &variable{t: m.typeOf(a[0]).to, class: a[2], builtIn: m.builtIns[a[1]]}
	if len(a) > 3 {
		v.init = m.constOf(a[3])
	}
	if v.class == inPush {
		for i, member := range v.t.members {
			m.pushes = max(m.pushes, v.t.offsets[i]+member.bits/8)
		}
	}
	m.vars[a[1]] = v
}

// declareType reads a type, if it is one.
func (m *module) declareType(op uint32, a []uint32) bool {
	t := &typ{leaves: 1}
	switch op {
	case opTypeVoid:
		t.family, t.leaves = aVoid, 0
	case opTypeBool:
		t.family, t.bits = aBool, 1
	case opTypeInt:
		t.family, t.bits = anInt, int(a[1])
	case opTypeFloat:
		t.family, t.bits = aFloat, int(a[1])
	case opTypeVector:
		t.repeat(m.typeOf(a[1]), int(a[2]))
	case opTypeArray:
		t.repeat(m.typeOf(a[1]), int(m.constOf(a[2]).leaves[0]))
	case opTypeStruct:
		t.family, t.leaves = aComposite, 0
		for i, id := range a[1:] {
			e := m.typeOf(id)
			t.members, t.leaves = append(t.members, e), t.leaves+e.leaves
			t.offsets = append(t.offsets, m.offsets[[2]uint32{a[0], uint32(i)}])
		}
	case opTypePointer:
		t.family, t.class, t.to, t.bits = aPointer, a[1], m.typeOf(a[2]), 64
	case opTypeFunction:
		t.family = aFunction
	default:
		return false
	}
	m.types[a[0]] = t
	return true
}

func (t *typ) repeat(e *typ, n int) {
	t.family, t.leaves = aComposite, n*e.leaves
	for range n {
		t.members = append(t.members, e)
	}
}

func (m *module) declareConstant(op uint32, a []uint32, values spec) {
	c := &constant{t: m.typeOf(a[0])}
	switch op {
	case opConstantTrue:
		c.leaves = []uint64{1}
	case opConstantFalse:
		c.leaves = []uint64{0}
	case opConstantNull:
		c.leaves = make([]uint64, c.t.leaves)
	case opConstant, opSpecConstant:
		v := uint64(a[2])
		if c.t.bits == 64 {
			v |= uint64(a[3]) << 32
		}
		if given, is := values[m.specs[a[1]]]; op == opSpecConstant && is {
			v = uint64(given)
		}
		c.leaves = []uint64{v & mask(c.t.bits)}
	case opSpecConstantOp:
		f := binaryOf(a[2], c.t.bits)
		if f == nil || len(a) != 5 {
			refuse("the simulator does not compute constants by instruction %d", a[2])
		}
		v, ok := f(m.constOf(a[3]).leaves[0], m.constOf(a[4]).leaves[0])
		if !ok {
			refuse("a constant that is not defined")
		}
		c.leaves = []uint64{v}
	case opConstantComposite, opSpecConstantComposite:
		for _, id := range a[2:] {
			c.leaves = append(c.leaves, m.constOf(id).leaves...)
		}
	default:
		refuse("the simulator does not know instruction %d outside of functions", op)
	}
	m.consts[a[1]] = c
}

// mask has so many bits.
func mask(bits int) uint64 { return ^uint64(0) >> (64 - bits) }
