package setup

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/gotaichi/ti/internal/llvm"
)

// Fetch gets a libLLVM out of a registry of packages into the user's cache, where [llvm.Find] finds it, and says so on log. It needs no rights but those to the
// user's own files. What it puts there is whole or not there at all, whatever happens meanwhile, and if several processes do so at once one does the work.
func Fetch(ctx context.Context, log io.Writer) (*llvm.Lib, error) {
	w, err := here()
	if err != nil {
		return nil, err
	}
	dir := llvm.FetchedDir()
	if dir == "" {
		return nil, errors.New("there is no folder to put a libLLVM in: the user has no home; set HOME or XDG_CACHE_HOME")
	}
	path := filepath.Join(dir, filepath.FromSlash(w.members[0].to))
	if err := fetchInto(ctx, newRegistry(), w, dir, log); err != nil {
		return nil, err
	}
	lib, err := llvm.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the libLLVM that was fetched cannot be used here: %w", errors.Join(err, os.RemoveAll(dir)))
	}
	return lib, nil
}

// fetchInto puts the libraries of a wheel into a folder, if it does not have them.
func fetchInto(ctx context.Context, r *registry, w *wheel, dir string, log io.Writer) (err error) {
	above := filepath.Dir(dir)
	if err := os.MkdirAll(above, 0o700); err != nil {
		return fmt.Errorf("the folder for caches cannot be made: %w", err)
	}
	lock := flock.New(dir+".lock", flock.SetPermissions(0o600))
	if locked, err := lock.TryLock(); err != nil {
		return fmt.Errorf("the folder for caches cannot be used: %w", err)
	} else if !locked {
		fmt.Fprintln(log, "waiting for another process that fetches a libLLVM")
		if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
			return fmt.Errorf("another process fetches a libLLVM: %w", err)
		}
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if err := sweep(dir); err != nil {
		return fmt.Errorf("the folder for caches cannot be used: %w", err)
	}
	if w.complete(dir) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, downloadTime)
	defer cancel()
	address, err := r.find(ctx, w)
	if err != nil {
		return err
	}
	part, err := os.MkdirTemp(above, filepath.Base(dir)+partly)
	if err != nil {
		return fmt.Errorf("the folder for caches cannot be used: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(part)) }()
	fmt.Fprintf(log, "fetching libLLVM %s (%.1f MB), a build of %s, from %s\n", w.version, float64(w.bytes)/1e6, w.maker, shown(address))
	archive := filepath.Join(part, w.file)
	if err := writeTo(archive, func(to io.Writer) error { return r.download(ctx, w, address, to) }); err != nil {
		return fmt.Errorf("libLLVM cannot be fetched: %w", err)
	}
	whole := filepath.Join(part, "whole")
	if err := w.unpack(archive, whole); err != nil {
		return fmt.Errorf("libLLVM cannot be unpacked: %w", err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(whole, dir)); err != nil {
		return fmt.Errorf("libLLVM cannot be put in its place: %w", err)
	}
	fmt.Fprintf(log, "it is in %s\n", dir)
	return nil
}

// lockRetry is how often somebody who waits looks whether another process has ended.
const lockRetry = 200 * time.Millisecond

// sweep removes what processes have left that were killed while they fetched into a folder. The caller has the lock.
func sweep(dir string) error {
	left, err := filepath.Glob(dir + partly + "*")
	for _, path := range left {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

// partly is what the name of a folder has behind that of the one that it is to become.
const partly = "-part-"

// complete reports whether a folder has all that the wheel has for it.
func (w *wheel) complete(dir string) bool {
	for _, m := range w.members {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(m.to))); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// unpack writes the libraries of a wheel, which is a zip archive, into a folder.
func (w *wheel) unpack(archive, dir string) (err error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	for _, m := range w.members {
		from, err := z.Open(m.from)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(m.to))
		if err = os.MkdirAll(filepath.Dir(to), 0o700); err == nil {
			err = writeTo(to, func(file io.Writer) error {
				_, err := io.Copy(file, from)
				return err
			})
		}
		if err = errors.Join(err, from.Close()); err != nil {
			return err
		}
	}
	return nil
}

// writeTo makes a file that the user alone can write to, and has write fill it.
func writeTo(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
