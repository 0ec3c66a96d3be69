package launch

import (
	"cmp"
	"slices"

	"github.com/gotaichi/ti/internal/memory"
)

// Callers is the memory of the caller that the arguments of a launch name, for a machine that works on a copy of it. See [Memory].
type Callers struct{ ranges []callerRange }

// A callerRange is memory of the caller from one address to another one. Arguments may name parts of it that overlap.
type callerRange struct {
	from, to uint64
	offset   int64 // in the copy
}

// Lay finds out where in the copy the memory lies that a launch with these arguments names, and returns how many bytes the copy has.
func (c *Callers) Lay(k *Kernel, args []uint64) (bytes int64) {
	c.ranges = c.ranges[:0]
	for i := range k.Memory {
		m := &k.Memory[i]
		if from, n := args[m.Slot], m.Bytes(args); n > 0 {
			c.ranges = append(c.ranges, callerRange{from: from, to: from + uint64(n)})
		}
	}
	c.ranges = joined(c.ranges)
	for i := range c.ranges {
		r := &c.ranges[i]
		r.offset = bytes + int64(r.from%BaseAlign) // what is aligned stays so
		bytes = (r.offset + int64(r.to-r.from) + BaseAlign - 1) &^ (BaseAlign - 1)
	}
	return bytes
}

// Take copies the caller's memory into the copy.
func (c *Callers) Take(k *Kernel, args []uint64, copied []byte) {
	c.runs(k, args, copied, func(ours, callers []byte, _ bool) { copy(ours, callers) })
}

// Give copies what the launch may have written back to the caller.
func (c *Callers) Give(k *Kernel, args []uint64, copied []byte) {
	c.runs(k, args, copied, func(ours, callers []byte, written bool) {
		if written {
			copy(callers, ours)
		}
	})
}

// runs calls f for each run of elements: what lies between rows is the caller's own.
func (c *Callers) runs(k *Kernel, args []uint64, copied []byte, f func(ours, callers []byte, written bool)) {
	for i := range k.Memory {
		m := &k.Memory[i]
		from := args[m.Slot]
		m.Runs(args, func(offset, bytes int64) {
			at := c.offset(from + uint64(offset))
			f(copied[at:at+bytes], memory.Bytes(uintptr(from)+uintptr(offset), int(bytes)), m.Writes)
		})
	}
}

// Address is where a copy that begins at base has an address of the caller's memory.
func (c *Callers) Address(base, of uint64) uint64 {
	if at := c.offset(of); at >= 0 {
		return base + uint64(at)
	}
	return of // of no bytes: nothing is read or written there
}

// offset is where in the copy an address of the caller's memory is; -1 if it is nowhere.
func (c *Callers) offset(of uint64) int64 {
	for _, r := range c.ranges {
		if of >= r.from && of < r.to {
			return r.offset + int64(of-r.from)
		}
	}
	return -1
}

// joined returns ranges that do not overlap, in the order of their addresses.
func joined(all []callerRange) []callerRange {
	slices.SortFunc(all, func(a, b callerRange) int { return cmp.Compare(a.from, b.from) })
	out := all[:0]
	for _, r := range all {
		if n := len(out) - 1; n >= 0 && r.from < out[n].to {
			out[n].to = max(out[n].to, r.to)
			continue
		}
		out = append(out, r)
	}
	return out
}
