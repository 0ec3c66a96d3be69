package sparse

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/gotaichi/ti/internal/layout"
)

// SaveDense writes a tree of dense nodes, whose memory is given, in the form of
// [Tree.WriteTo].
func SaveDense(lay *layout.Tree, memory []byte, w io.Writer) (int64, error) {
	out := &summed{w: w}
	_, _ = out.Write(header((&Tree{lay: lay}).description(), int64(len(memory))))
	_, _ = out.Write(memory)
	_, _ = out.Write(binary.LittleEndian.AppendUint32(nil, out.sum))
	return out.n, out.err
}

// LoadDense replaces the memory of such a tree by what was saved. After an error it is
// as it was.
func LoadDense(lay *layout.Tree, memory []byte, r io.Reader) (int64, error) {
	in := &reader{r: r}
	payload, err := in.payload(&Tree{lay: lay}, int64(len(memory)), ErrSaved)
	if err == nil && len(payload) != len(memory) {
		err = fmt.Errorf("%w: %d bytes of data for %d", ErrSaved, len(payload), len(memory))
	}
	if err == nil {
		copy(memory, payload)
	}
	return in.n, err
}

// header is what comes before a payload of n bytes.
func header(description string, n int64) []byte {
	head := append([]byte(magic), binary.LittleEndian.AppendUint32(nil, formatVersion)...)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(description)))
	return binary.LittleEndian.AppendUint64(append(head, description...), uint64(n))
}
