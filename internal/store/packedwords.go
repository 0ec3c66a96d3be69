package store

import (
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
)

// loadWords loads words that lie step bytes apart.
func loadWords(words []uint64, at unsafe.Pointer, step int64, k layout.Kind) {
	switch k {
	case layout.U8:
		for i := range words {
			words[i] = uint64(*(*uint8)(unsafe.Add(at, int64(i)*step)))
		}
	case layout.U16:
		for i := range words {
			words[i] = uint64(*(*uint16)(unsafe.Add(at, int64(i)*step)))
		}
	case layout.U32:
		for i := range words {
			words[i] = uint64(atomic.LoadUint32((*uint32)(unsafe.Add(at, int64(i)*step))))
		}
	default:
		for i := range words {
			words[i] = atomic.LoadUint64((*uint64)(unsafe.Add(at, int64(i)*step)))
		}
	}
}

// storeWords stores words step bytes apart.
func storeWords(at unsafe.Pointer, step int64, words []uint64, k layout.Kind) {
	switch k {
	case layout.U8:
		for i, w := range words {
			*(*uint8)(unsafe.Add(at, int64(i)*step)) = uint8(w)
		}
	case layout.U16:
		for i, w := range words {
			*(*uint16)(unsafe.Add(at, int64(i)*step)) = uint16(w)
		}
	case layout.U32:
		for i, w := range words {
			*(*uint32)(unsafe.Add(at, int64(i)*step)) = uint32(w)
		}
	default:
		for i, w := range words {
			*(*uint64)(unsafe.Add(at, int64(i)*step)) = w
		}
	}
}
