// Package tally counts what numbers the places of a source store in fields, and what storing them in
// few bits costs: that which [ti.Runtime.Ranges] reports.
//
// In: the numbers that are stored, before and after rounding. Out: counts for each place, and forms
// that would do. The oracle counts by the methods of [Tally]; compiled kernels do it in fields of
// counters, whose form is [Layout].
package tally
