package spirv

import (
	"fmt"
	"math"
	"strings"
)

// This file writes modules in the assembly language of the SPIR-V Tools.

// The operands of an instruction, in the layouts below, one letter each. A * stands for all that follow.
//
//	t  the type of the result    r  the result    i  an id         n  a number
//	s  a string                  v  a number of the type of the result
//	x  an extended instruction   o  an instruction
//	d  a decoration with what belongs to it
//	k  a mask that says how memory is accessed, with what belongs to it
//
// Other letters are those of [enumerants].
const plain = "tri*" // of instructions without a layout of their own

var layouts = map[uint32]string{
	opExtInstImport: "rs", opExtInst: "trixi*", opMemoryModel: "AM", opEntryPoint: "Eisi*", opExecutionMode: "iOn*", opCapability: "C",
	opTypeVoid: "r", opTypeBool: "r", opTypeInt: "rnn", opTypeFloat: "rn", opTypeVector: "rin", opTypeArray: "rii", opTypeStruct: "ri*", opTypePointer: "rSi", opTypeFunction: "ri*",
	opConstant: "trv", opSpecConstant: "trv", opSpecConstantOp: "troii", opFunction: "trFi", opFunctionEnd: "", opVariable: "trSi*", opLoad: "trik", opStore: "iik", opAtomicStore: "i*",
	opDecorate: "id", opMemberDecorate: "ind", opCompositeExtract: "trin*", opLoopMerge: "iiL", opSelectionMerge: "iL", opLabel: "r", opBranch: "i",
	opBranchConditional: "i*", opControlBarrier: "iii", opReturn: "", opReturnValue: "i", opUnreachable: "",
}

// enumerants are the names of numbers, by the letter of the operand.
var enumerants = map[byte]map[uint32]string{
	'A': {5348: "PhysicalStorageBuffer64"},
	'M': {1: "GLSL450"},
	'E': {5: "GLCompute"},
	'O': {17: "LocalSize", KeepSubnormals: "DenormPreserve", 4461: "SignedZeroInfNanPreserve", RoundToNearest: "RoundingModeRTE"},
	'C': {capShader: "Shader", CapFloat64: "Float64", CapInt64: "Int64", CapInt64Atomics: "Int64Atomics", CapInt16: "Int16", CapInt8: "Int8", capGroupNonUniform: "GroupNonUniform",
		CapStorage16: "StorageBuffer16BitAccess", CapStorage8: "StorageBuffer8BitAccess", capSignedZeroInfNanPreserve: "SignedZeroInfNanPreserve", CapAddresses: "PhysicalStorageBufferAddresses"},
	'S': {classInput: "Input", classWorkgroup: "Workgroup", classPrivate: "Private", classFunction: "Function", classPushConstant: "PushConstant", classPhysicalStorageBuffer: "PhysicalStorageBuffer"},
	'F': {0: "None"},
	'L': {0: "None"},
	'd': {1: "SpecId", 2: "Block", 6: "ArrayStride", 11: "BuiltIn", 35: "Offset", 42: "NoContraction"},
	'B': {24: "NumWorkgroups", 25: "WorkgroupSize", 26: "WorkgroupId", 27: "LocalInvocationId", 29: "LocalInvocationIndex", 40: "SubgroupId"},
	'o': {opIMul: "IMul"},
	'x': {extRoundEven: "RoundEven", extTrunc: "Trunc", extFAbs: "FAbs", extFloor: "Floor", extCeil: "Ceil", extSqrt: "Sqrt", extUMin: "UMin", extFindUMsb: "FindUMsb"},
}

const builtIn = 11 // the decoration of a variable that is given to threads

// named is the name of a number, or the number.
func named(letter byte, n uint32) string {
	if name := enumerants[letter][n]; name != "" {
		return name
	}
	return fmt.Sprint(n)
}

// disassemble writes a module, an instruction a line.
func disassemble(words []uint32) string {
	d := &disassembler{types: map[uint32]numberType{}}
	for words = words[header:]; len(words) > 0; {
		n := words[0] >> 16
		d.instruction(words[0]&0xffff, words[1:n])
		words = words[n:]
	}
	return d.out.String()
}

type disassembler struct {
	out   strings.Builder
	types map[uint32]numberType // of numbers, by their ids
}

type numberType struct {
	bits  uint32
	float bool
}

// instruction writes one.
func (d *disassembler) instruction(op uint32, operands []uint32) {
	layout, own := layouts[op]
	if !own {
		layout = plain
	}
	if op == opTypeInt || op == opTypeFloat {
		d.types[operands[0]] = numberType{operands[1], op == opTypeFloat}
	}
	var typ numberType
	var result string
	var rest []string
	for len(operands) > 0 && layout != "" {
		letter, used := layout[0], 1
		var text string
		switch letter {
		case 'r':
			result = fmt.Sprintf("%%%d = ", operands[0])
		case 't', 'i':
			text = fmt.Sprintf("%%%d", operands[0])
			if letter == 't' {
				typ = d.types[operands[0]]
			}
		case 'n':
			text = fmt.Sprint(operands[0])
		case 's':
			text, used = literal(operands)
		case 'v':
			text, used = typ.number(operands), len(operands)
		case 'd':
			text, used = decoration(operands), len(operands)
		case 'k':
			if text, used = fmt.Sprint(operands), len(operands); operands[0] == 2 && used == 2 {
				text = fmt.Sprintf("Aligned %d", operands[1])
			}
		default:
			text = named(letter, operands[0])
		}
		if text != "" {
			rest = append(rest, text)
		}
		operands = operands[used:]
		if len(layout) < 2 || layout[1] != '*' {
			layout = layout[1:]
		}
	}
	line := result + "Op" + names[op]
	if len(rest) > 0 {
		line += " " + strings.Join(rest, " ")
	}
	fmt.Fprintln(&d.out, line)
}

// decoration writes one with its operands.
func decoration(operands []uint32) string {
	all := []string{named('d', operands[0])}
	for _, o := range operands[1:] {
		if operands[0] == builtIn {
			all = append(all, named('B', o))
		} else {
			all = append(all, fmt.Sprint(o))
		}
	}
	return strings.Join(all, " ")
}

// literal is a string, and how many words it has.
func literal(words []uint32) (quoted string, used int) {
	var b []byte
	for i, w := range words {
		for range 4 {
			if byte(w) == 0 {
				return fmt.Sprintf("%q", b), i + 1
			}
			b, w = append(b, byte(w)), w>>8
		}
	}
	return fmt.Sprintf("%q", b), len(words)
}

// number is a constant of a type.
func (t numberType) number(words []uint32) string {
	v := uint64(words[0])
	if len(words) > 1 {
		v |= uint64(words[1]) << 32
	}
	switch {
	case t.float && t.bits == 32:
		return floatText(float64(math.Float32frombits(words[0])), 32, v&(1<<23-1)<<1)
	case t.float && t.bits == 64:
		return floatText(math.Float64frombits(v), 64, v&(1<<52-1))
	}
	return fmt.Sprint(v)
}

// floatText writes a float so that its bits can be read again: infinities and NaNs as numbers one binade above the largest.
func floatText(f float64, bits int, fraction uint64) string {
	if !math.IsInf(f, 0) && !math.IsNaN(f) {
		return fmt.Sprintf("%x", f)
	}
	digits, exponent := 13, 1024
	if bits == 32 {
		digits, exponent = 6, 128
	}
	text := strings.TrimRight(fmt.Sprintf("0x1.%0*x", digits, fraction), "0")
	sign := ""
	if math.Signbit(f) {
		sign = "-"
	}
	return fmt.Sprintf("%s%sp+%d", sign, strings.TrimSuffix(text, "."), exponent)
}
