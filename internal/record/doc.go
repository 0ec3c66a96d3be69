// Package record processes the records that running kernels make: it writes printed text
// in the order of iterations, searches the accesses of debug mode for
// races, and deactivates cells between tasks.
//
// In: records, each with the number of the [launch.Site] that made it and its values, from
// compiled code or from the oracle. Out: text on a writer, a [Race], a changed topology.
//
// Invariants: only the holder of the launch lock uses records; [Limits] bound their memory, and
// records beyond them are counted and reported.
package record
