package script

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/gotaichi/ti/internal/npy"
	"github.com/gotaichi/ti/internal/randtest"
)

// FuzzNPY reads arrays: there is an error, or as many bytes as the shape says.
func FuzzNPY(f *testing.F) {
	f.Add(append(npy.Start("'<i2'", []int{2, 3}), make([]byte, 12)...))
	f.Add(append(npy.Start("'<f8'", nil), make([]byte, 8)...))
	f.Add(append(npy.Start("'<f4'", []int{0, 1 << 62, 1 << 62}), 0))
	f.Add(npy.Start("'<f8'", []int{1 << 39}))
	type record struct {
		A [3]float32 `ti:"A"`
		B uint8      `ti:"B"`
	}
	descr, size := npyRecord(reflect.TypeFor[record]())
	f.Add(append(npy.Start(descr, []int{2}), make([]byte, 2*size)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		randtest.Bounded(t, func() {
			shape, structs, err := decodeRecords(bytes.NewReader(data), reflect.TypeFor[record](), randtest.FileRoom)
			if err == nil && numbers(append([]int{int(size)}, shape...)...) != float64(len(structs)) {
				t.Errorf("structs of shape %v, %d bytes", shape, len(structs))
			}
			x, err := decodeNPY(bytes.NewReader(data), randtest.FileRoom)
			if err == nil && numbers(append([]int{x.kind.Size()}, x.shape...)...) != float64(len(x.data)) {
				t.Errorf("shape %v of %v, %d bytes", x.shape, x.kind, len(x.data))
			}
		})
	})
}
