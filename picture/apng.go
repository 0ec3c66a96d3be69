package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"math"
	"os"
)

// apng writes an animated PNG (https://www.w3.org/TR/png-3/#apng-frame-based-animation), which
// image/png does not know.
type apng struct {
	file     *os.File
	fps      float64
	frames   uint32
	sequence uint32 // of the next chunk that has to do with animation
	size     image.Point
}

const (
	apngHead  = "\x89PNG\r\n\x1a\n"
	actlBegin = len(apngHead) + 12 + 13 // where the number of frames stands in the file, in a chunk of its own
)

// newAPNG is the encoder of .png and .apng.
func newAPNG(c Config, path string, first image.Image) (encoder, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	a := &apng{file: file, fps: c.fps(), size: first.Bounds().Size()}
	head := binary.BigEndian.AppendUint32(nil, uint32(a.size.X))
	head = binary.BigEndian.AppendUint32(head, uint32(a.size.Y))
	head = append(head, 8, colourType(first), 0, 0, 0)
	out := chunk([]byte(apngHead), "IHDR", head)
	out = chunk(out, "acTL", make([]byte, 8)) // the number of frames is known at the end
	if p, ok := first.(*image.Paletted); ok {
		out = paletteChunks(out, p.Palette)
	}
	_, err = file.Write(out)
	return a, err
}

// colourType returns the number that says what the bytes of a pixel are.
func colourType(img image.Image) uint8 {
	switch img.(type) {
	case *image.Gray:
		return 0
	case *image.RGBA:
		return 2
	case *image.Paletted:
		return 3
	}
	return 6
}

// paletteChunks appends the colours of a palette and their opacity.
func paletteChunks(out []byte, p color.Palette) []byte {
	var rgb, alpha []byte
	for _, c := range p {
		c := color.NRGBAModel.Convert(c).(color.NRGBA)
		rgb, alpha = append(rgb, c.R, c.G, c.B), append(alpha, c.A)
	}
	return chunk(chunk(out, "PLTE", rgb), "tRNS", alpha)
}

// chunk appends a part of a PNG.
func chunk(out []byte, name string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	from := len(out)
	out = append(append(out, name...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
}

// add writes a frame.
func (a *apng) add(img image.Image) error {
	data, err := compressed(img)
	if err != nil {
		return err
	}
	be := binary.BigEndian
	control := be.AppendUint32(nil, a.sequence)
	a.sequence++
	control = be.AppendUint32(control, uint32(a.size.X))
	control = be.AppendUint32(control, uint32(a.size.Y))
	control = append(control, make([]byte, 8)...) // at 0, 0
	seconds, frames := a.delay()
	control = be.AppendUint16(be.AppendUint16(control, seconds), frames)
	out := chunk(nil, "fcTL", append(control, 0, 0)) // it replaces all pixels, and opacity too
	name := "IDAT"
	if a.frames > 0 {
		name = "fdAT"
		data = append(be.AppendUint32(nil, a.sequence), data...)
		a.sequence++
	}
	a.frames++
	_, err = a.file.Write(chunk(out, name, data))
	return err
}

// delay returns a fraction: in so many seconds so many frames are shown.
func (a *apng) delay() (seconds, frames uint16) {
	// The more seconds, the finer the rate, but the frames have 16 bits.
	s := math.Floor(min(max(math.MaxUint16/a.fps, 1), 1000))
	return uint16(s), uint16(min(max(math.Round(s*a.fps), 1), math.MaxUint16))
}

// close notes the number of frames.
func (a *apng) close() error {
	be := binary.BigEndian
	_, err := a.file.Write(chunk(nil, "IEND", nil))
	count := chunk(nil, "acTL", be.AppendUint32(be.AppendUint32(nil, a.frames), 0))
	_, err2 := a.file.WriteAt(count, int64(actlBegin))
	return errors.Join(err, err2, a.file.Close())
}

// compressed returns the rows of a frame, each after the filter that suits it, compressed.
func compressed(img image.Image) ([]byte, error) {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	channels := [...]int{0: 1, 2: 3, 3: 1, 6: 4}[colourType(img)]
	width := img.Bounds().Dx() * channels
	above, row := make([]byte, width), make([]byte, width)
	best, tried := make([]byte, width+1), make([]byte, width+1)
	for y := range img.Bounds().Dy() {
		bytesOfRow(row, img, y)
		least := math.MaxInt
		for filter := range 3 {
			if colourType(img) == 3 && filter > 0 {
				break // differences of indices mean nothing
			}
			if sum := filtered(tried, row, above, filter, channels); sum < least {
				least, best, tried = sum, tried, best
			}
		}
		if _, err := z.Write(best); err != nil {
			return nil, err
		}
		above, row = row, above
	}
	err := z.Close()
	return out.Bytes(), err
}

// filtered stores a row as it is (filter 0) or as differences from the pixel on the left (1) or above
// (2), and returns how far from 0 the bytes are.
func filtered(out, row, above []byte, filter, channels int) (sum int) {
	out[0] = uint8(filter)
	for i, v := range row {
		switch {
		case filter == 2:
			v -= above[i]
		case filter == 1 && i >= channels:
			v -= row[i-channels]
		}
		out[i+1] = v
		sum += max(int(int8(v)), -int(int8(v)))
	}
	return sum
}

// bytesOfRow stores the bytes of a row of a frame.
func bytesOfRow(row []byte, img image.Image, y int) {
	switch img := img.(type) {
	case *image.Gray:
		copy(row, img.Pix[y*img.Stride:])
	case *image.Paletted:
		copy(row, img.Pix[y*img.Stride:])
	case *image.NRGBA:
		copy(row, img.Pix[y*img.Stride:])
	case *image.RGBA:
		pix := img.Pix[y*img.Stride:]
		for x := range len(row) / 3 {
			copy(row[3*x:3*x+3], pix[4*x:])
		}
	}
}
