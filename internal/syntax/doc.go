// Package syntax turns the text of a kernel source into a Go syntax tree with
// right positions, and holds the codes of all mistakes with their explanations. What a
// mistake itself is made of stands in package diag.
//
// In comes the text of a file, or of a raw string in a host's Go file; out goes a
// [File], an ast.File with positions in the file that the user edits, or a sorted
// [ErrorList]. The parser is go/parser, unforked; what it says about slips that are
// no Go is put into words that fit this language.
//
// Invariants: no text makes Parse panic or overflow the stack, since nesting is
// measured before parsing. Parse returns no error only if the tree is complete; beside
// errors, the tree may lack statements and declarations, see [File.Partial].
package syntax
