package loader

import (
	"errors"
	"os"
	"reflect"
	"testing"
)

// seedPieces cuts the pieces out of an object that is kept.
func seedPieces(t testing.TB, name string) []*Piece {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := Cut(data)
	if err != nil {
		t.Fatal(err)
	}
	return pieces
}

// TestPiecesRoundTrip writes pieces and reads them back, whole and with each byte cut off or
// changed: what is read is the same, or there is an error, or it still fits together.
func TestPiecesRoundTrip(t *testing.T) {
	for _, name := range []string{"testdata/x86_64.cut", "testdata/aarch64.cut"} {
		pieces := seedPieces(t, name)
		data := AppendPieces(nil, pieces)
		again, err := ReadPieces(data)
		if err != nil || !reflect.DeepEqual(again, pieces) {
			t.Errorf("%s: read back as %v, error %v", name, again, err)
		}
		for n := range data {
			if _, err := ReadPieces(data[:n]); !errors.Is(err, ErrFormat) {
				t.Errorf("%s: cut off at %d: %v", name, n, err)
			}
			changed := append([]byte(nil), data...)
			changed[n] ^= 0x55
			if _, err := ReadPieces(changed); err != nil && !errors.Is(err, ErrFormat) {
				t.Errorf("%s: changed at %d: %v", name, n, err)
			}
		}
		if _, err := ReadPieces(append(data, 0)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: with a byte more: %v", name, err)
		}
	}
}

// FuzzReadPieces damages the binary form, and links what can be read.
func FuzzReadPieces(f *testing.F) {
	for _, name := range []string{"testdata/x86_64.cut", "testdata/aarch64.cut"} {
		f.Add(AppendPieces(nil, seedPieces(f, name)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		pieces, err := ReadPieces(data)
		if err != nil {
			return
		}
		for _, p := range pieces {
			im := &image{arch: p.Arch, symbols: map[string]int{}}
			if err := im.add(p); err != nil {
				continue // such as an image that is too large
			}
			if out, err := im.link(0x7f0000001000); err == nil && len(out) != im.size {
				t.Errorf("a piece of %d bytes links to %d", im.size, len(out))
			}
		}
		if again, err := ReadPieces(AppendPieces(nil, pieces)); err != nil || !reflect.DeepEqual(again, pieces) {
			t.Errorf("read, written and read: %v", err)
		}
	})
}
