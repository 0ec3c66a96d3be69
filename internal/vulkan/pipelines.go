package vulkan

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/gotaichi/ti/internal/cache"
)

// This file keeps what a driver has made of modules on disk, so that the next process need not wait for it.

// pipelineCacheInfo is the structure of Vulkan that says what a cache begins with.
type pipelineCacheInfo struct {
	typ   uint32
	next  unsafe.Pointer
	flags uint32
	size  uintptr
	data  unsafe.Pointer
}

// A Store keeps data on disk from one process to the next, as [cache.Cache] does. What it returns is what was put there, or nothing.
type Store interface {
	Get(k cache.Key) (data []byte, ok bool)
	Put(k cache.Key, data []byte)
}

// A driverIdentity tells a device and its driver from all others whose data it may not be given.
type driverIdentity struct {
	vendor, device, version, id uint32   // of the device; of the driver, by its maker's count and as VkDriverId has it
	uuid                        [16]byte // changes with all that data of pipelines depends on
	name, software              string
}

// key is that of data of a kind in a [Store].
func (i *driverIdentity) key(kind string) cache.Key {
	return sha256.Sum256(fmt.Appendf(nil, "vulkan %s 1 %d %d %d %d %x %q %q", kind, i.vendor, i.device, i.version, i.id, i.uuid, i.name, i.software))
}

// pipelineHeader is what data of pipelines begins with (VkPipelineCacheHeaderVersionOne).
func (i *driverIdentity) pipelineHeader() []byte {
	var b []byte
	for _, v := range []uint32{pipelineHeaderBytes, 1, i.vendor, i.device} {
		b = binary.NativeEndian.AppendUint32(b, v)
	}
	return append(b, i.uuid[:]...)
}

const pipelineHeaderBytes = 32

// Limits of data of pipelines.
const (
	pipelinesMost  = 256 << 20 // bytes: data that has grown beyond is dropped, and begins anew
	pipelinesFirst = 16        // pipelines after which the data is written the first time, before the machine closes
)

// A pipelineCache is the driver's own, whose data is kept on disk. Drivers trust such data, and may crash if it is damaged. So it is given to a driver only if
// the store has it unchanged under the driver's identity, and if its header has that identity too.
type pipelineCache struct {
	handle handle // 0 if nothing is kept
	key    cache.Key

	mu   sync.Mutex
	disk Store // nil if nothing is kept, or any more
	size uintptr
	made int // pipelines since the data was written last
	due  int // how many it takes until it is written next
	most int // bytes of data
}

// open makes the driver's cache of what is on disk.
func (p *pipelineCache) open(d *device, disk Store) error {
	if disk == nil {
		return nil
	}
	p.key = d.identity.key("pipelines")
	data, _ := disk.Get(p.key)
	if !bytes.HasPrefix(data, d.identity.pipelineHeader()) {
		data = nil
	}
	err := p.create(d, data)
	if err != nil && data != nil && d.usable() == nil {
		data = nil
		err = p.create(d, nil)
	}
	p.disk, p.due, p.most, p.size = disk, pipelinesFirst, pipelinesMost, uintptr(max(len(data), pipelineHeaderBytes))
	return err
}

func (p *pipelineCache) create(d *device, data []byte) error {
	info := &pipelineCacheInfo{typ: typePipelineCache, size: uintptr(len(data)), data: unsafe.Pointer(unsafe.SliceData(data))}
	return d.try(createPipelineCache, uintptr(d.dev), uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&p.handle)))
}

// added notes that a pipeline has been made. Data is written after more and more of them, for programs that are ended before they close the machine.
func (p *pipelineCache) added(d *device) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.disk == nil {
		return
	}
	if p.made++; p.made >= p.due {
		p.write(d)
		p.due *= 2
	}
}

// close writes the data. Pipelines that are made later are not kept.
func (p *pipelineCache) close(d *device) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.disk != nil && p.made > 0 && d.usable() == nil {
		p.write(d)
	}
	p.disk = nil
}

// write puts the data on disk if there is more than before. Where two processes write, one of them remains.
func (p *pipelineCache) write(d *device) {
	p.made = 0
	data, err := p.data(d)
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "ti: pipelines are not kept on disk: %s: %v\n", d.name, err)
		p.disk = nil
	case data == nil:
	case len(data) > p.most:
		p.disk.Put(p.key, nil)
		p.disk = nil
	default:
		p.disk.Put(p.key, data)
		p.size = uintptr(len(data))
	}
}

// data asks the driver for all that it has; nil if that is no more than what is on disk. Other pipelines may be made meanwhile, and are not in it then.
func (p *pipelineCache) data(d *device) ([]byte, error) {
	n := uintptr(0)
	if err := d.try(getPipelineCacheData, uintptr(d.dev), uintptr(p.handle), uintptr(unsafe.Pointer(&n)), 0); err != nil || n <= p.size {
		return nil, err
	}
	data := make([]byte, n)
	err := d.try(getPipelineCacheData, uintptr(d.dev), uintptr(p.handle), uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&data[0])))
	if e, failed := errors.AsType[*Error](err); failed && e.Result != resultIncomplete {
		return nil, err
	}
	if data = data[:n]; !bytes.HasPrefix(data, d.identity.pipelineHeader()) {
		return nil, errors.New("the driver's data has no header, or that of another device")
	}
	return data, nil
}

// destroy ends the driver's cache.
func (p *pipelineCache) destroy(d *device) {
	if p.handle != 0 {
		d.call(destroyPipelineCache, uintptr(d.dev), uintptr(p.handle), 0)
	}
}
