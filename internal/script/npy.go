package script

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/npy"
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
	h, err := npy.Head(r)
	if err != nil {
		return nil, err
	}
	kind, err := h.Kind()
	if err != nil {
		return nil, err
	}
	data, err := npyElements(h, r, kind.Bytes(), most)
	if err != nil {
		return nil, err
	}
	return &tensor{kind, h.Shape, data}, nil
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
	h, err := npy.Head(r)
	if err != nil {
		return nil, nil, err
	}
	want, size := npyRecord(t)
	spaces := strings.NewReplacer(" ", "", "\n", "")
	if spaces.Replace(h.Descr) != spaces.Replace(want) {
		return nil, nil, fmt.Errorf("its elements are %s, and the field's are the records %s; in NumPy, a.astype(%[2]s) converts them", h.Descr, want)
	}
	data, err = npyElements(h, r, size, most)
	return h.Shape, data, err
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
			part, one = "'"+npy.Code(kind)+"'", kind.Bytes()
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

// npyElements reads what follows the header: elements of size bytes, at most so many bytes in all.
func npyElements(h *npy.Array, r io.Reader, size, most int64) ([]byte, error) {
	if size > 0 && int64(h.N) > most/size {
		return nil, fmt.Errorf("its shape (%s) is too large: it would take %s, and there is room for %s", h.Sizes, memory.Text(int64(min(float64(h.N)*float64(size), 1<<62))), memory.Text(most))
	}
	// Read through a buffer that grows, so that a false header asks for no memory
	// that the file does not fill.
	var body bytes.Buffer
	want := int64(h.N) * size
	got, err := io.Copy(&body, io.LimitReader(r, want))
	if err != nil {
		return nil, err
	}
	if got < want {
		return nil, fmt.Errorf("it ends after %d of %d bytes: %w", got, want, io.ErrUnexpectedEOF)
	}
	return body.Bytes(), nil
}
