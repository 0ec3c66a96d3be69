package spirv

// The instructions that modules have, by their numbers in the SPIR-V specification (section 3.52).
const (
	opExtInstImport         = 11
	opExtInst               = 12
	opMemoryModel           = 14
	opEntryPoint            = 15
	opExecutionMode         = 16
	opCapability            = 17
	opTypeVoid              = 19
	opTypeBool              = 20
	opTypeInt               = 21
	opTypeFloat             = 22
	opTypeVector            = 23
	opTypeArray             = 28
	opTypeStruct            = 30
	opTypePointer           = 32
	opTypeFunction          = 33
	opConstantTrue          = 41
	opConstantFalse         = 42
	opConstant              = 43
	opConstantComposite     = 44
	opConstantNull          = 46
	opSpecConstant          = 50
	opSpecConstantComposite = 51
	opSpecConstantOp        = 52
	opFunction              = 54
	opFunctionParameter     = 55
	opFunctionEnd           = 56
	opFunctionCall          = 57
	opVariable              = 59
	opLoad                  = 61
	opStore                 = 62
	opAccessChain           = 65
	opDecorate              = 71
	opMemberDecorate        = 72
	opCompositeConstruct    = 80
	opCompositeExtract      = 81
	opUConvert              = 113
	opConvertFToU           = 109
	opConvertFToS           = 110
	opConvertSToF           = 111
	opConvertUToF           = 112
	opSConvert              = 114
	opFConvert              = 115
	opConvertUToPtr         = 120
	opBitcast               = 124
	opSNegate               = 126
	opFNegate               = 127
	opIAdd                  = 128
	opFAdd                  = 129
	opISub                  = 130
	opFSub                  = 131
	opIMul                  = 132
	opFMul                  = 133
	opUDiv                  = 134
	opSDiv                  = 135
	opFDiv                  = 136
	opUMod                  = 137
	opSRem                  = 138
	opLogicalEqual          = 164
	opLogicalNotEqual       = 165
	opLogicalOr             = 166
	opLogicalAnd            = 167
	opLogicalNot            = 168
	opSelect                = 169
	opIEqual                = 170
	opINotEqual             = 171
	opUGreaterThan          = 172
	opSGreaterThan          = 173
	opUGreaterThanEqual     = 174
	opSGreaterThanEqual     = 175
	opULessThan             = 176
	opSLessThan             = 177
	opULessThanEqual        = 178
	opSLessThanEqual        = 179
	opFOrdEqual             = 180
	opFUnordNotEqual        = 183
	opFOrdLessThan          = 184
	opFOrdGreaterThan       = 186
	opFOrdLessThanEqual     = 188
	opFOrdGreaterThanEqual  = 190
	opShiftRightLogical     = 194
	opShiftRightArithmetic  = 195
	opShiftLeftLogical      = 196
	opBitwiseOr             = 197
	opBitwiseXor            = 198
	opBitwiseAnd            = 199
	opNot                   = 200
	opBitCount              = 205
	opControlBarrier        = 224
	opMemoryBarrier         = 225
	opAtomicLoad            = 227
	opAtomicStore           = 228
	opAtomicExchange        = 229
	opAtomicCompareExchange = 230
	opAtomicIAdd            = 234
	opAtomicISub            = 235
	opAtomicSMin            = 236
	opAtomicUMin            = 237
	opAtomicSMax            = 238
	opAtomicUMax            = 239
	opAtomicAnd             = 240
	opAtomicOr              = 241
	opAtomicXor             = 242
	opLoopMerge             = 246
	opSelectionMerge        = 247
	opLabel                 = 248
	opBranch                = 249
	opBranchConditional     = 250
	opReturn                = 253
	opReturnValue           = 254
	opUnreachable           = 255
	opGroupNonUniformElect  = 333
)

// The extended instructions, by their numbers in GLSL.std.450.
const (
	extRoundEven = 2
	extTrunc     = 3
	extFAbs      = 4
	extFloor     = 8
	extCeil      = 9
	extSqrt      = 31
	extUMin      = 38
	extFindUMsb  = 75
)

// names are those of instructions, for people.
var names = map[uint32]string{
	opExtInstImport: "ExtInstImport", opExtInst: "ExtInst", opMemoryModel: "MemoryModel", opEntryPoint: "EntryPoint", opExecutionMode: "ExecutionMode",
	opCapability: "Capability", opTypeVoid: "TypeVoid", opTypeBool: "TypeBool", opTypeInt: "TypeInt", opTypeFloat: "TypeFloat", opTypeVector: "TypeVector",
	opTypeArray: "TypeArray", opTypeStruct: "TypeStruct", opTypePointer: "TypePointer", opTypeFunction: "TypeFunction", opConstantTrue: "ConstantTrue",
	opConstantFalse: "ConstantFalse", opConstant: "Constant", opConstantComposite: "ConstantComposite", opConstantNull: "ConstantNull",
	opSpecConstant: "SpecConstant", opSpecConstantComposite: "SpecConstantComposite", opSpecConstantOp: "SpecConstantOp", opFunction: "Function", opFunctionParameter: "FunctionParameter", opFunctionEnd: "FunctionEnd",
	opFunctionCall: "FunctionCall", opVariable: "Variable", opLoad: "Load", opStore: "Store", opAccessChain: "AccessChain", opDecorate: "Decorate",
	opMemberDecorate: "MemberDecorate", opCompositeConstruct: "CompositeConstruct", opCompositeExtract: "CompositeExtract", opUConvert: "UConvert",
	opConvertFToU: "ConvertFToU", opConvertFToS: "ConvertFToS", opConvertSToF: "ConvertSToF", opConvertUToF: "ConvertUToF", opSConvert: "SConvert",
	opFConvert: "FConvert", opConvertUToPtr: "ConvertUToPtr", opBitcast: "Bitcast", opSNegate: "SNegate", opFNegate: "FNegate", opIAdd: "IAdd",
	opFAdd: "FAdd", opISub: "ISub", opFSub: "FSub", opIMul: "IMul", opFMul: "FMul", opUDiv: "UDiv", opSDiv: "SDiv", opFDiv: "FDiv", opUMod: "UMod",
	opSRem: "SRem", opLogicalEqual: "LogicalEqual", opLogicalNotEqual: "LogicalNotEqual", opLogicalOr: "LogicalOr", opLogicalAnd: "LogicalAnd",
	opLogicalNot: "LogicalNot", opSelect: "Select", opIEqual: "IEqual", opINotEqual: "INotEqual", opUGreaterThan: "UGreaterThan",
	opSGreaterThan: "SGreaterThan", opUGreaterThanEqual: "UGreaterThanEqual", opSGreaterThanEqual: "SGreaterThanEqual", opULessThan: "ULessThan",
	opSLessThan: "SLessThan", opULessThanEqual: "ULessThanEqual", opSLessThanEqual: "SLessThanEqual", opFOrdEqual: "FOrdEqual",
	opFUnordNotEqual: "FUnordNotEqual", opFOrdLessThan: "FOrdLessThan", opFOrdGreaterThan: "FOrdGreaterThan", opFOrdLessThanEqual: "FOrdLessThanEqual",
	opFOrdGreaterThanEqual: "FOrdGreaterThanEqual", opShiftRightLogical: "ShiftRightLogical", opShiftRightArithmetic: "ShiftRightArithmetic",
	opShiftLeftLogical: "ShiftLeftLogical", opBitwiseOr: "BitwiseOr", opBitwiseXor: "BitwiseXor", opBitwiseAnd: "BitwiseAnd", opNot: "Not",
	opBitCount: "BitCount", opControlBarrier: "ControlBarrier", opMemoryBarrier: "MemoryBarrier", opAtomicLoad: "AtomicLoad", opAtomicStore: "AtomicStore", opAtomicExchange: "AtomicExchange", opAtomicCompareExchange: "AtomicCompareExchange",
	opAtomicIAdd: "AtomicIAdd", opAtomicISub: "AtomicISub", opAtomicSMin: "AtomicSMin", opAtomicUMin: "AtomicUMin", opAtomicSMax: "AtomicSMax",
	opAtomicUMax: "AtomicUMax", opAtomicAnd: "AtomicAnd", opAtomicOr: "AtomicOr", opAtomicXor: "AtomicXor", opLoopMerge: "LoopMerge",
	opSelectionMerge: "SelectionMerge", opLabel: "Label", opBranch: "Branch", opBranchConditional: "BranchConditional", opReturn: "Return",
	opReturnValue: "ReturnValue", opUnreachable: "Unreachable", opGroupNonUniformElect: "GroupNonUniformElect",
}
