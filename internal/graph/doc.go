// Package graph has the state-flow graph of a batch of launches: which parts of them hand which states to which others, so that a scheduler
// knows what may change places, and what nobody reads (Hu, thesis, chapter 4, section 4.2).
//
// In: launches in program order, each a descriptor (package launch) and where its fields are stored. Out: a directed acyclic graph, the
// launches and segments that are dead, and pictures of it. Descriptors are all that is needed: no IR, no compiler, no machine. So kernels
// that come compiled are planned like others.
//
//	launch     launches, and the memory of their fields, as the caller knows it
//	resource   what segments read and write
//	segment    launches cut into segments; what must run whether or not anybody reads what it writes
//	use        what a segment does to resources
//	graph      edges
//	history    who wrote and read each resource last, from batch to batch
//	dead       segments and launches whose values nobody reads
//	reach      paths
//	dot        pictures for Graphviz
//
// # Nodes
//
// A node is a segment of a launch: the tasks of one loop of the source, with the helper tasks that they name, or serial code. What it does
// is what the states of its tasks say.
//
// # Resources
//
// A resource is what an edge hands on: a component of a field, the mask of a node, the lists or the allocator of a tree, a value in the
// frame of a launch. Resources are told apart by memory, not by name: a kernel may know one field by two names, two kernels may know one
// by different names, and a member is a part of its field.
//
//   - Cells of a node stands for the elements of all fields in them. Each access to a component reads the cells of the nodes above it, and
//     who may clear elements of fields that its kernel does not know writes them.
//   - Numbers that share an exponent have it as a resource, since a store of one rounds others that the kernel does not know.
//   - Components that share a word are different resources. The graph says which order of segments is right, one after the other. Who
//     runs two at once must ask the layout whether they store to the same word, and must see that they do not make the lists of one tree,
//     and have no frame, scratch or sums in common.
//   - Everything is a resource of launches that work with memory of the caller, which may be that of any field, or with fields of which the
//     caller of this package does not know the memory. They stay where they are, and all other segments before or behind them.
//
// # Edges
//
// There is a flow edge from the last writer of a resource to who reads it, an anti edge from each reader since the last writer to the next
// writer, and an output edge from the last writer to the next. A write that is not whole keeps some of the old values, so it counts as a
// read. The graph has two properties:
//
//   - Each topological order of the segments gives the same values; and the same graph, if it is built anew.
//   - A segment from which no path of flow edges leads to a segment that must run, or to a state that is live behind the batch, is dead.
//
// All fields are live behind the batch. A launch's frame is not, but for its results.
//
// # What is dead
//
// A segment is dead if whatever it writes is wholly overwritten before anything reads it, but for what is dead itself. It must not
// be able to fail, or change which cells are active, or record. Who overwrites must do so certainly: it cannot fail, nor can what comes before
// it in its launch, nor may an early return skip it. Launches between the two may fail. Then what is written later is
// unspecified, in whichever way the batch goes on, and that is just what is dead. A loop without end is dropped like another one,
// and so is one for whose lists or copies there would be no memory.
//
// A dropped launch keeps its number, so that the random numbers of others stay as they are.
//
// Tests: beside it. The states of tasks, from which everything here follows, are judged by internal/oracle/touched in all tests.
package graph
