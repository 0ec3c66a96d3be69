package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/layout"
)

const magic = "\x93NUMPY"

type elemType struct {
	code string
	kind layout.Kind
}

// types maps type codes, without the byte order, to kinds.
var types = []elemType{
	{"b1", layout.Bool},
	{"i1", layout.I8}, {"i2", layout.I16}, {"i4", layout.I32}, {"i8", layout.I64},
	{"u1", layout.U8}, {"u2", layout.U16}, {"u4", layout.U32}, {"u8", layout.U64},
	{"f2", layout.F16}, {"f4", layout.F32}, {"f8", layout.F64},
}

var (
	elemText   = regexp.MustCompile(`(?s)'descr'\s*:\s*('[^']*'|\[.*?\])\s*(?:,\s*'(?:fortran_order|shape)'|,?\s*\})`)
	scalarText = regexp.MustCompile(`^'([<>|=]?)([a-z][0-9]+)'$`)
	orderText  = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	shapeText  = regexp.MustCompile(`'shape'\s*:\s*\(([0-9, ]*)\)`)
)

// Code is the type code of a kind with its byte order, as in <f4.
func Code(kind layout.Kind) string {
	i := slices.IndexFunc(types, func(x elemType) bool { return x.kind == kind })
	if kind.Size() == 1 {
		return "|" + types[i].code
	}
	return "<" + types[i].code
}

// Kind is the kind of elements that are numbers.
func (h *Array) Kind() (layout.Kind, error) {
	descr := scalarText.FindStringSubmatch(h.Descr)
	if descr == nil {
		return 0, fmt.Errorf("its elements are %s, and not numbers", h.Descr)
	}
	i := slices.IndexFunc(types, func(t elemType) bool { return t.code == descr[2] })
	if i < 0 || descr[1] == ">" && types[i].kind.Size() > 1 {
		return 0, fmt.Errorf("its element type %q is not supported; there are little-endian bool, int, uint and float", descr[1]+descr[2])
	}
	return types[i].kind, nil
}

// An Array is what a header says.
type Array struct {
	Descr string // the type of the elements, as written
	Shape []int
	Sizes string // shape as written
	N     int    // elements
	Bytes int64  // of the header: the elements follow
}

// Head reads a header.
func Head(r io.Reader) (*Array, error) {
	header, length, err := text(r)
	if err != nil {
		return nil, err
	}
	descr, fortran, shape := elemText.FindStringSubmatch(header), orderText.FindStringSubmatch(header), shapeText.FindStringSubmatch(header)
	if descr == nil || fortran == nil || shape == nil {
		return nil, fmt.Errorf("its header is not understood: %q", header)
	}
	if fortran[1] == "True" {
		return nil, fmt.Errorf("it is stored by columns; save it with numpy.ascontiguousarray")
	}
	h := &Array{Descr: descr[1], Sizes: shape[1], N: 1, Bytes: length}
	for part := range strings.SplitSeq(h.Sizes, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		d, err := strconv.Atoi(part)
		if err != nil || d > 0 && int64(h.N) > (1<<40)/int64(d) || h.N > math.MaxInt/max(d, 1) {
			return nil, fmt.Errorf("its shape (%s) is too large", h.Sizes)
		}
		h.Shape = append(h.Shape, d)
		h.N *= d
	}
	return h, nil
}

// Header reads up to the numbers.
func text(r io.Reader) (header string, length int64, err error) {
	start := make([]byte, 8)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:6]) != magic {
		return "", 0, fmt.Errorf("it is not an .npy file")
	}
	size := make([]byte, 2)
	if start[6] > 1 {
		size = make([]byte, 4)
	}
	if _, err := io.ReadFull(r, size); err != nil {
		return "", 0, fmt.Errorf("its header is cut off")
	}
	n := uint32(binary.LittleEndian.Uint16(size))
	if len(size) == 4 {
		n = binary.LittleEndian.Uint32(size)
	}
	if n > 1<<20 {
		return "", 0, fmt.Errorf("its header is %d bytes long", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", 0, fmt.Errorf("its header is cut off")
	}
	return string(b), int64(len(start)+len(size)) + int64(n), nil
}

// Start is what stands before the elements, in version 1.0 and aligned to 64 bytes. The
// type is written as NumPy does.
func Start(descr string, dims []int) []byte {
	var text strings.Builder
	for _, d := range dims {
		fmt.Fprintf(&text, "%d, ", d)
	}
	shape := strings.TrimSuffix(text.String(), " ")
	if len(dims) > 1 {
		shape = strings.TrimSuffix(shape, ",")
	}
	header := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': (%s), }", descr, shape)
	pad := 64 - (len(magic)+4+len(header)+1)%64
	header += strings.Repeat(" ", pad%64) + "\n"
	out := append([]byte(magic), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	return append(out, header...)
}
