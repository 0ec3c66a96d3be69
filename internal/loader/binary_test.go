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

// TestPieceRoundTrip writes pieces and reads them back, whole and with each byte cut off or
// changed: what is read is the same, or there is an error, or it is still consistent.
func TestPieceRoundTrip(t *testing.T) {
	for _, name := range []string{"testdata/x86_64.cut", "testdata/aarch64.cut"} {
		for _, p := range seedPieces(t, name) {
			data := p.Append(nil)
			again, err := Read(data)
			if err != nil || !reflect.DeepEqual(again, p) {
				t.Errorf("%s: read back as %v, error %v", name, again, err)
			}
			for n := range data {
				if _, err := Read(data[:n]); !errors.Is(err, ErrFormat) {
					t.Errorf("%s: cut off at %d: %v", name, n, err)
				}
				changed := append([]byte(nil), data...)
				changed[n] ^= 0x55
				if _, err := Read(changed); err != nil && !errors.Is(err, ErrFormat) {
					t.Errorf("%s: changed at %d: %v", name, n, err)
				}
			}
			if _, err := Read(append(data, 0)); !errors.Is(err, ErrFormat) {
				t.Errorf("%s: with a byte more: %v", name, err)
			}
		}
	}
}

// FuzzRead damages the binary form, and links what can be read.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"testdata/x86_64.cut", "testdata/aarch64.cut"} {
		for _, p := range seedPieces(f, name) {
			f.Add(p.Append(nil))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(data)
		if err != nil {
			return
		}
		im := &image{arch: p.Arch, symbols: map[string]int{}}
		if err := im.add(p); err == nil { // it may be too large
			if out, err := im.link(0x7f0000001000); err == nil && len(out) != im.size {
				t.Errorf("a piece of %d bytes links to %d", im.size, len(out))
			}
		}
		if again, err := Read(p.Append(nil)); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("read, written and read: %v", err)
		}
	})
}
