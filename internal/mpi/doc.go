// Package mpi moves bytes between the ranks of a job: processes that mpiexec has started, or goroutines.
//
// In: where to find a library ([Config]), and requests to send and receive ([Comm.Send], [Comm.Recv]). Out: their ends, errors, and collectives made
// of them. There are two carriers:
//
//   - An installed MPI, opened without cgo ([Join]): libraries with the binary interface of MPICH (Intel MPI, MVAPICH), of Open MPI 4 and 5, and of MPI 5.
//     A table has what they differ in. Without a launcher there is one rank, and no library.
//   - Memory of the process ([Local]), which delays and reorders messages as a network may.
//
// Invariants:
//
//   - Messages between two ranks with one tag match in the order in which they were sent, and those of different tags or ranks in any order.
//   - A message has exactly the length of the memory for it, else the request fails with a [LengthError]. It may have more than 2 GiB.
//   - A library is called by one goroutine at a time (MPI_THREAD_SERIALIZED), and by none for long: they test and give their
//     processor away, so that ranks that wait starve nobody.
//   - A receive hands over memory only for a message that it has found, of the right length.
//   - Processes that a launcher started become one job, or Join fails. They never run as jobs of one rank each, unless [None] says so.
//   - A process that has joined a job ends by [Comm.Leave] or [Comm.Abort], which leave through the C library.
//   - Memory of a request belongs to it until it has ended, and after a failed [Comm.Wait] until the job ends.
package mpi
