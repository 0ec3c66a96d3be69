// Package conformance holds the rules of the language, one a row of a table with its name and
// an example. It has tests only.
//
// In: tables in files conform_*_test.go, each with the theme that it belongs to. Out: failures
// by the name of the rule, and docs/conformance.md, which counts the rules of each theme
// (document_test.go).
//
//   - A rule runs at least on the oracle, and as machine code with optimisation; rules about
//     numbers run without it, too.
//   - Names of rules are unique within a table. A theme has rules, or says why it has none.
//   - A test fails if the document differs from the tables.
package conformance
