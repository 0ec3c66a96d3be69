package launch

import (
	"errors"

	"github.com/gotaichi/ti/internal/binform"
)

// A Piece is the code of one task, or of a function that tasks call. Only the two halves of a target know what its bytes
// mean: its compiler makes them, and its machine loads them. All others store, compare and pass them on.
type Piece struct {
	Size int    // bytes of code and constants, for reports
	Code []byte // everything that the machine needs to load it
}

// PieceVersion is that of the binary form of pieces.
const PieceVersion = 3

const pieceMagic = "tipieces"

// ErrPieces is what errors about the binary form of pieces wrap.
var ErrPieces = errors.New("launch: not code of this version, or damaged")

// AppendPieces appends the binary form of pieces to b.
func AppendPieces(b []byte, pieces []Piece) []byte {
	return binform.Append(b, func(c *binform.Codec) { codePieces(c, &pieces) })
}

// ReadPieces reads the binary form of pieces, which must be all of data. The machine checks their code when it loads it.
func ReadPieces(data []byte) (pieces []Piece, err error) {
	err = binform.Read(data, ErrPieces, func(c *binform.Codec) { codePieces(c, &pieces) })
	return pieces, err
}

func codePieces(c *binform.Codec, pieces *[]Piece) {
	c.Header(pieceMagic, PieceVersion)
	binform.List(c, pieces, func(c *binform.Codec, p *Piece) {
		binform.Number(c, &p.Size)
		c.Bytes(&p.Code)
	})
}
