package loader

import (
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/binform"
)

// Version is that of the binary form of pieces. It changes with any change of their types.
const Version = 2

const magic = "tipieces"

// ErrFormat is what errors about the binary form wrap.
var ErrFormat = errors.New("loader: not code of this version, or damaged")

// AppendPieces appends the binary form of pieces to b.
func AppendPieces(b []byte, pieces []*Piece) []byte {
	return binform.Append(b, func(c *binform.Codec) { codePieces(c, &pieces) })
}

// ReadPieces reads the binary form of pieces, which must be all of data. What they say fits
// together, and their code is what it is: who keeps pieces has to protect them from damage.
func ReadPieces(data []byte) ([]*Piece, error) {
	var pieces []*Piece
	if err := binform.Read(data, ErrFormat, func(c *binform.Codec) { codePieces(c, &pieces) }); err != nil {
		return nil, err
	}
	for _, p := range pieces {
		if err := p.Check(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
	}
	return pieces, nil
}

func codePieces(c *binform.Codec, pieces *[]*Piece) {
	c.Header(magic, Version)
	binform.List(c, pieces, func(c *binform.Codec, at **Piece) {
		if *at == nil {
			*at = &Piece{}
		}
		p := *at
		c.Text(&p.Name)
		c.Text(&p.Arch)
		binform.Number(c, &p.Align)
		binform.Number(c, &p.Entry)
		c.Bytes(&p.Code)
		binform.List(c, &p.Data, codeData)
		binform.List(c, &p.Relocs, codeReloc)
	})
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
