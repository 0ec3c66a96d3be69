package front

import (
	"testing"

	"github.com/gotaichi/ti/internal/cache"
)

// TestNothingKeptAfterClose writes to the cache of a runtime that is being closed, as a compilation does that Close
// has given up. Its program may have removed the folder since.
func TestNothingKeptAfterClose(t *testing.T) {
	c, err := cache.Open(cache.Options{Dir: t.TempDir(), Version: "1", MaxBytes: 1 << 20, Warn: func(problem string) { t.Error(problem) }})
	if err != nil {
		t.Fatal(err)
	}
	d := &Disk{at: c}
	open, late := cache.Key{1}, cache.Key{2}
	d.Put(open, []byte("code"))
	d.ShutDown()
	d.Put(late, []byte("code"))
	if _, ok := c.Get(open); !ok {
		t.Error("what was written before Close is not there")
	}
	if _, ok := c.Get(late); ok {
		t.Error("a compilation wrote to the cache after Close")
	}
}
