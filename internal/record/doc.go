// Package record takes what running kernels record, and does what follows from it: text that
// they print is written in the order of iterations, accesses of debug mode are searched for
// races, and cells are deactivated between tasks.
//
// In: records, each with the number of the [launch.Site] that made it and its values, from
// compiled code or from the oracle. Out: text on a writer, a [Race], a changed topology.
//
// Invariants: all of it belongs to the holder of the launch lock; memory is bounded by what
// [Limits] say, and what found no room is counted and told.
package record
