package syntax

var textCodes = []Explanation{
	{FormatVerb, "not a verb for printing",
		"The verbs of printf and of the message of assert are those of Go's fmt that make sense for numbers: %v %d %b %o %x %X %c %q %U for integers, %v %e %f %g and their capitals, %b %x for floats, %v %t for bools, %v %s %q for string literals, and %T for a type. Flags, width, precision and %[2]d work as in Go; a width or precision of * does not.",
		"func F(n i32) {\n\tprintf(\"%k\\n\", n)\n}", "func F(n i32) {\n\tprintf(\"%d\\n\", n)\n}"},
	{FormatType, "verb does not fit the argument",
		"Each verb prints certain types: %d integers, %f floats, %t bools. Of a vector, matrix, array or struct it prints every component. %v prints anything.",
		"func F(x f32) {\n\tprintf(\"%d\\n\", x)\n}", "func F(x f32) {\n\tprintf(\"%.2f\\n\", x)\n}"},
	{FormatCount, "format and arguments differ in number",
		"Each verb of a format takes an argument, and each argument is taken by a verb. A percent sign is written %%.",
		"func F(n i32) {\n\tprintf(\"%d %d\\n\", n)\n}", "func F(n i32) {\n\tprintf(\"%d\\n\", n)\n}"},
}
