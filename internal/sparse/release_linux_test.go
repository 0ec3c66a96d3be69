package sparse

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gotaichi/ti/internal/layout"
)

// resident returns how many bytes of a pool's region have memory.
func resident(t *testing.T, p *pool) (bytes int64) {
	t.Helper()
	page := int64(unix.Getpagesize())
	in := make([]byte, p.region.Len()/page)
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(p.region.Base()), uintptr(p.region.Len()), uintptr(unsafe.Pointer(&in[0])))
	if errno != 0 {
		t.Skipf("mincore: %v", errno)
	}
	for _, b := range in {
		bytes += int64(b&1) * page
	}
	return bytes
}

// takeOffered has the system take the pages of a pool that it may have.
func takeOffered(t *testing.T, p *pool) {
	t.Helper()
	if err := unix.Madvise(p.region.Bytes(), unix.MADV_PAGEOUT); err != nil {
		t.Skipf("madvise: %v", err)
	}
}

// TestLargePages empties a pool that was large, which may have large pages from the start
// then, and looks at the memory of the little that comes next: made by a task, whose way is
// that of the control words, or by the host.
func TestLargePages(t *testing.T) {
	x := build(t, []level{{pointer, "i", []int{8192}}, {dense, "i", []int{512}}}, NewBudget(1<<30))
	p, n := x.pools[1], x.nodes[0]
	fill := func(blocks int, task bool) {
		t.Helper()
		for i := range blocks {
			early := p.early
			e, err := x.Enter(x.field.Access(0), []int{i * 512})
			if err != nil {
				t.Fatal(err)
			}
			if task && early {
				p.askEarly(true)
			}
			for k, v := range unsafe.Slice((*float32)(e), 512) {
				if v != 0 {
					t.Fatalf("element %d of block %d is %v", k, i, v)
				}
			}
			*(*float32)(e) = 1
		}
		if err := x.Settle(); err != nil {
			t.Fatal(err)
		}
	}
	for _, task := range []bool{true, false, true} {
		for i, blocks := range []int{3000, 10, 1100, 1800, 2500, 1} { // of 2 KiB
			fill(blocks, task)
			for range patience {
				if err := x.Settle(); err != nil {
					t.Fatal(err)
				}
			}
			if got, most := resident(t, p), p.top()*p.bytes*13/10+1<<20; got > most {
				t.Errorf("task %v: %d bytes are resident for %d blocks, at most %d should be", task, got, blocks, most)
			}
			if p.early {
				t.Error("large pages are still asked for at the start")
			}
			solid := p.solid
			if err := x.Clear(n); err != nil {
				t.Fatal(err)
			}
			if had := p.used * p.bytes; had < int64(blocks)*p.bytes {
				t.Errorf("of %d blocks in use %d have kept their memory", blocks, p.used)
			}
			if i%2 == 0 {
				takeOffered(t, p)
				if got := resident(t, p); got > keepBytes {
					t.Errorf("%d bytes of an empty pool cannot be taken", got)
				}
			}
			if large := int64(blocks)*p.bytes >= smallBytes/2; p.solid != large || p.early != (large && !solid) {
				t.Errorf("after %d blocks, large pages from the start: %v, asked for: %v", blocks, p.solid, p.early)
			}
		}
	}
	if *word(p.control + layout.ControlTop) != 0 {
		t.Error("an empty pool has slots in use")
	}
}
