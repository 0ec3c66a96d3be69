//go:build unix

#include "textflag.h"

GLOBL ·taskcallABI0(SB), NOPTR|RODATA, $8
DATA ·taskcallABI0(SB)/8, $taskcall(SB)

// taskcall is a C function: DI points to a call{fn, ctx, begin, end, stack}. The
// task runs on that stack, or on the thread's own if it is 0. The
// task relies on the stack being aligned to launch.StackAlign. BX, which a C
// function preserves, keeps the old stack pointer.
TEXT taskcall(SB), NOSPLIT|NOFRAME, $0
	SUBQ $8, SP
	MOVQ BX, 0(SP)
	MOVQ SP, BX
	MOVQ DI, AX
	MOVQ 0(AX), R10
	MOVQ 8(AX), DI
	MOVQ 16(AX), SI
	MOVQ 24(AX), DX
	MOVQ 32(AX), R11
	TESTQ R11, R11
	JZ   own
	MOVQ R11, SP
own:
	ANDQ $~63, SP // launch.StackAlign
	CALL R10
	MOVQ BX, SP
	MOVQ 0(SP), BX
	ADDQ $8, SP
	XORL AX, AX
	RET
