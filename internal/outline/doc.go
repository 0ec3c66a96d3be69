// Package outline is what a session must know of a source and of its check, without the source: what is
// declared, and of each kernel its types, the constants and fields that it reads, and what was printed
// at compile time. A program whose code comes from a cache or was compiled ahead of time needs no more,
// so it neither parses nor checks.
//
// In: a description of the host, [Host], and what package check found; out: an outline, also in a
// binary form, under a [Key] that covers all that the check depends on.
//
// These hold: equal keys, equal outlines; an error has no outline, so a source with mistakes is always
// checked; the extents of fields that are free are not in the key, and [Program.Resize] puts in those of
// the host.
//
// Tests: internal/variant compares programs that come from outlines with the same ones checked (TestIndex, TestIndexErrors);
// internal/ahead and internal/bind read them, too.
package outline
