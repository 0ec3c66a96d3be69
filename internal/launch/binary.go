package launch

import (
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/binform"
	"github.com/gotaichi/ti/internal/site"
)

// Version is that of the binary form. It changes with any change of the types that it holds.
const Version = 15

const magic = "tilaunch"

// ErrFormat is what errors about the binary form wrap.
var ErrFormat = errors.New("launch: not a kernel descriptor of this version, or a damaged one")

// Append appends the binary form of k to b.
func (k *Kernel) Append(b []byte) []byte { return binform.Append(b, k.code) }

// Read reads the binary form of a descriptor, which must be all of data.
func Read(data []byte) (*Kernel, error) {
	k := &Kernel{}
	if err := binform.Read(data, ErrFormat, k.code); err != nil {
		return nil, err
	}
	if err := k.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return k, nil
}

func (k *Kernel) code(c *binform.Codec) {
	c.Header(magic, Version)
	c.Text(&k.Name)
	binform.Number(c, &k.Args)
	binform.List(c, &k.Numbers, func(c *binform.Codec, n *Number) {
		binform.Number(c, &n.Slot)
		binform.Number(c, &n.Value)
	})
	binform.Number(c, &k.Results)
	binform.Number(c, &k.Frame)
	binform.Number(c, &k.Done)
	binform.List(c, &k.Bases, binform.Number[int])
	binform.List(c, &k.Sums, func(c *binform.Codec, s *Sums) {
		binform.Number(c, &s.Base)
		binform.Number(c, &s.Bytes)
	})
	binform.List(c, &k.Ranges, binform.Number[int])
	binform.List(c, &k.Memory, codeMemory)
	c.Flags(&k.Records, &k.Prints, &k.Deterministic, &k.Repeats)
	binform.List(c, &k.Tasks, codeTask)
	binform.List(c, &k.Fields, codeField)
	binform.List(c, &k.Names, codeName)
	binform.List(c, &k.Sites, codeSite)
	binform.List(c, &k.Parts, func(c *binform.Codec, p *Part) {
		c.Text(&p.Name)
		binform.Number(c, &p.Args)
		binform.Number(c, &p.Key)
		binform.Number(c, &p.Done)
	})
}

func codeName(c *binform.Codec, n *Name) {
	c.Text(&n.Task)
	codePlace(c, &n.Place)
}

func codePlace(c *binform.Codec, p *Place) {
	c.Text(&p.File)
	binform.Number(c, &p.Line)
	binform.Number(c, &p.Column)
}

func codeTask(c *binform.Codec, t *Task) {
	binform.Number(c, &t.Loop)
	binform.Number(c, &t.Part)
	binform.Number(c, &t.First)
	binform.List(c, &t.Slots, codeSlot)
	binform.List(c, &t.Sites, binform.Number[int])
	binform.List(c, &t.Dims, codeDim)
	binform.Number(c, &t.Rows.Low)
	binform.Number(c, &t.Rows.Step)
	binform.List(c, &t.Lists, codeList)
	binform.List(c, &t.Private, codePrivate)
	binform.List(c, &t.States, codeState)
	binform.Number(c, &t.Parts)
	binform.Number(c, &t.Threads)
	binform.Number(c, &t.BlockDim)
	binform.Number(c, &t.Steps)
	binform.Number(c, &t.Local)
	partial := t.Partial != nil
	c.Flags(&t.Helper, &t.Heavy, &t.Uneven, &partial)
	if partial {
		if t.Partial == nil {
			t.Partial = &Partial{}
		}
		binform.Number(c, &t.Partial.Scratch)
		binform.Number(c, &t.Partial.Words)
		binform.Number(c, &t.Partial.Merge)
	}
}

func codeSlot(c *binform.Codec, s *Slot) {
	binform.Number(c, &s.From)
	binform.Number(c, &s.At)
}

func codeDim(c *binform.Codec, d *Dim) {
	codeBound(c, &d.Lo)
	codeBound(c, &d.Hi)
	c.Flags(&d.Unsigned)
}

func codeBound(c *binform.Codec, b *Bound) {
	binform.Number(c, &b.From)
	binform.Number(c, &b.Const)
	binform.Number(c, &b.At)
	binform.Number(c, &b.Bits)
	c.Flags(&b.Signed)
	binform.Number(c, &b.Div)
}

func codeList(c *binform.Codec, l *List) {
	binform.Number(c, &l.Base)
	binform.Number(c, &l.Node)
	binform.Number(c, &l.Outer)
	c.Flags(&l.Masks)
}

func codePrivate(c *binform.Codec, p *Private) {
	binform.Number(c, &p.Base)
	binform.Number(c, &p.Scratch)
	binform.Number(c, &p.Size)
	binform.Number(c, &p.Identity)
	binform.Number(c, &p.Merge)
}

func codeField(c *binform.Codec, f *Field) {
	c.Text(&f.Name)
	c.Flags(&f.Memory)
	binform.List(c, &f.Extents, binform.Number[int])
}

func codeSite(c *binform.Codec, s *Site) {
	codePlace(c, &s.Place)
	binform.Number(c, &s.Kind)
	c.Text(&s.What)
	binform.List(c, &s.Shape, binform.Number[int64])
	binform.List(c, &s.Low, binform.Number[int64])
	binform.List(c, &s.Text, codePiece)
	binform.Number(c, &s.Axes)
	binform.List(c, &s.Lengths, binform.Number[int])
	binform.Number(c, &s.Field)
}

func codePiece(c *binform.Codec, p *site.Piece) {
	c.Text(&p.Text)
	c.Text(&p.Verb)
	binform.Number(c, &p.Kind)
}
