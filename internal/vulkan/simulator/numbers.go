package simulator

// Numbers of the SPIR-V specification (version 1.5, sections 3.2 to 3.52) that the simulator knows, and their names.
const (
	opName                   = 5
	opExtInstImport          = 11
	opExtInst                = 12
	opMemoryModel            = 14
	opEntryPoint             = 15
	opExecutionMode          = 16
	opCapability             = 17
	opTypeVoid               = 19
	opTypeBool               = 20
	opTypeInt                = 21
	opTypeFloat              = 22
	opTypeVector             = 23
	opTypeArray              = 28
	opTypeStruct             = 30
	opTypePointer            = 32
	opTypeFunction           = 33
	opConstantTrue           = 41
	opConstantFalse          = 42
	opConstant               = 43
	opConstantComposite      = 44
	opConstantNull           = 46
	opSpecConstant           = 50
	opSpecConstantComposite  = 51
	opSpecConstantOp         = 52
	opFunction               = 54
	opFunctionParameter      = 55
	opFunctionEnd            = 56
	opFunctionCall           = 57
	opVariable               = 59
	opLoad                   = 61
	opStore                  = 62
	opAccessChain            = 65
	opDecorate               = 71
	opMemberDecorate         = 72
	opCompositeConstruct     = 80
	opCompositeExtract       = 81
	opConvertFToU            = 109
	opConvertFToS            = 110
	opConvertSToF            = 111
	opConvertUToF            = 112
	opUConvert               = 113
	opSConvert               = 114
	opFConvert               = 115
	opConvertUToPtr          = 120
	opBitcast                = 124
	opSNegate                = 126
	opFNegate                = 127
	opIAdd                   = 128
	opFAdd                   = 129
	opISub                   = 130
	opFSub                   = 131
	opIMul                   = 132
	opFMul                   = 133
	opUDiv                   = 134
	opSDiv                   = 135
	opFDiv                   = 136
	opUMod                   = 137
	opSRem                   = 138
	opLogicalEqual           = 164
	opLogicalNotEqual        = 165
	opLogicalOr              = 166
	opLogicalAnd             = 167
	opLogicalNot             = 168
	opSelect                 = 169
	opIEqual                 = 170
	opINotEqual              = 171
	opUGreaterThan           = 172
	opSGreaterThan           = 173
	opUGreaterThanEqual      = 174
	opSGreaterThanEqual      = 175
	opULessThan              = 176
	opSLessThan              = 177
	opULessThanEqual         = 178
	opSLessThanEqual         = 179
	opFOrdEqual              = 180
	opFUnordEqual            = 181
	opFOrdNotEqual           = 182
	opFUnordNotEqual         = 183
	opFOrdLessThan           = 184
	opFUnordLessThan         = 185
	opFOrdGreaterThan        = 186
	opFUnordGreaterThan      = 187
	opFOrdLessThanEqual      = 188
	opFUnordLessThanEqual    = 189
	opFOrdGreaterThanEqual   = 190
	opFUnordGreaterThanEqual = 191
	opShiftRightLogical      = 194
	opShiftRightArithmetic   = 195
	opShiftLeftLogical       = 196
	opBitwiseOr              = 197
	opBitwiseXor             = 198
	opBitwiseAnd             = 199
	opNot                    = 200
	opBitCount               = 205
	opControlBarrier         = 224
	opMemoryBarrier          = 225
	opAtomicLoad             = 227
	opAtomicStore            = 228
	opAtomicExchange         = 229
	opAtomicCompareExchange  = 230
	opAtomicIAdd             = 234
	opAtomicISub             = 235
	opAtomicSMin             = 236
	opAtomicUMin             = 237
	opAtomicSMax             = 238
	opAtomicUMax             = 239
	opAtomicAnd              = 240
	opAtomicOr               = 241
	opAtomicXor              = 242
	opLoopMerge              = 246
	opSelectionMerge         = 247
	opLabel                  = 248
	opBranch                 = 249
	opBranchConditional      = 250
	opReturn                 = 253
	opReturnValue            = 254
	opUnreachable            = 255
	opGroupNonUniformElect   = 333
	opGroupNonUniformIAdd    = 349
	opGroupNonUniformFAdd    = 350
	opGroupNonUniformSMin    = 353
	opGroupNonUniformUMin    = 354
	opGroupNonUniformSMax    = 356
	opGroupNonUniformUMax    = 357
	opGroupNonUniformBitAnd  = 359
	opGroupNonUniformBitOr   = 360
	opGroupNonUniformBitXor  = 361
)

// opNames are for reports.
var opNames = map[uint32]string{
	opExtInst: "OpExtInst", opFunctionCall: "OpFunctionCall", opLoad: "OpLoad", opStore: "OpStore", opAccessChain: "OpAccessChain", opConvertFToU: "OpConvertFToU", opConvertFToS: "OpConvertFToS",
	opUDiv: "OpUDiv", opSDiv: "OpSDiv", opUMod: "OpUMod", opSRem: "OpSRem", opShiftRightLogical: "OpShiftRightLogical", opShiftRightArithmetic: "OpShiftRightArithmetic",
	opShiftLeftLogical: "OpShiftLeftLogical", opControlBarrier: "OpControlBarrier", opMemoryBarrier: "OpMemoryBarrier", opAtomicLoad: "OpAtomicLoad", opAtomicStore: "OpAtomicStore",
	opAtomicExchange: "OpAtomicExchange", opAtomicCompareExchange: "OpAtomicCompareExchange", opAtomicIAdd: "OpAtomicIAdd", opAtomicISub: "OpAtomicISub", opAtomicSMin: "OpAtomicSMin",
	opAtomicUMin: "OpAtomicUMin", opAtomicSMax: "OpAtomicSMax", opAtomicUMax: "OpAtomicUMax", opAtomicAnd: "OpAtomicAnd", opAtomicOr: "OpAtomicOr", opAtomicXor: "OpAtomicXor",
	opUnreachable: "OpUnreachable", opBranch: "OpBranch", opBranchConditional: "OpBranchConditional",
}

// Extended instructions of GLSL.std.450.
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

// Storage classes.
const (
	inInput    = 1
	inGroup    = 4
	inPrivate  = 6
	inFunction = 7
	inPush     = 9
	inBuffer   = 5349 // PhysicalStorageBuffer
)

// Decorations, built-in variables and execution modes.
const (
	decorateSpec    = 1
	decorateBuiltIn = 11
	decorateOffset  = 35

	givenGrid        = 24 // NumWorkgroups
	givenSize        = 25 // WorkgroupSize
	givenGroup       = 26 // WorkgroupId
	givenLocal       = 27 // LocalInvocationId
	givenIndex       = 29 // LocalInvocationIndex
	givenWidth       = 36 // SubgroupSize
	givenSubgroups   = 38 // NumSubgroups
	givenSubgroup    = 40 // SubgroupId
	givenLane        = 41 // SubgroupLocalInvocationId
	modeLocalSize    = 17
	modeKeep         = 4459 // DenormPreserve
	modeNearest      = 4462 // RoundingModeRTE
	capKeep          = 4464
	capNearest       = 4467
	scopeDevice      = 1
	scopeWorkgroup   = 2
	acquires         = 2 | 8 | 16 // bits of semantics
	releases         = 4 | 8 | 16
	ofBuffers        = 0x40 // UniformMemory: which takes in PhysicalStorageBuffer
	ofGroup          = 0x100
	magic            = 0x07230203
	headerWords      = 5
	accessIsAligned  = 2
	reduction        = 0
	executionCompute = 5
)
