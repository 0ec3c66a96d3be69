package main

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/cover"
	"github.com/gotaichi/ti/internal/randtest"
)

// FuzzNPY reads arrays: there is an error, or as many bytes as the shape says.
func FuzzNPY(f *testing.F) {
	for name, write := range generators {
		var b bytes.Buffer
		if len(name) > 4 && name[:4] == "npy-" && write(&b) == nil {
			f.Add(b.Bytes())
		}
	}
	f.Add(append(npyStart("'<i2'", []int{2, 3}), make([]byte, 12)...))
	f.Add(append(npyStart("'<f8'", nil), make([]byte, 8)...))
	f.Add(append(npyStart("'<f4'", []int{0, 1 << 62, 1 << 62}), 0))
	f.Add(npyStart("'<f8'", []int{1 << 39}))
	type record struct {
		A [3]float32 `ti:"A"`
		B uint8      `ti:"B"`
	}
	descr, size := npyRecord(reflect.TypeFor[record]())
	f.Add(append(npyStart(descr, []int{2}), make([]byte, 2*size)...))
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

// FuzzTree reads saved trees, a dense and a sparse one, with a small limit.
func FuzzTree(f *testing.F) {
	rt, err := ti.New(ti.Config{MemoryLimit: 8 << 20, Arch: ti.Oracle})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { rt.Close() })
	var x, y ti.Field[float32]
	rt.NewTree().Pointer(ti.I, 16).Dense(ti.I, 16).Place(&x)
	rt.NewTree().Dense(ti.I, 16).Place(&y)
	x.Set(1, 100)
	for _, tree := range []*ti.Tree{x.Tree(), y.Tree()} {
		var b bytes.Buffer
		if _, err := tree.WriteTo(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
		for _, at := range []int{8, 12, 13, b.Len() / 3, b.Len() / 2} {
			bad := bytes.Clone(b.Bytes())
			bad[at] ^= 0x7f
			f.Add(bad)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		randtest.Bounded(t, func() {
			for _, tree := range []*ti.Tree{x.Tree(), y.Tree()} {
				if _, err := tree.ReadFrom(bytes.NewReader(data)); err == nil {
					var b bytes.Buffer
					if _, err := tree.WriteTo(&b); err != nil {
						t.Error(err)
					}
				}
			}
		})
	})
}

// FuzzProfile reads profiles of coverage.
func FuzzProfile(f *testing.F) {
	f.Add([]byte("mode: count\na.ti:1.2,3.4 1 5\n"))
	f.Add([]byte("mode: count\n:1.2,3.4 1 18446744073709551615\n:1.2,3.4 1 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		randtest.Bounded(t, func() {
			p, err := cover.Read(bytes.NewReader(data))
			if err != nil {
				return
			}
			var first, second bytes.Buffer
			if err := p.Write(&first); err != nil {
				t.Fatal(err)
			}
			q, err := cover.Read(bytes.NewReader(first.Bytes()))
			if err != nil {
				t.Fatalf("what was written is not read: %v\n%s", err, first.Bytes())
			}
			if err := q.Write(&second); err != nil || second.String() != first.String() {
				t.Errorf("%v; written again: %s, not %s", err, second.Bytes(), first.Bytes())
			}
		})
	})
}
