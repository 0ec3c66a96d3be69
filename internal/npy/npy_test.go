package npy

import (
	"strings"
	"testing"
)

// TestNPYOrder reads headers with their entries in any order: NumPy sorts them, but the
// format does not ask for that.
func TestNPYOrder(t *testing.T) {
	for _, descr := range []string{"'<f4'", "[('a', '<f4', (3,)), ('b', '<i4')]"} {
		for _, header := range []string{
			"{'descr': %, 'fortran_order': False, 'shape': (2, 3), }",
			"{'descr':%,'shape':(2,3),'fortran_order':False}",
			"{'shape': (2, 3), 'fortran_order': False, 'descr': %}",
			"{'fortran_order': False, 'shape': (2, 3), 'descr': %, }",
		} {
			header = strings.Replace(header, "%", descr, 1)
			h, err := Head(strings.NewReader(magic + "\x01\x00" + string(rune(len(header))) + "\x00" + header))
			if err != nil || h.Descr != descr || h.N != 6 || h.Bytes != int64(10+len(header)) {
				t.Errorf("%s: %+v, %v", header, h, err)
			}
		}
	}
}
