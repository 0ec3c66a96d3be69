package store

import (
	"unsafe"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/layout"
)

// This file has the loops over Go numbers that lie at equal distances.

// copyStrided copies n scalars.
func copyStrided(to unsafe.Pointer, toStep uintptr, from unsafe.Pointer, fromStep uintptr, size uintptr, n int) {
	for i := range uintptr(n) {
		move(unsafe.Add(to, i*toStep), unsafe.Add(from, i*fromStep), size)
	}
}

// putReal stores real numbers as those of a kind.
func putReal(to unsafe.Pointer, step uintptr, vs []float64, k layout.Kind) {
	switch k {
	case layout.F32:
		for i, v := range vs {
			*(*float32)(unsafe.Add(to, uintptr(i)*step)) = float32(v)
		}
	case layout.F64:
		for i, v := range vs {
			*(*float64)(unsafe.Add(to, uintptr(i)*step)) = v
		}
	default:
		for i, v := range vs {
			*(*uint16)(unsafe.Add(to, uintptr(i)*step)) = half.From64(v)
		}
	}
}

// getReal loads real numbers of a kind.
func getReal(vs []float64, from unsafe.Pointer, step uintptr, k layout.Kind) {
	switch k {
	case layout.F32:
		for i := range vs {
			vs[i] = float64(*(*float32)(unsafe.Add(from, uintptr(i)*step)))
		}
	case layout.F64:
		for i := range vs {
			vs[i] = *(*float64)(unsafe.Add(from, uintptr(i)*step))
		}
	default:
		for i := range vs {
			vs[i] = half.To64(*(*uint16)(unsafe.Add(from, uintptr(i)*step)))
		}
	}
}

// putWhole stores the low bytes of integers, as many as size says.
func putWhole(to unsafe.Pointer, step uintptr, ns []int64, size uintptr) {
	switch size {
	case 1:
		for i, n := range ns {
			*(*uint8)(unsafe.Add(to, uintptr(i)*step)) = uint8(n)
		}
	case 2:
		for i, n := range ns {
			*(*uint16)(unsafe.Add(to, uintptr(i)*step)) = uint16(n)
		}
	case 4:
		for i, n := range ns {
			*(*uint32)(unsafe.Add(to, uintptr(i)*step)) = uint32(n)
		}
	default:
		for i, n := range ns {
			*(*int64)(unsafe.Add(to, uintptr(i)*step)) = n
		}
	}
}

// getWhole loads integers of a kind, an uint64 by its bits.
func getWhole(ns []int64, from unsafe.Pointer, step uintptr, k layout.Kind) {
	switch k {
	case layout.I32:
		for i := range ns {
			ns[i] = int64(*(*int32)(unsafe.Add(from, uintptr(i)*step)))
		}
	case layout.U8, layout.Bool:
		for i := range ns {
			ns[i] = int64(*(*uint8)(unsafe.Add(from, uintptr(i)*step)))
		}
	default:
		for i := range ns {
			ns[i] = integer(unsafe.Add(from, uintptr(i)*step), k)
		}
	}
}
