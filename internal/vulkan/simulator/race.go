package simulator

import (
	"fmt"
	"maps"
)

// A record is an access to memory: the command that it is of, the thread, how often the thread had released before, and whether it was atomic. 0 is none, or one of the host.
type record uint64

const (
	kindPlain = iota
	kindAtomic
	kindAtomicInGroup

	epochBits  = 14
	threadBits = 26
	serialBits = 22
)

func newRecord(serial, thread, epoch uint32, kind int) record {
	return record(serial)<<(64-serialBits) | record(thread)<<(2+epochBits) | record(epoch)<<2 | record(kind)
}

func (r record) serial() uint32 { return uint32(r >> (64 - serialBits)) }
func (r record) thread() uint32 { return uint32(r>>(2+epochBits)) & (1<<threadBits - 1) }
func (r record) epoch() uint32  { return uint32(r>>2) & (1<<epochBits - 1) }
func (r record) kind() int      { return int(r & 3) }

// A cell has the last write of some bytes of memory, and two of the reads since.
type cell struct {
	write record
	reads [2]record
}

// cell is that of a byte.
func (p *page) cell(offset int) *cell {
	if four := p.split[offset/4]; four != nil {
		return &four[offset%4]
	}
	return &p.cells[offset/4]
}

// bytewise gives each byte of a word a cell of its own.
func (p *page) bytewise(word int) *[4]cell {
	four := p.split[word]
	if four == nil {
		c := p.cells[word]
		four = &[4]cell{c, c, c, c}
		if p.split == nil {
			p.split = map[int]*[4]cell{}
		}
		p.split[word] = four
	}
	return four
}

// forget drops what is known of a byte: the host has written it.
func (p *page) forget(offset int) { p.bytewise(offset / 4)[offset%4] = cell{} }

// A clock says which accesses of other threads come before: of each, those up to an epoch. It does not change once it is made.
type clock struct{ upTo map[uint32]uint32 }

func (c *clock) has(r record) bool {
	if c == nil {
		return false
	}
	upTo, is := c.upTo[r.thread()]
	return is && r.epoch() <= upTo
}

// covers reports whether a has all that b has.
func (a *clock) covers(b *clock) bool {
	if b == nil || a == b {
		return true
	}
	if a == nil || len(a.upTo) < len(b.upTo) {
		return false
	}
	for t, n := range b.upTo {
		if old, is := a.upTo[t]; !is || old < n {
			return false
		}
	}
	return true
}

// joined has what both have.
func joined(a, b *clock) *clock {
	switch {
	case a.covers(b):
		return a
	case b.covers(a):
		return b
	}
	all := maps.Clone(a.upTo)
	for t, n := range b.upTo {
		if old, is := all[t]; !is || old < n {
			all[t] = n
		}
	}
	return &clock{all}
}

// with has what c has, and a thread up to an epoch.
func (c *clock) with(thread, epoch uint32) *clock {
	return joined(c, &clock{map[uint32]uint32{thread: epoch}})
}

// An access is one that is checked now.
type access struct {
	record
	known *clock // what comes before it in the same command
	cmd   *command
	per   uint32 // threads of a workgroup
}

// after reports whether another access of the same command comes before this one, or both are atomic.
func (a *access) after(r record) bool {
	switch {
	case r.thread() == a.thread() || a.known.has(r):
		return true
	case r.kind() == kindPlain || a.kind() == kindPlain:
		return false
	case r.kind() == kindAtomic && a.kind() == kindAtomic:
		return true
	}
	return a.per > 0 && r.thread()/a.per == a.thread()/a.per
}

// read checks a read of a cell, and notes it. It returns what is wrong.
func (a *access) read(c *cell) string {
	why := ""
	if w := c.write; w != 0 {
		switch {
		case w.serial() != a.serial():
			if !a.cmd.sees(w) {
				why = fmt.Sprintf("reads what %s has written, and no barrier has made that visible", a.cmd.describe(w))
			}
		case !a.after(w):
			why = fmt.Sprintf("reads what thread %d writes in the same dispatch", w.thread())
		}
	}
	for i, r := range c.reads {
		if r == 0 || r.serial() != a.serial() || a.after(r) && r.kind() == a.kind() {
			c.reads[i] = a.record
			return why
		}
	}
	c.reads[a.thread()%2] = a.record
	return why
}

// wrote checks a write.
func (a *access) wrote(c *cell) string {
	why := ""
	if w := c.write; w != 0 {
		switch {
		case w.serial() != a.serial():
			if !a.cmd.overwrites(w) {
				why = fmt.Sprintf("overwrites what %s has written, with no barrier for that between them", a.cmd.describe(w))
			}
		case !a.after(w):
			why = fmt.Sprintf("overwrites what thread %d writes in the same dispatch", w.thread())
		}
	}
	for _, r := range c.reads {
		switch {
		case r == 0:
		case r.serial() != a.serial():
			if !a.cmd.follows(r) {
				why = fmt.Sprintf("overwrites what %s reads, with no barrier between them", a.cmd.describe(r))
			}
		case !a.after(r):
			why = fmt.Sprintf("overwrites what thread %d reads in the same dispatch", r.thread())
		}
	}
	c.write, c.reads = a.record, [2]record{}
	return why
}

// check checks an access to a number of bytes of a page, and returns what is wrong.
func (a *access) check(p *page, offset, bytes int, does func(*access, *cell) string) (why string) {
	for bytes > 0 {
		word, n := offset/4, min(bytes, 4-offset%4)
		switch {
		case n == 4 && p.split[word] == nil:
			if s := does(a, &p.cells[word]); s != "" {
				why = s
			}
		default:
			four := p.bytewise(word)
			for i := range n {
				if s := does(a, &four[offset%4+i]); s != "" {
					why = s
				}
			}
		}
		offset, bytes = offset+n, bytes-n
	}
	return why
}
