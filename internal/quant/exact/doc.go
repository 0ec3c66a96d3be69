// Package exact is a reference for the forms of quantised numbers, in exact arithmetic.
//
// In: a form, a kind, and the bits of a number or a code. Out: the code ([Encode], [EncodeGroup], [Add]), or the bits of the number
// ([Decode], [DecodeGroup]). The oracle stores and loads with it.
//
// Invariants: it follows the definitions, and is slow. From package quant it uses only the description of forms, none of the arithmetic
// that it checks.
//
// Tests: internal/quant compares all codes of both (TestCodes); internal/quanttest compares them in launches.
package exact
