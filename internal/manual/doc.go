// Package manual makes pages of the documents: Markdown in, HTML out, in which examples of the kernel language run.
//
// In: the folder of a version of this module, and a template for pages. Out: files by their names in a site: the documents of docs and the lessons of the tour,
// at the same place as in the module but for the ending, and the pictures that they show.
//
// An example ([document.Kernel]) becomes a program of the playground, a source and a scene ([internal/scene]): what the comment above it binds, a launch of its kernel,
// and the small fields, which are printed. A lesson has the scene that lies beside it.
//
// Invariants:
//
//   - Links lead to pages of the site, with its headings, or out of it by a whole address. A link to another file of the module is left as text.
//   - Examples without anything to launch have no program: there is nothing to see.
//
// Tests: internal/manual launches all examples and compares what they print with the documents (TestExamples), and follows all links (TestLinks); cmd/ti runs some in a browser (TestSite).
package manual
