package cache

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// An Entry is what is known of one on disk.
type Entry struct {
	Path  string
	Bytes int64
	Used  time.Time // last, or written, as the policy counts
}

const (
	// leftover is how old a partial file is that no process will finish.
	leftover = time.Hour

	// often is how long a process takes the folder for cleaned that another one has cleaned. A cleaning looks at every
	// entry, which a folder of many small ones should not cost each short program.
	often = 10 * time.Minute

	// cleaned is the file whose time is that of the last cleaning.
	cleaned = "cleaned"
)

// Entries lists all entries, of whatever version, the least recently used first.
func (c *Cache) Entries() (all []Entry, err error) {
	err = c.files(func(e Entry) {
		if strings.HasSuffix(e.Path, ending) {
			all = append(all, e)
		}
	})
	oldestFirst(all)
	return all, err
}

func oldestFirst(all []Entry) {
	slices.SortFunc(all, func(a, b Entry) int {
		if d := a.Used.Compare(b.Used); d != 0 {
			return d
		}
		return strings.Compare(a.Path, b.Path)
	})
}

// files calls f for each file of a version's folder. Files that go away meanwhile are none.
func (c *Cache) files(f func(Entry)) error {
	versions, err := os.ReadDir(c.o.Dir)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if !isVersion(v) {
			continue
		}
		dir := filepath.Join(c.o.Dir, v.Name())
		files, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, file := range files {
			if info, err := file.Info(); err == nil && info.Mode().IsRegular() {
				f(Entry{filepath.Join(dir, file.Name()), info.Size(), info.ModTime()})
			}
		}
	}
	return nil
}

// isVersion reports whether a file of the cache's folder is the folder of a version: other files
// are not the cache's to touch.
func isVersion(f os.DirEntry) bool {
	return f.IsDir() && len(f.Name()) == 16 && strings.Trim(f.Name(), "0123456789abcdef") == ""
}

// Clean removes what processes that were killed have left, and, where entries come to more than
// MaxBytes, entries by the policy until the part Cleaning of that is free. It returns how many bytes it
// removed. While another process cleans it does nothing.
func (c *Cache) Clean() (removed int64, err error) {
	err = c.alone(func() error {
		var all, old []Entry
		total := int64(0)
		if err := c.files(func(e Entry) {
			switch name := filepath.Base(e.Path); {
			case strings.HasSuffix(name, ending):
				all = append(all, e)
				total += e.Bytes
			case strings.HasPrefix(name, partial) && time.Since(e.Used) > leftover:
				old = append(old, e)
			}
		}); err != nil {
			return err
		}
		oldestFirst(all)
		keep := int64(float64(c.o.MaxBytes) * (1 - c.o.Cleaning))
		if (c.o.Policy == LRU || c.o.Policy == FIFO) && total > c.o.MaxBytes {
			for _, e := range all {
				if total <= keep {
					break
				}
				total -= e.Bytes
				old = append(old, e)
			}
		}
		if removed, err = remove(old); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(c.o.Dir, cleaned), []byte("its time is that of the last cleaning\n"), 0o600)
	})
	return removed, err
}

// cleanedLately reports whether a process has cleaned the folder a short while ago.
func (c *Cache) cleanedLately() bool {
	info, err := os.Stat(filepath.Join(c.o.Dir, cleaned))
	if err != nil {
		return false
	}
	age := time.Since(info.ModTime())
	return 0 <= age && age < often // a time to come is a clock that was set back
}

// Empty removes all entries of all versions, and returns how many bytes they had.
func (c *Cache) Empty() (removed int64, err error) {
	err = c.alone(func() error {
		all, err := c.Entries()
		if err != nil {
			return err
		}
		removed, err = remove(all)
		return err
	})
	return removed, err
}

// Verify reads all entries and removes those that are damaged. It returns how
// many it read, and what was wrong with others.
func (c *Cache) Verify() (good int, bad []string, err error) {
	all, err := c.Entries()
	if err != nil {
		return 0, nil, err
	}
	for _, e := range all {
		text, err := hex.DecodeString(strings.TrimSuffix(filepath.Base(e.Path), ending))
		if err != nil || len(text) != len(Key{}) {
			bad = append(bad, e.Path+": its name is no key")
			continue
		}
		k := Key(text)
		switch _, err := read(e.Path, k); {
		case err == nil:
			good++
		case errors.Is(err, fs.ErrNotExist):
		default:
			bad = append(bad, err.Error())
			if errors.Is(err, errDamaged) {
				_ = os.Remove(e.Path)
			}
		}
	}
	return good, bad, nil
}

// dropVersions removes the entries of other versions.
func (c *Cache) dropVersions() {
	err := c.alone(func() error {
		var old []Entry
		if err := c.files(func(e Entry) {
			if filepath.Dir(e.Path) != c.dir && strings.HasSuffix(e.Path, ending) {
				old = append(old, e)
			}
		}); err != nil {
			return err
		}
		_, err := remove(old)
		return err
	})
	if err != nil {
		c.warn("clean", "the folder for compiled kernels is not cleaned: %v", err)
	}
}

// alone runs f unless another process, or another cache of this one, does so with its own.
func (c *Cache) alone(f func() error) (err error) {
	lock := flock.New(filepath.Join(c.o.Dir, "lock"), flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if err != nil || !got {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return f()
}

// remove removes files; those that are gone already count as removed by others.
func remove(list []Entry) (bytes int64, err error) {
	for _, e := range list {
		switch gone := os.Remove(e.Path); {
		case gone == nil:
			bytes += e.Bytes
		case !errors.Is(gone, fs.ErrNotExist) && err == nil:
			err = gone
		}
	}
	return bytes, err
}
