package driver

import (
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// TestMemory: which of two slices a kernel may write to, by how it comes to the place. A place of which nobody knows where it lies may lie in either.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		store string
		want  []bool // x, y
	}{
		{"", []bool{false, false}},
		{"%5 = offset %2, %4 : ptr\nstore %5, %3", []bool{true, false}},
		{"%5 = atomic.add %6, %3 : f32", []bool{false, true}},
		{"%5 = alloc 4 x f32 : ptr\nstore %5, %3", []bool{false, false}},
		{"%5 = frame 0 : ptr\nstore %5, %3", []bool{false, false}},
		{"%5 = select %7, %2, %6 : ptr\nstore %5, %3", []bool{true, true}},
		{"%5 = if %7 : ptr {\nyield %2\n} else {\nyield %6\n}\nstore %5, %3", []bool{true, true}},
	} {
		k, err := ir.Parse("kernel K(n: i32, x: []f32, y: []f32) {\nint i32\nframe 8 done -1\ntask 0 \"serial code\" loop 0 {\nbody {\n" +
			"%2 = argptr 1 : ptr\n%6 = argptr 3 : ptr\n%3 = const 0x1p+00 : f32\n%4 = const 8 : i64\n%7 = const true : bool\n" + c.store + "\nreturn\n}\n}\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.store, err)
		}
		var got []bool
		for _, m := range Describe(k).Memory {
			got = append(got, m.Writes)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the slices are written: %v, want %v", c.store, got, c.want)
		}
	}
}
