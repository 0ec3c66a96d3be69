package syntax

// Warnings: what ti check -vet finds suspicious in a source without errors.
const (
	VetSameElement Code = 901
	VetNeighbour   Code = 902
	VetSerialLoop  Code = 903
	VetFloatEqual  Code = 904
	VetNeverSet    Code = 905
	VetNoEffect    Code = 906
	VetDirective   Code = 907
	VetComment     Code = 908
)

var vetCodes = []Explanation{
	{VetSameElement, "iterations write the same element",
		"In a parallel loop, a plain write to an element that does not depend on the loop's index is done by every iteration, and one to `Y[i/2]` by two, in any order: which value remains is not defined. Accumulate (+=, x = min(x, v), …), write an element of the iteration's own, write under a condition that holds for one iteration, or move the write behind the loop.",
		"var X, Y field[f32, D1]\n\nfunc F() {\n\tfor i := range X {\n\t\tY[0] = X[i]\n\t}\n}",
		"var X, Y field[f32, D1]\n\nfunc F() {\n\tfor i := range X {\n\t\tY[0] = max(Y[0], X[i])\n\t}\n}"},
	{VetNeighbour, "an element that another iteration writes",
		"In a parallel loop each iteration writes its element of a field, and one reads or writes the element of a neighbour: whether the neighbour's iteration comes before or after is not defined. Read from one field and write to another, or use `range serial(…)` where the order is meant.",
		"var X field[f32, D1]\n\nfunc F() {\n\tfor i := range span(1, len(X)) {\n\t\tX[i] = 0.5 * X[i-1]\n\t}\n}",
		"var X, Y field[f32, D1]\n\nfunc F() {\n\tfor i := range span(1, len(X)) {\n\t\tY[i] = 0.5 * X[i-1]\n\t}\n}"},
	{VetSerialLoop, "a long loop that runs on one thread",
		"Only loops in the outermost scope of a kernel run in parallel. This one has many iterations that would be independent, but stands under a condition, inside a serial loop, or in a function that is called from there. Move it to the outermost scope (call the kernel several times, or put the condition inside the loop), or write `range serial(…)` to say that it is meant.",
		"var X field[f32, D1]\n\nfunc F(on bool) {\n\tif on {\n\t\tfor i := range 100000 {\n\t\t\tX[i] = 0\n\t\t}\n\t}\n}",
		"var X field[f32, D1]\n\nfunc F(on bool) {\n\tfor i := range 100000 {\n\t\tif on {\n\t\t\tX[i] = 0\n\t\t}\n\t}\n}"},
	{VetFloatEqual, "comparison of computed floats for equality",
		"The result of floating-point arithmetic is rounded, and may be rounded in another way under fast maths, so two computed numbers are hardly ever exactly equal. Compare their distance with a tolerance. A comparison with 0 is not reported.",
		"func F(a, b f32) bool { return a*b == b/3 }",
		"func F(a, b f32) bool { return abs(a*b-b/3) < 1e-6 }"},
	{VetNeverSet, "variable that is never set",
		"The variable is read, but no statement gives it a value, so it is always zero. Assign to it; or, for a zero that is meant, use a constant, or call it zero.",
		"func F(a f32) f32 {\n\tvar sum f32\n\treturn sum + a\n}",
		"func F(a f32) f32 {\n\tvar sum f32\n\tsum = 2 * a\n\treturn sum\n}"},
	{VetNoEffect, "call without effect",
		"The function only computes its results, and the call does not use them. Use the result, or remove the call.",
		"func F() {\n\tg(1)\n}\n\nfunc g(a f32) f32 { return a + 1 }",
		"func F() f32 {\n\treturn g(1)\n}\n\nfunc g(a f32) f32 { return a + 1 }"},
	{VetDirective, "directive that changes nothing",
		"A directive begins with //ti: in small letters and without a space; otherwise it is a mere comment. And //ti:noinline changes nothing above a function that is always inlined, since it does not work on the values of its arguments alone, or above a kernel that no function calls. Correct it, or remove it.",
		"// ti:noinline\nfunc half(x f32) f32 { return x / 2 }\n\nfunc F(x f32) f32 { return half(x) }",
		"//ti:noinline\nfunc half(x f32) f32 { return x / 2 }\n\nfunc F(x f32) f32 { return half(x) }"},
	{VetComment, "comment that looks like an operand",
		"Two slashes begin a comment, as in Go; they do not divide. Behind an expression, a comment that is just a number, or the name of a variable or constant, may have been meant as a division. The division of integers that rounds down is floorDiv; / truncates. If it is meant as a comment, add a word to it.",
		"func F(a i32) i32 {\n\treturn a // 2\n}",
		"func F(a i32) i32 {\n\treturn floorDiv(a, 2)\n}"},
}
