package hostabi_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unsafe"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/titest"
)

// TestLongSlices passes slices that an i32 cannot count. Their memory is not touched,
// and lies outside of Go's heap, which would clear it.
func TestLongSlices(t *testing.T) {
	region, err := memory.Reserve(math.MaxInt32 + 1)
	if err != nil {
		t.Fatal(err)
	}
	defer region.Free()
	long := unsafe.Slice((*int8)(region.Base()), math.MaxInt32+1)
	const source = `
package p
func Count(a []i8) i64 { return i64(len(a)) }
func Both(n i32, k i64, a []i8) (i64, i32) { return i64(len(a)), n }
`
	type host struct {
		Count func(a []int8) (int64, error)
		Both  func(n int32, k int64, a []int8) (int64, int32, error)
	}
	for _, width := range []int{32, 64} {
		rt := titest.New(t, ti.Config{Int: width})
		var h host
		if err := rt.Load(source, &h); err != nil {
			t.Fatal(err)
		}
		check := func(n int64, err error) {
			t.Helper()
			switch {
			case width == 64 && (err != nil || n != int64(len(long))):
				t.Errorf("Int 64: %d, %v", n, err)
			case width == 32 && (!errors.Is(err, ti.ErrArgs) || !strings.Contains(err.Error(), "2147483648 elements")):
				t.Errorf("Int 32: %d, %v", n, err)
			}
		}
		check(h.Count(long))
		n, _, err := h.Both(1, 2, long)
		check(n, err)
		if n, err := h.Count(long[:5]); n != 5 || err != nil {
			t.Errorf("a part: %d, %v", n, err)
		}
	}
}
