package script

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gotaichi/ti/internal/memory"
)

// Before a file is read, its size, or the size that its header claims, is compared with the
// memory of the machine: a Go program cannot recover from an allocation that fails.

// MostSource is the size of the longest source, far beyond what people write.
const MostSource = 16 << 20

// ReadSource reads a file; its error names the file as the user would.
func ReadSource(name string) ([]byte, error) {
	text, err := readFile(name, MostSource)
	var p *fs.PathError
	var long *tooLong
	switch {
	case errors.As(err, &p):
		return nil, fmt.Errorf("%s cannot be read: %w", Display(name), p.Err)
	case errors.As(err, &long):
		return nil, fmt.Errorf("%s is no source: %w", Display(name), err)
	}
	return text, err
}

// A tooLong is the error of a file of more than most bytes.
type tooLong struct{ most int64 }

func (e *tooLong) Error() string { return fmt.Sprintf("it has more than %s", memory.Text(e.most)) }

// readFile reads a file of at most that many bytes, which may be a pipe or a device.
func readFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > most {
		return nil, &tooLong{most}
	}
	return ReadAll(f, most)
}

// ReadAll reads a stream of at most that many bytes.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, &tooLong{most}
	}
	return text, err
}

// fits returns an error if there is no room for that many numbers of size bytes each; what
// names them in the message. Both are floats, so that no product overflows.
func fits(what string, numbers, size float64) error {
	if most := memory.Room(); numbers*size > float64(most) {
		return fmt.Errorf("%s would take %s, and there is room for %s", what, memory.Text(int64(min(numbers*size, 1<<62))), memory.Text(most))
	}
	return nil
}

// numbers returns how many numbers an array of a shape has.
func numbers(shape ...int) float64 {
	n := 1.0
	for _, s := range shape {
		n *= float64(s)
	}
	return n
}

// Display returns name relative to the working directory where that is shorter.
func Display(name string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, name); err == nil && len(rel) < len(name) {
			return rel
		}
	}
	return name
}
