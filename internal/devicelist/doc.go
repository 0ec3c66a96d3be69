// Package devicelist makes the lists of blocks of sparse trees on a device, so that nobody waits between a task that activates cells and one that visits them.
//
// In: a node of a tree (package layout). Out: [Level]s, from the outermost node with blocks of its own to the node, each of which makes the list of a node's blocks from that of the
// node above; the words that describe one to the device ([Level.Describe]); and tasks in the IR that work on such words ([Tasks]), the same ones for all nodes. Package
// vulkan has the memory, and runs them.
//
// A list has the entries that package sparse makes, in the order of the path. All combinations of a block above and a place in it are candidates, numbered in that order, of which a
// thread has some that follow each other:
//
//	open   one thread counts the changes of the nodes on the way: without one the list stays as it is, and nothing else is done
//	count  each thread counts the blocks among its candidates
//	sum    the counts of every [Group] threads are added up, if there are more
//	total  one thread adds up the rest: the length, which stays in the device's memory, with the number of iterations of the task that comes
//	write  each thread writes its entries behind those of the threads before
//	again  one thread notes the number of iterations of one more task over the list
//
// Where a list has no room for all entries, or a task had no memory for a block (the task check), a word of the launch says that nothing more is to run ([GateMost]), and where
// it stopped. So the host can give more room and go on there.
//
// Nodes are pointer nodes on the whole way. Lists of hash and dynamic nodes are made by package sparse: the former are sorted, and the latter make chunks.
//
// Invariants: a list is complete if its stamp is the sum of the versions on the way, plus 1. Which threads there are changes nothing.
//
// Tests: internal/devicelist has TestLevels; internal/vulkan runs the tasks, and compares programs with the oracle (TestLists, TestSparse).
package devicelist
