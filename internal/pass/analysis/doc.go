// Package analysis finds out facts about IR that passes ask for: in which interval an integer lies
// ([RangeInfo]), linear forms of indices and addresses ([Linear]), which memory an op accesses and
// what code may write ([Object], [Effects]), whether accesses of one iteration meet ([AccessesAgain], [Reference]),
// which elements a loop writes ([WriteSet]), and how often code runs ([TripsBetween], [Weighted]).
//
// In: a task, or the body of a kernel. Out: facts, which hold as long as it is not rewritten.
// Nothing is changed.
package analysis
