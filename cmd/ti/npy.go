package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
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
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*'([<>|=]?)([a-z][0-9]+)'`)
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
	header, err := npyHeader(r)
	if err != nil {
		return nil, err
	}
	descr, fortran, shape := npyDescr.FindStringSubmatch(header), npyFortran.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if descr == nil || fortran == nil || shape == nil {
		return nil, fmt.Errorf("its header is not understood (records and objects are not supported): %q", header)
	}
	if fortran[1] == "True" {
		return nil, fmt.Errorf("it is stored by columns; save it with numpy.ascontiguousarray")
	}
	i := slices.IndexFunc(npyTypes, func(t npyType) bool { return t.code == descr[2] })
	if i < 0 || descr[1] == ">" && npyTypes[i].kind.Size() > 1 {
		return nil, fmt.Errorf("its element type %q is not supported; there are little-endian bool, int, uint and float", descr[1]+descr[2])
	}
	kind := npyTypes[i].kind
	var dims []int
	n := 1
	for part := range strings.SplitSeq(shape[1], ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		d, err := strconv.Atoi(part)
		if err != nil || d > 0 && n > (1<<40)/d {
			return nil, fmt.Errorf("its shape (%s) is too large", shape[1])
		}
		dims = append(dims, d)
		n *= d
	}
	if bytes := int64(n) * kind.Size(); bytes > most {
		return nil, fmt.Errorf("its shape (%s) is too large: it would take %s, and there is room for %s", shape[1], memory.Text(bytes), memory.Text(most))
	}
	// Read through a buffer that grows, so that a false header asks for no memory
	// that the file does not fill.
	var body bytes.Buffer
	got, err := io.Copy(&body, io.LimitReader(r, int64(n*int(kind.Size()))))
	if err != nil {
		return nil, err
	}
	if got < int64(n*int(kind.Size())) {
		return nil, fmt.Errorf("it ends after %d of %d bytes: %w", got, n*int(kind.Size()), io.ErrUnexpectedEOF)
	}
	return &tensor{kind, dims, body.Bytes()}, nil
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

// npyStart is what stands before the numbers, in version 1.0 and aligned to 64 bytes.
func npyStart(kind layout.Kind, dims []int) []byte {
	code := ""
	for _, x := range npyTypes {
		if x.kind == kind {
			code = x.code
		}
	}
	order := "<"
	if int(kind.Size()) == 1 {
		order = "|"
	}
	var text strings.Builder
	for _, d := range dims {
		fmt.Fprintf(&text, "%d, ", d)
	}
	shape := strings.TrimSuffix(text.String(), " ")
	if len(dims) > 1 {
		shape = strings.TrimSuffix(shape, ",")
	}
	header := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, code, shape)
	pad := 64 - (len(npyMagic)+4+len(header)+1)%64
	header += strings.Repeat(" ", pad%64) + "\n"
	out := append([]byte(npyMagic), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	return append(out, header...)
}
