package script

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
)

// The .npy format of NumPy: a magic number, a header that is a Python literal,
// and the numbers. (numpy.lib.format, NEP 1.)

const npyMagic = "\x93NUMPY"

type npyType struct {
	code string
	kind layout.Kind
}

// npyTypes maps type codes, without the byte order, to kinds.
var npyTypes = []npyType{
	{"b1", layout.Bool},
	{"i1", layout.I8}, {"i2", layout.I16}, {"i4", layout.I32}, {"i8", layout.I64},
	{"u1", layout.U8}, {"u2", layout.U16}, {"u4", layout.U32}, {"u8", layout.U64},
	{"f2", layout.F16}, {"f4", layout.F32}, {"f8", layout.F64},
}

var (
	npyElem    = regexp.MustCompile(`(?s)'descr'\s*:\s*('[^']*'|\[.*?\])\s*(?:,\s*'(?:fortran_order|shape)'|,?\s*\})`)
	npyDescr   = regexp.MustCompile(`^'([<>|=]?)([a-z][0-9]+)'$`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([0-9, ]*)\)`)
)

// readNPY reads a file.
func readNPY(name string) (*tensor, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := decodeNPY(bufio.NewReader(f), memory.Room())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// decodeNPY reads a file whose numbers take at most that many bytes.
func decodeNPY(r io.Reader, most int64) (*tensor, error) {
	h, err := npyHead(r)
	if err != nil {
		return nil, err
	}
	descr := npyDescr.FindStringSubmatch(h.descr)
	if descr == nil {
		return nil, fmt.Errorf("its elements are %s, and not numbers", h.descr)
	}
	i := slices.IndexFunc(npyTypes, func(t npyType) bool { return t.code == descr[2] })
	if i < 0 || descr[1] == ">" && npyTypes[i].kind.Size() > 1 {
		return nil, fmt.Errorf("its element type %q is not supported; there are little-endian bool, int, uint and float", descr[1]+descr[2])
	}
	kind := npyTypes[i].kind
	data, err := h.elements(r, kind.Bytes(), most)
	if err != nil {
		return nil, err
	}
	return &tensor{kind, h.shape, data}, nil
}

// readRecords reads a file of structs of type t: a structured array without padding, with
// the members of t by name, type and order.
func readRecords(name string, t reflect.Type) (shape []int, data []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	shape, data, err = decodeRecords(bufio.NewReader(f), t, memory.Room())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return shape, data, nil
}

func decodeRecords(r io.Reader, t reflect.Type, most int64) (shape []int, data []byte, err error) {
	h, err := npyHead(r)
	if err != nil {
		return nil, nil, err
	}
	want, size := npyRecord(t)
	spaces := strings.NewReplacer(" ", "", "\n", "")
	if spaces.Replace(h.descr) != spaces.Replace(want) {
		return nil, nil, fmt.Errorf("its elements are %s, and the field's are the records %s; in NumPy, a.astype(%[2]s) converts them", h.descr, want)
	}
	data, err = h.elements(r, size, most)
	return h.shape, data, err
}

// npyRecord is how NumPy writes the type of structs of type t, and their size without padding.
func npyRecord(t reflect.Type) (descr string, size int64) {
	var parts []string
	for i := range t.NumField() {
		f := t.Field(i)
		elem, dims, n := f.Type, "", int64(1)
		for ; elem.Kind() == reflect.Array; elem = elem.Elem() {
			dims += fmt.Sprintf("%d, ", elem.Len())
			n *= int64(elem.Len())
		}
		part, one := "", int64(0)
		if elem.Kind() == reflect.Struct {
			part, one = npyRecord(elem)
		} else {
			kind := kindOf(elem)
			part, one = "'"+npyCode(kind)+"'", kind.Bytes()
		}
		if dims != "" {
			if dims = strings.TrimSuffix(dims, " "); strings.Count(dims, ",") > 1 {
				dims = strings.TrimSuffix(dims, ",")
			}
			part += ", (" + dims + ")"
		}
		parts = append(parts, fmt.Sprintf("('%s', %s)", f.Tag.Get("ti"), part))
		size += n * one
	}
	return "[" + strings.Join(parts, ", ") + "]", size
}

// npyCode is the type code of a kind with its byte order.
func npyCode(kind layout.Kind) string {
	i := slices.IndexFunc(npyTypes, func(x npyType) bool { return x.kind == kind })
	if kind.Size() == 1 {
		return "|" + npyTypes[i].code
	}
	return "<" + npyTypes[i].code
}

// An npyArray is what a header says.
type npyArray struct {
	descr string // the type of the elements, as written
	shape []int
	sizes string // shape as written
	n     int
}

// npyHead reads a header.
func npyHead(r io.Reader) (*npyArray, error) {
	header, err := npyHeader(r)
	if err != nil {
		return nil, err
	}
	descr, fortran, shape := npyElem.FindStringSubmatch(header), npyFortran.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if descr == nil || fortran == nil || shape == nil {
		return nil, fmt.Errorf("its header is not understood: %q", header)
	}
	if fortran[1] == "True" {
		return nil, fmt.Errorf("it is stored by columns; save it with numpy.ascontiguousarray")
	}
	h := &npyArray{descr: descr[1], sizes: shape[1], n: 1}
	for part := range strings.SplitSeq(h.sizes, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		d, err := strconv.Atoi(part)
		if err != nil || d > 0 && int64(h.n) > (1<<40)/int64(d) || h.n > math.MaxInt/max(d, 1) {
			return nil, fmt.Errorf("its shape (%s) is too large", h.sizes)
		}
		h.shape = append(h.shape, d)
		h.n *= d
	}
	return h, nil
}

// elements reads what follows the header: elements of size bytes, at most so many bytes in all.
func (h *npyArray) elements(r io.Reader, size, most int64) ([]byte, error) {
	if size > 0 && int64(h.n) > most/size {
		return nil, fmt.Errorf("its shape (%s) is too large: it would take %s, and there is room for %s", h.sizes, memory.Text(int64(min(float64(h.n)*float64(size), 1<<62))), memory.Text(most))
	}
	// Read through a buffer that grows, so that a false header asks for no memory
	// that the file does not fill.
	var body bytes.Buffer
	want := int64(h.n) * size
	got, err := io.Copy(&body, io.LimitReader(r, want))
	if err != nil {
		return nil, err
	}
	if got < want {
		return nil, fmt.Errorf("it ends after %d of %d bytes: %w", got, want, io.ErrUnexpectedEOF)
	}
	return body.Bytes(), nil
}

// npyHeader reads up to the numbers.
func npyHeader(r io.Reader) (string, error) {
	start := make([]byte, 8)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:6]) != npyMagic {
		return "", fmt.Errorf("it is not an .npy file")
	}
	size := make([]byte, 2)
	if start[6] > 1 {
		size = make([]byte, 4)
	}
	if _, err := io.ReadFull(r, size); err != nil {
		return "", fmt.Errorf("its header is cut off")
	}
	n := uint32(binary.LittleEndian.Uint16(size))
	if len(size) == 4 {
		n = binary.LittleEndian.Uint32(size)
	}
	if n > 1<<20 {
		return "", fmt.Errorf("its header is %d bytes long", n)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(r, header); err != nil {
		return "", fmt.Errorf("its header is cut off")
	}
	return string(header), nil
}

// npyStart is what stands before the elements, in version 1.0 and aligned to 64 bytes. The
// type is written as NumPy does.
func npyStart(descr string, dims []int) []byte {
	var text strings.Builder
	for _, d := range dims {
		fmt.Fprintf(&text, "%d, ", d)
	}
	shape := strings.TrimSuffix(text.String(), " ")
	if len(dims) > 1 {
		shape = strings.TrimSuffix(shape, ",")
	}
	header := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': (%s), }", descr, shape)
	pad := 64 - (len(npyMagic)+4+len(header)+1)%64
	header += strings.Repeat(" ", pad%64) + "\n"
	out := append([]byte(npyMagic), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	return append(out, header...)
}
