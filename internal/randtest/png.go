package randtest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
)

// HugePNG returns a file of a few bytes that claims to have 65,535 × 65,535 pixels.
func HugePNG() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	// The chunk IHDR follows the signature of 8 bytes: length, type, data, and the
	// checksum of type and data.
	const chunk, size, sum = 8 + 4, 8 + 8, 8 + 8 + 13
	data := b.Bytes()
	binary.BigEndian.PutUint32(data[size:], 65535)
	binary.BigEndian.PutUint32(data[size+4:], 65535)
	binary.BigEndian.PutUint32(data[sum:], crc32.ChecksumIEEE(data[chunk:sum]))
	return data
}
