package cache

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/randtest"
)

func key(n int) (k Key) { k[0], k[1] = byte(n), byte(n>>8); return }

// entry is what key n holds in tests.
func entry(n, bytes int) []byte { return []byte(strings.Repeat(fmt.Sprintf("%08d", n), bytes/8)) }

// opened opens a cache and collects what it warns of.
func opened(t *testing.T, o Options) (*Cache, *[]string) {
	t.Helper()
	var mu sync.Mutex
	said := &[]string{}
	o.Warn = func(s string) {
		mu.Lock()
		defer mu.Unlock()
		*said = append(*said, s)
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 20
	}
	c, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, said
}

func silent(t *testing.T, said *[]string) {
	t.Helper()
	if len(*said) > 0 {
		t.Errorf("warned: %q", *said)
	}
}

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	c, said := opened(t, Options{Dir: dir, Version: "1"})
	if _, ok := c.Get(key(1)); ok {
		t.Error("an empty cache has an entry")
	}
	c.Put(key(1), entry(1, 80))
	c.Put(key(2), nil)
	c.Put(key(1), entry(3, 800))
	again, more := opened(t, Options{Dir: dir, Version: "1"})
	if got, ok := again.Get(key(1)); !ok || !bytes.Equal(got, entry(3, 800)) {
		t.Errorf("got %d bytes, %v", len(got), ok)
	}
	if got, ok := again.Get(key(2)); !ok || len(got) != 0 {
		t.Errorf("the empty entry is %q, %v", got, ok)
	}
	other, _ := opened(t, Options{Dir: dir, Version: "2"})
	if _, ok := other.Get(key(1)); ok {
		t.Error("another version has the entry")
	}
	silent(t, said)
	silent(t, more)
}

// A file that is cut or changed at any byte, or that has another entry's name, is no entry. It
// is reported once, and removed.
func TestDamaged(t *testing.T) {
	c, said := opened(t, Options{Dir: t.TempDir()})
	want := entry(7, 24)
	c.Put(key(7), want)
	path := c.path(key(7))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, k Key, data []byte) {
		t.Helper()
		if err := os.WriteFile(c.path(k), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := c.Get(k); ok {
			t.Errorf("%s: got %q", what, got)
		}
		if _, err := os.Lstat(c.path(k)); err == nil {
			t.Errorf("%s: the file is still there", what)
		}
	}
	for i := range whole {
		try(fmt.Sprintf("cut to %d bytes", i), key(7), whole[:i])
		changed := bytes.Clone(whole)
		changed[i] ^= 1
		try(fmt.Sprintf("byte %d changed", i), key(7), changed)
	}
	try("a byte more", key(7), append(bytes.Clone(whole), 0))
	try("another's name", key(8), whole)
	if len(*said) != 1 || !strings.Contains((*said)[0], "damaged") || strings.Contains((*said)[0], "\n") {
		t.Errorf("warned %q", *said)
	}
	c.Put(key(7), want)
	if got, ok := c.Get(key(7)); !ok || !bytes.Equal(got, want) {
		t.Errorf("afterwards it is %q, %v", got, ok)
	}
}

// What others can write to is refused, links are not followed, and what is no folder is none.
func TestTrust(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there the system keeps others from the user's profile")
	}
	dir := t.TempDir()
	c, said := opened(t, Options{Dir: dir})
	c.Put(key(1), entry(1, 8))
	if err := os.Chmod(c.path(key(1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Get(key(1)); ok || len(*said) != 1 || !strings.Contains((*said)[0], "its mode is -rw-rw-rw-") {
		t.Errorf("an entry that anybody can write to: %v, warned %q", ok, *said)
	}
	c.Put(key(2), entry(2, 8))
	elsewhere := filepath.Join(t.TempDir(), "x")
	if err := os.Rename(c.path(key(2)), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, c.path(key(2))); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Get(key(2)); ok {
		t.Error("a link is followed")
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "others could put code there") {
		t.Errorf("a folder that anybody can write to: %v", err)
	}
	for _, none := range []string{elsewhere, filepath.Join(elsewhere, "below")} {
		if _, err := Open(Options{Dir: none}); err == nil {
			t.Errorf("%s is a cache", none)
		}
	}
	if os.Geteuid() == 0 {
		foreign := t.TempDir()
		if err := os.Chown(foreign, 1, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(Options{Dir: foreign}); err == nil || !strings.Contains(err.Error(), "it belongs to user 1") {
			t.Errorf("a folder of another user: %v", err)
		}
	}
}

// Where nothing can be written, the cache says so once and has what it had.
func TestReadOnly(t *testing.T) {
	c, said := opened(t, Options{Dir: t.TempDir()})
	if err := os.RemoveAll(c.dir); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		c.Put(key(n), entry(n, 8))
	}
	if len(*said) != 1 || !strings.Contains((*said)[0], "is not kept on disk") {
		t.Errorf("warned %q", *said)
	}
	if _, ok := c.Get(key(1)); ok {
		t.Error("there is an entry")
	}
}

// Cleaning takes what the policy says, down to a part of the limit; entries of the future, as a clock
// that was set back makes them, count as new.
func TestPolicies(t *testing.T) {
	for _, test := range []struct {
		policy   Policy
		cleaning float64
		kept     []int // of 1 to 10, written in this order, of which 1 is read again
	}{
		{LRU, 0.25, []int{1, 5, 6, 7, 8, 9, 10}}, {FIFO, 0.25, []int{4, 5, 6, 7, 8, 9, 10}}, {Never, 0.25, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{Version, 0.25, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}, {FIFO, 0.55, []int{7, 8, 9, 10}}, {FIFO, 1, nil},
	} {
		c, said := opened(t, Options{Dir: t.TempDir(), Policy: test.policy, MaxBytes: 10_000_000, Cleaning: test.cleaning})
		size := int64(0)
		for n := 1; n <= 10; n++ {
			c.Put(key(n), entry(n, 1000))
			at := time.Now().Add(time.Duration(n-20) * time.Hour)
			if n == 10 {
				at = time.Now().Add(1000 * time.Hour)
			}
			if err := os.Chtimes(c.path(key(n)), at, at); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(c.path(key(n)))
			if err != nil {
				t.Fatal(err)
			}
			size = info.Size()
		}
		if _, ok := c.Get(key(1)); !ok {
			t.Fatal("there is no entry 1")
		}
		c.o.MaxBytes = 10*size - 1
		if _, err := c.Clean(); err != nil {
			t.Error(err)
		}
		var kept []int
		for n := 1; n <= 10; n++ {
			if _, ok := c.Get(key(n)); ok {
				kept = append(kept, n)
			}
		}
		if fmt.Sprint(kept) != fmt.Sprint(test.kept) {
			t.Errorf("policy %d keeps %v of 10 when %g is freed, want %v", test.policy, kept, test.cleaning, test.kept)
		}
		silent(t, said)
	}
}

// Old partial files go, new ones and other files stay; policy Version drops other versions.
func TestClean(t *testing.T) {
	dir := t.TempDir()
	c, said := opened(t, Options{Dir: dir, Version: "1"})
	c.Put(key(1), entry(1, 8))
	hour := time.Now().Add(-2 * time.Hour)
	for name, old := range map[string]bool{partial + "1": true, partial + "2": false, "note": true} {
		path := filepath.Join(c.dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if old {
			if err := os.Chtimes(path, hour, hour); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := c.Clean(); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]bool{partial + "1": false, partial + "2": true, "note": true} {
		if _, err := os.Stat(filepath.Join(c.dir, name)); (err == nil) != want {
			t.Errorf("%s is there: %v", name, err == nil)
		}
	}
	next, _ := opened(t, Options{Dir: dir, Version: "2", Policy: Version})
	next.Put(key(2), entry(2, 8))
	if _, ok := c.Get(key(1)); ok {
		t.Error("the entry of version 1 is still there")
	}
	if good, bad, err := next.Verify(); good != 1 || bad != nil || err != nil {
		t.Errorf("%d good, bad %q, %v", good, bad, err)
	}
	if n, err := next.Empty(); err != nil || n == 0 {
		t.Errorf("emptied %d bytes, %v", n, err)
	}
	if all, err := next.Entries(); len(all) != 0 || err != nil {
		t.Errorf("left: %v, %v", all, err)
	}
	silent(t, said)
}

// A process leaves the folder alone that another one has just cleaned, until it has written much itself.
func TestCleanedLately(t *testing.T) {
	dir := t.TempDir()
	open := func() *Cache {
		c, _ := opened(t, Options{Dir: dir, Policy: FIFO, MaxBytes: 100_000, Cleaning: 1})
		return c
	}
	old := filepath.Join(open().dir, partial+"1") // a cleaning removes it
	ago := func(name string, d time.Duration) {
		t.Helper()
		if err := os.Chtimes(name, time.Now().Add(-d), time.Now().Add(-d)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		last  time.Duration // since the last cleaning; 0 for none
		bytes int           // of an entry that is written
		want  bool          // whether that cleans
	}{{0, 1000, true}, {time.Minute, 1000, false}, {time.Minute, 10_000, true}, {often + time.Minute, 1000, true}, {-time.Hour, 1000, true}} {
		if err := os.WriteFile(old, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		ago(old, 2*leftover)
		if test.last != 0 {
			ago(filepath.Join(dir, cleaned), test.last)
		}
		open().Put(key(1), make([]byte, test.bytes))
		if _, err := os.Stat(old); (err != nil) != test.want {
			t.Errorf("%+v: it is there: %t", test, err == nil)
		}
	}
}

// A file system without locks is reported once; entries are stored nevertheless.
func TestNoLock(t *testing.T) {
	dir := t.TempDir()
	c, said := opened(t, Options{Dir: dir})
	if err := os.Mkdir(filepath.Join(dir, "lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.Put(key(1), entry(1, 8))
	if got, ok := c.Get(key(1)); !ok || !bytes.Equal(got, entry(1, 8)) {
		t.Errorf("%q, %v", got, ok)
	}
	if len(*said) != 1 || !strings.Contains((*said)[0], "is not cleaned") {
		t.Errorf("warned %q", *said)
	}
}

// Many processes write, read and clean at once: an entry is whole or not there, and nobody
// warns.
func TestProcesses(t *testing.T) {
	if dir := os.Getenv("TI_TEST_CACHE"); dir != "" {
		c, said := opened(t, Options{Dir: dir, MaxBytes: 100_000})
		for n := range 200 {
			if got, ok := c.Get(key(n % 40)); ok && !bytes.Equal(got, entry(n%40, 4000)) {
				t.Errorf("entry %d has %d bytes", n%40, len(got))
			}
			c.Put(key(n%40), entry(n%40, 4000))
		}
		silent(t, said)
		return
	}
	dir, processes := t.TempDir(), 8
	switch {
	case randtest.All():
		processes = 200
	case !testing.Short():
		processes = 20
	}
	var wg sync.WaitGroup
	for range processes {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestProcesses$")
			cmd.Env = append(os.Environ(), "TI_TEST_CACHE="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	c, _ := opened(t, Options{Dir: dir})
	if _, bad, err := c.Verify(); bad != nil || err != nil {
		t.Errorf("in the end %q are bad, %v", bad, err)
	}
}
