package store

import (
	"io"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
)

// WriteTo writes the elements in row-major order. The machines that this package
// runs on are little-endian, so the bytes of memory are the bytes of the stream, but
// for padding in structs, which the stream leaves out.
func (c *Field) WriteTo(w io.Writer) (int64, error) {
	if w == nil {
		return 0, diag.Errorf(diag.ErrArgs, "WriteTo of %s with a nil writer", c.Name())
	}
	if err := c.Bounded(); err != nil {
		return 0, err
	}
	if err := c.gather(); err != nil {
		return 0, err
	}
	size := c.streamed()
	if size == int(c.typ.Size()) && c.Contiguous() && !c.apart {
		return c.stream(false, func(mem []byte) (int, error) { return w.Write(mem) })
	}
	if b := c.streamBulk(); b != nil {
		return b.writeTo(w)
	}
	if c.Sparse() {
		if n := c.slab(); n > 0 {
			return c.writeSlabs(w, n)
		}
	}
	var written int64
	buf := make([]byte, 0, ioBuffer)
	flush := func() error {
		n, err := w.Write(buf)
		written += int64(n)
		buf = buf[:0]
		return err
	}
	for idx := range c.RowMajor() {
		if len(buf)+size > cap(buf) {
			if err := flush(); err != nil {
				return written, err
			}
		}
		at := len(buf)
		buf = buf[:at+size]
		if err := c.pack(buf[at:], idx[:c.Rank]); err != nil {
			return written, err
		}
	}
	if err := c.Alive(); err != nil {
		return written, err
	}
	return written, flush()
}

// streamBulk is newBulk for a stream; nil where the memory of the field is written as it is. Nothing is mapped while the
// program's reader or writer runs.
func (c *Field) streamBulk() *bulk {
	if c.apart {
		return c.anyBulk(true)
	}
	return c.newBulk(true)
}

// stream calls f for one piece after the other of the memory of a field whose bytes are
// those of its stream. It stops at the first error, and once the tree is closed.
func (c *Field) stream(write bool, f func(mem []byte) (int, error)) (done int64, err error) {
	size := int(c.typ.Size())
	mem := unsafe.Slice((*byte)(c.Start()), int(c.lay.Len())*size)
	closed := c.inPieces(write, func(lo, hi int) {
		if err == nil {
			var n int
			n, err = f(mem[lo*size : hi*size])
			done += int64(n)
		}
	})
	if err == nil {
		err = closed
	}
	return done, err
}

// ReadFrom sets the elements in row-major order. Those of a sparse field that are
// inactive, and zero in the stream, stay inactive.
func (c *Field) ReadFrom(r io.Reader) (int64, error) {
	if r == nil {
		return 0, diag.Errorf(diag.ErrArgs, "ReadFrom of %s with a nil reader", c.Name())
	}
	if err := c.Bounded(); err != nil {
		return 0, err
	}
	if err := c.given(); err != nil {
		return 0, err
	}
	c.Tree().st.cfg.Overwritten(c)
	size := c.streamed()
	if size == int(c.typ.Size()) && c.Contiguous() && !c.apart {
		n, err := c.stream(true, func(mem []byte) (int, error) { return io.ReadFull(r, mem) })
		return n, short(err)
	}
	if b := c.streamBulk(); b != nil {
		return b.readFrom(r)
	}
	var read int64
	left := c.lay.Len() * int64(size)
	buf := make([]byte, ioBuffer/size*size)
	have := buf[:0]
	for idx := range c.RowMajor() {
		if len(have) == 0 {
			have = buf[:min(int64(len(buf)), left-read)]
			n, err := io.ReadFull(r, have)
			read += int64(n)
			if err != nil {
				return read, short(err)
			}
		}
		if err := c.unpack(idx[:c.Rank], have[:size]); err != nil {
			return read, err
		}
		have = have[size:]
	}
	return read, c.Alive()
}

// pack writes the element at idx as a stream has it.
func (c *Field) pack(to []byte, idx []int) error {
	if c.Sparse() {
		return c.packSparse(to, idx)
	}
	return c.whileMapped(false, func() error {
		at := 0
		for i := range c.comps {
			p := &c.comps[i]
			p.get(unsafe.Pointer(&to[at]), p.at(idx), idx)
			at += int(p.size)
		}
		return nil
	})
}

// unpack sets the element at idx to what a stream has.
func (c *Field) unpack(idx []int, from []byte) error {
	if c.Sparse() {
		return c.unpackSparse(idx, from)
	}
	return c.whileMapped(true, func() error {
		defer c.exchanging()()
		put(c.comps, where{}, goValue{unsafe.Pointer(unsafe.SliceData(from)), true}, idx)
		return nil
	})
}

// streamed is the number of bytes of an element in a stream.
func (c *Field) streamed() int {
	n := 0
	for i := range c.comps {
		n += int(c.comps[i].size)
	}
	return n
}
