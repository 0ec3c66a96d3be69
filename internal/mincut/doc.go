// Package mincut finds minimum cuts of networks: which of many values are kept, or handed from one loop to the next, so
// that all together costs least.
//
// In come nodes and directed edges with what each costs if the cut goes through it. Out comes which nodes stand behind the
// cheapest cut between two nodes: of all cheapest ones, that with the fewest nodes behind it, so the answer does not depend
// on the order in which edges were added.
package mincut
