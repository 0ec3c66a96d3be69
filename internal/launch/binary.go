package launch

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/site"
)

// Version is that of the binary form. It changes with any change of the types that it holds.
const Version = 2

const magic = "tilaunch"

// ErrFormat is what errors about the binary form wrap.
var ErrFormat = errors.New("launch: not a kernel descriptor of this version, or a damaged one")

// Append appends the binary form of k to b.
func (k *Kernel) Append(b []byte) []byte {
	c := codec{data: append(b, magic...)}
	c.kernel(k)
	return c.data
}

// Read reads the binary form of a descriptor, which must be all of data.
func Read(data []byte) (*Kernel, error) {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it does not begin as one", ErrFormat)
	}
	c := codec{data: data[len(magic):], reading: true}
	k := &Kernel{}
	c.kernel(k)
	switch {
	case c.err != nil:
		return nil, c.err
	case len(c.data) > 0:
		return nil, fmt.Errorf("%w: %d bytes are left over", ErrFormat, len(c.data))
	}
	if err := k.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return k, nil
}

// A codec writes data, or reads it, by the same walk over what it is given: the two
// cannot differ.
type codec struct {
	data    []byte
	reading bool
	err     error // the first; what is read after it is zero
}

func (c *codec) kernel(k *Kernel) {
	version := Version
	number(c, &version)
	if version != Version && c.err == nil {
		c.err = fmt.Errorf("%w: its version is %d, and this program has %d", ErrFormat, version, Version)
	}
	c.text(&k.Name)
	number(c, &k.Args)
	number(c, &k.Results)
	number(c, &k.Frame)
	number(c, &k.Done)
	list(c, &k.Bases, number[int])
	c.flags(&k.Records, &k.Prints)
	list(c, &k.Tasks, (*codec).task)
	list(c, &k.Fields, (*codec).field)
	list(c, &k.Names, (*codec).name)
	list(c, &k.Sites, (*codec).site)
}

func (c *codec) name(n *Name) {
	c.text(&n.Task)
	c.place(&n.Place)
}

func (c *codec) place(p *Place) {
	c.text(&p.File)
	number(c, &p.Line)
	number(c, &p.Column)
}

func (c *codec) task(t *Task) {
	number(c, &t.Loop)
	list(c, &t.Slots, (*codec).slot)
	list(c, &t.Sites, number[int])
	list(c, &t.Dims, (*codec).dim)
	list(c, &t.Lists, (*codec).list)
	list(c, &t.Private, (*codec).private)
	list(c, &t.States, (*codec).state)
	number(c, &t.Parts)
	number(c, &t.Threads)
	partial := t.Partial != nil
	c.flags(&t.Helper, &t.Heavy, &t.Uneven, &partial)
	if partial {
		if t.Partial == nil {
			t.Partial = &Partial{}
		}
		number(c, &t.Partial.Scratch)
		number(c, &t.Partial.Words)
		number(c, &t.Partial.Merge)
	}
}

func (c *codec) slot(s *Slot) {
	number(c, &s.From)
	number(c, &s.At)
}

func (c *codec) dim(d *Dim) {
	c.bound(&d.Lo)
	c.bound(&d.Hi)
	c.flags(&d.Unsigned)
}

func (c *codec) bound(b *Bound) {
	number(c, &b.From)
	number(c, &b.Const)
	number(c, &b.At)
	number(c, &b.Bits)
	c.flags(&b.Signed)
}

func (c *codec) list(l *List) {
	number(c, &l.Base)
	number(c, &l.Node)
	number(c, &l.Outer)
	c.flags(&l.Masks)
}

func (c *codec) private(p *Private) {
	number(c, &p.Base)
	number(c, &p.Scratch)
	number(c, &p.Size)
	number(c, &p.Identity)
	number(c, &p.Merge)
}

func (c *codec) state(s *State) {
	number(c, &s.Field)
	number(c, &s.Values)
	number(c, &s.Mask)
	number(c, &s.List)
	number(c, &s.Allocation)
}

func (c *codec) field(f *Field) {
	c.text(&f.Name)
	number(c, &f.Comp)
	c.flags(&f.Memory)
	list(c, &f.Extents, number[int])
}

func (c *codec) site(s *Site) {
	c.place(&s.Place)
	number(c, &s.Kind)
	c.text(&s.What)
	list(c, &s.Shape, number[int64])
	list(c, &s.Low, number[int64])
	list(c, &s.Text, (*codec).piece)
	number(c, &s.Axes)
	list(c, &s.Lengths, number[int])
	number(c, &s.Field)
}

func (c *codec) piece(p *site.Piece) {
	c.text(&p.Text)
	c.text(&p.Verb)
	number(c, &p.Kind)
}

// fail notes an error, once, and ends reading.
func (c *codec) fail(what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrFormat, what)
	}
	c.data = nil
}

// number is an integer, as a varint.
func number[T ~int | ~int64 | ~uint64 | ~uint8](c *codec, v *T) {
	if !c.reading {
		c.data = binary.AppendVarint(c.data, int64(*v))
		return
	}
	x, n := binary.Varint(c.data)
	if n <= 0 || int64(T(x)) != x {
		c.fail("a number is cut off, or too large")
		return
	}
	*v, c.data = T(x), c.data[n:]
}

// flags are up to 8 bits of a byte.
func (c *codec) flags(all ...*bool) {
	var bits uint8
	for i, f := range all {
		if *f {
			bits |= 1 << i
		}
	}
	number(c, &bits)
	if c.reading && int(bits)>>len(all) != 0 {
		c.fail("unknown flags are set")
	}
	for i, f := range all {
		*f = bits>>i&1 != 0
	}
}

func (c *codec) text(s *string) {
	n := len(*s)
	if number(c, &n); !c.reading {
		c.data = append(c.data, *s...)
		return
	}
	if n < 0 || n > len(c.data) {
		c.fail("a text is cut off")
		return
	}
	*s, c.data = string(c.data[:n]), c.data[n:]
}

// list is a slice. Each element takes a byte at least, which bounds what a damaged length
// makes it allocate.
func list[T any](c *codec, s *[]T, element func(*codec, *T)) {
	n := len(*s)
	number(c, &n)
	if c.reading {
		if n < 0 || n > len(c.data) {
			c.fail("a list is cut off")
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
