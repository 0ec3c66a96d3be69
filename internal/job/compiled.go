package job

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// Compiled is a kernel as a target runs it: plain data.
type Compiled struct {
	Launch *launch.Kernel // what the machine must know of it
	Pieces []launch.Piece // the code of each task, then of the functions that tasks call
	Keys   []target.Key   // of each piece
}

// ErrFormat is the error for bytes that are no compiled kernel.
var ErrFormat = errors.New("no compiled kernel of this version, or a damaged one")

// Append appends the binary form of c to b: the descriptor behind its length, then the pieces.
func (c *Compiled) Append(b []byte) []byte {
	k := c.Launch.Append(nil)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(k)))
	return launch.AppendPieces(append(b, k...), c.Pieces)
}

// ReadCompiled reads what Append wrote, which must be all of data. The code is what it is: who
// keeps it has to protect it from damage.
func ReadCompiled(data []byte) (c *Compiled, err error) {
	if len(data) < 8 || binary.LittleEndian.Uint64(data) > uint64(len(data)-8) {
		return nil, ErrFormat
	}
	n := binary.LittleEndian.Uint64(data)
	c = &Compiled{}
	if c.Launch, err = launch.Read(data[8 : 8+n]); err == nil {
		c.Pieces, err = launch.ReadPieces(data[8+n:])
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return c, nil
}
