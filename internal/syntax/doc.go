// Package syntax parses the text of a kernel source into a Go syntax tree with
// correct positions, and has the codes of all mistakes with their explanations. Package
// diag defines the mistakes themselves.
//
// In: the text of a file, or of a raw string in a host's Go file. Out: a
// [File], an ast.File with positions in the file that the user edits, or a sorted
// [ErrorList]. The parser is go/parser, unforked; its messages about syntax errors
// are rewritten to fit this language.
//
// Invariants: no text makes Parse panic or overflow the stack, since nesting is
// measured before parsing. Parse returns no error only if the tree is complete; if there
// are errors, the tree may lack statements and declarations, see [File.Partial].
package syntax
