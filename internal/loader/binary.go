package loader

import (
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/binform"
)

// Version is that of the binary form of a piece. It changes with any change of its type.
const Version = 3

const magic = "tipiece"

// ErrFormat is what errors about the binary form wrap.
var ErrFormat = errors.New("loader: not code of this version, or damaged")

// Append appends the binary form of p to b.
func (p *Piece) Append(b []byte) []byte { return binform.Append(b, p.code) }

// Read reads the binary form of a piece, which must be all of data. It checks that relocations and constants
// lie within the piece. It does not check the code: a cache has to protect it from damage.
func Read(data []byte) (*Piece, error) {
	p := &Piece{}
	if err := binform.Read(data, ErrFormat, p.code); err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return p, nil
}

func (p *Piece) code(c *binform.Codec) {
	c.Header(magic, Version)
	c.Text(&p.Name)
	c.Text(&p.Arch)
	binform.Number(c, &p.Align)
	binform.Number(c, &p.Entry)
	c.Bytes(&p.Code)
	binform.List(c, &p.Data, codeData)
	binform.List(c, &p.Relocs, codeReloc)
}

func codeData(c *binform.Codec, d *Data) {
	binform.Number(c, &d.Align)
	c.Bytes(&d.Bytes)
}

func codeReloc(c *binform.Codec, r *Reloc) {
	binform.Number(c, &r.Kind)
	binform.Number(c, &r.Place)
	binform.Number(c, &r.Data)
	binform.Number(c, &r.At)
	binform.Number(c, &r.Addend)
	c.Text(&r.Callee)
}
