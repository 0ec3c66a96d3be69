// Package quant has the forms of quantised numbers: how a number of the kernel language is
// stored in fewer bits than its type has (Hu, Taichi, chapter 5: quantised data types).
//
// In: a [Format], as a program gives it when it places a field, and the kind of the field's
// numbers. Out, from [New]: a [Coder] with the constants of that form, which encodes numbers
// and decodes codes. Codes are unsigned, in the low bits.
//
//	form          value of code c                     storing v
//	int(n)        c                                   clamped, or the low bits
//	fixed(n,L)    c·step, step = L/2^(n-1)            v/step to the nearest, ties to even, clamped
//	float(e,f)    ±2^(E-b)·(1+d/2^m), 0 for E = 0     the nearest, ties to even d, clamped
//
// A [Group] of numbers that share an exponent has the values c·2^(E-b-m).
//
// The passes emit the same arithmetic as IR (internal/pass/quantise), and the oracle uses a
// separate reference in exact arithmetic (internal/quant/exact). All three agree bit for bit.
//
// The package knows nothing of layouts, words or the IR.
package quant
