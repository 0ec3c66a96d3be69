// Package gradient has tapes, tangents and checkpoints: the derivatives of what a program launches.
//
// In: functions of a program that launch kernels, and a loss. Out: the adjoints or tangents of fields. [Gradients] are
// what a runtime has of them.
//
// A tape is an observer of the way of launches (package flow). It notes each launch with its arguments, its number and
// what the backward pass needs besides: copies of the caller's memory, versions of topologies, old values of atomics.
// The backward pass runs the adjoint of each kernel, a variant in that role, for the launches from the last to the
// first. Tangents are an observer too: each kernel is launched as one that carries them. A checkpoint keeps no steps
// of its function, and runs it again on the backward pass; what it does the second time is compared with the first.
//
// In debug mode launches under a tape are watched, access by access, and a history of them finds what breaks the rules
// of data access (history, hostchange, dropped). Whether a field without an adjoint cuts a derivative off is followed
// in any mode (ends).
//
// The parts: tape and step note, tapeback and tapeold go back, checkpoint, checkpointcall and checkpointinput run
// again, topology, history, hostchange, dropped and ends judge, gradcheck lets tests see single launches.
package gradient
