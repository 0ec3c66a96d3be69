// Package mincut finds minimum cuts of flow networks. Passes use it to choose which values to store, or to pass from one
// loop to the next, at the least total cost.
//
// In: nodes, and directed edges with their capacities. Out: the nodes on the sink's side of a minimum cut between two
// nodes. If there are several minimum cuts, it is the one with the fewest nodes on that side, so the result does not depend
// on the order in which edges were added.
package mincut
