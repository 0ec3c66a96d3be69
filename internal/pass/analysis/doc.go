// Package analysis computes facts about IR on demand: intervals of integers ([RangeInfo]), linear forms of indices and addresses
// ([Linear]), the memory that an op accesses and that code may write ([Object], [Effects]), dependences within an iteration
// ([AccessesAgain], [Reference]), the elements that a loop writes ([WriteSet]), residues of indices that conditions prove ([Congruences]),
// and trip counts ([TripsBetween], [Weighted]).
//
// In: a task, or the body of a kernel. Out: facts, which hold until the code is rewritten. The package changes no code.
//
// Tests: internal/pass/analysis evaluates what it proves (TestReach, TestCongruences); internal/pass tests the passes that ask (TestGolden).
package analysis
