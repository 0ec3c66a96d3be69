package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestNoInstaller says why there is no device where nothing can be installed.
func TestNoInstaller(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var log bytes.Buffer
	// A driver that lacks a library it needs, such as libLLVM, makes a function fail that it names: vkEnumeratePhysicalDevices.
	if _, err := Vulkan(&log); err != nil && !strings.Contains(err.Error(), "Vulkan") && !strings.Contains(err.Error(), "vk") {
		t.Error(err)
	}
}

// TestInstallDriver replaces the package manager by programs that record their arguments.
func TestInstallDriver(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // no package manager of this kind
	}
	const drivers = "did install -y --no-install-recommends libvulkan1 mesa-vulkan-drivers\n"
	const tools = "did install -y --no-install-recommends spirv-tools\ndid install -y --no-install-recommends vulkan-validationlayers\n"
	for _, tt := range []struct{ name, get, err, did, said string }{
		{"all", `echo "did $*" >>$LOG`, "", "did update\n" + drivers + tools, "installing libvulkan1"},
		{"no network", "echo could not resolve; exit 100", "could not resolve", "", ""},
		{"no driver", `echo "did $*" >>$LOG; case "$*" in *mesa*) echo no such package; exit 100;; esac`, "no such package", "did update\n" + drivers, ""},
		{"no tools", `echo "did $*" >>$LOG; case "$*" in *spirv*) echo no such package; exit 100;; esac`, "", "did update\n" + drivers + tools, "modules are not checked by spirv-val: "},
		{"no layer", `echo "did $*" >>$LOG; case "$*" in *layers*) echo no such package; exit 100;; esac`, "", "did update\n" + drivers + tools, "calls are not checked by the validation layer: "},
	} {
		dir := t.TempDir()
		did := filepath.Join(dir, "did")
		t.Setenv("LOG", did)
		t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
		for name, text := range map[string]string{"apt-get": tt.get, "sudo": `test "$1" != -n || shift; exec "$@"`} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		var log bytes.Buffer
		err := installDriver(filepath.Join(dir, "apt-get"), &log)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
		}
		done, err := os.ReadFile(did)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if string(done) != tt.did || !strings.Contains(log.String(), tt.said) {
			t.Errorf("%s: it did %q, and said %q", tt.name, done, &log)
		}
	}
}
