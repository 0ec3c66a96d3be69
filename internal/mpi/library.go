package mpi

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/native"
)

// A library is an installed MPI as a carrier.
type library struct {
	*candidate
	driver
	fn    [functions]uintptr
	world uintptr // MPI_COMM_WORLD
	bytes uintptr // MPI_BYTE

	rank, size int

	// With the mutex:
	most   int              // bytes of a piece: maxPiece, fewer in tests
	begun  int              // requests so far
	active []*piece         // sent, found, or the first of a route to look
	stay   []*piece         // the other memory for active
	last   map[route]*piece // the latest receive of a route that has found no message
	args   [8]uintptr
	out    [4]int32 // for C to write to
	status [64]byte

	farewell chan func() // to the thread that has initialised MPI
}

// maxPiece is the length of all pieces of a message but the last one, which is shorter, and may be empty. So each end knows the last piece, also
// if the other one has another length in mind.
const maxPiece = 1 << 30

// open initialises a library. The thread that does it is kept: it must be the one that signs off.
func open(c *candidate) (*library, error) {
	l := &library{candidate: c, driver: newDriver(), most: maxPiece, last: map[route]*piece{}, farewell: make(chan func())}
	ready := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := l.initialise()
		ready <- err
		if err == nil {
			(<-l.farewell)()
		}
	}()
	if err := <-ready; err != nil {
		return nil, err
	}
	go l.tend()
	return l, nil
}

// initialise looks up the functions and calls MPI_Init_thread.
func (l *library) initialise() (err error) {
	// Plug-ins of Open MPI need its symbols, and do not name the library that has them.
	if l.lib, err = native.OpenGlobal(l.path); err != nil {
		return err
	}
	for f, name := range symbols {
		if l.fn[f] = l.lib.Symbol(name); l.fn[f] == 0 {
			return fmt.Errorf("it has no function %s", name)
		}
	}
	l.world, l.bytes = l.abi.world.in(l.lib), l.abi.bytes.in(l.lib)
	if err := l.call(initThread, 0, 0, l.abi.serialized, l.at(0)); err != nil {
		return err
	}
	if l.out[0] < int32(l.abi.serialized) {
		return errors.New("it offers no MPI_THREAD_SERIALIZED, as some do that are built or set for one thread alone")
	}
	err = errors.Join(
		l.call(commSetErrhandler, l.world, l.abi.errorsReturn.in(l.lib)),
		l.call(commRank, l.world, l.at(0)),
		l.call(commSize, l.world, l.at(1)))
	l.rank, l.size = int(l.out[0]), int(l.out[1])
	return err
}

// at is the address of a number that a function writes. The library itself is on the heap, which does not move.
func (l *library) at(i int) uintptr { return uintptr(unsafe.Pointer(&l.out[i])) }

// call calls a function. The caller has the mutex. Addresses are of memory that is on the heap, which does not move, and that l or its pieces keep
// alive: so arguments need no memory of their own for each call, and a goroutine that waits makes no garbage.
func (l *library) call(f function, args ...uintptr) error {
	code := int32(native.Call(l.fn[f], l.args[:copy(l.args[:], args)]...))
	if code == 0 {
		return nil
	}
	text := make([]byte, maxText)
	native.Call(l.fn[errorString], uintptr(code), uintptr(unsafe.Pointer(&text[0])), l.at(2))
	return fmt.Errorf("%s: %s", symbols[f], text[:min(max(l.out[2], 0), maxText)])
}

func (l *library) name() string { return shortVersion(l.version) + ", " + l.path }

// finish signs off, and calls a function then. Nothing else calls MPI any more.
func (l *library) finish(then func(error)) {
	l.farewell <- func() {
		l.mu.Lock()
		then(l.call(finalize))
	}
}

// leave signs off, and leaves through exit of the C library: MPICH 5 frees what the threads of its transports use in functions that
// exit calls, and processes that end without it die by signals.
func (l *library) leave(code int) {
	l.finish(func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
		leaveProcess(code)
	})
	select {}
}

// abort ends the job. The launcher ends the other processes. It is given time to forward what this one has written: of MPICH's, one in sixty lost that.
func (l *library) abort(code int) {
	time.Sleep(100 * time.Millisecond)
	go func() {
		l.mu.Lock()
		_ = l.call(abort, l.world, uintptr(code))
	}()
	time.Sleep(10 * time.Second) // a library that hangs must not keep the job
	os.Exit(max(code, 1))
}

// setCEnvironment sets a variable where C code sees it, also if it is set already where replace says so. Without cgo, os.Setenv sets Go's alone.
func setCEnvironment(name, value string, replace bool) {
	if set := native.Process().Symbol("setenv"); set != 0 {
		var overwrite uintptr
		if replace {
			overwrite = 1
		}
		native.Call(set, uintptr(unsafe.Pointer(native.CString(name))), uintptr(unsafe.Pointer(native.CString(value))), overwrite)
	}
}

// leaveProcess ends the process through the C library, which calls the functions that libraries have registered.
func leaveProcess(code int) {
	if end := native.Process().Symbol("exit"); end != 0 {
		native.Call(end, uintptr(code))
	}
	os.Exit(code)
}
