//go:build linux || darwin

#include "textflag.h"

GLOBL ·taskcallABI0(SB), NOPTR|RODATA, $8
DATA ·taskcallABI0(SB)/8, $taskcall(SB)

// taskcall is a C function: R0 points to a call{fn, ctx, begin, end}.
TEXT taskcall(SB), NOSPLIT|NOFRAME, $0
	SUB  $16, RSP
	STP  (R29, R30), 0(RSP)
	MOVD R0, R9
	MOVD 0(R9), R10
	MOVD 8(R9), R0
	MOVD 16(R9), R1
	MOVD 24(R9), R2
	CALL (R10)
	LDP  0(RSP), (R29, R30)
	ADD  $16, RSP
	MOVD $0, R0
	RET

// func pause()
TEXT ·pause(SB), NOSPLIT, $0-0
	YIELD
	RET
