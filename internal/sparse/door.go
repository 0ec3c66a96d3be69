package sparse

import (
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/memory"
)

// A door is how the host comes to the memory of a tree. Where a machine has that memory to itself, the host has a copy, and says beforehand what it
// reads and writes there. Elsewhere nothing has to be done.
type door struct {
	mirror device.Mirror // nil where the memory is shared
}

// read sees to it that the host can read n bytes.
func (d door) read(addr uint64, n int64) {
	if d.mirror != nil {
		d.mirror.Read(addr, n)
	}
}

// write sees to it that the host can write them too.
func (d door) write(addr uint64, n int64) {
	if d.mirror != nil {
		d.mirror.Write(addr, n, false)
	}
}

// err is why the host has not got what it wanted to read or write.
func (d door) err() error {
	if d.mirror != nil {
		return d.mirror.Err()
	}
	return nil
}

// load and store are for words that others may read at the same time.
func (d door) load(addr uint64) uint64 {
	d.read(addr, wordBytes)
	return peek(addr)
}

func (d door) store(addr uint64, v uint64) {
	d.write(addr, wordBytes)
	atomic.StoreUint64(word(addr), v)
}

// change stores a word if it is another one.
func (d door) change(addr uint64, v uint64) {
	if d.load(addr) != v {
		d.store(addr, v)
	}
}

// setBits sets bits of a word that others may set bits of.
func (d door) setBits(addr uint64, bits uint64) {
	d.write(addr, wordBytes)
	atomic.OrUint64(word(addr), bits)
}

// bytes returns n bytes to be read, changing ones that are all written.
func (d door) bytes(addr uint64, n int64) []byte {
	d.read(addr, n)
	return unsafe.Slice((*byte)(at(addr)), n)
}

func (d door) changing(addr uint64, n int64) []byte {
	if d.mirror != nil {
		d.mirror.Write(addr, n, true)
	}
	return unsafe.Slice((*byte)(at(addr)), n)
}

// words returns n words to be read, changingWords ones to be written.
func (d door) words(addr uint64, n int64) []uint64 {
	d.read(addr, n*wordBytes)
	return unsafe.Slice(word(addr), n)
}

func (d door) changingWords(addr uint64, n int64) []uint64 {
	d.write(addr, n*wordBytes)
	return unsafe.Slice(word(addr), n)
}

// clear zeroes n bytes.
func (d door) clear(addr uint64, n int64) { clear(d.changing(addr, n)) }

// zeroRange zeroes n bytes of a region from off on; whole pages of long ranges go back
// to the system.
func (d door) zeroRange(r *memory.Region, off, n int64) {
	base := uint64(uintptr(r.Base()))
	if n < pieceBytes {
		d.clear(base+uint64(off), n)
		return
	}
	d.discard(r, off, n)
	page := int64(os.Getpagesize())
	d.clear(base+uint64(off), roundUp(off, page)-off)
	d.clear(base+uint64((off+n)/page*page), (off+n)%page)
}

// discard is [memory.Region.Discard].
func (d door) discard(r *memory.Region, off, n int64) {
	done := r.Discard(off, n)
	if d.mirror != nil && done > 0 {
		d.mirror.Zero(uint64(uintptr(r.Base()))+uint64(roundUp(off, int64(os.Getpagesize()))), done)
	}
}
