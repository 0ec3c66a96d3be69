package binform

import (
	"encoding/binary"
	"fmt"
)

// A Codec writes data, or reads it, by the same calls for what it is given: the two
// cannot differ.
type Codec struct {
	data    []byte
	reading bool
	format  error // what errors wrap
	err     error // the first; what is read after it is zero
}

// Append appends to b what code names.
func Append(b []byte, code func(*Codec)) []byte {
	c := Codec{data: b}
	code(&c)
	return c.data
}

// Read reads data, all of it, into what code names. Errors wrap format.
func Read(data []byte, format error, code func(*Codec)) error {
	c := Codec{data: data, reading: true, format: format}
	code(&c)
	if c.err == nil && len(c.data) > 0 {
		c.Fail(fmt.Sprintf("%d bytes are left over", len(c.data)))
	}
	return c.err
}

// Header is a word that a format begins with, and its version.
func (c *Codec) Header(magic string, version int) {
	if !c.reading {
		c.data = append(c.data, magic...)
	} else if len(c.data) < len(magic) || string(c.data[:len(magic)]) != magic {
		c.Fail("it does not begin as one")
		return
	} else {
		c.data = c.data[len(magic):]
	}
	v := version
	if Number(c, &v); v != version && c.err == nil {
		c.Fail(fmt.Sprintf("its version is %d, and this program has %d", v, version))
	}
}

// Fail notes an error, once, and ends reading.
func (c *Codec) Fail(what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", c.format, what)
	}
	c.data = nil
}

// Number is an integer, as a varint.
func Number[T ~int | ~int64 | ~uint64 | ~uint32 | ~uint8](c *Codec, v *T) {
	if !c.reading {
		c.data = binary.AppendVarint(c.data, int64(*v))
		return
	}
	x, n := binary.Varint(c.data)
	if n <= 0 || int64(T(x)) != x {
		c.Fail("a number is cut off, or too large")
		return
	}
	*v, c.data = T(x), c.data[n:]
}

// Flags are up to 8 bits of a byte.
func (c *Codec) Flags(all ...*bool) {
	var bits uint8
	for i, f := range all {
		if *f {
			bits |= 1 << i
		}
	}
	Number(c, &bits)
	if c.reading && int(bits)>>len(all) != 0 {
		c.Fail("unknown flags are set")
	}
	for i, f := range all {
		*f = bits>>i&1 != 0
	}
}

// Text is a length and bytes.
func (c *Codec) Text(s *string) {
	n := len(*s)
	if Number(c, &n); !c.reading {
		c.data = append(c.data, *s...)
		return
	}
	if n < 0 || n > len(c.data) {
		c.Fail("a text is cut off")
		return
	}
	*s, c.data = string(c.data[:n]), c.data[n:]
}

// List is a slice. Each element takes a byte at least, which bounds what a damaged length
// makes it allocate.
func List[T any](c *Codec, s *[]T, element func(*Codec, *T)) {
	n := len(*s)
	Number(c, &n)
	if c.reading {
		if n < 0 || n > len(c.data) {
			c.Fail("a list is cut off")
			return
		}
		if n > 0 {
			*s = make([]T, n)
		}
	}
	for i := range *s {
		element(c, &(*s)[i])
	}
}

// Bytes are a length and bytes, which are copied.
func (c *Codec) Bytes(b *[]byte) {
	s := string(*b)
	if c.Text(&s); c.reading {
		*b = []byte(s)
	}
}
