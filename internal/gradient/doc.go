// Package gradient differentiates the launches of a program, by tapes, tangents and checkpoints.
//
// In: functions of a program that launch kernels, and a loss. Out: the adjoints or tangents of fields. [Gradients] is
// the state that a runtime has for this.
//
// A tape is an observer of launches (package flow). It records each launch with its arguments, its number and
// whatever else the backward pass needs: copies of the caller's memory, versions of topologies, old values of atomics.
// The backward pass runs the adjoint of each kernel, a variant in that role, for the launches from the last to the
// first. Tangents are computed by an observer too: it replaces each kernel by a variant that carries tangents. A
// checkpoint does not record the launches of its function, but runs it again in the backward pass, and compares the
// second run with the first.
//
// In debug mode the accesses of launches under a tape are recorded, and their history shows which of them break the rules
// of data access (history, hostchange, dropped). In every mode, ends finds fields without an adjoint that cut a
// derivative off.
//
// The files: tape and step record launches; tapeback and tapeold run the backward pass; checkpoint, checkpointcall and
// checkpointinput run functions again; topology, history, hostchange, dropped and ends check the rules; gradcheck lets
// tests differentiate single launches.
//
// Tests: beside it are those of tapes, tangents and checkpoints; internal/autodiff/compiled has those of the derivatives
// themselves. All of them take some minutes; a change here is tested in half a minute of two processors by
//
//	go test ./internal/gradient -skip 'Dropped|DataAccess|SecondRun|RandomHostPrograms|Topology|Halves'
package gradient
