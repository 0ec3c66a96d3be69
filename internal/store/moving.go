package store

import (
	"errors"
	"io"
	"unsafe"
)

// This file has what whoever moves elements needs: how many at a time, and copies of one scalar.

// lookEvery is how many elements are visited between two checks whether their tree has been closed.
const lookEvery = 1 << 12

// ioBuffer is the number of bytes moved at a time. It holds whole elements of
// any type: the largest has 1024 components of 8 bytes.
const ioBuffer = 64 << 10

// short turns the end of a stream, which always comes too early, into
// io.ErrUnexpectedEOF.
func short(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// move copies a scalar.
func move(dst, src unsafe.Pointer, size uintptr) {
	switch size {
	case 1:
		*(*uint8)(dst) = *(*uint8)(src)
	case 2:
		*(*uint16)(dst) = *(*uint16)(src)
	case 4:
		*(*uint32)(dst) = *(*uint32)(src)
	default:
		*(*uint64)(dst) = *(*uint64)(src)
	}
}

// wipe zeroes a scalar.
func wipe(dst unsafe.Pointer, size uintptr) { clear(unsafe.Slice((*byte)(dst), size)) }
