package llvm

import "github.com/gotaichi/ti/internal/native"

// A symbol is an index into a library's table of functions.
type symbol int

const (
	symContextCreate symbol = iota
	symContextDispose
	symContextSetDiagnosticHandler
	symGetDiagInfoDescription
	symGetDiagInfoSeverity
	symDisposeMessage
	symInstallFatalErrorHandler
	symCreateMemoryBuffer
	symGetBufferStart
	symGetBufferSize
	symDisposeMemoryBuffer
	symParseIR
	symVerifyModule
	symDisposeModule
	symPrintModule
	symSetTarget
	symSetModuleDataLayout
	symCreateTargetDataLayout
	symDisposeTargetData
	symGetTargetFromTriple
	symCreateTargetMachine
	symDisposeTargetMachine
	symEmitToMemoryBuffer
	symGetHostCPUName
	symGetHostCPUFeatures
	symCreatePassBuilderOptions
	symDisposePassBuilderOptions
	symSetLoopInterleaving
	symSetLoopVectorization
	symSetSLPVectorization
	symSetLoopUnrolling
	symRunPasses
	symGetErrorMessage
	symDisposeErrorMessage
	symGetFirstFunction
	symGetNextFunction
	symGetStringAttribute
	symRemoveEnumAttribute
	symGetEnumAttributeKind
	symGetNamedGlobal
	symDeleteGlobal
	symCreateStringAttribute
	symAddAttribute
	symCreateModule
	symLinkModules
	symIsDeclaration
	symSetSection
	symGetFirstGlobal
	symGetNextGlobal
	symGetValueName
	symGetFirstBasicBlock
	symGetNextBasicBlock
	symGetBasicBlockTerminator
	symGetNumSuccessors
	symGetSuccessor
	symSetCondition
	symGetModuleContext
	symInt1Type
	symConstInt
	symGetFirstInstruction
	symGetNextInstruction
	symIsAPHINode
	symTypeOf
	symGetTypeKind
	symBlockAsValue
	numSymbols
)

var symbolNames = [numSymbols]string{
	symContextCreate:               "LLVMContextCreate",
	symContextDispose:              "LLVMContextDispose",
	symContextSetDiagnosticHandler: "LLVMContextSetDiagnosticHandler",
	symGetDiagInfoDescription:      "LLVMGetDiagInfoDescription",
	symGetDiagInfoSeverity:         "LLVMGetDiagInfoSeverity",
	symDisposeMessage:              "LLVMDisposeMessage",
	symInstallFatalErrorHandler:    "LLVMInstallFatalErrorHandler",
	symCreateMemoryBuffer:          "LLVMCreateMemoryBufferWithMemoryRangeCopy",
	symGetBufferStart:              "LLVMGetBufferStart",
	symGetBufferSize:               "LLVMGetBufferSize",
	symDisposeMemoryBuffer:         "LLVMDisposeMemoryBuffer",
	symParseIR:                     "LLVMParseIRInContext",
	symVerifyModule:                "LLVMVerifyModule",
	symDisposeModule:               "LLVMDisposeModule",
	symPrintModule:                 "LLVMPrintModuleToString",
	symSetTarget:                   "LLVMSetTarget",
	symSetModuleDataLayout:         "LLVMSetModuleDataLayout",
	symCreateTargetDataLayout:      "LLVMCreateTargetDataLayout",
	symDisposeTargetData:           "LLVMDisposeTargetData",
	symGetTargetFromTriple:         "LLVMGetTargetFromTriple",
	symCreateTargetMachine:         "LLVMCreateTargetMachine",
	symDisposeTargetMachine:        "LLVMDisposeTargetMachine",
	symEmitToMemoryBuffer:          "LLVMTargetMachineEmitToMemoryBuffer",
	symGetHostCPUName:              "LLVMGetHostCPUName",
	symGetHostCPUFeatures:          "LLVMGetHostCPUFeatures",
	symCreatePassBuilderOptions:    "LLVMCreatePassBuilderOptions",
	symDisposePassBuilderOptions:   "LLVMDisposePassBuilderOptions",
	symSetLoopInterleaving:         "LLVMPassBuilderOptionsSetLoopInterleaving",
	symSetLoopVectorization:        "LLVMPassBuilderOptionsSetLoopVectorization",
	symSetSLPVectorization:         "LLVMPassBuilderOptionsSetSLPVectorization",
	symSetLoopUnrolling:            "LLVMPassBuilderOptionsSetLoopUnrolling",
	symRunPasses:                   "LLVMRunPasses",
	symGetErrorMessage:             "LLVMGetErrorMessage",
	symDisposeErrorMessage:         "LLVMDisposeErrorMessage",
	symGetFirstFunction:            "LLVMGetFirstFunction",
	symGetNextFunction:             "LLVMGetNextFunction",
	symGetStringAttribute:          "LLVMGetStringAttributeAtIndex",
	symRemoveEnumAttribute:         "LLVMRemoveEnumAttributeAtIndex",
	symGetEnumAttributeKind:        "LLVMGetEnumAttributeKindForName",
	symGetNamedGlobal:              "LLVMGetNamedGlobal",
	symDeleteGlobal:                "LLVMDeleteGlobal",
	symCreateStringAttribute:       "LLVMCreateStringAttribute",
	symAddAttribute:                "LLVMAddAttributeAtIndex",
	symCreateModule:                "LLVMModuleCreateWithNameInContext",
	symLinkModules:                 "LLVMLinkModules2",
	symIsDeclaration:               "LLVMIsDeclaration",
	symSetSection:                  "LLVMSetSection",
	symGetFirstGlobal:              "LLVMGetFirstGlobal",
	symGetNextGlobal:               "LLVMGetNextGlobal",
	symGetValueName:                "LLVMGetValueName2",
	symGetFirstBasicBlock:          "LLVMGetFirstBasicBlock",
	symGetNextBasicBlock:           "LLVMGetNextBasicBlock",
	symGetBasicBlockTerminator:     "LLVMGetBasicBlockTerminator",
	symGetNumSuccessors:            "LLVMGetNumSuccessors",
	symGetSuccessor:                "LLVMGetSuccessor",
	symSetCondition:                "LLVMSetCondition",
	symGetModuleContext:            "LLVMGetModuleContext",
	symInt1Type:                    "LLVMInt1TypeInContext",
	symConstInt:                    "LLVMConstInt",
	symGetFirstInstruction:         "LLVMGetFirstInstruction",
	symGetNextInstruction:          "LLVMGetNextInstruction",
	symIsAPHINode:                  "LLVMIsAPHINode",
	symTypeOf:                      "LLVMTypeOf",
	symGetTypeKind:                 "LLVMGetTypeKind",
	symBlockAsValue:                "LLVMBasicBlockAsValue",
}

// targets are the back ends that are initialised when the library has them.
var targets = []string{"X86", "AArch64"}

// targetParts are the pieces of a back end, in the order of initialisation.
var targetParts = []string{"TargetInfo", "Target", "TargetMC", "AsmPrinter"}

// call calls a function of the library; see [native.Call] for the arguments.
//
//go:uintptrescapes
func (l *Lib) call(s symbol, args ...uintptr) uintptr {
	return native.Call(l.fn[s], args...)
}

// text copies a message that libLLVM allocated and frees it.
func (l *Lib) text(message uintptr) string {
	if message == 0 {
		return ""
	}
	s := native.String(message)
	l.call(symDisposeMessage, message)
	return s
}

// failed reads a C int that is not zero on failure. Only its low half counts:
// the upper half of the register is anything.
func failed(result uintptr) bool { return uint32(result) != 0 }
