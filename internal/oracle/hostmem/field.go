package hostmem

import (
	"iter"
	"maps"
	"unsafe"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/oracle"
)

// A Field is what a launch on the oracle knows of a field: a plain map.
// Elements enter it when they are first read and return to the host's memory when
// the launch is over, so that nothing the kernel does passes through a layout.
type Field struct {
	host  oracle.Memory
	rank  int
	cells oracle.Cells
}

// NewField returns what is known of a field with a number of axes: nothing as yet.
func NewField(host oracle.Memory, rank int) *Field { return &Field{host, rank, oracle.Cells{}} }

// Load returns a component of an element.
func (f *Field) Load(index []int64, comp int) uint64 {
	k := oracle.Key{Comp: comp}
	copy(k.Index[:], index)
	bits, ok := f.cells[k]
	if !ok {
		bits = f.host.Load(index, comp)
		f.cells[k] = bits
	}
	return bits
}

// Store sets a component of an element.
func (f *Field) Store(index []int64, comp int, bits uint64) {
	f.cells.Store(index, comp, bits)
}

// Flush gives the host its elements back; each has one place, so their order does
// not matter.
func (f *Field) Flush() {
	for k, bits := range f.cells {
		f.host.Store(k.Index[:f.rank], k.Comp, bits)
	}
	clear(f.cells)
}

// Known lists the components that the launch has read or stored so far, in no order.
func (f *Field) Known() iter.Seq[oracle.Key] { return maps.Keys(f.cells) }

// A Memory gives the oracle the elements of a field, or of a view: where each component
// lies, nil for one that is not there, and of which kind it is.
type Memory func(index []int64, comp int) (unsafe.Pointer, ir.Kind)

// Load returns a component in the form that the IR holds values in.
func (m Memory) Load(index []int64, comp int) uint64 {
	p, k := m(index, comp)
	if p == nil { // inactive
		return 0
	}
	switch k {
	case ir.Bool:
		return ir.BoolBits(*(*uint8)(p) != 0)
	case ir.I8:
		return uint64(*(*int8)(p))
	case ir.I16:
		return uint64(*(*int16)(p))
	case ir.I32:
		return uint64(*(*int32)(p))
	}
	switch k.Size() {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// Store sets a component.
func (m Memory) Store(index []int64, comp int, bits uint64) {
	p, k := m(index, comp)
	if p == nil { // deactivated after it was written
		return
	}
	switch k.Size() {
	case 1:
		*(*uint8)(p) = uint8(bits)
	case 2:
		*(*uint16)(p) = uint16(bits)
	case 4:
		*(*uint32)(p) = uint32(bits)
	default:
		*(*uint64)(p) = bits
	}
}
