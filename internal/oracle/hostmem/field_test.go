package hostmem

import (
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/oracle"
)

// A memory holds numbers as the host does, and gives them as the IR does: signed ones with
// their sign, an absent one as 0.
func TestMemory(t *testing.T) {
	var host [8]byte
	for _, test := range []struct {
		kind      ir.Kind
		put, want uint64
	}{
		{ir.Bool, 1, 1}, {ir.I8, 0x80, 1<<64 - 128}, {ir.U8, 0x80, 0x80}, {ir.I16, 0xffff, 1<<64 - 1}, {ir.U16, 0xffff, 0xffff},
		{ir.I32, 1 << 31, 1<<64 - 1<<31}, {ir.U32, 1 << 31, 1 << 31}, {ir.F32, 0x3f800000, 0x3f800000}, {ir.I64, 1<<64 - 2, 1<<64 - 2},
	} {
		m := Memory(func([]int64, int) (unsafe.Pointer, ir.Kind) { return unsafe.Pointer(&host[0]), test.kind })
		if m.Store(nil, 0, test.put); m.Load(nil, 0) != test.want {
			t.Errorf("%s: stored %#x, loaded %#x", test.kind, test.put, m.Load(nil, 0))
		}
	}
	none := Memory(func([]int64, int) (unsafe.Pointer, ir.Kind) { return nil, ir.I32 })
	if none.Store(nil, 0, 7); none.Load(nil, 0) != 0 {
		t.Error("an element that is not there has a value")
	}
}

// The host has what was stored in a field only after Flush, and is read once for an element.
func TestField(t *testing.T) {
	host := oracle.Cells{}
	host.Store([]int64{3}, 0, 5)
	f := NewField(host, 1)
	if got := f.Load([]int64{3}, 0); got != 5 {
		t.Errorf("loaded %d", got)
	}
	host.Store([]int64{3}, 0, 6)
	if got := f.Load([]int64{3}, 0); got != 5 {
		t.Errorf("the second time it is %d", got)
	}
	f.Store([]int64{4}, 1, 9)
	if host.Load([]int64{4}, 1) != 0 {
		t.Error("the host has it already")
	}
	f.Flush()
	if host.Load([]int64{4}, 1) != 9 || host.Load([]int64{3}, 0) != 5 {
		t.Errorf("the host has %v", host)
	}
}
