package store_test

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestAllOrder compares what All visits with At, and its order with memory: rows, columns, contiguous members and members in
// arrays of their own, and indices that do not begin at 0.
func TestAllOrder(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var rows, columns, beside, besides, blocks, moved, wide, long ti.Field[float32]
	rt.Place(ti.Shape{3, 4}, &rows)
	rt.Place(ti.Shape{2, 21}, &long)
	rt.NewTree().Dense(ti.J, 4).Dense(ti.I, 3).Place(&columns)
	rt.NewTree().Dense(ti.IJ, 3, 4).Place(&beside, &besides)
	rt.NewTree().Dense(ti.IJ, 3, 2).Dense(ti.IJ, 2, 2).Place(&blocks)
	rt.NewTree().Origin(ti.IJ, -1, 5).Dense(ti.IJ, 3, 4).Place(&moved)
	rt.NewTree().Dense(ti.I, 3).Dense(ti.J, 1).Dense(ti.K, 2).Place(&wide)
	second := map[string]ti.Index{"rows": {0, 1}, "columns": {1}, "beside": {0, 1}, "second": {0, 1}, "blocks": {0, 1}, "moved": {-1, 6}, "three": {0, 0, 1}, "long": {0, 1}}
	for name, f := range map[string]*ti.Field[float32]{"rows": &rows, "columns": &columns, "beside": &beside, "second": &besides, "blocks": &blocks, "moved": &moved, "three": &wide, "long": &long} {
		n := 0
		for idx := range f.All() {
			if n++; n == 2 && idx != second[name] {
				t.Errorf("%s: the second element is %v, not %v", name, idx, second[name])
			}
			f.Set(float32(n), idx[:len(f.Shape())]...)
		}
		want := 1
		for _, extent := range f.Shape() {
			want *= extent
		}
		if n != want {
			t.Errorf("%s: %d elements, not %d", name, n, want)
		}
		k := 0
		for idx, v := range f.All() { // as they were numbered
			if k++; v != float32(k) || f.At(idx[:len(f.Shape())]...) != v {
				t.Errorf("%s%v: element %d is %v, and At gives %v", name, idx, k, v, f.At(idx[:len(f.Shape())]...))
			}
			if k == n-1 {
				break
			}
		}
	}
}

// BenchmarkAll has what All takes for an element.
func BenchmarkAll(b *testing.B) {
	rt := titest.New(b, ti.Config{})
	const n = 1 << 10
	f := ti.NewField[float32](rt, n, n)
	f.Fill(1)
	sum := float32(0)
	for b.Loop() {
		for _, v := range f.All() {
			sum += v
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n/n, "ns/element")
	_ = sum
}
