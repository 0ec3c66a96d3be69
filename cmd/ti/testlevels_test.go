package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ahead"
)

// TestOtherProcessors: each lesser level is tested, or a reason says why not.
func TestOtherProcessors(t *testing.T) {
	all := otherProcessors()
	if len(all) != len(lesser)+5 || all[0].processor != "apart" {
		t.Fatalf("%d runs", len(all))
	}
	for i, name := range lesser {
		runs := slices.ContainsFunc(ahead.Here(), func(l ahead.Level) bool { return l.Processor == name })
		if p := all[i+2]; p.processor != name || (p.skipped == "") != runs || !slices.Contains(p.env, "TI_PROCESSOR="+name) {
			t.Errorf("%+v", p)
		}
	}
}

// TestOnDevice: the first device with a Vulkan driver is the one, by its number.
func TestOnDevice(t *testing.T) {
	if p := onDevice([]ti.Device{{Arch: ti.LLVM}, {Arch: ti.Oracle}}); !strings.Contains(p.skipped, "no device") {
		t.Errorf("%+v", p)
	}
	p := onDevice([]ti.Device{{Arch: ti.LLVM}, {Arch: ti.Vulkan, Index: 1}, {Arch: ti.Vulkan, Index: 2}})
	if p.skipped != "" || !slices.Equal(p.env, []string{"TI_ARCH=vulkan", "TI_INSTEAD=vulkan", "TI_DEVICE=1"}) || len(p.packages) == 0 {
		t.Errorf("%+v", p)
	}
}

// TestEmulated looks for what the emulator needs, in one part after another.
func TestEmulated(t *testing.T) {
	root := t.TempDir()
	env := map[string]string{"QEMU_LD_PREFIX": root}
	getenv := func(name string) string { return env[name] }
	none := func(string) (string, error) { return "", errors.New("none") }
	qemu := func(string) (string, error) { return "/usr/bin/qemu-aarch64", nil }
	add := func(path string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	skips := func(p processorRun, why string) {
		t.Helper()
		if !strings.Contains(p.skipped, why) {
			t.Errorf("skipped because %q; want %q", p.skipped, why)
		}
	}
	skips(emulated("darwin", "arm64", getenv, qemu), "linux/amd64 alone")
	skips(emulated("linux", "amd64", getenv, none), "no qemu-aarch64; on Debian: dpkg --add-architecture arm64")
	skips(emulated("linux", "amd64", getenv, qemu), "no C library")
	skips(emulatedWasm("linux", "amd64", getenv, qemu), "no C library for arm64; on Debian: apt-get install qemu-user libc6-arm64-cross")
	add("lib/ld-linux-aarch64.so.1")
	skips(emulated("linux", "amd64", getenv, qemu), "no libLLVM for arm64")
	if p := emulatedWasm("linux", "amd64", getenv, qemu); p.skipped != "" || p.exec != "/usr/bin/qemu-aarch64" || !slices.Contains(p.env, "TI_INSTEAD=wasm") || !slices.Contains(p.env, "GOARCH=arm64") {
		t.Errorf("%+v", p)
	}
	add("usr/lib/aarch64-linux-gnu/libLLVM-15.so.1")
	p := emulated("linux", "amd64", getenv, qemu)
	if p.skipped != "" || p.exec != "/usr/bin/qemu-aarch64" || !slices.Contains(p.env, "TI_LIBLLVM="+filepath.Join(root, "usr/lib/aarch64-linux-gnu")) || !slices.Contains(p.env, "GOARCH=arm64") {
		t.Errorf("%+v", p)
	}
}
