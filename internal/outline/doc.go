// Package outline summarises a checked source for sessions: its declarations and, for each kernel, its
// types, the constants and fields that it reads, and the text that it printed at compile time. A program
// whose code comes from a cache or was compiled ahead of time needs only the outline, so it neither
// parses nor checks.
//
// In: a description of the host, [Host], and the result of package check. Out: an outline, also in a
// binary form, under a [Key] that covers all that the check depends on.
//
// Invariants: equal keys have equal outlines; a source with errors has no outline, so it is always
// checked; extents that the host may choose freely are not in the key, and [Program.Resize] inserts those
// of the host.
//
// Tests: internal/variant compares programs that come from outlines with the same ones checked (TestIndex, TestIndexErrors);
// internal/ahead and internal/bind read them, too.
package outline
