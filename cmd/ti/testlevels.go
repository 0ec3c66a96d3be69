package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/llvm"
)

// A processorRun is a run of tests in which kernels are compiled for another processor than this machine's, run on a device with a Vulkan driver, or in memory
// apart from the host's, or the reason why there is none.
type processorRun struct {
	processor string
	env       []string
	packages  []string
	exec      string // starts the test binaries; "" for nothing but themselves
	skipped   string
}

// launching are the packages whose tests ask where kernels run. Others test the compiler alone, this command, or examples.
var launching = []string{".", "./internal/runtest/...", "./internal/quanttest", "./internal/gradient", "./internal/autodiff/...", "./internal/store"}

// asWasm is the run as WebAssembly.
func asWasm() processorRun {
	return processorRun{processor: config.Wasm.String(), env: on(config.Wasm), packages: []string{"./..."}}
}

// onDevice is the run on a device with a Vulkan driver.
func onDevice(all []ti.Device) processorRun {
	p := processorRun{processor: config.Vulkan.String(), skipped: "there is no device with a Vulkan driver; ti doctor says what to install"}
	for _, d := range all {
		if d.Arch == ti.Vulkan {
			p.skipped = ""
			p.env = on(config.Vulkan, fmt.Sprintf("TI_DEVICE=%d", d.Index))
			p.packages = launching
			break
		}
	}
	return p
}

// lesser are the levels of x86-64 as which all tests run. Most processors have the second, and emulators and many a
// rented machine no more than the first.
var lesser = []string{"x86-64-v2", "x86-64-v3"}

// otherProcessors lists the runs beyond the one for this machine's processor: all tests in memory apart (package apart), all
// for each lesser level that the machine runs, and as WebAssembly, those that run kernels on a device with a Vulkan driver, and for arm64, under an emulator.
func otherProcessors() (all []processorRun) {
	here := ahead.Here()
	all = append(all, processorRun{processor: config.Apart.String(), env: on(config.Apart), packages: []string{"./..."}}, asWasm())
	for _, name := range lesser {
		p := processorRun{processor: name, env: []string{llvm.EnvProcessor + "=" + name}, packages: []string{"./..."}}
		if !slices.ContainsFunc(here, func(l ahead.Level) bool { return l.Processor == name }) {
			p.skipped = "this machine is a " + ahead.Machine() + ", which does not run such code"
		}
		all = append(all, p)
	}
	all = append(all, onDevice(ti.Devices()))
	return append(all, emulated(runtime.GOOS, runtime.GOARCH, os.Getenv, exec.LookPath), emulatedWasm(runtime.GOOS, runtime.GOARCH, os.Getenv, exec.LookPath))
}

// emulated is the run for arm64 under qemu. It finds the libraries of that processor where Debian has them, below the
// folder that the emulator's own variable QEMU_LD_PREFIX names if it is set.
func emulated(goos, goarch string, getenv func(string) string, find func(string) (string, error)) processorRun {
	const remedy = "; on Debian: dpkg --add-architecture arm64, apt-get update, apt-get install qemu-user libllvm15:arm64"
	p := emulator(goos, goarch, getenv, find, remedy)
	if p.skipped != "" {
		return p
	}
	library := getenv(llvm.EnvPath)
	if library == "" {
		found, err := filepath.Glob(filepath.Join(getenv("QEMU_LD_PREFIX"), "/usr/lib/aarch64-linux-gnu/libLLVM*.so*"))
		if err != nil || len(found) == 0 {
			p.skipped = "there is no libLLVM for arm64" + remedy
			return p
		}
		library = filepath.Dir(found[0])
	}
	p.env = append(p.env, llvm.EnvPath+"="+library, llvm.EnvProcessor+"=")
	p.packages = []string{"./internal/runtest/...", "./internal/mathlib", "./internal/quanttest", "./internal/codegen/...", "./internal/loader", "./internal/engine"}
	return p
}

// emulatedWasm is the run for arm64 under qemu as WebAssembly, which needs no libLLVM: the rules of the language, atomics among them, and the back end itself.
func emulatedWasm(goos, goarch string, getenv func(string) string, find func(string) (string, error)) processorRun {
	p := emulator(goos, goarch, getenv, find, "; on Debian: apt-get install qemu-user libc6-arm64-cross, and set QEMU_LD_PREFIX=/usr/aarch64-linux-gnu")
	p.processor += " as WebAssembly"
	p.env = slices.Concat(p.env, on(config.Wasm), []string{llvm.EnvPath + "="})
	p.packages = []string{"./internal/runtest/conformance", "./internal/codegen/wasm", "./internal/wasm", "./internal/engine"}
	return p
}

// emulator is a run for arm64 under qemu without packages, or the reason, with a remedy, why there is none.
func emulator(goos, goarch string, getenv func(string) string, find func(string) (string, error), remedy string) processorRun {
	p := processorRun{processor: "arm64"}
	if goos != "linux" || goarch != "amd64" {
		p.skipped = "programs for linux/arm64 run under an emulator on linux/amd64 alone"
		return p
	}
	qemu, err := find("qemu-aarch64")
	if err != nil {
		p.skipped = "there is no qemu-aarch64" + remedy
		return p
	}
	if _, err := os.Stat(filepath.Join(getenv("QEMU_LD_PREFIX"), "/lib/ld-linux-aarch64.so.1")); err != nil {
		p.skipped = "there is no C library for arm64" + remedy
		return p
	}
	p.exec = qemu
	p.env = []string{"GOARCH=arm64", "CGO_ENABLED=0"}
	return p
}

// testOthers runs the tests for other processors, in the usual share, and says what is left out.
func (t *tester) testOthers() {
	for _, p := range otherProcessors() {
		if p.skipped != "" {
			fmt.Fprintf(t.io.out, "skip tests as %s: %s\n", p.processor, p.skipped)
			continue
		}
		fmt.Fprintf(t.io.out, "tests as %s:\n", p.processor)
		args := []string{"test", "-vet=off", "-timeout=0"}
		if p.exec != "" {
			args = append(args, "-exec="+p.exec)
		}
		t.goTest(p.env, append(args, p.packages...)...)
	}
}
