// Package tally counts the numbers that each place of a source stores in fields, and the errors of storing them in
// few bits: the statistics that [ti.Runtime.Ranges] reports.
//
// In: the numbers that are stored, before and after rounding. Out: counts for each place, and suggested
// forms. The oracle counts by the methods of [Tally]; compiled kernels count in fields of
// counters, whose layout is [Layout].
//
// A form is suggested for a [Range]: all numbers of the kind between two ends that are 0 or at least the smallest
// magnitude. [Range.Error] is the largest error of a form over these numbers, including the rounding of its own arithmetic;
// it alone decides whether the form is good enough. [Range.Suggest] tests candidates in the order of their bits: all floats,
// and fixed point with each possible limit. These limits lie in a few intervals that follow from the tolerance.
package tally
