package spirv

import (
	"encoding/binary"
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/sparsert"
)

// An id names a type, a value, a function or a label of a module. 0 is none.
type id = uint32

// A module is one under construction. Sections are in the order in which SPIR-V wants them.
type module struct {
	next         id
	capabilities []uint32
	has          map[uint32]bool // capabilities
	floats       map[ir.Kind]bool
	decorations  []uint32
	globals      []uint32 // types, constants, global variables
	functions    []uint32
	interfaces   []id          // global variables of the entry point
	known        map[string]id // types and constants by what they are
	funcs        map[*ir.Func]id
	tables       map[*ir.Table]id
	remainders   map[ir.Kind]*ir.Func
	glsl         id // the extended instructions
	strict       bool
	sites        []*ir.Site // of the kernel
	runtime      map[sparsert.Function]*ir.Func

	push, rounds, subgroup id // global variables
	index, local           id // of the thread in its workgroup, as a number and along x, y and z
	group, grid            id // of the workgroup, and how many there are
	words                  id // shared memory in which threads combine values
	limit                  id // specialisation constants
	block                  [3]id
	exact                  map[ir.Kind]id  // those that choose how floats of a kind are divided
	exacts                 map[exactKey]id // functions that do
}

func newModule(sites []*ir.Site, strict bool) *module {
	m := &module{next: 1, has: map[uint32]bool{}, floats: map[ir.Kind]bool{}, known: map[string]id{}, funcs: map[*ir.Func]id{}, tables: map[*ir.Table]id{}, remainders: map[ir.Kind]*ir.Func{}, sites: sites, strict: strict, runtime: map[sparsert.Function]*ir.Func{}, exact: map[ir.Kind]id{}, exacts: map[exactKey]id{}}
	for _, c := range []uint32{capShader, CapInt64, CapAddresses, capGroupNonUniform} {
		m.capability(c)
	}
	m.glsl = m.id()
	return m
}

// id returns a new one.
func (m *module) id() id {
	m.next++
	return m.next - 1
}

func (m *module) capability(c uint32) {
	if !m.has[c] {
		m.has[c] = true
		m.capabilities = emit(m.capabilities, opCapability, c)
	}
}

// emit appends an instruction.
func emit(to []uint32, op uint32, operands ...uint32) []uint32 {
	to = append(to, uint32(len(operands)+1)<<16|op)
	return append(to, operands...)
}

// text is a literal string as operands.
func text(s string) (words []uint32) {
	b := append([]byte(s), make([]byte, 4-len(s)%4)...)
	for ; len(b) > 0; b = b[4:] {
		words = append(words, binary.LittleEndian.Uint32(b))
	}
	return words
}

// global returns the type or constant of an instruction, and makes it the first time. A type's id comes first among its operands, a constant's behind
// its type.
func (m *module) global(op uint32, typ id, operands ...uint32) id {
	key := fmt.Sprint(op, typ, operands)
	if known := m.known[key]; known != 0 {
		return known
	}
	n := m.id()
	m.known[key] = n
	if typ == 0 {
		m.globals = emit(m.globals, op, append([]uint32{n}, operands...)...)
	} else {
		m.globals = emit(m.globals, op, append([]uint32{typ, n}, operands...)...)
	}
	return n
}

// kind returns the type of values of a kind. Integers have no sign in their type, only in what is done with them.
func (m *module) kind(k ir.Kind) id {
	switch {
	case k == ir.Bool:
		return m.global(opTypeBool, 0)
	case k == ir.Ptr || k == ir.BlockRef:
		return m.integer(64)
	case k == ir.F16: // see half.go
		return m.integer(16)
	case k.IsFloat():
		if k == ir.F64 {
			m.capability(CapFloat64)
		}
		m.floats[k] = true
		return m.global(opTypeFloat, 0, uint32(k.Bits()))
	}
	return m.integer(k.Bits())
}

func (m *module) integer(bits int) id {
	switch bits {
	case 8:
		m.capability(CapInt8)
	case 16:
		m.capability(CapInt16)
	}
	return m.global(opTypeInt, 0, uint32(bits), 0)
}

// memory returns the type in which values of a kind lie in memory: a byte for a bool.
func (m *module) memory(k ir.Kind) id {
	switch k.Size() {
	case 1:
		m.capability(CapStorage8)
	case 2:
		m.capability(CapStorage16)
	}
	if k == ir.Bool {
		return m.integer(8)
	}
	return m.kind(k)
}

func (m *module) pointer(class uint32, to id) id { return m.global(opTypePointer, 0, class, to) }

// number is a constant integer of so many bits.
func (m *module) number(bits int, v uint64) id {
	t := m.integer(bits)
	if bits == 64 {
		return m.global(opConstant, t, uint32(v), uint32(v>>32))
	}
	return m.global(opConstant, t, uint32(v)&(1<<bits-1))
}

// word is a constant of 32 bits.
func (m *module) word(v uint32) id { return m.number(32, uint64(v)) }

// null is the zero of a type.
func (m *module) null(t id) id { return m.global(opConstantNull, t) }

func (m *module) boolean(v bool) id {
	if v {
		return m.global(opConstantTrue, m.kind(ir.Bool))
	}
	return m.global(opConstantFalse, m.kind(ir.Bool))
}

// real is a constant of a kind of floats.
func (m *module) real(k ir.Kind, v float64) id { return m.constant(k, ir.FloatBits(k, v)) }

// constant is the value of a const op, but for zeros of floats.
func (m *module) constant(k ir.Kind, bits uint64) id {
	switch {
	case k == ir.Bool:
		return m.boolean(bits != 0)
	case k == ir.Ptr || k == ir.BlockRef:
		return m.number(64, bits)
	case k == ir.F64:
		return m.global(opConstant, m.kind(k), uint32(bits), uint32(bits>>32))
	case k.IsFloat():
		return m.global(opConstant, m.kind(k), uint32(bits))
	}
	return m.number(k.Bits(), bits)
}

// variable makes a global variable.
func (m *module) variable(class uint32, t id) id {
	p := m.pointer(class, t)
	v := m.id()
	m.globals = emit(m.globals, opVariable, p, v, class)
	m.interfaces = append(m.interfaces, v)
	return v
}

func (m *module) decorate(target id, operands ...uint32) {
	m.decorations = emit(m.decorations, opDecorate, append([]uint32{target}, operands...)...)
}

// finish returns the module's words, with the function main as its entry point.
func (m *module) finish(main id) []uint32 {
	m.capability(capSignedZeroInfNanPreserve)
	for _, k := range []ir.Kind{ir.F32, ir.F64} {
		if m.strict && m.floats[k] { // so that machines know
			m.specialisedExact(k)
		}
	}
	words := []uint32{Magic, versionWord, 0, m.next, 0}
	words = append(words, m.capabilities...)
	words = emit(words, opExtInstImport, append([]uint32{m.glsl}, text("GLSL.std.450")...)...)
	words = emit(words, opMemoryModel, 5348, 1) // PhysicalStorageBuffer64, GLSL450
	words = emit(words, opEntryPoint, append(append([]uint32{5, main}, text("main")...), m.interfaces...)...)
	words = emit(words, opExecutionMode, main, 17, launch.DispatchThreads, 1, 1) // LocalSize
	words = emit(words, opExecutionMode, main, 4461, 32)                         // SignedZeroInfNanPreserve
	if m.has[CapFloat64] {
		words = emit(words, opExecutionMode, main, 4461, 64)
	}
	words = append(words, m.decorations...)
	words = append(words, m.globals...)
	return append(words, m.functions...)
}

// declare makes the global variables.
func (m *module) declare() {
	u64, u32 := m.integer(64), m.integer(32)
	members := make([]uint32, launch.PushWords)
	for i := range members {
		members[i] = u64
	}
	block := m.id()
	m.globals = emit(m.globals, opTypeStruct, append([]uint32{block}, members...)...)
	m.decorate(block, 2) // Block
	for i := range uint32(launch.PushWords) {
		m.decorations = emit(m.decorations, opMemberDecorate, block, i, 35, 8*i) // Offset
	}
	m.push = m.variable(classPushConstant, block)
	v3 := m.global(opTypeVector, 0, u32, 3)
	m.index, m.local, m.group, m.grid = m.variable(classInput, u32), m.variable(classInput, v3), m.variable(classInput, v3), m.variable(classInput, v3)
	m.subgroup = m.variable(classInput, u32)
	m.decorate(m.index, 11, 29)    // BuiltIn LocalInvocationIndex
	m.decorate(m.local, 11, 27)    // BuiltIn LocalInvocationId
	m.decorate(m.group, 11, 26)    // BuiltIn WorkgroupId
	m.decorate(m.grid, 11, 24)     // BuiltIn NumWorkgroups
	m.decorate(m.subgroup, 11, 40) // BuiltIn SubgroupId
	m.limit = m.specialised(launch.RoundLimit, 0)
	m.block = [3]id{m.specialised(launch.BlockX, launch.DispatchThreads), m.specialised(launch.BlockY, 1), m.specialised(launch.BlockZ, 1)}
	size := m.id()
	m.globals = emit(m.globals, opSpecConstantComposite, v3, size, m.block[0], m.block[1], m.block[2])
	m.decorate(size, 11, 25) // BuiltIn WorkgroupSize
	m.rounds = m.variable(classWorkgroup, m.global(opTypeArray, 0, u32, m.specialised(launch.RoundSlots, launch.DispatchThreads)))
}

// specialised makes a word that the pipeline may set.
func (m *module) specialised(number, otherwise uint32) id {
	n := m.id()
	m.globals = emit(m.globals, opSpecConstant, m.integer(32), n, otherwise)
	m.decorate(n, decorationSpecID, number)
	return n
}

const decorationSpecID = 1

// Storage classes.
const (
	classInput                 = 1
	classWorkgroup             = 4
	classPrivate               = 6
	classFunction              = 7
	classPushConstant          = 9
	classPhysicalStorageBuffer = 5349
)

// Capabilities. Those with a name for others are what a device may lack.
const (
	capShader                   = 1
	CapFloat64                  = 10
	CapInt64                    = 11
	CapInt64Atomics             = 12
	CapInt16                    = 22
	CapInt8                     = 39
	capGroupNonUniform          = 61
	CapStorage16                = 4433
	CapStorage8                 = 4448
	capSignedZeroInfNanPreserve = 4466
	CapAddresses                = 5347
)

// Version is the version of modules, and versionWord its form in them.
const (
	Version     = "SPIR-V 1.5"
	versionWord = 0x00010500
)

// Magic is the first word of a module, and header how many words stand before its instructions.
const (
	Magic  = 0x07230203
	header = 5
)

// Capabilities are those that a module declares.
func Capabilities(words []uint32) (all []uint32) {
	for words = words[header:]; len(words) > 1 && words[0]&0xffff == opCapability; words = words[2:] {
		all = append(all, words[1])
	}
	return all
}
