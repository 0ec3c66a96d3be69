package domain

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
)

// A snapshot is what components that are not divided hold before a parted task adds to them.
type snapshot struct {
	sums   []sum
	values [][]uint64 // of each sum, by element
}

// floats reports whether floats are added up, so that the order matters.
func (s *sum) floats() bool {
	return s.op == launch.Add && s.field.Access(s.comp).Kind.IsFloat()
}

// take keeps what the components of a task hold. Partial results are in none of them yet when it merges.
func (b *snapshot) take(w *World, p *plan) {
	b.sums, b.values = b.sums[:0], b.values[:0]
	if p.way != parted {
		return
	}
	for _, s := range p.sums {
		if w.comm.Size() > 1 || s.floats() { // which are only checked on one rank
			b.sums = append(b.sums, s)
			b.values = append(b.values, w.read(s))
		}
	}
}

// merge merges what each rank has changed since then.
func (b *snapshot) merge(w *World, p *plan) error {
	if len(b.sums) == 0 {
		return nil
	}
	var own []byte // of each sum: the number of elements that have changed, and for each its number and what it is now
	for i, s := range b.sums {
		now, at := w.read(s), len(own)
		own = binary.LittleEndian.AppendUint64(own, 0)
		n := uint64(0)
		for k, v := range now {
			if v != b.values[i][k] {
				own = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(own, uint64(k)), v)
				n++
			}
		}
		binary.LittleEndian.PutUint64(own[at:], n)
	}
	got, err := w.all(own)
	if err != nil {
		return err
	}
	next := func(rank int) uint64 {
		v := binary.LittleEndian.Uint64(got[rank])
		got[rank] = got[rank][8:]
		return v
	}
	for i, s := range b.sums {
		merged, kind := b.values[i], s.field.Access(s.comp).Kind
		before := append([]uint64(nil), merged...)
		for rank := range got {
			for range next(rank) {
				k := next(rank)
				v := next(rank)
				if s.floats() {
					return fmt.Errorf("%w: a divided loop sums floats into elements of %s that data choose, in an order that ranks would decide; sum into one variable, or let each iteration gather what its own element needs", ErrReach, s.name)
				}
				merged[k] = join(s.op, kind, before[k], merged[k], v)
			}
		}
		w.write(s, merged)
	}
	b.sums = b.sums[:0]
	return nil
}

// join adds what a rank has made of an element that was before, to what others have.
func join(op launch.Sum, kind layout.Kind, before, merged, v uint64) uint64 {
	switch op {
	case launch.Add:
		return merged + (v - before)
	case launch.And:
		return merged & v
	case launch.Or:
		return merged | v
	case launch.Xor:
		return merged ^ v ^ before
	}
	if less(kind, v, merged) == (op == launch.Min) {
		return v
	}
	return merged
}

// less compares two numbers of a kind, as read returns them.
func less(kind layout.Kind, a, b uint64) bool {
	switch {
	case kind.IsFloat() && kind.Size() == 8:
		return ordered(a) < ordered(b)
	case kind.IsFloat():
		return ordered(a<<32) < ordered(b<<32)
	case kind.IsSigned():
		return int64(a) < int64(b)
	}
	return a < b
}

// ordered is an integer in the order of floats of 64 bits, of which -0 is less than 0.
func ordered(bits uint64) int64 { return int64(bits) ^ int64(uint64(int64(bits)>>63)>>1) }

// read returns the bits of a component of all elements, with the sign of integers that have one.
func (w *World) read(s sum) (all []uint64) {
	kind := s.field.Access(s.comp).Kind
	w.each(s, func(at []byte) {
		switch kind.Size() {
		case 1:
			all = append(all, extended(kind, uint64(at[0]), 56))
		case 2:
			all = append(all, extended(kind, uint64(binary.LittleEndian.Uint16(at)), 48))
		case 4:
			all = append(all, extended(kind, uint64(binary.LittleEndian.Uint32(at)), 32))
		default:
			all = append(all, binary.LittleEndian.Uint64(at))
		}
	})
	return all
}

func extended(kind layout.Kind, v uint64, by int) uint64 {
	if kind.IsSigned() {
		return uint64(int64(v<<by) >> by)
	}
	return v
}

func (w *World) write(s sum, all []uint64) {
	kind := s.field.Access(s.comp).Kind
	w.each(s, func(at []byte) {
		v := all[0]
		all = all[1:]
		switch kind.Size() {
		case 1:
			at[0] = byte(v)
		case 2:
			binary.LittleEndian.PutUint16(at, uint16(v))
		case 4:
			binary.LittleEndian.PutUint32(at, uint32(v))
		default:
			binary.LittleEndian.PutUint64(at, v)
		}
	})
}

// each calls f with the memory of a component of each element, in row-major order.
func (w *World) each(s sum, f func(at []byte)) {
	a := s.field.Access(s.comp)
	area, start := w.memory(a.Tree)
	base, size := unsafe.Pointer(&area[start]), a.Kind.Size()
	idx := make([]int, len(a.Shape))
	for k := range idx {
		idx[k] = int(a.Origin[k])
	}
	for {
		f(unsafe.Slice((*byte)(unsafe.Add(base, a.Offset(idx))), size))
		k := len(idx) - 1
		for ; k >= 0; k-- {
			if idx[k]++; idx[k] < int(a.Origin[k]+a.Shape[k]) {
				break
			}
			idx[k] = int(a.Origin[k])
		}
		if k < 0 {
			return
		}
	}
}
