package setup

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/randtest"
)

// packed returns a wheel with two small files in it, and its bytes.
func packed(t *testing.T, names ...string) (*wheel, []byte) {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, name := range names {
		to, err := z.Create(name)
		if err == nil {
			_, err = fmt.Fprintf(to, "this is %s", name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(archive.Bytes())
	return &wheel{
		version: "19.1.7", project: "some-llvm", maker: "somebody", file: "some_llvm-1.whl",
		bytes: int64(archive.Len()), sha256: hex.EncodeToString(sum[:]),
		members: []member{{"data/lib/libLLVM.so.19.1", "lib/libLLVM.so.19.1"}, {"data/lib/x/libc++.so.1.0", "lib/x/libc++.so.1"}},
	}, archive.Bytes()
}

// serve is a registry that has such a page for each project, and such a file.
func serve(t *testing.T, page string, file []byte, fetched *atomic.Int32) *registry {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/simple/some-llvm/" && page != "":
			_, _ = fmt.Fprint(to, page) // the client notices
		case r.URL.Path == "/files/some_llvm-1.whl":
			fetched.Add(1)
			_, _ = to.Write(file)
		default:
			http.NotFound(to, r)
		}
	}))
	t.Cleanup(s.Close)
	return &registry{client: s.Client(), index: s.URL + "/simple"}
}

const wheelPage = `<!DOCTYPE html><html><body>
<a href="../../files/some_llvm-0.whl#sha256=0">some_llvm-0.whl</a>
<a data-requires-python="&gt;=3" href="../../files/some_llvm-1.whl#sha256=1">some_llvm-1.whl</a></body></html>`

// TestFetch gets a wheel out of registries, each with its own fault. What has failed leaves nothing.
func TestFetch(t *testing.T) {
	good, file := packed(t, "data/lib/libLLVM.so.19.1", "data/lib/x/libc++.so.1.0", "other")
	lacking, lackingFile := packed(t, "data/lib/libLLVM.so.19.1")
	torn, tornFile := packed(t, "data/lib/libLLVM.so.19.1")
	tornFile = tornFile[:len(tornFile)-10]
	sum := sha256.Sum256(tornFile)
	torn.bytes, torn.sha256 = int64(len(tornFile)), hex.EncodeToString(sum[:])
	changed := bytes.Clone(file)
	changed[len(changed)/2] ^= 1
	for _, c := range []struct {
		name string
		of   *wheel
		page string
		file []byte
		want string // of the error
	}{
		{"a good one", good, wheelPage, file, ""},
		{"no such project", good, "", file, "/simple/some-llvm/: the registry answers 404"},
		{"no such file", good, `<a href="../../files/some_llvm-0.whl">`, file, "has no file some_llvm-1.whl"},
		{"an empty page", good, "<html>", file, "has no file"},
		{"a link to nowhere", good, `<a href='/nowhere/some_llvm-1.whl'>`, file, "/nowhere/some_llvm-1.whl: the registry answers 404"},
		{"another file", good, wheelPage, changed, "is another file than some_llvm-1.whl: its SHA-256 is"},
		{"a part of it", good, wheelPage, file[:20], "does not have the"},
		{"a longer one", good, wheelPage, append(bytes.Clone(file), 0), "does not have the"},
		{"no archive", torn, wheelPage, tornFile, "cannot be unpacked: zip:"},
		{"an archive without a library", lacking, wheelPage, lackingFile, "cannot be unpacked: open data/lib/x/libc++.so.1.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := t.TempDir()
			dir := filepath.Join(cache, "below", "ti-libllvm")
			var log bytes.Buffer
			var n atomic.Int32
			err := fetchInto(t.Context(), serve(t, c.page, c.file, &n), c.of, dir, &log)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
				if left, _ := filepath.Glob(dir + "*"); len(left) != 1 { // the lock
					t.Errorf("%v are left", left)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(dir, "lib", "x", "libc++.so.1"))
			if err != nil || string(text) != "this is data/lib/x/libc++.so.1.0" {
				t.Errorf("the library is %q, %v", text, err)
			}
			for _, said := range []string{"libLLVM 19.1.7", "a build of somebody", "files/some_llvm-1.whl", "it is in " + dir} {
				if !strings.Contains(log.String(), said) {
					t.Errorf("%q is not said in %q", said, log.String())
				}
			}
		})
	}
}

// TestFetchUnreachable has no registry, and one that answers too late.
func TestFetchUnreachable(t *testing.T) {
	w, _ := packed(t)
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	r := &registry{client: s.Client(), index: strings.Replace(s.URL, "http://", "http://me:secret@", 1)}
	err := fetchInto(t.Context(), r, w, filepath.Join(t.TempDir(), "d"), new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), "cannot be reached") || strings.Contains(err.Error(), "secret") {
		t.Errorf("a registry that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	late := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer late.Close()
	if err := fetchInto(ctx, &registry{late.Client(), late.URL}, w, filepath.Join(t.TempDir(), "d"), new(bytes.Buffer)); !errors.Is(err, context.Canceled) {
		t.Errorf("a command that is ended while it waits: %v", err)
	}
}

// TestFetchOnce fetches from many goroutines, as from many processes, into a folder with what a process has left that was killed.
func TestFetchOnce(t *testing.T) {
	w, file := packed(t, "data/lib/libLLVM.so.19.1", "data/lib/x/libc++.so.1.0")
	var n atomic.Int32
	r := serve(t, wheelPage, file, &n)
	dir := filepath.Join(t.TempDir(), "ti-libllvm")
	for _, left := range []string{dir + partly + "1/whole/lib", filepath.Join(dir, "lib")} {
		if err := os.MkdirAll(left, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := fetchInto(t.Context(), r, w, dir, new(bytes.Buffer)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n.Load() != 1 || !w.complete(dir) {
		t.Errorf("it was fetched %d times, and is complete: %v", n.Load(), w.complete(dir))
	}
	if left, _ := filepath.Glob(dir + partly + "*"); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// TestFetchNoFolder has a file where the folder is to be.
func TestFetchNoFolder(t *testing.T) {
	w, _ := packed(t)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := fetchInto(t.Context(), nil, w, filepath.Join(path, "d"), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "the folder for caches cannot be made") {
		t.Errorf("error %v", err)
	}
}

// TestWheels: what can be fetched was tested, and there is none for other machines.
func TestWheels(t *testing.T) {
	for _, w := range wheels {
		tested := false
		for _, v := range llvm.TestedVersions() {
			tested = tested || v.Version.String() == w.version
		}
		if !tested || len(w.sha256) != 64 || !strings.Contains(w.file, w.version) || !strings.Contains(w.members[0].to, "libLLVM") {
			t.Errorf("version %s for %s/%s: tested %v, %+v", w.version, w.goos, w.goarch, tested, w)
		}
	}
	if _, err := wheelFor("plan9", "mips"); !errors.Is(err, ErrNoBuild) || !strings.Contains(err.Error(), "plan9/mips") {
		t.Errorf("a machine without a build: %v", err)
	}
}

// TestIndex: the index is that of pip.
func TestIndex(t *testing.T) {
	t.Setenv(EnvIndex, "")
	if got := newRegistry().index; got != "https://pypi.org/simple" {
		t.Errorf("the index is %s", got)
	}
	t.Setenv(EnvIndex, "https://mirror.example/simple/")
	if got := newRegistry().index; got != "https://mirror.example/simple" {
		t.Errorf("the index is %s", got)
	}
}

// TestFetchReally fetches what there is, where all tests run and the registry can be reached, and uses it.
func TestFetchReally(t *testing.T) {
	if _, err := here(); err != nil || !randtest.All() {
		return
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	lib, err := Fetch(t.Context(), t.Output())
	if err != nil {
		if strings.Contains(err.Error(), "cannot be reached") {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	if w, _ := here(); lib.Version().String() != w.version {
		t.Errorf("version %s was fetched, want %s", lib.Version(), w.version)
	}
	if found := llvm.Find(); len(found) == 0 || found[0].Path != lib.Path() {
		t.Errorf("%v are found, want %s first", found, lib.Path())
	}
}
