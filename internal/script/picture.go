package script

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
	"os"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/pixels"
	"github.com/gotaichi/ti/picture"
)

// readImage reads a picture as rows of pixels for a field of the given element, as package
// picture loads them.
func readImage(name string, kind layout.Kind, elem []int) (*tensor, error) {
	format, err := formatOf(kind, elem)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := decodeImage(f, format, elem, memory.Room())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// decodeImage reads a picture that takes at most that many bytes.
func decodeImage(r io.Reader, format pixels.Format, elem []int, most int64) (*tensor, error) {
	img, err := pixels.Decode(r, format.Size(), most)
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	return &tensor{format.Kind, append([]int{b.Dy(), b.Dx()}, elem...), format.Elements(img)}, nil
}

// formatOf returns what a pixel consists of, or says why there are none.
func formatOf(kind layout.Kind, elem []int) (pixels.Format, error) {
	format, err := pixels.FormatOf(kind, elem)
	if err != nil {
		err = fmt.Errorf("%w; other fields go with .npy files", err)
	}
	return format, err
}

// canBePicture says why a field is no picture, if it is none.
func canBePicture(kind layout.Kind, rank int, elem []int) error {
	if rank != 2 {
		return fmt.Errorf("a picture needs a field of rank 2, not %d; save it as .npy", rank)
	}
	_, err := formatOf(kind, elem)
	return err
}

// encodePNG returns a field as a picture.
func (b *Field) encodePNG() (*bytes.Buffer, error) {
	v, err := picture.Image(b.AnyField)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	err = png.Encode(&buf, v.Copy())
	return &buf, err
}
