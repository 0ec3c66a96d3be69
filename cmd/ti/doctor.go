package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/gotaichi/ti/internal/llvm"
)

type doctorCmd struct{}

// Run prints what was found, and fails if something needed is missing.
func (c *doctorCmd) Run(io *stdio) error {
	say := func(what, format string, args ...any) {
		fmt.Fprintf(io.out, "%-10s %s\n", what, fmt.Sprintf(format, args...))
	}
	say("ti", "%s, %s/%s, %s", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	name := cpuid.CPU.BrandName
	if name == "" {
		name = runtime.GOARCH
	}
	say("processor", "%s", name)
	say("vectors", "%s", vectors())
	say("threads", "%d processors may be used", runtime.GOMAXPROCS(0))
	found := llvm.Find()
	for _, c := range found {
		if c.Major > 0 && c.Major < llvm.MinMajor {
			say("found", "%s, too old: version %d or newer is needed", c.Path, llvm.MinMajor)
			continue
		}
		say("found", "%s", c.Path)
	}
	lib, err := llvm.Default()
	if err != nil {
		say("libLLVM", "%v", err)
		var bad *llvm.Unusable
		if errors.As(err, &bad) || errors.Is(err, llvm.ErrProcessor) {
			return errReported
		}
		return err
	}
	say("libLLVM", "version %s will be used, for %s: %s", lib.Version(), lib.HostCPU(), lib.Path())
	say("tested", "%s", lib.Version().Standing())
	for _, v := range llvm.TestedVersions() {
		if v.Version != lib.Version() {
			say("tested", "version %s: %s", v.Version, strings.Join(v.Processors, ", "))
		}
	}
	if machine := lib.Machine(); machine != "" {
		say("code", "is made for %s, as %s says; this machine is a %s", lib.HostCPU(), llvm.EnvProcessor, machine)
	}
	return nil
}

// vectors names the widest vector instructions of the processor.
func vectors() string {
	for _, v := range []struct {
		id   cpuid.FeatureID
		name string
	}{{cpuid.AVX512F, "AVX-512, 512 bits"}, {cpuid.AVX2, "AVX2, 256 bits"}, {cpuid.AVX, "AVX, 256 bits"},
		{cpuid.SSE2, "SSE2, 128 bits"}, {cpuid.SVE, "SVE"}, {cpuid.ASIMD, "NEON, 128 bits"}} {
		if cpuid.CPU.Has(v.id) {
			return v.name
		}
	}
	return "none known"
}

type versionCmd struct{}

// Run prints the version.
func (c *versionCmd) Run(io *stdio) error {
	fmt.Fprintf(io.out, "ti %s %s/%s\n", version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// version is the module's, with the commit where it was built from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
