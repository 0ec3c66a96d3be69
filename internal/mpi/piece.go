package mpi

import "unsafe"

// A piece is a part of a message, as MPI counts bytes in 31 bits.
type piece struct {
	of   *Request
	data []byte
	left int // bytes of the message from this piece on

	// A receive looks for its message before it is handed memory, so that a message of another length is found out before it is received: Open MPI 4.1
	// and 5.0 write large messages beyond memory that is too short. Messages of a route match in their order, so only its first receive looks.
	looking bool
	next    *piece // the next receive of the route

	message, handle [8]byte // MPI_Message, MPI_Request
}

// begin starts all pieces of a request.
func (l *library) begin(r *Request) {
	if len(r.data) > 0 {
		r.pin.Pin(unsafe.SliceData(r.data))
	}
	l.begun++
	// The count of pieces is known before one of them can end.
	r.left = len(r.data)/l.most + 1
	rest := r.data
	for range r.left {
		p := &piece{of: r, data: rest[:min(len(rest), l.most)], left: len(rest), looking: r.receive}
		rest = rest[len(p.data):]
		if r.receive {
			l.look(p)
			continue
		}
		err := l.call(isend, uintptr(unsafe.Pointer(unsafe.SliceData(p.data))), uintptr(len(p.data)), l.bytes, uintptr(r.peer), uintptr(r.tag), l.world,
			uintptr(unsafe.Pointer(&p.handle)))
		if err != nil {
			l.ended(p, err)
			continue
		}
		l.active = append(l.active, p)
	}
}

// look has a piece wait for its message, after those of its route that already do.
func (l *library) look(p *piece) {
	key := route{p.of.peer, l.rank, p.of.tag}
	if before := l.last[key]; before != nil {
		before.next = p
	} else {
		l.active = append(l.active, p)
	}
	l.last[key] = p
}

// progress moves all messages on. Without any it looks for one that nobody sends: other ranks may need this one to make progress
// with messages whose requests have ended here.
func (l *library) progress() {
	if len(l.active) == 0 {
		_ = l.call(iprobe, uintptr(l.rank), lastTag+1, l.world, l.at(0), uintptr(unsafe.Pointer(&l.status)))
	}
	stay := l.stay[:0]
	for _, p := range l.active {
		for p != nil {
			next, ended := l.advance(p)
			if !ended {
				stay = append(stay, p)
			}
			p = next
		}
	}
	clear(l.active)
	l.active, l.stay = stay, l.active
}

// advance moves a piece on. It returns whether the piece has ended, and the receive that may look for its message now.
func (l *library) advance(p *piece) (next *piece, ended bool) {
	if p.looking {
		found, err := l.find(p)
		if !found && err == nil {
			return nil, false
		}
		next = l.matched(p)
		if err == nil {
			err = l.call(imrecv, uintptr(unsafe.Pointer(unsafe.SliceData(p.data))), uintptr(len(p.data)), l.bytes,
				uintptr(unsafe.Pointer(&p.message)), uintptr(unsafe.Pointer(&p.handle)))
		}
		if err != nil {
			for l.ended(p, err); next != nil && next.of == p.of; {
				p, next = next, l.matched(next)
				l.ended(p, err)
			}
			return next, true
		}
	}
	err := l.call(test, uintptr(unsafe.Pointer(&p.handle)), l.at(0), uintptr(unsafe.Pointer(&l.status)))
	if err == nil && l.out[0] == 0 {
		return next, false
	}
	l.ended(p, err)
	return next, true
}

// find looks for the message of a piece. It fails if the message has another length.
func (l *library) find(p *piece) (found bool, err error) {
	r := p.of
	if err := l.call(improbe, uintptr(r.peer), uintptr(r.tag), l.world, l.at(0), uintptr(unsafe.Pointer(&p.message)), uintptr(unsafe.Pointer(&l.status))); err != nil {
		return false, err
	}
	if l.out[0] == 0 {
		return false, nil
	}
	if err := l.call(getCount, uintptr(unsafe.Pointer(&l.status)), l.bytes, l.at(1)); err != nil {
		return true, err
	}
	got := int(l.out[1])
	if got == len(p.data) {
		return true, nil
	}
	before := len(r.data) - p.left
	return true, &LengthError{From: r.peer, Tag: r.tag, Want: len(r.data), Got: before + got, More: got == l.most}
}

// matched takes a receive off its route, and returns the next one.
func (l *library) matched(p *piece) *piece {
	p.looking = false
	if p.next == nil {
		delete(l.last, route{p.of.peer, l.rank, p.of.tag})
	}
	return p.next
}

// ended notes the end of a piece. The first error of a request counts, and it ends with its last piece.
func (l *library) ended(p *piece, err error) {
	r := p.of
	if r.err == nil {
		r.err = err
	}
	if r.left--; r.left == 0 {
		r.pin.Unpin()
		r.finish(r.err)
	}
}
