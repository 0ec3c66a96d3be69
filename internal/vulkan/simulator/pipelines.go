package simulator

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"

	"github.com/gotaichi/ti/internal/memory"
)

// This file has the caches of pipelines. They save no work here: they note which pipelines they have, so that tests know what a real driver need not compile.

// A pipelineCache has pipelines by what they are made of, in the order in which they came.
type pipelineCache struct{ all []uint64 }

// identity is the UUID of what data of caches depends on.
func (d *Driver) identity() (uuid [16]byte) {
	binary.LittleEndian.PutUint32(uuid[:], d.Version)
	for i, is := range []bool{d.Rough, d.Flushes, d.Keeps} {
		if is {
			uuid[4+i] = 1
		}
	}
	return uuid
}

// Numbers of the device and its driver.
const (
	vendorID         = 0x51
	deviceID         = 0x52
	cacheHeaderBytes = 32
)

// cacheData is the form of caches outside of the driver: the header of Vulkan, the pipelines, and their checksum.
func (d *Driver) cacheData(all []uint64) []byte {
	var b []byte
	for _, v := range []uint32{cacheHeaderBytes, 1, vendorID, deviceID} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	uuid := d.identity()
	b = append(b, uuid[:]...)
	for _, p := range all {
		b = binary.LittleEndian.AppendUint64(b, p)
	}
	return binary.LittleEndian.AppendUint64(b, sumOf(b))
}

func sumOf(b []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(b)
	return h.Sum64()
}

// createCache makes one of data that a cache of this driver has given. Of other data a real driver may make anything.
func (d *Driver) createCache(a [10]uintptr) uintptr {
	info := pointer(a[1])
	c := &pipelineCache{}
	if n := int(info.u64(24)); n > 0 {
		data := bytes.Clone(memory.Bytes(uintptr(info.u64(32)), n))
		if n < cacheHeaderBytes+8 || n%8 != 0 || !bytes.HasPrefix(data, d.cacheData(nil)[:cacheHeaderBytes]) || binary.LittleEndian.Uint64(data[n-8:]) != sumOf(data[:n-8]) {
			fail("%d bytes of data for pipelines that no cache of this driver has given", n)
		}
		for b := data[cacheHeaderBytes : n-8]; len(b) > 0; b = b[8:] {
			c.all = append(c.all, binary.LittleEndian.Uint64(b))
		}
	}
	pointer(a[3]).set64(0, d.create(a[0], "pipeline cache", c))
	return 0
}

// readCache returns the data, or how many bytes it has.
func (d *Driver) readCache(a [10]uintptr) uintptr {
	object[*device](d, a[0])
	data, size := d.cacheData(object[*pipelineCache](d, a[1]).all), pointer(a[2])
	if a[3] == 0 {
		size.set64(0, uint64(len(data)))
		return 0
	}
	if size.u64(0) < uint64(len(data)) {
		fail("there is room for %d bytes of data of pipelines, of %d", size.u64(0), len(data))
	}
	size.set64(0, uint64(copy(memory.Bytes(a[3], len(data)), data)))
	return 0
}

// compiles notes a pipeline, and whether the cache that is given with it had it.
func (d *Driver) compiles(cache uintptr, words []uint32, values spec) {
	d.made++
	if cache == 0 {
		return
	}
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	for i := range uint32(len(values)) {
		b = binary.LittleEndian.AppendUint32(b, values[i])
	}
	c, of := object[*pipelineCache](d, cache), sumOf(b)
	for _, p := range c.all {
		if p == of {
			d.reused++
			return
		}
	}
	c.all = append(c.all, of)
}

// Pipelines is how many have been made, and of how many of them the cache had what they are made of.
func (d *Driver) Pipelines() (made, reused int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.made, d.reused
}
