package main

import (
	"bytes"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/cover"
	"github.com/gotaichi/ti/internal/randtest"
)

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
