// Package script binds and launches the kernels of a source that has no Go program: trees, fields, constants and calls are words, those of the command ti run.
//
//	s, err := script.Open(script.Options{Files: []string{"heat.ti"}, Binds: []string{"T=512x512", "Bins=10"}})
//	statements, err := s.ParseScript("for i := range 100 { Step(0.001*i) }; Count()")
//	err = (&script.Runner{Ctx: ctx, Session: s, …}).Run(statements, false)
//
// Pages have all files of a source and of its libraries in one text, which [Split] takes apart, and [Files.Join] makes.
//
// In: sources, and what the flags -tree, -bind, -lib, -grad, -dual and -call of ti run hold. Out: a [Session], whose fields can be printed, saved and shown, and a [Report]
// of each call.
//
// Invariants:
//
//   - What is wrong with a binding or a script is said before anything runs, in the words of the one who wrote it: with the flag, and what would be right.
//   - What does not fit into memory is an error, and so is a file that claims to be larger than that; nothing is allocated before.
//   - Reports, descriptions and errors do not depend on the order of maps.
//
// Tests: cmd/ti/testdata/script has the commands that use it; internal/script has those of files and pictures (FuzzNPY, TestTopology), and of texts with several files (TestJoined).
package script
