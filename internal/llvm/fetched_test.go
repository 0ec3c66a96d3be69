package llvm

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// TestFetched finds a library in the user's cache, unless others could have put it there.
func TestFetched(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // the folder has another name
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	lib := filepath.Join(FetchedDir(), "lib")
	if err := os.MkdirAll(lib, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(lib, "libLLVM.so.77.1")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := Candidate{Path: file, Major: 77}
	if found := Find(); len(found) == 0 || found[0] != want {
		t.Errorf("%v are found, want %v first", found, want)
	}
	for _, dir := range []string{lib, FetchedDir()} {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(Find(), want) {
			t.Errorf("a library is found in %s, to which anybody can write", dir)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if FetchedDir() != "" || slices.Contains(Find(), want) {
		t.Error("a user without a home has a folder")
	}
}
