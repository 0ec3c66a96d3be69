package vulkan

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	idevice "github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

// A space is where sparse trees lie. Each region begins at a multiple of 4 GiB of the host's addresses, and a table in the device's memory has for each such
// unit how far the device's addresses are from those of the host. A region is memory of the host that the device imports, or memory of the device with a copy for the host (mirror.go).
type space struct {
	d     *device
	arena *memory.Arena // nil before the first region
	table *area
	lists madeLists

	mirrors []atomic.Pointer[mirrored] // by unit; nil for regions that are shared
}

// What a space has at most.
const (
	spaceUnits  = 1 << 12
	importsMost = 256 << 20 // bytes of a region that a device which is no processor imports: the system keeps all of them in memory
)

// Map is [space.Reserve]: the device needs no large pages.
func (s *space) Map(bytes int64) (*memory.Region, error) { return s.Reserve(bytes) }

// Reserve returns a region that the device imports.
func (s *space) Reserve(bytes int64) (*memory.Region, error) {
	if s.d.fn[getHostPointerProperties] == 0 {
		return nil, fmt.Errorf("%s has no sparse trees: its driver lacks %s", s.d.name, extensionImport)
	}
	if bytes > s.d.most || !s.d.processor && bytes > importsMost {
		return nil, fmt.Errorf("%s cannot reach %d bytes of the host's memory at once", s.d.name, bytes)
	}
	r, _, err := s.reserve(bytes, s.d.imported)
	return r, err
}

// reserve returns a region with what the device has in its place, which make returns.
func (s *space) reserve(bytes int64, make func(*memory.Region) (*area, error)) (*memory.Region, *area, error) {
	if err := s.open(); err != nil {
		return nil, nil, err
	}
	r, err := s.arena.Reserve(bytes)
	if err != nil {
		return nil, nil, err
	}
	a, err := make(r)
	if err != nil {
		return nil, nil, errors.Join(err, r.Free())
	}
	host := uint64(uintptr(r.Base()))
	for i := s.unit(host); i <= s.unit(host+uint64(r.Len())-1); i++ {
		s.table.words(8*i, 1)[0] = a.address - host
	}
	r.OnFree(func() {
		s.lists.drop(host, uint64(r.Len()))
		_ = a.Free()
	})
	return r, a, nil
}

// open reserves the addresses, the first time.
func (s *space) open() (err error) {
	if s.arena != nil {
		return nil
	}
	arena, err := memory.NewArena(spaceUnits)
	if err != nil {
		return err
	}
	if s.table, err = s.d.allocate(int64(8 * arena.Units())); err != nil {
		return errors.Join(err, arena.Free())
	}
	s.arena, s.mirrors = arena, make([]atomic.Pointer[mirrored], arena.Units())
	return nil
}

// unit is the number of the unit that an address of the host lies in.
func (s *space) unit(host uint64) int64 {
	return int64((host - uint64(s.arena.Base())) >> launch.SpaceShift)
}

// address is where the device has an address of a region; 0 for one outside of them, as of a tree that was closed while a kernel was compiled.
func (s *space) address(host uint64) uint64 {
	if s.arena == nil || host < uint64(s.arena.Base()) || s.unit(host) >= int64(s.arena.Units()) {
		return 0
	}
	return host + s.table.words(8*s.unit(host), 1)[0]
}

// entry is what tasks are given to find the table by addresses of the host; 0 where there are no regions.
func (s *space) entry() uint64 {
	if s.arena == nil {
		return 0
	}
	return s.table.address - uint64(s.arena.Base())>>launch.SpaceShift*8
}

// close gives the table back, and the addresses as soon as no tree has memory there: trees may outlive the machine.
func (s *space) close() {
	s.lists.drop(0, math.MaxUint64)
	if s.arena != nil {
		_ = s.table.Free()
		_ = s.arena.Free()
	}
}

// imported returns a region of the host's memory as an area.
func (d *device) imported(r *memory.Region) (a *area, err error) {
	a = &area{d: d}
	d.uses.Add(1)
	defer func() {
		if err != nil {
			_, a = a.Free(), nil
		}
	}()
	can := &importable{typ: typeImportable}
	if err := d.try(getHostPointerProperties, uintptr(d.dev), fromHost, uintptr(r.Base()), uintptr(unsafe.Pointer(can))); err != nil {
		return a, err
	}
	external := &externalBuffer{typ: typeExternalBuffer, from: fromHost}
	size := uint64(r.Len())
	info := &bufferInfo{typ: typeBuffer, next: unsafe.Pointer(external), size: size, usage: usageAll}
	if err := d.try(createBuffer, uintptr(d.dev), uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&a.buffer))); err != nil {
		return a, err
	}
	need := &requirements{}
	d.call(getBufferMemoryRequirements, uintptr(d.dev), uintptr(a.buffer), uintptr(unsafe.Pointer(need)))
	types := can.types & need.types
	if types == 0 || need.size > size {
		return a, fmt.Errorf("%s does not import memory of the host for buffers", d.name)
	}
	kind := uint32(0)
	for types>>kind&1 == 0 {
		kind++
	}
	from := &importInfo{typ: typeImport, from: fromHost, host: uintptr(r.Base())}
	if a.memory, err = d.allocateMemory(size, kind, unsafe.Pointer(from)); err != nil {
		return a, err
	}
	return a, a.bind()
}

// Most is as for the processors.
func (s *space) Most() int64 { return idevice.Process{}.Most() }
