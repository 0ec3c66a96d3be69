package syntax

// The codes of structs, methods and references.
const (
	BadStruct         Code = 340
	BadMethod         Code = 341
	NotAPlace         Code = 342
	BadReference      Code = 343
	ReferenceMismatch Code = 344
	ParallelReference Code = 345
)

var structCodes = []Explanation{
	{BadStruct, "wrong struct type",
		"A struct has one or more fields, each with a name: scalars, vectors, matrices, fixed arrays and other structs. There are no embedded fields.",
		"type Base struct {\n\tX vec2\n}\n\ntype Body struct {\n\tBase\n\tM f32\n}",
		"type Base struct {\n\tX vec2\n}\n\ntype Body struct {\n\tBase Base\n\tM    f32\n}"},
	{BadMethod, "wrong method",
		"A method is declared for a struct type of the source, with the type or a reference to it as receiver, and has a name that no field of the struct has. It is called, x.f(), not used as a value.",
		"func (v vec2) Twice() vec2 {\n\treturn v * 2\n}",
		"type Body struct {\n\tX vec2\n}\n\nfunc (b Body) Twice() vec2 {\n\treturn b.X * 2\n}"},
	{NotAPlace, "nothing to refer to",
		"A reference is made of a variable, an element, or a part of one: &v, &x[i], &x[i].V, &v.y. A computed value has no place; assign it to a variable first.",
		"func add(p *f32) {\n\t*p += 1\n}\n\nfunc F(a f32) f32 {\n\tadd(&(a * 2))\n\treturn a\n}",
		"func add(p *f32) {\n\t*p += 1\n}\n\nfunc F(a f32) f32 {\n\tb := a * 2\n\tadd(&b)\n\treturn b\n}"},
	{BadReference, "reference where there can be none",
		"References are parameters, *T, and local names, b := &x[i], which stay bound to their place. They are no type of a variable, field, element or result, they are not assigned anew, and kernels take none.",
		"func F(a f32) f32 {\n\tvar p *f32\n\treturn a\n}",
		"func F(a f32) f32 {\n\tp := &a\n\t*p += 1\n\treturn a\n}"},
	{ReferenceMismatch, "reference and value confused",
		"A parameter *T takes a reference to a place of exactly that type: write &v. A value is read through a reference by *p; selectors and indices go through it by themselves.",
		"func add(p *f32) {\n\t*p += 1\n}\n\nfunc F(a f32) f32 {\n\tadd(a)\n\treturn a\n}",
		"func add(p *f32) {\n\t*p += 1\n}\n\nfunc F(a f32) f32 {\n\tadd(&a)\n\treturn a\n}"},
	{ParallelReference, "parallel loop assigns through a reference",
		"The iterations of a parallel loop share the variables of the kernel around it, so they may only accumulate into them, directly. A function that assigns through its reference cannot be given one: return the value instead, and accumulate it.",
		"var A field[f32]\n\nfunc add(p *f32, v f32) {\n\t*p += v\n}\n\nfunc F() (s f32) {\n\tfor i := range A {\n\t\tadd(&s, A[i])\n\t}\n\treturn\n}",
		"var A field[f32]\n\nfunc F() (s f32) {\n\tfor i := range A {\n\t\ts += A[i]\n\t}\n\treturn\n}"},
}
