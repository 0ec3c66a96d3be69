//go:build unix

#include "textflag.h"

GLOBL ·taskcallABI0(SB), NOPTR|RODATA, $8
DATA ·taskcallABI0(SB)/8, $taskcall(SB)

// taskcall is a C function: R0 points to a call{fn, ctx, begin, end, stack}. The
// task runs on that stack, or on the thread's own if it is 0. R19, which a C
// function preserves, keeps the old stack pointer.
TEXT taskcall(SB), NOSPLIT|NOFRAME, $0
	SUB  $32, RSP
	STP  (R29, R30), 0(RSP)
	MOVD R19, 16(RSP)
	MOVD RSP, R19
	MOVD R0, R9
	MOVD 0(R9), R10
	MOVD 8(R9), R0
	MOVD 16(R9), R1
	MOVD 24(R9), R2
	MOVD 32(R9), R11
	CBZ  R11, own
	MOVD R11, RSP
own:
	CALL (R10)
	MOVD R19, RSP
	LDP  0(RSP), (R29, R30)
	MOVD 16(RSP), R19
	ADD  $32, RSP
	MOVD $0, R0
	RET
