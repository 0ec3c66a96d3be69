package syntax

// The codes of structs, methods and references.
const (
	BadStruct Code = 340
)

var structCodes = []Explanation{
	{BadStruct, "wrong struct type",
		"A struct has one or more fields, each with a name: scalars, vectors, matrices, fixed arrays and other structs. There are no embedded fields.",
		"type Base struct {\n\tX vec2\n}\n\ntype Body struct {\n\tBase\n\tM f32\n}",
		"type Base struct {\n\tX vec2\n}\n\ntype Body struct {\n\tBase Base\n\tM    f32\n}"},
}
