package dist

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/npy"
	"github.com/gotaichi/ti/internal/store"
)

// WriteFile writes a divided or replicated field into one file that all ranks
// write side by side: .npy, or raw for any other name. The file is complete under its
// name, or absent. All ranks see one file system.
func (w *World) WriteFile(name string, f ti.AnyField) error {
	c, err := w.core("WriteFile", f)
	var head []byte
	if err == nil && filepath.Ext(name) == ".npy" {
		head, err = npyHead(c)
	}
	if err := w.Agree(err); err != nil {
		return err
	}
	part := name + ".part" // of which rank 0 makes a file of the whole size, that ranks write their rows into
	if w.Rank() == 0 {
		err = create(part, head, int64(len(head))+c.RowBytes()*int64(rowsOf(c)))
	}
	if err := w.Agree(err); err != nil {
		return err
	}
	lo, hi := 0, 0
	if lo, hi, err = w.rowsToWrite(c); err == nil && lo < hi {
		err = writeRows(part, c, int64(len(head)), lo, hi)
	}
	err = w.Agree(err)
	if w.Rank() == 0 {
		if err == nil {
			err = os.Rename(part, name)
		} else {
			_ = os.Remove(part)
		}
	}
	return w.Agree(err)
}

// core is what is behind a field that is in use.
func (w *World) core(what string, f ti.AnyField) (*store.Field, error) {
	for _, r := range w.of {
		c := r.session.FieldOf(f)
		if c == nil || c.Node() == nil || c.Tree().Store() != r.session.Store() {
			continue
		}
		if err := c.Ready(); err != nil {
			return nil, err
		}
		if c.Sparse() {
			return nil, fmt.Errorf("%w: %s of %s, which lies in a sparse tree; use Tree.WriteTo", ti.ErrLayout, what, c.Name())
		}
		return c, nil
	}
	return nil, fmt.Errorf("%w: %s of a field that is not placed in a runtime of this World", ti.ErrPlace, what)
}

func rowsOf(c *store.Field) int {
	if c.Rank == 0 {
		return 1
	}
	return c.Shape()[0]
}

// rowsToWrite are the first indices of the rows that this rank writes, counted from 0: all of them on rank 0 if the field is not divided.
func (w *World) rowsToWrite(c *store.Field) (lo, hi int, err error) {
	if d := c.Division(); d != nil {
		lo, hi, err = d.Own(c)
		return lo - c.Origin()[0], hi - c.Origin()[0], err
	}
	if w.Rank() > 0 {
		return 0, 0, nil
	}
	return 0, rowsOf(c), nil
}

// create makes a file of so many bytes, which begins with a head.
func create(name string, head []byte, bytes int64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(head); err != nil {
		return err
	}
	return f.Truncate(bytes)
}

// pieceOf is how many bytes of rows are written or read at a time.
const pieceOf = 4 << 20

// inPieces calls f with rows, a few at a time, and memory for their elements in a stream.
func inPieces(c *store.Field, lo, hi int, f func(buf []byte, from, to int) error) error {
	row := c.RowBytes()
	step := int(max(1, pieceOf/max(1, row)))
	buf := make([]byte, int64(min(step, hi-lo))*row)
	for from := lo; from < hi; from += step {
		to := min(hi, from+step)
		if err := f(buf[:int64(to-from)*row], from, to); err != nil {
			return err
		}
	}
	return nil
}

func low(c *store.Field) int {
	if c.Rank == 0 {
		return 0
	}
	return c.Origin()[0]
}

func writeRows(name string, c *store.Field, at int64, lo, hi int) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = inPieces(c, lo, hi, func(buf []byte, from, to int) error {
		if err := c.PackRows(buf, from+low(c), to+low(c)); err != nil {
			return err
		}
		_, err := f.WriteAt(buf, at+int64(from)*c.RowBytes())
		return err
	})
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// ReadFile sets a field from a file that WriteFile or NumPy wrote. If it fails, the field may hold a part of it.
func (w *World) ReadFile(name string, f ti.AnyField) error {
	c, err := w.core("ReadFile", f)
	if err == nil {
		if err = c.SetOwn(); err == nil {
			err = w.readRows(name, c)
		}
	}
	return w.Agree(err)
}

func (w *World) readRows(name string, c *store.Field) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	at := int64(0)
	if filepath.Ext(name) == ".npy" {
		if at, err = checkNPY(f, c); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if want := at + c.RowBytes()*int64(rowsOf(c)); info.Size() != want {
		return fmt.Errorf("%w: %s has %d bytes, and %s needs %d", ti.ErrArgs, name, info.Size(), c.Name(), want)
	}
	lo, hi := 0, rowsOf(c)
	if c.Division() != nil {
		if lo, hi, err = w.rowsToWrite(c); err != nil {
			return err
		}
	}
	return inPieces(c, lo, hi, func(buf []byte, from, to int) error {
		if _, err := f.ReadAt(buf, at+int64(from)*c.RowBytes()); err != nil {
			return err
		}
		return c.UnpackRows(buf, from+low(c), to+low(c))
	})
}

// npyForm returns type and shape of a field's elements as a .npy file has them.
func npyForm(c *store.Field) (descr string, shape []int, err error) {
	kind, one := c.Layout().Elem.Kind()
	if !one {
		return "", nil, fmt.Errorf("%w: the elements of %s are of several types, which a .npy file of numbers does not hold; write its members, or a raw file", ti.ErrArgs, c.Name())
	}
	shape = append(shape, c.Shape()...)
	t := c.Elem()
	for ; t.Kind() == reflect.Array; t = t.Elem() {
		shape = append(shape, t.Len())
	}
	if t.Kind() == reflect.Struct {
		shape = append(shape, c.Comps())
	}
	return "'" + npy.Code(kind) + "'", shape, nil
}

func npyHead(c *store.Field) ([]byte, error) {
	descr, shape, err := npyForm(c)
	if err != nil {
		return nil, err
	}
	return npy.Start(descr, shape), nil
}

// checkNPY reads the header of a file, compares it with a field, and returns where the numbers begin.
func checkNPY(f io.Reader, c *store.Field) (at int64, err error) {
	descr, shape, err := npyForm(c)
	if err != nil {
		return 0, err
	}
	h, err := npy.Head(f)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", ti.ErrArgs, err)
	case h.Descr != descr || !slices.Equal(h.Shape, shape):
		return 0, fmt.Errorf("%w: it has elements %s of shape (%s), and %s has %s of shape %v", ti.ErrArgs, h.Descr, h.Sizes, c.Name(), descr, shape)
	}
	return h.Bytes, nil
}
