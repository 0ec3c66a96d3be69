package mpi

import (
	"fmt"
	"runtime"
	"time"
)

// A Request is a message under way.
type Request struct {
	peer, tag int
	receive   bool
	data      []byte
	done      chan struct{} // closed at the end
	err       error         // valid once done is closed

	// For libraries:
	pin  runtime.Pinner
	left int // pieces that have not ended
}

// Done reports whether the request has ended.
func (r *Request) Done() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// finish ends the request.
func (r *Request) finish(err error) {
	r.err = err
	close(r.done)
}

// A Stall describes a wait that takes long.
type Stall struct {
	Peer    int // the other rank
	Tag     int
	Receive bool // from Peer; or to it
	Bytes   int
	Waited  time.Duration
}

func stallOf(r *Request, waited time.Duration) Stall {
	return Stall{r.peer, r.tag, r.receive, len(r.data), waited}
}

// String returns the stall as a part of a sentence.
func (s Stall) String() string {
	what := "to send %d bytes to rank %d (tag %d)"
	if s.Receive {
		what = "for %d bytes from rank %d (tag %d)"
	}
	return fmt.Sprintf("%v "+what, s.Waited.Round(time.Millisecond), s.Bytes, s.Peer, s.Tag)
}
