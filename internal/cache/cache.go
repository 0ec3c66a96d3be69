package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gotaichi/ti/internal/trust"
)

// A Key names an entry.
type Key [sha256.Size]byte

// A Policy says which entries leave the cache.
type Policy uint8

// The policies.
const (
	LRU     Policy = iota // above MaxBytes, the least recently used
	FIFO                  // above MaxBytes, the oldest
	Version               // those of other versions, whatever the size
	Never                 // none
)

// Options say where a cache is and what it keeps.
type Options struct {
	Dir      string // made if it is not there
	Policy   Policy
	MaxBytes int64
	Cleaning float64              // the part of MaxBytes that a cleaning frees
	Version  string               // of the compiler: others do not see its entries
	Warn     func(problem string) // called once for each cause, from any goroutine; may be nil
}

// A Cache is a folder of entries. Its methods may be called from several goroutines, and several
// processes may have the same folder.
type Cache struct {
	o   Options
	dir string // of the version

	mu      sync.Mutex
	warned  map[string]bool
	written int64 // bytes since the last cleaning
}

const (
	format  = "ti compiled 1"
	ending  = ".tic"
	partial = "partial-" // begins the names of files that are being written

	// largest is the size of an entry at most: what is larger is damaged, or no entry.
	largest = 1 << 30
)

// DefaultDir is the folder of a user's cache. It fails for a user without a home.
func DefaultDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for caches: %w", err)
	}
	return filepath.Join(dir, "ti"), nil
}

// Open makes the folder of a cache, or finds it. It fails if the folder cannot be used, or if
// others could put code into it.
func Open(o Options) (*Cache, error) {
	sum := sha256.Sum256([]byte(o.Version))
	c := &Cache{o: o, dir: filepath.Join(o.Dir, hex.EncodeToString(sum[:8])), warned: map[string]bool{}}
	for _, dir := range []string{o.Dir, c.dir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("the folder for compiled kernels cannot be made: %w", err)
		}
		info, err := os.Lstat(dir)
		if err != nil {
			return nil, fmt.Errorf("the folder for compiled kernels cannot be used: %w", err)
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s is to hold compiled kernels, and is no folder", dir)
		}
		if why := trust.Why(info); why != "" {
			return nil, fmt.Errorf("%s is to hold compiled kernels, but %s, so that others could put code there", dir, why)
		}
	}
	if o.Policy == Version {
		c.dropVersions()
	}
	return c, nil
}

// warn reports a problem, once for each cause.
func (c *Cache) warn(cause, format string, args ...any) {
	c.mu.Lock()
	again := c.warned[cause]
	c.warned[cause] = true
	c.mu.Unlock()
	if !again && c.o.Warn != nil {
		c.o.Warn(fmt.Sprintf(format, args...))
	}
}

// path is the file of an entry.
func (c *Cache) path(k Key) string { return filepath.Join(c.dir, hex.EncodeToString(k[:])+ending) }

// header is what an entry begins with.
func header(k Key, data []byte) []byte {
	return fmt.Appendf(nil, "%s %x %x\n", format, k, sha256.Sum256(data))
}

// Get returns an entry, and whether there is one that can be trusted.
func (c *Cache) Get(k Key) (data []byte, ok bool) {
	path := c.path(k)
	data, err := read(path, k)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	case err != nil:
		c.warn("read", "a compiled kernel on disk is not used, and compiled anew: %v", err)
		if errors.Is(err, errDamaged) {
			_ = os.Remove(path)
		}
		return nil, false
	}
	if c.o.Policy == LRU {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // a folder that cannot be written to needs no order
	}
	return data, true
}

var errDamaged = errors.New("damaged")

// read returns what a file holds behind its header.
func read(path string, k Key) ([]byte, error) {
	f, err := openEntry(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if why := trust.Why(info); why != "" || !info.Mode().IsRegular() {
		if why == "" {
			why = "it is no plain file"
		}
		return nil, fmt.Errorf("%s: %s", path, why)
	}
	if info.Size() > largest {
		return nil, fmt.Errorf("%s has %d bytes: %w", path, info.Size(), errDamaged)
	}
	all, err := io.ReadAll(io.LimitReader(f, largest))
	if err != nil {
		return nil, err
	}
	head := len(header(k, nil))
	if len(all) < head || !bytes.Equal(all[:head], header(k, all[head:])) {
		return nil, fmt.Errorf("%s: %w", path, errDamaged)
	}
	return all[head:], nil
}

// Put keeps an entry. One that is there already is replaced.
func (c *Cache) Put(k Key, data []byte) {
	if int64(len(data)) > largest/2 {
		return
	}
	head := header(k, data)
	if err := c.write(c.path(k), head, data); err != nil {
		c.warn("write", "a compiled kernel is not kept on disk: %v", err)
		return
	}
	c.mu.Lock()
	first := c.written == 0
	c.written += int64(len(head) + len(data))
	due := (c.o.Policy == LRU || c.o.Policy == FIFO) && (c.written > c.o.MaxBytes/16 || first && !c.cleanedLately())
	if due {
		c.written = 1
	}
	c.mu.Unlock()
	if due {
		if _, err := c.Clean(); err != nil {
			c.warn("clean", "the folder for compiled kernels is not cleaned: %v", err)
		}
	}
}

// write writes a file of parts that appears whole under its name.
func (c *Cache) write(path string, parts ...[]byte) (err error) {
	f, err := os.CreateTemp(c.dir, partial)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	for _, p := range parts {
		if _, err = f.Write(p); err != nil {
			_ = f.Close()
			return err
		}
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
