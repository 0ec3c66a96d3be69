package setup

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/llvm"
)

// TestInstall replaces the package manager by programs that record their arguments.
func TestInstall(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // no package manager of this kind
	}
	for _, tt := range []struct {
		name, get, cache string
		want, log        string // of the error, of what was said and done
	}{
		{"newest", `echo "did $*" >>$LOG`, "echo libllvm15; echo libllvm19; echo libllvm-dev",
			"", "installing libllvm19 with apt-get\ndid update\ndid install -y --no-install-recommends libllvm19"},
		{"none", "true", "echo libllvm14", "the package archive has no libLLVM of version 15 or newer", ""},
		{"no network", "echo could not resolve; exit 100", "true", "could not resolve", ""},
		{"full disk", `test $1 = update || { echo no space left on device; exit 100; }`, "echo libllvm19", "no space left on device", "installing libllvm19"},
		{"no cache", "true", "exit 1", "apt-cache: exit status 1", ""},
	} {
		dir := t.TempDir()
		did := filepath.Join(dir, "did")
		t.Setenv("LOG", did)
		t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
		for name, text := range map[string]string{
			"apt-get": tt.get, "apt-cache": tt.cache, "sudo": `test "$1" != -n || shift; exec "$@"`,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		var log bytes.Buffer
		err := install(filepath.Join(dir, "apt-get"), &log)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
		done, err := os.ReadFile(did)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if all := log.String() + string(done); !strings.HasPrefix(all, "asking apt-get what it has") || !strings.Contains(all, tt.log) {
			t.Errorf("%s: %s", tt.name, all)
		}
	}
}

// TestNamedLibraryIsNotReplaced installs nothing where the user has named a file.
func TestNamedLibraryIsNotReplaced(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(llvm.EnvPath, filepath.Join(t.TempDir(), "libLLVM.so"))
	var log bytes.Buffer
	if _, err := LLVM(t.Context(), &log); !errors.Is(err, llvm.ErrMissing) || log.Len() > 0 {
		t.Errorf("error %v, said %q", err, log.String())
	}
}
