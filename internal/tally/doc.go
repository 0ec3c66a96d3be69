// Package tally counts what numbers the places of a source store in fields, and what storing them in
// few bits costs: that which [ti.Runtime.Ranges] reports.
//
// In: the numbers that are stored, before and after rounding. Out: counts for each place, and forms
// that would do. The oracle counts by the methods of [Tally]; compiled kernels do it in fields of
// counters, whose form is [Layout].
//
// A form is suggested for a [Range]: every number of the kind between the ends that is 0 or not below the smallest
// magnitude. [Range.Error] is the largest error that a form makes of these, what its arithmetic rounds included, and
// decides alone whether it does. [Range.Suggest] asks it of candidates by their number of bits: of all floats, and of
// fixed point with each limit that may do, which lie in a few intervals that follow from the tolerance.
package tally
