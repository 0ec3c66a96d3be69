package vulkan

import (
	"sync"
	"unsafe"
)

// stagingMost is how many bytes are copied at a time.
const stagingMost = 16 << 20

// A staging is how memory that the host does not see is copied from and to the host: the device copies between that memory and a room that both see. It is
// made at the first copy. Commands are recorded until the room is full, and have ended when submit returns.
type staging struct {
	mu       sync.Mutex // it guards the apart areas of the device as well
	pool     handle
	commands handle
	fence    handle
	room     *area
	used     int64 // bytes of the room that recorded commands read or write
	recorded bool
}

// open sees to it that there is room for so many bytes, or for the most that are copied at a time. Nothing is recorded.
func (s *staging) open(d *device, bytes int64) (err error) {
	if s.fence == 0 {
		if s.pool == 0 {
			if s.pool, s.commands, err = d.commandBuffer(); err != nil {
				return err
			}
		}
		if s.fence, err = d.newFence(); err != nil {
			return err
		}
	}
	bytes = min(bytes, stagingMost)
	if bytes == 0 || s.room != nil && s.room.Bytes() >= bytes {
		return nil
	}
	if s.room != nil {
		s.room.destroy()
		s.room = nil
	}
	room := &area{d: d} // no use of the device: it goes with it
	if err := room.shared(min(2*bytes, stagingMost), d.memoryType); err != nil {
		room.destroy()
		return err
	}
	s.room = room
	return nil
}

// close gives everything back.
func (s *staging) close(d *device) {
	if s.room != nil {
		s.room.destroy()
	}
	if s.fence != 0 {
		d.call(destroyFence, uintptr(d.dev), uintptr(s.fence), 0)
	}
	if s.pool != 0 {
		d.call(destroyCommandPool, uintptr(d.dev), uintptr(s.pool), 0)
	}
}

// begin records commands behind what dispatches have read and written.
func (s *staging) begin(d *device) error {
	if s.recorded {
		return nil
	}
	info := &beginInfo{typ: typeBegin, flags: 1} // submitted once
	if err := d.try(beginCommandBuffer, uintptr(s.commands), uintptr(unsafe.Pointer(info))); err != nil {
		return err
	}
	s.recorded = true
	s.barrier(d, pipelineCompute, accessWrite, pipelineTransfer, accessCopyRead|accessCopyWrite)
	return nil
}

// barrier has what follows see what stands before.
func (s *staging) barrier(d *device, before, from, after, to uint32) {
	b := &memoryBarrier{typ: typeBarrier, from: from, to: to}
	d.call(cmdPipelineBarrier, uintptr(s.commands), uintptr(before), uintptr(after), 0, 1, uintptr(unsafe.Pointer(b)), 0, 0, 0, 0)
}

// submit has the device do what is recorded, before dispatches and the host go on.
func (s *staging) submit(d *device) error {
	s.used = 0
	if !s.recorded {
		return nil
	}
	s.recorded = false
	s.barrier(d, pipelineTransfer, accessCopyWrite, pipelineCompute|pipelineHost, accessRead|accessWrite|accessHostRead)
	if err := d.try(endCommandBuffer, uintptr(s.commands)); err != nil {
		return err
	}
	return d.submit(&submitInfo{typ: typeSubmit, commands: 1, command: unsafe.Pointer(&s.commands)}, s.fence)
}

// abandon drops what is recorded.
func (s *staging) abandon(d *device) {
	if s.used = 0; s.recorded {
		s.recorded = false
		_ = d.try(endCommandBuffer, uintptr(s.commands))
	}
}

// zero records that n bytes of memory become 0, wholeSize for all.
func (s *staging) zero(d *device, to *area, from int64, n uintptr) error {
	if err := s.begin(d); err != nil {
		return err
	}
	d.call(cmdFillBuffer, uintptr(s.commands), uintptr(to.buffer), uintptr(from), n, 0)
	return nil
}

// put copies bytes of the host to memory of the device, from an offset on; the last of them have not arrived before submit.
func (s *staging) put(d *device, to *area, first int64, bytes []byte) error {
	for at := int64(0); at < int64(len(bytes)); {
		if s.used == s.room.Bytes() {
			if err := s.submit(d); err != nil {
				return err
			}
		}
		if err := s.begin(d); err != nil {
			return err
		}
		n := int64(copy(s.room.host[s.used:], bytes[at:]))
		s.copies(d, s.room, to, bufferCopy{from: uint64(s.used), to: uint64(first + at), size: uint64(n)})
		s.used += n
		at += n
	}
	return nil
}

// get copies memory of the device, from an offset on, to bytes of the host.
func (s *staging) get(d *device, bytes []byte, from *area, first int64) error {
	for at := int64(0); at < int64(len(bytes)); {
		if err := s.begin(d); err != nil {
			return err
		}
		n := min(s.room.Bytes(), int64(len(bytes))-at)
		s.copies(d, from, s.room, bufferCopy{from: uint64(first + at), size: uint64(n)})
		if err := s.submit(d); err != nil {
			return err
		}
		copy(bytes[at:], s.room.host[:n])
		at += n
	}
	return nil
}

func (s *staging) copies(d *device, from, to *area, c bufferCopy) {
	d.call(cmdCopyBuffer, uintptr(s.commands), uintptr(from.buffer), uintptr(to.buffer), 1, uintptr(unsafe.Pointer(&c)))
}

// commandBuffer makes one, in a pool of its own.
func (d *device) commandBuffer() (pool, commands handle, err error) {
	info := &poolInfo{typ: typePool, flags: 2, family: d.family} // its buffer can be recorded again
	if err := d.try(createCommandPool, uintptr(d.dev), uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&pool))); err != nil {
		return 0, 0, err
	}
	want := &commandsInfo{typ: typeCommands, pool: pool, count: 1}
	if err := d.try(allocateCommandBuffers, uintptr(d.dev), uintptr(unsafe.Pointer(want)), uintptr(unsafe.Pointer(&commands))); err != nil {
		d.call(destroyCommandPool, uintptr(d.dev), uintptr(pool), 0)
		return 0, 0, err
	}
	return pool, commands, nil
}

func (d *device) newFence() (fence handle, err error) {
	info := &fenceInfo{typ: typeFence}
	err = d.try(createFence, uintptr(d.dev), uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&fence)))
	return fence, err
}

// submit has the device run commands, and waits for their end. Launches and copies may come from two goroutines.
func (d *device) submit(info *submitInfo, fence handle) error {
	d.submits.Lock()
	err := d.try(queueSubmit, uintptr(d.queue), 1, uintptr(unsafe.Pointer(info)), uintptr(fence))
	d.submits.Unlock()
	if err != nil {
		return err
	}
	if err := d.try(waitForFences, uintptr(d.dev), 1, uintptr(unsafe.Pointer(&fence)), 1, ^uintptr(0)); err != nil {
		return err
	}
	return d.try(resetFences, uintptr(d.dev), 1, uintptr(unsafe.Pointer(&fence)))
}
