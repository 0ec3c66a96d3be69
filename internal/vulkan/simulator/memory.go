package simulator

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/memory"
)

const pageBytes = 4096

// A span is the device's memory behind a buffer. It begins at an address that has nothing to do with those of the host.
type span struct {
	base, size uint64
	host       uintptr // where the host sees the memory, or has given it; 0 if nowhere
	pages      map[uint64]*page
}

// A page is what the device has of a span. Where the host sees the memory, too, what the device has written gets there when a barrier has made it visible to the
// host and a fence was waited for; what the host has written gets here with the next submission.
type page struct {
	at      uint64 // in the span
	data    [pageBytes]byte
	host    [pageBytes]byte // what the host had when both were compared last
	written [pageBytes / 64]uint64
	dirty   bool // some bytes of written are set
	fetched int  // the submission in which host was compared
	cells   [pageBytes / 4]cell
	split   map[int]*[4]cell
}

// A fault ends the work of a device.
type fault string

func (f fault) Error() string { return string(f) }

func fail(format string, args ...any) { panic(fault(fmt.Sprintf(format, args...))) }

// spanAt finds the memory at an address.
func (d *Driver) spanAt(address uint64, bytes int) *span {
	if s := d.lastSpan; s != nil && address-s.base < s.size && address-s.base+uint64(bytes) <= s.size {
		return s
	}
	i := sort.Search(len(d.spans), func(i int) bool { return d.spans[i].base > address }) - 1
	if i < 0 || address-d.spans[i].base+uint64(bytes) > d.spans[i].size {
		near := "no buffer lies there"
		if i >= 0 && address-d.spans[i].base < 1<<24 {
			near = fmt.Sprintf("the buffer before it has %d bytes, and the address is %d bytes behind its beginning", d.spans[i].size, address-d.spans[i].base)
		}
		fail("%d bytes at address %#x: %s", bytes, address, near)
	}
	d.lastSpan = d.spans[i]
	return d.lastSpan
}

// addSpan gives memory an address.
func (d *Driver) addSpan(size uint64, host uintptr) *span {
	base := d.nextBase
	d.nextBase += size + (d.random.Uint64N(1<<20)+1<<20)&^255
	s := &span{base: base, size: size, host: host, pages: map[uint64]*page{}}
	d.spans = append(d.spans, s)
	return s
}

func (d *Driver) dropSpan(s *span) {
	d.spans = slices.DeleteFunc(d.spans, func(o *span) bool { return o == s })
	d.lastSpan, d.lastPage = nil, nil
}

// pageAt is the page with an address, and the offset there.
func (d *Driver) pageAt(address uint64, bytes int) (*page, int) {
	s := d.spanAt(address, bytes)
	offset := address - s.base
	at := offset &^ (pageBytes - 1)
	if p := d.lastPage; p != nil && d.lastOf == s && p.at == at && p.fetched == d.submission {
		return p, int(offset - at)
	}
	p := s.pages[at]
	if p == nil {
		p = &page{at: at, fetched: -1}
		s.pages[at] = p
		if s.host == 0 {
			garbage(p.data[:], d.random)
		} else {
			s.fromHost(p, true)
			p.fetched = d.submission
		}
	}
	if p.fetched != d.submission {
		p.fetched = d.submission
		if s.host != 0 {
			s.fromHost(p, false)
		}
	}
	d.lastPage, d.lastOf = p, s
	return p, int(offset - at)
}

// hostBytes are those of the host's view of a page.
func (s *span) hostBytes(p *page) []byte {
	return memory.Bytes(s.host+uintptr(p.at), int(min(pageBytes, s.size-p.at)))
}

// fromHost takes over what the host has changed. Those bytes are of no command then.
func (s *span) fromHost(p *page, all bool) {
	now := s.hostBytes(p)
	if !all && string(now) == string(p.host[:len(now)]) {
		return
	}
	for i, b := range now {
		if all || b != p.host[i] {
			p.data[i], p.host[i] = b, b
			p.written[i/64] &^= 1 << (i % 64)
			if !all {
				p.forget(i)
			}
		}
	}
}

// toHost gives the host the bytes that it may see.
func (s *span) toHost(p *page, sees func(r record) bool) {
	now := s.hostBytes(p)
	p.dirty = false
	for i := range now {
		if p.written[i/64]>>(i%64)&1 == 0 {
			continue
		}
		if !sees(p.cell(i).write) {
			p.dirty = true
			continue
		}
		p.written[i/64] &^= 1 << (i % 64)
		now[i], p.host[i] = p.data[i], p.data[i]
	}
}

// mark notes bytes as written.
func (p *page) mark(offset, bytes int) {
	p.written[offset/64] |= (1<<bytes - 1) << (offset % 64)
	p.dirty = true
}

// get reads up to 8 bytes.
func (p *page) get(offset, bytes int) uint64 {
	b := p.data[offset : offset+bytes]
	switch bytes {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// put writes them.
func (p *page) put(offset, bytes int, v uint64) {
	b := p.data[offset : offset+bytes]
	switch bytes {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
	p.mark(offset, bytes)
}

// refresh looks again at what the host has, for atomic loads: the host may write while the device works.
func (s *span) refresh(p *page, offset, bytes int) {
	if s.host == 0 || bytes != 4 || p.written[offset/64]>>(offset%64)&15 != 0 {
		return
	}
	now := atomic.LoadUint32((*uint32)(memory.Pointer(s.host + uintptr(p.at) + uintptr(offset))))
	if now != binary.LittleEndian.Uint32(p.host[offset:]) {
		binary.LittleEndian.PutUint32(p.host[offset:], now)
		binary.LittleEndian.PutUint32(p.data[offset:], now)
		for i := range 4 {
			p.forget(offset + i)
		}
	}
}

// garbage fills bytes with numbers that nobody has written.
func garbage(b []byte, r *rand.Rand) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, r.Uint64())
	}
}
