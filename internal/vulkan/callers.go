package vulkan

import (
	"cmp"
	"slices"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

// callers is the memory of the caller that the arguments of a launch name, copied to where the device reaches it.
type callers struct {
	area   *area
	ranges []callerRange
}

// A callerRange is memory of the caller from one address to another one. Arguments may name parts of it that overlap.
type callerRange struct {
	from, to uint64
	offset   int64 // in the area
}

// take copies the caller's memory to the device.
func (c *callers) take(w *launcher) error {
	c.ranges = c.ranges[:0]
	for i := range w.k.Memory {
		m := &w.k.Memory[i]
		if from, bytes := w.args[m.Slot], m.Bytes(w.args); bytes > 0 {
			c.ranges = append(c.ranges, callerRange{from: from, to: from + uint64(bytes)})
		}
	}
	c.ranges = joined(c.ranges)
	size := int64(0)
	for i := range c.ranges {
		r := &c.ranges[i]
		r.offset = size + int64(r.from%launch.BaseAlign) // what is aligned stays so
		size = (r.offset + int64(r.to-r.from) + launch.BaseAlign - 1) &^ (launch.BaseAlign - 1)
	}
	if size == 0 {
		return nil
	}
	if c.area == nil || c.area.Bytes() < size {
		if c.area != nil {
			_ = c.area.Free()
		}
		var err error
		if c.area, err = w.m.d.allocate(size); err != nil {
			c.area = nil
			return err
		}
	}
	c.copies(w, func(device, host []byte, _ bool) { copy(device, host) })
	return nil
}

// give copies what the launch may have written back to the caller.
func (c *callers) give(w *launcher) {
	c.copies(w, func(device, host []byte, written bool) {
		if written {
			copy(host, device)
		}
	})
}

// copies calls f for each run of elements: what lies between rows is the caller's own.
func (c *callers) copies(w *launcher, f func(device, host []byte, written bool)) {
	for i := range w.k.Memory {
		m := &w.k.Memory[i]
		from := w.args[m.Slot]
		m.Runs(w.args, func(offset, bytes int64) {
			at := c.offset(from + uint64(offset))
			f(c.area.host[at:at+bytes], memory.Bytes(uintptr(from)+uintptr(offset), int(bytes)), m.Writes)
		})
	}
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

// address is where the device has an address of the caller's memory.
func (c *callers) address(of uint64) uint64 {
	if at := c.offset(of); at >= 0 {
		return c.area.address + uint64(at)
	}
	return of // of no bytes: nothing is read or written there
}

// offset is where in the area an address of the caller's memory is; -1 if it is nowhere.
func (c *callers) offset(of uint64) int64 {
	for _, r := range c.ranges {
		if of >= r.from && of < r.to {
			return r.offset + int64(of-r.from)
		}
	}
	return -1
}
